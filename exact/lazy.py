"""Random numbers that are not drawn: they fork the run where the program looks at them.

    Uniform    a u + b, with a uniform u that knows the interval, or the points, where it still is
    Power      c E or c / E, with E exponential: what races are made of
    LogOf      the logarithm of one of these, or of a rational number; Gumbel noise is LogOf(1/E)
    Token      a whole number with weights, as `choice` gives it
    Event      a comparison in an array of these

Arithmetic on them is exact, with floats as the numbers that they are.  A comparison forks the run and leaves the
number narrowed, so that a number used twice stays the same number.  What would need more than rational probabilities
is refused by name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import floor, inf, isfinite, isnan, nan
from numbers import Rational
from typing import Any, NoReturn, TypeAlias

from exact.branching import Path, refuse
from exact.reading import Number
from exact.spans import Interval, Span

Plain: TypeAlias = Fraction | float  # floats are infinite, or nan

TAKEN = (
    "a float is taken out of {} (by float, math.log, an array of floats that it is put in, or its return): only "
    "comparisons are followed exactly; compare it, keep it in a list, write np.log for math.log"
)
IRRATIONAL = "{}: the law of that is irrational, or not known to be rational; nothing is approximated here"


def number_of(value: Any) -> Plain | None:
    """A number of the program as the rational that it is; None where it is none.

    >>> number_of(0.5), number_of(float("inf")), number_of("1/2")
    (Fraction(1, 2), inf, None)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Lazy):
        return None
    if isinstance(value, Rational):  # a Token as well
        return Fraction(int(value))  # type: ignore[call-overload]
    if hasattr(value, "as_integer_ratio") and not getattr(value, "shape", ()):
        return Fraction(*value.as_integer_ratio()) if isfinite(value) else float(value)
    return number_of(value.tolist()) if getattr(value, "shape", None) == () else None


