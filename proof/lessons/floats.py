"""A line in floating point: the same tree read by floats that watch what they round."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ulp
from typing import NamedTuple

from exact.reading import Numbers
from proof.evaluate import World
from proof.lessons.lesson import letters_of, place
from proof.rejection import step, world_of
from proof.statement import Add, At, Div, Iff, Mul, Relation, Step, Sub, Sum, walk

CAN_ROUND = "+, -, * and / can round; min, max, |.| and comparisons never do: they only pick or compare"


class Rounding(NamedTuple):
    """One operation whose float result is not its exact result: by how much, in units of its last place."""

    operation: str
    ulps: Fraction


class Watched(float):
    """A float64 that writes down every operation that rounds.

    >>> log = []
    >>> x = Watched(0.1, log) + 0.25
    >>> x, len(log), log[0].operation
    (0.35, 1, '0.1 + 0.25')
    """

    log: list[Rounding]

    def __new__(cls, value: float, log: list[Rounding]) -> Watched:
        self = super().__new__(cls, value)
        self.log = log
        return self

    def _after(self, sign: str, a: float, b: float, operate: Callable[..., object]) -> Watched:
        a, b = float(a), float(b)
        result, exact = operate(a, b), operate(Fraction(a), Fraction(b))
        assert isinstance(result, float)
        assert isinstance(exact, Fraction)
        if Fraction(result) != exact:
            self.log.append(Rounding(f"{a!r} {sign} {b!r}", (Fraction(result) - exact) / Fraction(ulp(result))))
        return Watched(result, self.log)

    def __add__(self, other: float) -> Watched:
        return self._after("+", self, other, lambda a, b: a + b)

    def __radd__(self, other: float) -> Watched:
        return self._after("+", other, self, lambda a, b: a + b)

    def __sub__(self, other: float) -> Watched:
        return self._after("-", self, other, lambda a, b: a - b)

    def __rsub__(self, other: float) -> Watched:
        return self._after("-", other, self, lambda a, b: a - b)

    def __mul__(self, other: float) -> Watched:
        return self._after("*", self, other, lambda a, b: a * b)

    def __rmul__(self, other: float) -> Watched:
        return self._after("*", other, self, lambda a, b: a * b)

    def __truediv__(self, other: float) -> Watched:
        return self._after("/", self, other, lambda a, b: a / b)

    def __rtruediv__(self, other: float) -> Watched:
        return self._after("/", other, self, lambda a, b: a / b)

    def __neg__(self) -> Watched:
        return Watched(-float(self), self.log)


def can_round(step: Step) -> bool:
    """Whether there is an operation in the line that rounds at some numbers.

    >>> from proof.rejection import step
    >>> can_round(step("overlap")), can_round(step("residual")), can_round(step("rejection-mass"))
    (False, True, False)
    """
    return any(isinstance(tree, Add | Sub | Mul | Div | Sum) for tree in walk(step.statement))


class FloatRow(NamedTuple):
    """A line at one token in float64: both sides, how far each is from the exact one, and what rounded here.

    off: in units in the last place of the exact value as a float; the letters bring what was rounded before.
    holds: the line, of the floats.  trouble: why there are none of these, "" where there are.
    """

    at: str
    left: float
    right: float
    off: tuple[Fraction, Fraction]
    sign: str
    holds: bool
    rounded: tuple[Rounding, ...]
    trouble: str = ""


@lru_cache(256)
def in_floats(step: Step, p: Numbers, q: Numbers) -> tuple[FloatRow, ...]:
    """The rows of a line that applies on this pair, which is exact; of an equivalence there are none.

    >>> from proof.rejection import step
    >>> tenths = Numbers([Fraction(1, 10), Fraction(9, 10)]), Numbers([Fraction(3, 10), Fraction(7, 10)])
    >>> [(row.left, row.right, row.holds, len(row.rounded)) for row in in_floats(step("split-q"), *tenths)]
    [(0.3, 0.3, True, 0), (0.7, 0.7, True, 0)]
    """
    if isinstance(step.statement, Iff):
        return ()
    line, exact = step.statement, world_of(p, q)
    floats, log = watched(exact)
    return tuple(float_row_or_why_not(step, line, exact, floats, log, at) for at in exact.assignments(line))


def watched(exact: World) -> tuple[World, list[Rounding]]:
    """The world of the nearest floats, and where they write down what rounds."""
    log: list[Rounding] = []
    primitives = {name: [Watched(float(x), log) for x in v] for name, v in exact.primitives.items()}
    return World(primitives, exact.definitions), log


def ready(step: Step, floats: World) -> None:
    """Every letter of the line is computed, so that what rounds from now on is the line's own."""
    for label in letters_of(step):
        if label != step.label:
            name = definition(label).a
            for at in [{"x": x} for x in range(floats.V)] if isinstance(name, At) else [{}]:
                floats.value(name, at)


def definition(label: str) -> Relation:
    statement = step(label).statement
    assert isinstance(statement, Relation)
    return statement


def float_row_or_why_not(
    step: Step, line: Relation, exact: World, floats: World, log: list[Rounding], at: dict[str, int]
) -> FloatRow:
    """A number that is not 0 may be 0 as a float, and a quotient too large for one: then the line has no value."""
    try:
        ready(step, floats)
        return float_row(line, exact, floats, log, at)
    except ZeroDivisionError:
        trouble = "as floats this divides by 0"
    except OverflowError:
        trouble = "as floats a number on the way is too large"
    nothing, none = float("nan"), (Fraction(0), Fraction(0))
    return FloatRow(place(at), nothing, nothing, none, line.sign, False, (), trouble)


def float_row(line: Relation, exact: World, floats: World, log: list[Rounding], at: dict[str, int]) -> FloatRow:
    log.clear()
    left, right = (float(floats.value(side, at)) for side in (line.a, line.b))
    off = (off_by(left, exact.value(line.a, at)), off_by(right, exact.value(line.b, at)))
    rounded = tuple(dict.fromkeys(log))
    return FloatRow(place(at), left, right, off, line.sign, floats.at_tokens(line, at), rounded)


def off_by(got: float, exact: Fraction) -> Fraction:
    """
    >>> off_by(0.25, Fraction(1, 4)), float(off_by(1 / 3, Fraction(1, 3))).__round__(2)
    (Fraction(0, 1), -0.33)
    """
    gap = Fraction(got) - exact
    return gap / Fraction(ulp(float(exact)) if exact else ulp(1.0)) if gap else Fraction(0)
