"""Random numbers that are not drawn: they fork the run where the program looks at them.

    Uniform    a u + b, with a uniform u that knows the interval, or the points, where it still is
    Power      c E or c / E, with E exponential: what races are made of
    LogOf      c log x, where x is one of these, or a rational number; Gumbel noise is LogOf(1/E)
    Token      a whole number with weights, as `choice` gives it
    Event      a comparison in an array of these

Arithmetic on them is exact, with floats as the numbers that they are.  A comparison forks the run and leaves the
number narrowed, so that a number used twice stays the same number.  What would need more than rational probabilities
is refused by name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import floor, inf, isnan, lcm, nan
from numbers import Integral
from typing import Any, NoReturn

from exact.branching import RUNNING, STALE, FloatTaken, Path, Refusal, likeliest, refuse
from exact.reading import Number
from exact.reals import Real, Undrawn, inverse, is_special, number_of
from exact.spans import Interval, Points, Span

TAKEN = (
    "a float is taken out of {} (by float, math.log, an array of floats that it is put in, or its return): only "
    "comparisons are followed exactly; compare it, keep it in a list, write np.log for math.log"
)
IRRATIONAL = "{}: the law of that is irrational, or not known to be rational; nothing is approximated here"
PRODUCT = "{} times {}: products of random numbers bring logarithms, their law is irrational"
WRITTEN = "{} is {}: that asks for its digits, and it has none; leave that out"
ZERO, ONE = Fraction(0), Fraction(1)
CELLS = 1024  # whole numbers that one number is told apart into, at most
MOST_BITS = 100_000  # of the powers by which logarithms are compared


def not_followed(what: str) -> Any:
    """A method that is refused."""

    def method(self: Lazy, *_others: Any) -> NoReturn:
        self.irrational(f"{what} of {self.name}")

    return method


def digits_of(how: str) -> Any:
    """A method that makes a text, or a key, of a number: refused, but for the eyes of somebody after the run."""

    def method(self: Lazy, *_others: Any) -> Any:
        if RUNNING and not RUNNING[-1].stopped:
            refuse(WRITTEN.format(self.name, how))
        return self.name

    return method


class Lazy(Undrawn):
    """What they share: which operation it is and on what; each class says what it makes of that.

    `plus`, `times` and `below` get another Lazy, or a number (infinite or nan for `times` only).
    """

    path: Path
    name: str

    def plus(self, other: Any) -> Any:
        self.irrational(f"{self.name} + {name_of(other)}")

    def times(self, other: Any) -> Any:
        self.irrational(f"{self.name} times {name_of(other)}")

    def inverse(self) -> Any:
        self.irrational(f"1 / {self.name}")

    def below(self, other: Any, inclusive: bool) -> Any:  # noqa: ARG002 - others need it
        self.irrational(f"{self.name} compared with {name_of(other)}")

    def equals(self, other: Any) -> bool:
        return self.below(other, True) and not self.below(other, False)

    def log(self) -> Any:
        """As NumPy has it: -inf of 0, nan below."""
        return LogOf(self) if self > 0 else -inf if self == 0 else nan

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

    def __bool__(self) -> bool:
        return not self.equals(Fraction(0))

    def __float__(self) -> float:
        refuse(TAKEN.format(self.name))

    __int__ = __complex__ = __index__ = tolist = __float__
    __floor__ = __ceil__ = __trunc__ = __round__ = not_followed("a whole number near to that")
    __pow__ = __rpow__ = not_followed("a power")
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = not_followed("a remainder")
    __hash__: Any = digits_of("put in a set, or used as a key")
    __repr__ = __str__ = __format__ = digits_of("written as text")
    __reduce_ex__: Any = digits_of("pickled")

    def item(self) -> Lazy:
        return self

    def __copy__(self) -> Lazy:
        return self

    def __deepcopy__(self, _memo: object) -> Lazy:
        return self

    def __getattr__(self, name: str) -> Any:
        """What a float has, and what NumPy asks an object for (`exp`, `sqrt`), is refused; there is nothing else."""
        if not name.startswith("__") and (hasattr(float, name) or is_function_of_numpy(name)):
            self.irrational(f"{name} of {self.name}")
        raise AttributeError(f"'float' object has no attribute '{name}'")


def is_function_of_numpy(name: str) -> bool:
    import numpy as np

    return isinstance(getattr(np, name, None), np.ufunc)


def name_of(x: Any) -> str:
    """Of a float that something was rounded to no digits: they differ between machines."""
    if isinstance(x, Lazy):
        return x.name
    return "a float" if isinstance(x, Fraction) and x.denominator > 2**20 else str(x)


# ---- uniform numbers


class Variable:
    """One uniform number of a run: the span where it still is."""

    def __init__(self, span: Span, path: Path) -> None:
        self.span, self.path, self.fresh, self.spent = span, path, True, False
        self.exponential: tuple[int, bool] | None = None  # (which, is it -log(1 - u) and not -log u)

    @property
    def is_ideal(self) -> bool:
        return isinstance(self.span, Interval)

    @property
    def is_whole(self) -> bool:
        return not isinstance(self.span, Interval) and self.span.unit == 1

    def is_below(self, t: Fraction, inclusive: bool) -> bool:
        """Whether it is below t (or at it); forks where that is not decided yet."""
        return self.among(self.span.split(t, inclusive)) == 0

    def among(self, parts: Sequence[Span]) -> int:
        """In which of the parts of its span it is, where it will stay."""
        if self.spent:
            refuse("a whole number is used again after its remainder: what is known of it then is not followed")
        if self.exponential:
            refuse(IRRATIONAL.format("a uniform number compared after its logarithm, or another uniform number, was"))
        branch = self.path.fork("uniform", [part.size for part in parts])
        self.fresh = self.fresh and parts[branch] == self.span
        self.span = parts[branch]
        return branch

    def modulo(self, m: int) -> int:
        """Of one of very many whole numbers; afterwards it is known no better than that, and of no more use."""
        first, last = int(self.span.low), int(self.span.high)
        r = self.path.fork("uniform", [(last - k) // m - (first - 1 - k) // m for k in range(m)])
        k = first + (r - first) % m
        self.span, self.spent = Points(k, k, Fraction(1)), True
        return r

    def as_exponential(self, of_rest: bool, only: bool = True) -> tuple[int, bool]:
        """-log u, or -log(1 - u), of which only one will do, or not: the first one stays, and u itself is not used."""
        if self.exponential is None:
            if not self.fresh or not isinstance(self.span, Interval):
                refuse(IRRATIONAL.format("the logarithm of a uniform number that was compared before, or is on a grid"))
            self.exponential = self.path.race.enter(), of_rest
        if only and of_rest is not self.exponential[1]:
            refuse(IRRATIONAL.format("the logarithms of a uniform number u and of 1 - u together"))
        return self.exponential


class Uniform(Lazy):
    """a u + b, a != 0."""

    def __init__(self, u: Variable, a: Fraction = ONE, b: Fraction = ZERO) -> None:
        self.u, self.a, self.b, self.path = u, a, b, u.path

    name = "a uniform number"

    def plus(self, other: Any) -> Any:
        if not isinstance(other, Lazy):
            return Uniform(self.u, self.a, self.b + other)
        if not isinstance(other, Uniform) or other.u is not self.u:
            return super().plus(other)
        a, b = self.a + other.a, self.b + other.b
        return Uniform(self.u, a, b) if a else Real(b)

    def times(self, other: Any) -> Any:
        if isinstance(other, Lazy):
            refuse(PRODUCT.format(self.name, other.name))
        if is_special(other):
            return other if isnan(other) else super().times(other)
        return Uniform(self.u, self.a * other, self.b * other) if other else Real(0)

    def below(self, other: Any, inclusive: bool) -> Any:
        if isinstance(other, Uniform):
            return self.below_uniform(other, inclusive)
        if isinstance(other, Lazy):
            return super().below(other, inclusive)
        t = other if self.a is ONE and self.b is ZERO else (other - self.b) / self.a
        return self.u.is_below(t, inclusive) if self.a > 0 else not self.u.is_below(t, not inclusive)

    def below_uniform(self, other: Uniform, inclusive: bool) -> Any:
        if self.u is other.u:
            gap = self - other
            return gap <= 0 if inclusive else gap < 0
        (low, high), (other_low, other_high) = self.range, other.range
        apart = operator.le if self.u.is_ideal or other.u.is_ideal else operator.lt  # where they meet is no mass
        if apart(high, other_low) or apart(other_high, low):
            return high <= other_low
        if (self.a, self.b) != (other.a, other.b):
            return super().below(other, inclusive)
        (i, of_rest), (j, other_of_rest) = (x.u.as_exponential(x.a < 0, only=False) for x in (self, other))
        if of_rest is not other_of_rest:
            refuse(IRRATIONAL.format("uniform numbers compared after the logarithm of one, and of 1 - the other"))
        E, F = (Power(Fraction(1), k, 1, self.path) for k in (i, j))  # u = exp(-E), or 1 - exp(-E)
        return bool(E < F if (self.a > 0) is of_rest else E > F)

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        ends = sorted(self.a * x + self.b for x in (self.u.span.low, self.u.span.high))
        return ends[0], ends[1]

    def equals(self, other: Any) -> bool:
        """Only points of a grid have mass."""
        if isinstance(other, Uniform) and other.u is self.u:
            return bool(self - other == 0)
        return not isinstance(self.u.span, Interval) and super().equals(other)

    def __floor__(self) -> int:
        """The whole number at or below it: one fork over all of them."""
        low, high = map(floor, self.range)
        if high - low >= CELLS:
            self.irrational(f"one of {high - low + 1} whole numbers made of {self.name}, of more than {CELLS},")
        rest, cells = self.u.span, list[Span]()
        for k in range(low + 1, high + 1):
            t = (k - self.b) / self.a
            below, above = rest.split(t, self.a < 0)
            cell, rest = (below, above) if self.a > 0 else (above, below)
            cells.append(cell)
        return low + self.u.among([*cells, rest])

    def __ceil__(self) -> int:
        return int(-floor(-self))

    def __int__(self) -> int:
        return self.__floor__() if self >= 0 else -floor(-self)

    __trunc__ = __int__

    def __floordiv__(self, other: Any) -> Any:
        return self.operate(other, lambda y: Real(floor(self.over(y))))

    def __mod__(self, other: Any) -> Any:
        if isinstance(other, Integral) and self.u.is_whole and 0 < int(other) <= CELLS < self.u.span.size:
            return self.remainder(int(other))
        return self.operate(other, lambda y: self - y * floor(self.over(y)))

    def remainder(self, m: int) -> Any:
        """Of a whole number of very many: it is told by how many leave each remainder, and not used again."""
        if (self.a, self.b.denominator) != (Fraction(1), 1):
            self.irrational(f"the remainder of a number times {self.name}")
        return (self.u.modulo(m) + int(self.b)) % m

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def over(self, y: Any) -> Any:
        """The quotient, of which a remainder is made."""
        if isinstance(y, Lazy) or is_special(y) or not y:
            self.irrational(f"the remainder of {self.name} by {name_of(y)}")
        return self / y

    def log1p(self) -> Any:
        return (self + 1).log()

    def exponential(self) -> Power:
        """-log of it, where it is u or 1 - u itself."""
        if abs(self.a) != 1 or self.b != (self.a < 0):
            self.irrational(f"the logarithm of a number times {self.name}, compared with others")
        return Power(Fraction(1), self.u.as_exponential(self.a < 0)[0], 1, self.path)


# ---- exponential numbers


class Power(Lazy):
    """c E^s, c != 0, s = 1 or -1."""

    def __init__(self, c: Fraction, i: int, s: int, path: Path) -> None:
        self.c, self.i, self.s, self.path = c, i, s, path

    @property
    def name(self) -> str:  # type: ignore[override]
        return "an exponential number" if self.s == 1 else "1 over an exponential number"

    def plus(self, other: Any) -> Any:
        if isinstance(other, Power) and (self.i, self.s) == (other.i, other.s):
            return self.scaled(self.c + other.c)
        return super().plus(other) if other else self

    def times(self, other: Any) -> Any:
        if isinstance(other, Power) and self.i == other.i and self.s != other.s:
            return Real(self.c * other.c)
        if isinstance(other, Lazy):
            return super().times(other)
        if is_special(other):
            return other if self.c > 0 else -other
        return self.scaled(self.c * other)

    def scaled(self, c: Fraction) -> Any:
        return Power(c, self.i, self.s, self.path) if c else Real(0)

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

    def equals(self, other: Any) -> bool:
        """It has no atoms: equal is only what is the same."""
        return isinstance(other, Power) and (self.c, self.i, self.s) == (other.c, other.i, other.s)


# ---- logarithms


def log_of(x: Any, c: Fraction = Fraction(1)) -> Any:
    """c log x, for a positive number, Uniform or Power."""
    return LogOf(x, c) if c and (isinstance(x, Lazy) or x != 1) else Real(0)


class LogOf(Lazy):
    """c log x, c != 0, where x is a positive Uniform or Power, or a rational number other than 1."""

    def __init__(self, x: Any, c: Fraction = Fraction(1)) -> None:
        self.x, self.c = x, c

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"the logarithm of {name_of(self.x)}"

    @property
    def is_number(self) -> bool:
        return not isinstance(self.x, Lazy)

    def irrational(self, what: str) -> NoReturn:
        """Floats have a logarithm of a number that can be followed."""
        refuse(IRRATIONAL.format(what), FloatTaken if self.is_number else Refusal)

    def __float__(self) -> float:
        refuse(TAKEN.format(self.name), FloatTaken if self.is_number else Refusal)

    __int__ = __complex__ = __index__ = tolist = __float__

    def plus(self, other: Any) -> Any:
        if not isinstance(other, LogOf):
            return super().plus(other) if other else self
        x, y = (other, self) if self.is_number or isinstance(other.x, Uniform) else (self, other)
        return log_of(x.x * y.argument(x.c), x.c)

    def times(self, other: Any) -> Any:
        return super().times(other) if isinstance(other, Lazy) or is_special(other) else log_of(self.x, self.c * other)

    def argument(self, c: Fraction) -> Any:
        """The number of which this is c log."""
        n = self.c / c
        if n == 1:
            return self.x
        if self.is_number and n.denominator == 1:
            return power(self.x, int(n))
        return self.x.inverse() if n == -1 else self.irrational(f"{n} times {self.name}")

    def exp(self) -> Any:
        return self.argument(Fraction(1))

    def exponential(self) -> Power:
        """c log u, where -log u is exponential."""
        return -self.c * self.x.exponential()  # type: ignore[no-any-return]

    def inverse(self) -> Any:
        return self.exponential().inverse() if isinstance(self.x, Uniform) else super().inverse()

    def log(self) -> Any:
        return self.exponential().log() if isinstance(self.x, Uniform) else self.irrational(f"the log of {self.name}")

    def below(self, other: Any, inclusive: bool) -> Any:
        if isinstance(other, LogOf):
            return self.below_log(other, inclusive)
        if isinstance(other, Power) and isinstance(self.x, Uniform):
            return self.exponential().below(other, inclusive)
        if isinstance(other, Lazy) or (other and not self.is_number):
            return super().below(other, inclusive)
        return is_log_below(self.x, other / self.c) is (self.c > 0) if other else self.ordered(1, inclusive)

    def below_log(self, other: LogOf, inclusive: bool) -> Any:
        if self.is_number and other.is_number:
            n = lcm(self.c.denominator, other.c.denominator)
            x, y = power(self.x, int(self.c * n)), power(other.x, int(other.c * n))
            return x <= y if inclusive else x < y
        if isinstance(self.x, Uniform) and isinstance(other.x, Uniform) and self.c != other.c:
            return self.exponential().below(other.exponential(), inclusive)
        return self.ordered(other.argument(self.c), inclusive) if not self.is_number else other > self

    def ordered(self, y: Any, inclusive: bool) -> Any:
        """c log x below c log y."""
        x, y = (self.x, y) if self.c > 0 else (y, self.x)
        return x <= y if inclusive else x < y

    def equals(self, other: Any) -> bool:
        """No rational number but 0 is the logarithm of one."""
        return super().equals(other) if isinstance(other, LogOf) else not other and bool(self.x == 1)


def power(x: Fraction, n: int) -> Fraction:
    """x^n, within reason."""
    if abs(n) * max(x.numerator, x.denominator).bit_length() > MOST_BITS:
        refuse(f"a logarithm times {n}: the numbers that have to be compared are too long", FloatTaken)
    return x**n


def is_log_below(x: Fraction, t: Fraction) -> bool:
    """log x < t for rational x != 1 and t != 0, which are never equal: so enough digits decide it.

    >>> is_log_below(Fraction(1, 3), Fraction(-1)), is_log_below(Fraction(1, 3), Fraction(-11, 10))
    (True, False)
    """
    digits = 15
    while True:
        digits *= 2
        context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
        n, d, of_t, over = (Decimal(k) for k in (x.numerator, x.denominator, t.numerator, t.denominator))
        log_n, log_d, t_rounded = map(Fraction, (context.ln(n), context.ln(d), context.divide(of_t, over)))
        gap, error = log_n - log_d - t_rounded, (log_n + log_d + abs(t_rounded)) / 10 ** (digits - 2)
        if abs(gap) > error:  # each term is rounded once, in the last of its digits
            return gap < 0


# ---- what is decided when it is looked at


def both(f: Callable[[Any, Any], Any], now: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The two methods of an operator, of what is decided now; `now` leaves alone what is no such thing."""
    return (lambda self, other: f(now(self), now(other))), (lambda self, other: f(now(other), now(self)))