class Lazy:
    """What they share: which operation it is and on what; each class says what it makes of that.

    `plus`, `times` and `below` get another Lazy, or a number (finite: a Fraction).
    """

    path: Path

    def plus(self, other: Any) -> Any:
        self.irrational(f"{self} + {other}")

    def times(self, other: Any) -> Any:
        self.irrational(f"{self} times {other}")

    def inverse(self) -> Any:
        self.irrational(f"1 / {self}")

    def below(self, other: Any, inclusive: bool) -> Any:  # noqa: ARG002 - others need it
        self.irrational(f"{self} compared with {other}")

    def log(self) -> Any:
        return LogOf(self)

    def irrational(self, what: str) -> NoReturn:
        refuse(IRRATIONAL.format(what))

    def operate(self, other: Any, how: Callable[[Any], Any]) -> Any:
        """how(the other operand as a Lazy or a number); an array takes it itself, element by element."""
        read = other if isinstance(other, Lazy) else number_of(other)
        return NotImplemented if read is None else how(read)

    def __add__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y if is_special(y) else self.plus(y))

    def __sub__(self, other: Any) -> Any:
        return self.operate(other, lambda y: -y if is_special(y) else self.plus(-y))

    def __rsub__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y if is_special(y) else (-self) + y)

    def __mul__(self, other: Any) -> Any:
        return self.operate(other, self.times)

    def __truediv__(self, other: Any) -> Any:
        return self.operate(other, lambda y: self.times(y.inverse() if isinstance(y, Lazy) else inverse(y)))

    def __rtruediv__(self, other: Any) -> Any:
        return self.operate(other, lambda y: self.inverse() * y)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return self.times(Fraction(-1))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __lt__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y > 0 if is_special(y) else self.below(y, False))

    def __le__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y > 0 if is_special(y) else self.below(y, True))

    def __gt__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y < 0 if is_special(y) else not self.below(y, True))

    def __ge__(self, other: Any) -> Any:
        return self.operate(other, lambda y: y < 0 if is_special(y) else not self.below(y, False))

    def __eq__(self, other: Any) -> Any:
        return self is other or self.operate(other, lambda y: not is_special(y) and self.equals(y))

    def __ne__(self, other: Any) -> Any:
        same = self == other
        return same if same is NotImplemented else not same

    def equals(self, _other: Any) -> bool:
        return False  # two numbers without atoms

    def __bool__(self) -> bool:
        return not self.equals(Fraction(0))

    def __float__(self) -> float:
        refuse(TAKEN.format(self))

    __hash__: Any = __float__
    __int__ = __round__ = __pow__ = __rpow__ = __complex__ = __index__ = __float__

    tolist = __float__

    def item(self) -> Lazy:
        return self

    def __copy__(self) -> Lazy:
        return self

    def __deepcopy__(self, _memo: object) -> Lazy:
        return self

    def __repr__(self) -> str:
        return str(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.irrational(f"{name} of {self}")


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
    return 1 / y if y else inf


# ---- uniform numbers


class Variable:
    """One uniform number of a run: the span where it still is."""

    def __init__(self, span: Span, path: Path) -> None:
        self.span, self.path, self.fresh, self.exponential = span, path, True, -1

    def is_below(self, t: Fraction, inclusive: bool) -> bool:
        """Whether it is below t (or at it); forks where that is not decided yet."""
        parts = self.span.split(t, inclusive)
        if self.exponential >= 0:
            refuse(IRRATIONAL.format("a uniform number compared after its logarithm, or another uniform number, was"))
        branch = self.path.fork("uniform", [part.size for part in parts])
        self.fresh = self.fresh and bool(parts[1 - branch].size == 0)
        self.span = parts[branch]
        return branch == 0

    def as_exponential(self) -> int:
        """-log u, which is exponential, as long as nothing is known of u; then u is used in no other way."""
        if self.exponential < 0:
            if not self.fresh or not isinstance(self.span, Interval):
                refuse(IRRATIONAL.format("the logarithm of a uniform number that was compared before, or is on a grid"))
            self.exponential = self.path.race.enter()
        return self.exponential


class Uniform(Lazy):
    """a u + b, a != 0."""

    def __init__(self, u: Variable, a: Fraction = Fraction(1), b: Fraction = Fraction(0)) -> None:
        self.u, self.a, self.b, self.path = u, a, b, u.path

    def __str__(self) -> str:
        return "a uniform number"

    def plus(self, other: Any) -> Any:
        if not isinstance(other, Lazy):
            return Uniform(self.u, self.a, self.b + other)
        if not isinstance(other, Uniform) or other.u is not self.u:
            return super().plus(other)
        a, b = self.a + other.a, self.b + other.b
        return Uniform(self.u, a, b) if a else b

    def times(self, other: Any) -> Any:
        if isinstance(other, Lazy):
            refuse(f"{self} times {other}: products of random numbers bring logarithms, their law is irrational")
        if is_special(other):
            return nan if isnan(other) else super().times(other)
        return Uniform(self.u, self.a * other, self.b * other) if other else other

    def below(self, other: Any, inclusive: bool) -> Any:
        if isinstance(other, Uniform):
            return self.below_uniform(other, inclusive)
        if isinstance(other, Lazy):
            return super().below(other, inclusive)
        t = (other - self.b) / self.a
        return self.u.is_below(t, inclusive) if self.a > 0 else not self.u.is_below(t, not inclusive)

    def below_uniform(self, other: Uniform, inclusive: bool) -> Any:
        if self.u is other.u:
            gap = self - other
            return gap <= 0 if inclusive else gap < 0
        (low, high), (other_low, other_high) = self.range, other.range
        if high < other_low or other_high < low:
            return high < other_low
        if (self.a, self.b) != (other.a, other.b):
            return super().below(other, inclusive)
        E, F = (Power(Fraction(1), x.u.as_exponential(), 1, x.path) for x in (self, other))
        return E > F if self.a > 0 else E < F

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        ends = sorted(self.a * x + self.b for x in (self.u.span.low, self.u.span.high))
        return ends[0], ends[1]

    def equals(self, other: Any) -> bool:
        """On a grid a point has mass."""
        if isinstance(self.u.span, Interval):
            return isinstance(other, Uniform) and (self.u, self.a, self.b) == (other.u, other.a, other.b)
        return self.below(other, True) and not self.below(other, False)

    def __floor__(self) -> int:
        """One of the whole numbers in its range."""
        low, high = map(floor, self.range)
        return next((k for k in range(low, high) if bool(self < k + 1)), high)

    def __ceil__(self) -> int:
        return -floor(-self)

    def __int__(self) -> int:
        return floor(self) if self >= 0 else -floor(-self)

    __trunc__ = __int__

    def __floordiv__(self, other: Any) -> Any:
        return floor(self / other)

    def __mod__(self, other: Any) -> Any:
        return self - other * floor(self / other)

    def log1p(self) -> Any:
        return (self + 1).log()

    def exponential(self) -> Power | None:
        """-log of it, where it is u or 1 - u itself."""
        if self.b != (self.a < 0) or abs(self.a) != 1:
            return None
        return Power(Fraction(1), self.u.as_exponential(), 1, self.path)


# ---- exponential numbers


class Power(Lazy):
    """c E^s, c != 0, s = 1 or -1."""

    def __init__(self, c: Fraction, i: int, s: int, path: Path) -> None:
        self.c, self.i, self.s, self.path = c, i, s, path

    def __str__(self) -> str:
        return "an exponential number" if self.s == 1 else "1 over an exponential number"

    def times(self, other: Any) -> Any:
        if isinstance(other, Power) and self.i == other.i and self.s != other.s:
            return self.c * other.c
        if isinstance(other, Lazy):
            return super().times(other)
        if is_special(other):
            return other if self.c > 0 else -other
        return Power(self.c * other, self.i, self.s, self.path) if other else other

    def inverse(self) -> Power:
        return Power(1 / self.c, self.i, -self.s, self.path)

    def below(self, other: Any, inclusive: bool) -> Any:
        if isinstance(other, Power):
            return self.below_power(other, inclusive)
        if isinstance(other, Lazy) or (other and (other > 0) is (self.c > 0)):
            return super().below(other, inclusive)
        return self.c < 0

    def below_power(self, other: Power, inclusive: bool) -> Any:
        if (self.c > 0) is not (other.c > 0):
            return self.c < 0
        if self.s != other.s:
            return super().below(other, inclusive)
        if self.i == other.i:
            return (self.c <= other.c) if inclusive else (self.c < other.c)
        c, d = (abs(self.c), abs(other.c)) if self.c > 0 else (abs(other.c), abs(self.c))
        i, j = (self.i, other.i) if (self.c > 0) is (self.s > 0) else (other.i, self.i)
        return self.learns(i, j, d / c)

    def learns(self, i: int, j: int, c: Fraction) -> bool:
        """E_i <= c E_j."""
        is_so = self.path.fork("race", self.path.race.odds(i, j, c)) == 0
        self.path.race.learn(i, j, c, is_so)
        return is_so

    def log(self) -> Any:
        return LogOf(self) if self.c > 0 else nan


# ---- logarithms


class LogOf(Lazy):
    """log x, where x is a positive rational number, a Uniform or a Power; only differences of two are looked at."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __str__(self) -> str:
        return f"the logarithm of {self.x}"

    def plus(self, other: Any) -> Any:
        if isinstance(other, LogOf):
            return LogOf(self.x * other.x)
        return self if other == 0 else super().plus(other)

    def times(self, other: Any) -> Any:
        if isinstance(self.x, Uniform) and not isinstance(other, Lazy):
            return -other * self.exponential()
        if other == -1:
            return LogOf(1 / self.x)
        if isinstance(self.x, Fraction) and isinstance(other, Fraction) and other.denominator == 1:
            return LogOf(self.x**other) if other else other
        return self if other == 1 else super().times(other)

    def inverse(self) -> Any:
        return self.times(Fraction(1)).inverse() if isinstance(self.x, Uniform) else super().inverse()

    def exponential(self) -> Power:
        return self.x.exponential() or self.irrational(f"a number times {self}")  # type: ignore[no-any-return]

    def below(self, other: Any, inclusive: bool) -> Any:
        if not isinstance(other, LogOf) and other != 0:
            return super().below(other, inclusive)
        y = other.x if isinstance(other, LogOf) else Fraction(1)
        return self.x <= y if inclusive else self.x < y

    def equals(self, other: Any) -> bool:
        return isinstance(other, LogOf) and bool(self.x == other.x)

    def exp(self) -> Any:
        return self.x

    def log(self) -> Any:
        return nan if isinstance(self.x, Uniform) else self.irrational(f"the logarithm of {self}")


# ---- what is decided when it is looked at


class Deferred:
    """A value that is decided when somebody looks at it, and is like that value in every other way."""

    kind: type

    def decide(self) -> Any:
        raise NotImplementedError

    @cached_property
    def value(self) -> Any:
        return self.decide()

    __class__: Any = property(lambda self: self.kind)  # so that isinstance(token, int) is true

    def tolist(self) -> Any:
        return self.value

    item = tolist

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.array(self.value, dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value, name)


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
UNARY = (operator.neg, operator.pos, operator.abs, operator.index, int, float, bool, hash, str, repr, format, round)


def _like_its_value() -> None:
    for name in BINARY + COMPARED:
        f = getattr(operator, f"__{name}__")
        setattr(Deferred, f"__{name}__", lambda self, other, f=f: f(self.value, other))
        if name in BINARY:
            setattr(Deferred, f"__r{name}__", lambda self, other, f=f: f(other, self.value))
    for f in UNARY:
        setattr(Deferred, f"__{f.__name__}__", lambda self, *others, f=f: f(self.value, *others))


_like_its_value()


class Token(Deferred):
    """A whole number from `low` on, each with its weight."""

    kind = int

    def __init__(self, weights: Sequence[Number], path: Path, low: int = 0) -> None:
        self.weights, self.path, self.low = weights, path, low

    def decide(self) -> int:
        return self.low + self.path.fork("choice", self.weights)

    def __invert__(self) -> int:
        return ~int(self.value)


class Event(Deferred):
    """A comparison."""

    kind = bool

    def __init__(self, compare: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
        self.compare, self.a, self.b = compare, a, b

    def decide(self) -> bool:
        return bool(self.compare(self.a, self.b))

    def __invert__(self) -> Event:
        return Event(lambda event, _: not event, self, None)
