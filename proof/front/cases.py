"""The pairs that somebody's function is tried on, in groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

import numpy as np

from exact.law import Distribution
from exact.reading import EPSILON, LawError, Numbers, read_law, read_numbers
from exact.rejection import rejection_law
from exact.search import all_pairs, random_pair
from numeric.rounding import Floats
from numeric.witnesses import WITNESSES

DRILL_SEEDS = {0: 300, 1: 50}
MOST_TOKENS, MOST_DENOMINATOR = 3, 6

DRILL, EDGE, WITNESS, SMALL, SEARCH, GIVEN = GROUPS = (
    "the drill's own pairs (seed 0: 300, seed 1: 50)",
    "edge cases",
    "float witnesses",
    f"every pair with V <= {MOST_TOKENS} and common denominator <= {MOST_DENOMINATOR}",
    "rational pairs, plain and seeded, in search of a smaller one (seed 0)",
    "the given pair",
)

EDGES = {
    "one token": ("1", "1"),
    "identical": ("1/2 1/2", "1/2 1/2"),
    "identical, with rounding": ("1/10 1/5 7/10", "1/10 1/5 7/10"),
    "identical, with a zero": ("0 1/3 2/3", "0 1/3 2/3"),
    "identical and one-hot": ("0 1 0", "0 1 0"),
    "tokens that the draft never proposes": ("1/2 1/4 1/8 1/8", "1/3 2/3 0 0"),
    "tokens that the target never wants": ("1/3 2/3 0 0", "1/2 1/4 1/8 1/8"),
    "both": ("1/2 1/4 1/4 0 0", "0 1/3 0 1/3 1/3"),
    "a token that nobody has": ("1/2 1/2 0", "1/4 3/4 0"),
    "disjoint supports": ("1/2 1/2 0 0", "0 0 1/3 2/3"),
    "disjoint and one-hot": ("1 0", "0 1"),
    "one-hot target": ("0 1 0", "1/3 1/3 1/3"),
    "one-hot draft": ("1/3 1/3 1/3", "0 1 0"),
    "tiny tokens in the target": (f"{1 - Fraction(1, 2**40)} {Fraction(1, 2**40)}", "1/2 1/2"),
    "tiny tokens in the draft": ("1/2 1/2", f"{1 - Fraction(1, 2**40)} {Fraction(1, 2**40)}"),
    "nearly identical": ("1/2 1/2", f"{Fraction(1, 2) + Fraction(1, 2**50)} {Fraction(1, 2) - Fraction(1, 2**50)}"),
}


@dataclass(frozen=True)
class Case:
    """One pair; where the entries are no floats, the function gets the nearest ones."""

    group: str
    name: str
    p: Numbers
    q: Numbers

    @cached_property
    def floats(self) -> tuple[Floats, Floats]:
        return nearest(self.p), nearest(self.q)

    @cached_property
    def law(self) -> tuple[Distribution, Fraction]:
        """dist and alpha, exactly, of the numbers as they stand in the report."""
        return rejection_law(self.p, self.q)


def same_bits(case: Case) -> bool:
    """Is the draft identical, q = p, for the function that gets the floats?"""
    p, q = case.floats
    return p.tobytes() == q.tobytes()


def nearest(x: Iterable[Fraction]) -> Floats:
    return np.array([float(w) for w in x])  # int / int rounds correctly


def exactly(x: Floats) -> Numbers:
    return Numbers(Fraction(w) for w in x.tolist())


def drill(seed: int, n: int) -> Iterator[tuple[Floats, Floats]]:
    """The pairs of the drill."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        V = int(rng.integers(2, 40))
        yield rng.dirichlet(np.ones(V)), rng.dirichlet(np.ones(V) * 0.3)


def drill_cases() -> Iterator[Case]:
    for seed, n in DRILL_SEEDS.items():
        for i, (p, q) in enumerate(drill(seed, n)):
            yield Case(DRILL, f"seed {seed}, pair {i}", exactly(p), exactly(q))


def edge_cases() -> Iterator[Case]:
    """The table above, and an identical draft for each target of the drill's second seed."""
    for name, laws in EDGES.items():
        yield Case(EDGE, name, *(Numbers(map(Fraction, law.split())) for law in laws))
    for i, (p, _) in enumerate(drill(1, DRILL_SEEDS[1])):
        yield Case(EDGE, f"identical, seed 1, pair {i}", exactly(p), exactly(p))


def witness_cases() -> Iterator[Case]:
    return (Case(WITNESS, w.name, exactly(w.p), exactly(w.q)) for w in WITNESSES)


def small_cases() -> Iterator[Case]:
    """Smallest first."""
    return (Case(SMALL, "", p, q) for p, q in all_pairs(MOST_TOKENS, MOST_DENOMINATOR))


def larger_cases(tokens: int) -> Iterator[Case]:
    """Rational pairs over more tokens than `small_cases` has: fewest tokens first, plain ones before seeded ones."""
    random = Random(0)
    for V in range(MOST_TOKENS + 1, tokens + 1):
        for p, q in product(plain_laws(V), repeat=2):
            yield Case(SEARCH, "", p, q)
        for d in range(1, 13 if V <= 8 else 1):
            seeded = sorted(random_pair(V, d, random) for _ in range(10))
            yield from (Case(SEARCH, "", p, q) for p, q in seeded)


def plain_laws(V: int) -> list[Numbers]:
    """All on the last token, all on the first, half on each, and the same on every token."""
    supports = ([V - 1], [0], [0, V - 1], range(V))
    return [Numbers(Fraction(int(x in s), len(s)) for x in range(V)) for s in supports]


def given_case(pair: tuple[Sequence[Any], Sequence[Any]]) -> Case:
    """One pair from the outside: rationals that sum to 1, or what nearly does, as floats may; LawError otherwise."""
    p, q = (read_given(law, name) for law, name in zip(pair, "pq", strict=True))
    if len(p) != len(q):
        raise LawError(f"p has {len(p)} tokens but q has {len(q)}: both are over the same tokens; give as many")
    return Case(GIVEN, "", p, q) if sum(p) == sum(q) == 1 else Case(GIVEN, "", *map(exactly, map(nearest, (p, q))))


def read_given(law: Sequence[Any], name: str) -> Numbers:
    """
    >>> read_given(["1/3", "2/3"], "p"), read_given([0.5, "0.5"], "p")
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 2), Fraction(1, 2)))
    """
    (read,) = read_numbers(law, names=(name,))  # not negative, so that no entry of a sum near 1 overflows a float
    as_floats = (sum(read) - 1) ** 2 <= EPSILON["float64"]
    read_law([float(x) for x in read] if as_floats else list(read), name)
    return read
