"""Every path is run twice more, with ordinary numbers in the place of those that are not drawn.

They are what a random source could have given on that path: a float in the interval where a uniform number was left,
exponential numbers in their order, the tokens that were chosen; once near one end of what is possible, and once near
the other.  The program must come to the same outcome.  So code that treats our numbers in another way than its own (it
asks `type(u) is float`, or NumPy cannot do something with objects) is found out, unless it does what agrees at both
ends; and so is a program that keeps a state between its runs, unless that comes back to where it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import exp, expm1
from typing import Any

from exact.branching import Path
from exact.lazy import Power, Token, Uniform, Variable
from exact.reals import Real
from exact.spans import Interval

NARROW = Fraction(1, 2**20)  # where less room is left, floats may round across the edge
ATTEMPTS = 6  # numbers at other places, as floats may round across an edge all the same, next to 0


@dataclass
class Ordinary:
    """The numbers of a run, one after the other; where that draws more than the first time, others like these."""

    draws: list[Any]
    exponentials: list[Fraction]
    floats: bool
    attempt: int
    count: int = 0

    def __call__(self, lazy: Any) -> Any:
        i, self.count = self.count, self.count + 1
        return self.number(self.draws[i] if i < len(self.draws) else lazy, place(i, self.attempt))

    def number(self, draw: Any, at: Fraction) -> Any:
        if isinstance(draw, Token):
            return draw.decided if draw.decided is not None else draw.kind(draw.low + draw.likeliest)
        if isinstance(draw, Power):
            return self.of_kind(self.exponential(draw.i, at))
        if draw.u.exponential:
            i, of_rest = draw.u.exponential
            E = float(self.exponential(i, at))
            return -expm1(-E) if of_rest else exp(-E)
        x = draw.u.span.at(at)
        return int(x) if draw.u.is_whole else self.of_kind(x)

    def exponential(self, i: int, at: Fraction) -> Fraction:
        return self.exponentials[i] if i < len(self.exponentials) else 1 + at

    def of_kind(self, x: Fraction) -> Any:
        return float(x) if self.floats else Real(x)


def ordinary(path: Path, attempt: int = 0) -> Ordinary | None:
    """Numbers for a run: floats, or Reals where it computes with these, or where there is too little room for floats.

    None where then there are none, as the logarithm of a uniform number is compared.
    """
    exponentials, width = path.race.inside([place(i, attempt) for i in range(path.race.count)])
    uniforms = [draw.u for draw in path.draws if isinstance(draw, Uniform)]
    floats = not path.on_reals and width > NARROW and all(map(_is_wide, uniforms))
    if not floats and any(u.exponential for u in uniforms):
        return None
    return Ordinary(path.draws, exponentials, floats, attempt)


@cache
def place(i: int, attempt: int = 0) -> Fraction:
    """Where in its span the i-th number is: near its ends in turn, where it does not divide evenly."""
    at = (1 + Fraction((610 * i + 305 + 233 * attempt) % 987, 987)) / (32 >> attempt // 2)
    return at if (i + attempt) % 2 else 1 - at


def _is_wide(u: Variable) -> bool:
    return isinstance(u.span, Interval) and u.span.size > NARROW
