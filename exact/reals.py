"""The numbers of p and q as a program gets them where its formula is audited, apart from its rounding.

A `Real` is a Fraction that takes a float for the number that it is and behaves at 0 as a float of NumPy does.  A
program that asks for a float of it is not followed (`FloatsNeeded`): it rounds, and has to be given floats.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from dis import opmap
from fractions import Fraction
from math import inf, isfinite, isnan
from numbers import Rational
from types import FrameType
from typing import Any, TypeAlias

from exact.branching import RUNNING, FloatTaken, refuse

Plain: TypeAlias = Fraction | float  # floats are infinite, or nan


class Undrawn:
    """The base of the random numbers of `exact/lazy.py`, of which nothing can be asked here."""


def number_of(value: Any) -> Plain | None:
    """A number of the program as the rational that it is; None where it is none, or is not drawn.

    >>> number_of(0.5), number_of(float("inf")), number_of("1/2")
    (Fraction(1, 2), inf, None)
    """
    if isinstance(value, Fraction):
        return value if type(value) is Fraction else Fraction.__pos__(value)  # the plain one is faster
    if isinstance(value, Undrawn):
        return None
    if isinstance(value, Rational):  # a Token as well
        return Fraction(int(value))  # type: ignore[call-overload]
    if hasattr(value, "as_integer_ratio") and not getattr(value, "shape", ()):
        return Fraction(*value.as_integer_ratio()) if isfinite(value) else float(value)
    return number_of(value.tolist()) if getattr(value, "shape", None) == () else None


def is_special(y: Any) -> bool:
    """Infinite, or nan, with which arithmetic and comparison are those of floats."""
    return isinstance(y, float)


def inverse(y: Plain) -> Plain:
    """1/y as floats have it, of a zero without a sign.

    >>> inverse(Fraction(2)), inverse(Fraction(0)), inverse(float("inf"))
    (Fraction(1, 2), inf, Fraction(0, 1))
    """
    if isinstance(y, float):
        return y if isnan(y) else Fraction(0)
    return 1 / Fraction(y) if y else inf


EXACT: dict[Callable[[Any, Any], Any], Any] = {
    operator.add: Fraction.__add__, operator.sub: Fraction.__sub__, operator.mul: Fraction.__mul__,
    operator.truediv: Fraction.__truediv__, operator.floordiv: Fraction.__floordiv__, operator.mod: Fraction.__mod__,
}  # fmt: skip
OF_NUMPY = {"argmax", "argmin", "sort", "argsort", "searchsorted", "partition", "argpartition"}
DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)


def operate(f: Callable[[Any, Any], Any], x: Plain, y: Plain) -> Any:
    """f(x, y) of two numbers, exactly; with an infinity, or nan, or a division by 0, as floats of NumPy have it.

    >>> operate(operator.mul, inf, Fraction(0)), operate(operator.truediv, Fraction(1), Fraction(3))
    (nan, 1/3)
    """
    if not y and f in DIVISIONS:
        return NAN if f is operator.mod or not x or x != x else sign(x) * inf
    if not is_special(x) and not is_special(y):
        return Real(EXACT[f](x, y))
    if f is operator.mod:
        refuse("the remainder of an infinite number, or nan: audit it on floats", FloatTaken)
    found = f(sign(x), sign(y))
    return NAN if isnan(found) else found


def sign(x: Plain) -> float:
    """x itself where it is infinite, or nan; otherwise all of it that counts beside these."""
    return x if isinstance(x, float) else float((x > 0) - (x < 0))


def both_ways(f: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The two methods of an operator: each reads its other operand exactly, or leaves the operation to that."""

    def forward(self: Real, other: Any) -> Any:
        on_reals()
        y = number_of(other)
        return NotImplemented if y is None else operate(f, self, y)

    def backward(self: Real, other: Any) -> Any:
        on_reals()
        x = number_of(other)
        return NotImplemented if x is None else operate(f, x, self)

    return forward, backward


