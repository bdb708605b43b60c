"""The proof at a fixed number of tokens: the very code of `exact.rejection_law`, run on symbols.

A pattern says for each token which of the six regions (p(x), q(x)) is in.  The residual tokens I (p > q) and the
excess tokens J (q > p) must balance, sum (p-q)^+ = sum (q-p)^+, so they are given by positive flows: token i of I has
p - q = sum over J of t_ij, token j of J has q - p = sum over I of t_ij.  Every pair of laws has such flows (take
t_ij = r_i e_j / Z), and so for a given pattern these points are all pairs of vectors with equal sums, laws among them.
On them dist = p / S and alpha = 1 - TV must hold as identities of rational functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, islice, product
from typing import Any

import sympy

from exact import Distribution, rejection_law, total_variation
from exact.reading import LawError, Numbers
from exact.search import Pair
from proof.evaluate import World
from proof.regions import REGIONS, Point, Undecided, positive_symbols
from proof.rejection import definitions, step
from proof.statement import Max, Min, Node, Number, Relation

Pattern = tuple[str, ...]
Rule = Callable[[Numbers, Numbers], tuple[Any, Any]]
MOST_VALUES = 100_000  # tried in the search for a rational pair
RESIDUAL, EXCESS, COMMON = {"(s,0)", "(s+t,t)"}, {"(0,t)", "(s,s+t)"}, {"(s,s+t)", "(s,s)", "(s+t,t)"}


@dataclass(frozen=True)
class FixedV:
    """What a run at V tokens covered: patterns that were proved, and those that no pair of laws is in."""

    V: int
    proved: int
    impossible: int
    up_to_order: bool


@dataclass(frozen=True)
class Failure:
    """The pattern where a rule is not lossless, and a rational pair of laws in it that shows it."""

    pattern: Pattern
    pair: Pair


def patterns(V: int, up_to_order: bool = False) -> Iterator[Pattern]:
    """Every sign pattern of V tokens, or one of each class of patterns that differ by the order of tokens.

    >>> len(list(patterns(2))), len(list(patterns(2, up_to_order=True)))
    (36, 21)
    """
    return combinations_with_replacement(REGIONS, V) if up_to_order else product(REGIONS, repeat=V)


def possible(pattern: Pattern) -> bool:
    """Some mass, and a residual exactly if there is an excess."""
    return set(pattern) != {"(0,0)"} and bool(RESIDUAL & set(pattern)) == bool(EXCESS & set(pattern))


def pair_of(pattern: Pattern) -> tuple[Numbers, Numbers]:
    """p and q of a possible pattern, in positive symbols, with equal sums."""
    I = [x for x, region in enumerate(pattern) if region in RESIDUAL]  # noqa: E741
    J = [x for x, region in enumerate(pattern) if region in EXCESS]
    common = [x for x, region in enumerate(pattern) if region in COMMON]
    symbols = iter(_symbols(len(common) + len(I) * len(J)))
    s = {x: next(symbols) for x in common}
    t = {(i, j): next(symbols) for i in I for j in J}
    zero = 0 * next(iter((s or t).values()))
    m = [s.get(x, zero) for x in range(len(pattern))]
    r = [sum((t[x, j] for j in J), zero) if x in I else zero for x in range(len(pattern))]
    e = [sum((t[i, x] for i in I), zero) if x in J else zero for x in range(len(pattern))]
    return Numbers(a + b for a, b in zip(m, r, strict=True)), Numbers(a + b for a, b in zip(m, e, strict=True))


@cache
def _symbols(n: int) -> list[Point]:
    return positive_symbols([f"s{i}" for i in range(n)])


def lossless_on(pattern: Pattern, law: Rule = rejection_law) -> bool:
    """Whether a rule emits p and accepts with probability 1 - TV on all pairs of a pattern; Undecided raises."""
    p, q = pair_of(pattern)
    dist, alpha = law(p, q)
    emitted = dist if isinstance(dist, Distribution) else Distribution(tuple(dist), 1)
    gaps = [w * sum(p) - x * emitted.total for w, x in zip(emitted.weights, p, strict=True)]
    return all((0 * p[0] + gap).vanishes() for gap in [*gaps, alpha - (1 - total_variation(p, q))])


def of_laws(rule: Rule) -> Rule:
    """A rule that asks for laws, made to take masses with one sum S: it gets p/S and q/S.

    `rejection_law` takes masses as they are, which keeps the polynomials small.
    """

    def law(p: Numbers, q: Numbers) -> tuple[Any, Any]:
        return rule(Numbers(x / sum(p) for x in p), Numbers(x / sum(q) for x in q))

    return law


def prove(V: int, law: Rule = rejection_law, up_to_order: bool = False) -> FixedV | Failure:
    """The theorem at V tokens, pattern by pattern; the first failure of a rule that is wrong."""
    proved = impossible = 0
    for pattern in patterns(V, up_to_order):
        if not possible(pattern):
            impossible += 1
        elif lossless_on(pattern, law):
            proved += 1
        else:
            return Failure(pattern, rational_pair(pattern, law))
    return FixedV(V, proved, impossible, up_to_order)


def rational_pair(pattern: Pattern, law: Rule) -> Pair:
    """A pair of laws in the pattern on which the rule fails: small values for the symbols, confirmed exactly."""
    p, q = pair_of(pattern)
    for values in islice(product((1, 2, 3, 5), repeat=p[0].numer.ring.ngens), MOST_VALUES):
        S = sum(p, 0 * p[0]).at(values)
        pair = Pair(*(Numbers(x.at(values) / S for x in v) for v in (p, q)))
        dist, alpha = law(*pair)
        if tuple(dist) != pair.p or alpha != 1 - total_variation(*pair):
            return pair
    raise Undecided(f"no pair with values up to 5 shows the failure in {pattern}")


# ---- the law as an expression


class _Symbols(World):
    """A world of SymPy expressions: min and max stay what they are."""

    def _binary(self, tree: Node, at: Mapping[str, int]) -> Any:
        match tree:
            case Min(a, b):
                return sympy.Min(self.value(a, at), self.value(b, at))
            case Max(a, b):
                return sympy.Max(self.value(a, at), self.value(b, at))
            case Number(c):
                return sympy.Rational(c.numerator, c.denominator)
        return super()._binary(tree, at)


def expression(p: Sequence[Any], q: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
    """The law and alpha of a pair with a residual as SymPy expressions with Min and Max, read off the derivation.

    p, q: [V] SymPy symbols or numbers, one law each.  LawError where the lengths differ.

    >>> p, q = sympy.symbols("p:2 q:2")[:2], sympy.symbols("p:2 q:2")[2:]
    >>> dist, alpha = expression(p, q)
    >>> alpha
    Min(p0, q0) + Min(p1, q1)
    >>> dist[0].subs(dict(zip((*p, *q), map(sympy.Rational, ("1/3", "2/3", "3/4", "1/4")))))
    1/3
    """
    if len(p) != len(q) or not len(p):
        raise LawError(f"p has {len(p)} entries but q has {len(q)}: both need the same positive number; mend it")
    world = _Symbols({"p": list(p), "q": list(q)}, definitions())
    law, alpha = step("law-in-masses").statement, step("alpha-overlap").statement
    assert isinstance(law, Relation)
    assert isinstance(alpha, Relation)
    return tuple(world.value(law.b, {"x": x}) for x in range(len(p))), world.value(alpha.b)
