"""The numbers of p and q as a program gets them where its formula is audited, apart from its rounding.

A `Real` is a Fraction that takes a float for the number that it is and behaves at 0 as a float does.  A program that
asks for a float of it is not followed (`FloatsNeeded`): it rounds, and has to be given floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

from exact.branching import FloatTaken, refuse
from exact.lazy import LogOf, is_special, number_of


class Real(Fraction):
    """A Fraction with the arithmetic of the reals, and infinity or nan where floats have that.

    >>> Real(1, 3) + 0.5, Real(1) / 0, min(1, Real(1, 2) / Real(1, 4))
    (5/6, inf, 1)
    """

    __slots__ = ()

    def __float__(self) -> float:
        refuse(f"a float is made of the number {Fraction(self)}: that rounds; audit it on floats", FloatTaken)

    def __pow__(self, other: Any, _modulo: Any = None) -> Any:
        exponent = number_of(other)
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and (self or exponent >= 0):
            return Real(Fraction(self) ** int(exponent))
        return self.__float__()

    def log(self) -> Any:
        return LogOf(self) if self > 0 else nan if self else -inf

    def sqrt(self) -> Any:
        return self.__float__()

    exp = expm1 = log1p = log2 = log10 = tanh = sqrt

    def item(self) -> Real:
        return self

    def __deepcopy__(self, _memo: object) -> Real:
        return self

    def __format__(self, how: str) -> str:
        return format(self.numerator / self.denominator, how)  # for people: nothing is computed with it

    __str__ = __repr__ = Fraction.__str__


def operate(f: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """f(x, y) of two numbers, exactly; with an infinity, or nan, or a quotient by 0, as floats have it.

    >>> operate(operator.mul, inf, Fraction(0)), operate(operator.truediv, Fraction(1), Fraction(3))
    (nan, 1/3)
    """
    by_zero = f is operator.truediv and not y
    if is_special(x) or is_special(y) or by_zero:
        x, y = (v if is_special(v) else float((v > 0) - (v < 0)) for v in (x, y))
        return x * inf if by_zero else f(x, y)
    return Real(f(Fraction(x), Fraction(y)))


def _arithmetic() -> None:
    """Every operator reads its other operand exactly, or leaves the operation to it."""

    def method(f: Callable[[Any, Any], Any], swapped: bool) -> Callable[[Real, Any], Any]:
        def do(self: Real, other: Any) -> Any:
            y = number_of(other)
            if y is None:
                return NotImplemented
            return operate(f, y, self) if swapped else operate(f, self, y)

        return do

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        setattr(Real, f"__{name}__", method(getattr(operator, name), False))
        setattr(Real, f"__r{name}__", method(getattr(operator, name), True))
    for f in (operator.neg, operator.pos, operator.abs):
        setattr(Real, f"__{f.__name__}__", lambda self, f=f: Real(f(Fraction(self))))


_arithmetic()