def on_reals() -> None:
    """The run that goes on computes with rational numbers."""
    if RUNNING:
        RUNNING[-1].on_reals = True


def compared(f: Callable[[float, Any], Any], is_of_numpy: Callable[[FrameType], bool]) -> Any:
    """A comparison with nan, which is refused where it is NumPy that compares, with its functions of objects."""

    def method(self: Nan, other: Any) -> Any:
        if is_of_numpy(sys._getframe(1)):
            refuse("nan in an array of rational numbers, of which NumPy takes an order: audit it on floats", FloatTaken)
        return f(self, other)

    return method


def _is_called(frame: FrameType) -> bool:
    """Is the program at a call, and not at a comparison?  (min, max and sorted ask for < and > only.)"""
    return frame.f_code.co_code[frame.f_lasti] != opmap["COMPARE_OP"]


def _may_be_numpy(frame: FrameType) -> bool:
    names = {*frame.f_code.co_names, frame.f_code.co_name}
    return _is_called(frame) and bool(OF_NUMPY & names or "numpy" in frame.f_code.co_filename)


class Nan(float):
    """nan among rational numbers: NumPy's orders of objects do not know that it is nan."""

    __ge__, __le__ = compared(float.__ge__, _is_called), compared(float.__le__, _is_called)
    __gt__, __lt__ = compared(float.__gt__, _may_be_numpy), compared(float.__lt__, _may_be_numpy)

    def _stays(self, *_others: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __abs__ = (
        _stays
    )


NAN = Nan("nan")


class Real(Fraction):
    """A Fraction with the arithmetic of the reals, and infinity or nan where floats have that.

    >>> Real(1, 3) + 0.5, Real(1) / 0, min(1, Real(1, 2) / Real(1, 4))
    (5/6, inf, 1)
    """

    __slots__ = ()

    __add__, __radd__ = both_ways(operator.add)
    __sub__, __rsub__ = both_ways(operator.sub)
    __mul__, __rmul__ = both_ways(operator.mul)
    __truediv__, __rtruediv__ = both_ways(operator.truediv)
    __floordiv__, __rfloordiv__ = both_ways(operator.floordiv)
    __mod__, __rmod__ = both_ways(operator.mod)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any, _modulo: Any = None) -> Any:
        exponent = number_of(other)
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and (self or exponent >= 0):
            return Real(Fraction(self) ** int(exponent))
        return self.__float__()

    def __rpow__(self, other: Any, _modulo: Any = None) -> Any:
        return Real(number_of(other) or 0) ** self if isinstance(number_of(other), Fraction) else self.__float__()

    def __neg__(self) -> Real:
        return Real(-self.numerator, self.denominator)

    def __pos__(self) -> Real:
        return self

    def __abs__(self) -> Real:
        return Real(abs(self.numerator), self.denominator)

    def __round__(self, digits: Any = None) -> Any:
        return Fraction.__round__(self) if digits is None else Real(Fraction.__round__(self, digits))

    def __float__(self) -> float:
        refuse(f"a float is made of the number {Fraction(self)}: that rounds; audit it on floats", FloatTaken)

    def log(self) -> Any:
        from exact.lazy import log_of

        on_reals()
        return log_of(self) if self > 0 else NAN if self else -inf

    def log1p(self) -> Any:
        return (self + 1).log()

    def exp(self) -> Any:
        return self.__float__() if self else Real(1)

    def sqrt(self) -> Any:
        return self.__float__()

    expm1 = log2 = log10 = exp2 = tanh = cbrt = rint = sqrt

    def item(self) -> Real:
        return self

    def __deepcopy__(self, _memo: object) -> Real:
        on_reals()
        return self

    def __format__(self, how: str) -> str:
        return format(self.numerator / self.denominator, how)  # for people: nothing is computed with it

    __str__ = __repr__ = Fraction.__str__