def value_now(x: Any) -> Any:
    return x.value if isinstance(x, Deferred) else x


def own(f: Callable[..., Any]) -> Any:
    """The method for f, of a value that is decided now."""
    return lambda self, *others: f(self.value, *others)


class Deferred:
    """A value that is decided when somebody looks at it, and is like that value in every other way."""

    kind: type
    path: Path | None
    decided: Any = None

    def decide(self) -> Any:
        raise NotImplementedError

    @property
    def value(self) -> Any:
        if self.decided is None:
            self.decided = self.decide()
        elif self.path and self.path.over:
            refuse(STALE)
        return self.decided

    __class__: Any = property(lambda self: self.kind)  # so that isinstance(token, int) is true

    __add__, __radd__ = both(operator.add, value_now)
    __sub__, __rsub__ = both(operator.sub, value_now)
    __mul__, __rmul__ = both(operator.mul, value_now)
    __truediv__, __rtruediv__ = both(operator.truediv, value_now)
    __floordiv__, __rfloordiv__ = both(operator.floordiv, value_now)
    __mod__, __rmod__ = both(operator.mod, value_now)
    __divmod__, __rdivmod__ = both(divmod, value_now)
    __pow__, __rpow__ = both(operator.pow, value_now)
    __lshift__, __rlshift__ = both(operator.lshift, value_now)
    __rshift__, __rrshift__ = both(operator.rshift, value_now)
    __and__, __rand__ = both(operator.and_, value_now)
    __or__, __ror__ = both(operator.or_, value_now)
    __xor__, __rxor__ = both(operator.xor, value_now)
    __lt__, __gt__ = both(operator.lt, value_now)
    __le__, __ge__ = both(operator.le, value_now)
    __eq__: Any = own(operator.eq)
    __ne__: Any = own(operator.ne)
    __neg__, __pos__, __abs__ = own(operator.neg), own(operator.pos), own(abs)
    __int__, __index__, __float__, __complex__ = own(int), own(operator.index), own(float), own(complex)
    __bool__, __hash__ = own(bool), own(hash)
    __str__, __repr__, __format__ = own(str), own(repr), own(format)
    __round__, __trunc__, __floor__, __ceil__ = own(round), own(int), own(int), own(int)
    __reduce_ex__: Any = own(lambda value, protocol: value.__reduce_ex__(protocol))

    def tolist(self) -> Any:
        return self.value

    item = tolist

    def __copy__(self) -> Deferred:
        return self

    def __deepcopy__(self, _memo: object) -> Deferred:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.array(self.value, dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value, name)


class Token(Deferred):
    """A whole number from `low` on, each with its weight."""

    def __init__(self, weights: Sequence[Number], path: Path, low: int = 0, kind: type = int) -> None:
        self.weights, self.path, self.low, self.kind = weights, path, low, kind

    def decide(self) -> int:
        return self.kind(self.low + self.path.fork("choice", self.weights))  # type: ignore[no-any-return,union-attr]

    @property
    def likeliest(self) -> int:
        return likeliest(self.weights)

    def __invert__(self) -> int:
        return ~int(self.value)


class Event(Deferred):
    """A comparison."""

    kind = bool

    def __init__(self, compare: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
        self.compare, self.a, self.b = compare, a, b
        self.path = RUNNING[-1] if RUNNING else None

    def decide(self) -> bool:
        return bool(self.compare(self.a, self.b))

    def __invert__(self) -> Event:
        return Event(lambda event, _: not event, self, None)
