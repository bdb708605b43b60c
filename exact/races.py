"""Exponential numbers compared with each other: the probability of what is known of them, exactly.

What a program can learn of independent E_0, E_1, ... with law Exp(1) by comparing c E_i with d E_j is a set of
inequalities E_i <= c E_j.  Its probability is the integral of exp(-sum E_i) over the cone that they cut out, which is
rational: one number after the other is integrated out.  With the others fixed, E_x runs between the largest of its
lower bounds and the smallest of its upper bounds; for every choice of which these are,

    integral of exp(-l x) from a E_j to b E_k  =  (exp(-l a E_j) - exp(-l b E_k)) / l

and what is left has the same form: inequalities between fewer numbers, and an integrand exp(-sum l_i E_i).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product

Inequality = tuple[tuple[int, int], Fraction]  # ((i, j), c): E_i <= c E_j
Known = tuple[Inequality, ...]
Bound = tuple[int, Fraction]  # (i, a): a E_i
NONE: tuple[None] = (None,)


@dataclass
class Race:
    """How many exponential numbers there are, and what is known of them."""

    count: int = 0
    known: dict[tuple[int, int], Fraction] = field(default_factory=dict)

    def enter(self) -> int:
        self.count += 1
        return self.count - 1

    def odds(self, i: int, j: int, c: Fraction) -> tuple[Fraction, Fraction]:
        """The weights of E_i <= c E_j and of the contrary, given what is known.

        >>> Race(2).odds(0, 1, Fraction(2))
        (Fraction(2, 3), Fraction(1, 3))
        """
        yes, no = (self._with(*fact) for fact in facts(i, j, c))
        near = _connected(i, {**yes, **no})
        return _mass_of(yes, near), _mass_of(no, near)

    def learn(self, i: int, j: int, c: Fraction, is_so: bool) -> None:
        self.known = self._with(*facts(i, j, c)[0 if is_so else 1])

    def inside(self, places: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
        """Numbers for which all that is known is true, each at its place within; and the width of the narrowest.

        >>> Race(2, {(0, 1): Fraction(1)}).inside([Fraction(1, 3), Fraction(1, 4)])
        ([Fraction(1, 2), Fraction(5, 8)], Fraction(1, 1))
        """
        known, E, width = _all_that_follows(self.known), list[Fraction](), Fraction(1)
        for x in range(self.count):
            low = max((E[i] / known[i, x] for i in range(x) if (i, x) in known), default=None)
            high = min((E[j] * known[x, j] for j in range(x) if (x, j) in known), default=None)
            if low and high:
                width = min(width, high / low - 1)
            E.append(_between(low, high, places[x]))
        return E, width

    def _with(self, i: int, j: int, c: Fraction) -> dict[tuple[int, int], Fraction]:
        return dict(_tightest([*self.known.items(), ((i, j), c)]))


def _between(low: Fraction | None, high: Fraction | None, place: Fraction) -> Fraction:
    if high is None:
        return low * (1 + place) if low else place / (1 - place)
    return (1 - place) * (low or 0) + place * high


def facts(i: int, j: int, c: Fraction) -> tuple[tuple[int, int, Fraction], tuple[int, int, Fraction]]:
    """E_i <= c E_j, and the contrary as an inequality of the same kind."""
    return (i, j, c), (j, i, 1 / c)


def _all_that_follows(known: Mapping[tuple[int, int], Fraction]) -> dict[tuple[int, int], Fraction]:
    """With E_i <= c E_j and E_j <= d E_k also E_i <= c d E_k: all of these, the tightest of each."""
    closed = dict(known)
    numbers = {x for pair in known for x in pair}
    for j, i, k in product(numbers, numbers, numbers):  # the one in the middle outermost
        if (i, j) in closed and (j, k) in closed and i != k:
            c = closed[i, j] * closed[j, k]
            closed[i, k] = min(c, closed.get((i, k), c))
    return closed


def _tightest(inequalities: Iterable[Inequality]) -> Known:
    """Each pair once, in order."""
    least: dict[tuple[int, int], Fraction] = {}
    for pair, c in inequalities:
        least[pair] = min(c, least.get(pair, c))
    return tuple(sorted(least.items()))


def _connected(i: int, known: Mapping[tuple[int, int], Fraction]) -> frozenset[int]:
    """The numbers that E_i is linked with; the others are independent of these."""
    linked = {i}
    while more := {x for pair in known for x in pair if linked & {*pair}} - linked:
        linked |= more
    return frozenset(linked)


def _mass_of(known: Mapping[tuple[int, int], Fraction], near: frozenset[int]) -> Fraction:
    return mass(
        _tightest((pair, c) for pair, c in known.items() if near & {*pair}),
        tuple((x, Fraction(1)) for x in sorted(near)),
    )


@lru_cache(2**16)
def mass(known: Known, rates: tuple[tuple[int, Fraction], ...]) -> Fraction:
    """The integral of exp(-sum l_i E_i) over the cone of the inequalities; rates are (i, l_i).

    >>> one = Fraction(1)  # and E_0 <= E_1 <= E_2 is one of 3! orders
    >>> mass((((0, 1), one), ((1, 2), one)), ((0, one), (1, one), (2, one)))
    Fraction(1, 6)
    """
    if not rates:
        return Fraction(1)
    *rest, (x, rate) = rates
    apart = [(pair, c) for pair, c in known if x not in pair]
    lower: list[Bound] = [(i, 1 / c) for (i, j), c in known if j == x]  # E_i / c <= E_x
    upper: list[Bound] = [(j, c) for (i, j), c in known if i == x]
    total = Fraction(0)
    for low, high in product(lower or NONE, upper or NONE):
        tight = _where_tightest(apart, lower, upper, low, high)
        if tight is not None:
            total += mass(tight, _raised(rest, low, rate))
            total -= mass(tight, _raised(rest, high, rate)) if high else 0
    return total / rate


def _where_tightest(
    apart: list[Inequality], lower: list[Bound], upper: list[Bound], low: Bound | None, high: Bound | None
) -> Known | None:
    """The cone where `low` is the largest lower bound and `high` the smallest upper one; None if it is empty."""
    ordered = [(other, low) for other in lower if low and other != low]
    ordered += [(high, other) for other in upper if high and other != high]
    ordered += [(low, high)] if low and high else []
    new = [((i, j), b / a) for (i, a), (j, b) in ordered]  # a E_i <= b E_j
    if any(i == j and c < 1 for (i, j), c in new):
        return None
    return _tightest([*apart, *(fact for fact in new if fact[0][0] != fact[0][1])])


def _raised(rates: list[tuple[int, Fraction]], bound: Bound | None, rate: Fraction) -> tuple[tuple[int, Fraction], ...]:
    """The rates with exp(-rate * a E_i) on top, for the bound a E_i."""
    return tuple((i, own + rate * bound[1] if bound and i == bound[0] else own) for i, own in rates)
