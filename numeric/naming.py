"""Which known laws a float result can be: those whose ball contains it.

The ball of a law is what the rounding theorem allows around it, token by token.  A result in the ball of the right law
is rounding and nothing else only where no other law's ball meets that one; where two meet, the pair cannot tell them
apart, and is called non-discriminating.  The other laws are those of the wrong rules, the textbook line
m + (1 - A) r/R, and the two that need no sampler at all: p and p/S_p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import DTypeLike

from exact.dyadic import SCALE, FloatLaw
from exact.reading import LawError
from exact.rules import ALPHA, WRONG, emission
from numeric.crosscheck import law_near_1, read_pair
from numeric.rounding import Bound, bound, kind

RIGHT, TEXTBOOK, TARGET, TARGET_OVER_SUM = "standard", "textbook", "p", "p/S_p"
ROUNDING_ONLY, NON_DISCRIMINATING = "rounding only", "non-discriminating"
ANOTHER_LAW, NO_KNOWN_LAW = "another law", "no known law"
MOST = 64  # tokens: a rule that redraws by the rejected token takes V^2 Fractions

Exact = Sequence[Fraction]


@dataclass(frozen=True)
class Naming:
    """contains: the laws whose ball contains the result; meets: the others whose ball meets that of the right law."""

    contains: tuple[str, ...]
    meets: tuple[str, ...]

    def __and__(self, other: Naming) -> Naming:
        """What is left where a program gave results on several pairs: the laws that fit, and meet, on all of them."""
        return Naming(
            *(
                tuple(name for name in a if name in b)
                for a, b in ((self.contains, other.contains), (self.meets, other.meets))
            )
        )

    @property
    def verdict(self) -> str:
        if RIGHT not in self.contains:
            return ANOTHER_LAW if self.contains else NO_KNOWN_LAW
        return NON_DISCRIMINATING if self.meets else ROUNDING_ONLY


def naming(p: object, q: object, dist: Sequence[float], dtype: DTypeLike = "float64", sums: str = "pairwise") -> Naming:
    """The known laws that a result for one float pair of at most 64 tokens can be.

    dtype and sums: how it was computed, which says how large the balls are.  LawError where p, q, dtype or sums are
    not as for `cross_check`, or there are more tokens.

    >>> naming([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]).verdict
    'non-discriminating'
    >>> naming([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.375, 0.3125, 0.3125]).contains
    ('redraw-from-p',)
    """
    target, draft = read_pair(p, q)
    if len(target) > MOST:
        raise LawError(f"p has {len(target)} tokens: laws are named for at most {MOST}; give a shorter pair")
    laws = known_laws(law_near_1(target, draft))
    ball = bound(len(target), kind(dtype), sums, native=True)
    values = [float(x) for x in dist]
    contains = [name for name, law in laws.items() if in_ball(law, values, ball)]
    meets = [name for name, law in laws.items() if name != RIGHT and balls_meet(laws[RIGHT], law, ball)]
    return Naming(tuple(contains), tuple(meets))


def known_laws(law: FloatLaw) -> dict[str, Exact]:
    """The right law, then every other one, exactly, on these very floats."""
    p, q = law.p.tolist(), law.q.tolist()
    P, S_p = [Fraction(x) for x in p], Fraction(law.S_p, SCALE)
    known: dict[str, Exact] = {RIGHT: tuple(law.dist), TARGET: P, TARGET_OVER_SUM: [x / S_p for x in P]}
    if law.R:
        known[TEXTBOOK] = textbook(law)
    return known | {name: emission(rule, p, q).dist for name, rule in WRONG.items() if rule.breaks != ALPHA}


def textbook(law: FloatLaw) -> Exact:
    """m + (1 - A) r/R."""
    A, R = Fraction(law.A, SCALE), Fraction(law.R, SCALE)
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(law.p.tolist(), law.q.tolist(), strict=True)]
    return [min(a, b) + (1 - A) * max(a - b, Fraction(0)) / R for a, b in pairs]


def in_ball(law: Exact, values: Sequence[float], ball: Bound) -> bool:
    return len(law) == len(values) and all(ball.contains(x, value) for x, value in zip(law, values, strict=True))


def balls_meet(law: Exact, other: Exact, ball: Bound) -> bool:
    """Whether some vector is in both balls: at every token neither interval is above the other."""
    pairs = [(ball.ends(a), ball.ends(b)) for a, b in zip(law, other, strict=True)]
    return all(low <= other_high and other_low <= high for (low, high), (other_low, other_high) in pairs)
