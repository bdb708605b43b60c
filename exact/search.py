"""Every small pair of laws, smallest first, and the first one on which a claim fails.

The order of pairs: fewest tokens, then the smallest common denominator of p and q together, then p, then q, by
their numerators ascending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, pairwise
from math import comb, gcd
from random import Random
from typing import NamedTuple, TypeVar

from exact.reading import Numbers

Found = TypeVar("Found")


class Pair(NamedTuple):
    """Target and draft, [V] Fractions each."""

    p: Numbers
    q: Numbers


def numerators(V: int, d: int) -> Iterator[tuple[int, ...]]:
    """Every way to write d as V non-negative numbers, ascending.

    >>> list(numerators(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    """
    if V == 1:
        yield (d,)
        return
    for first in range(d + 1):
        for rest in numerators(V - 1, d - first):
            yield (first, *rest)


def pairs_with_denominator(V: int, d: int) -> Iterator[Pair]:
    """Every pair over V tokens whose smallest common denominator is exactly d."""
    laws = [(n, gcd(d, *n), Numbers(Fraction(k, d) for k in n)) for n in numerators(V, d)]
    for _, g, p in laws:
        for _, h, q in laws:
            if gcd(g, h) == 1:
                yield Pair(p, q)


def pairs(V: int, most: int) -> Iterator[Pair]:
    """Every pair over V tokens with common denominator at most `most`, smallest first.

    >>> len(list(pairs(2, 6))), count_pairs(2, 6)
    (97, 97)
    """
    for d in range(1, most + 1):
        yield from pairs_with_denominator(V, d)


def count_pairs(V: int, most: int) -> int:
    """How many `pairs(V, most)` yields, by counting and not by listing.

    A law is counted at every multiple of its denominator, so exactly d is all of d less exactly the divisors of d.
    """
    exactly: dict[int, int] = {}
    for d in range(1, most + 1):
        exactly[d] = comb(d + V - 1, V - 1) ** 2 - sum(exactly[e] for e in exactly if d % e == 0)
    return sum(exactly.values())


def all_pairs(tokens: int, denominator: int) -> Iterator[Pair]:
    """Every pair with V <= tokens and common denominator <= denominator, smallest first."""
    return chain.from_iterable(pairs(V, denominator) for V in range(1, tokens + 1))


def count_all(tokens: int, denominator: int) -> int:
    """How many `all_pairs` yields.

    >>> count_all(3, 12)
    25310
    """
    return sum(count_pairs(V, denominator) for V in range(1, tokens + 1))


def sampled_pairs(V: int, most: int, one_in: int, seed: int) -> Iterator[Pair]:
    """A seeded share, one in `one_in`, of `pairs(V, most)`."""
    random = Random(seed)
    return (pair for pair in pairs(V, most) if random.randrange(one_in) == 0)


def random_pair(V: int, d: int, random: Random) -> Pair:
    """A seeded pair with denominator d; about half of the entries are zero, anywhere, so that supports differ.

    >>> p, q = random_pair(4, 6, Random(5))
    >>> list(map(str, p)), list(map(str, q))
    (['1/6', '5/6', '0', '0'], ['0', '0', '0', '1'])
    """

    def law() -> Numbers:
        support = [x for x in range(V) if random.randrange(2)] or [random.randrange(V)]
        cuts = sorted(random.randrange(d + 1) for _ in support[1:])
        mass = dict(zip(support, (b - a for a, b in pairwise([0, *cuts, d])), strict=True))
        return Numbers(Fraction(mass.get(x, 0), d) for x in range(V))

    return Pair(law(), law())


def smallest(
    fails: Callable[[Numbers, Numbers], Found | None], tokens: int = 3, denominator: int = 6
) -> tuple[Pair, Found] | None:
    """The first pair with V <= tokens and common denominator <= denominator on which `fails` gives a reason.

    >>> smallest(lambda p, q: "differ" if p != q else None)
    (Pair(p=(Fraction(0, 1), Fraction(1, 1)), q=(Fraction(1, 1), Fraction(0, 1))), 'differ')
    """
    for pair in all_pairs(tokens, denominator):
        reason = fails(*pair)
        if reason is not None:
            return pair, reason
    return None
