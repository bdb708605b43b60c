"""Hypothesis strategies for exact laws, for tests of your own code; the extra `test` brings hypothesis.

A strategy draws the number of tokens first, the common denominator next and the numerators last, so that a failing
case shrinks as `exact.search` counts: to the fewest tokens, then the smallest denominator, then small numerators.
Every law is a tuple of V Fractions that sums to exactly 1, every pair a `Pair(p, q)` over the same tokens.

`tokens` is V, or a strategy for it; `max_denominator` bounds the common denominator of all entries of a pair.
A value out of range is a LawError.

>>> from hypothesis import find
>>> find(pairs(), lambda pair: pair.p != pair.q)
Pair(p=(Fraction(0, 1), Fraction(1, 1)), q=(Fraction(1, 1), Fraction(0, 1)))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from exact.reading import LawError, Numbers
from exact.search import Pair

try:
    from hypothesis import strategies as st
except ImportError:
    raise ImportError("exact.strategies needs hypothesis: pip install 'samelaw[test]'") from None

Tokens: TypeAlias = "int | st.SearchStrategy[int]"

FROM_1, FROM_2, FROM_3 = st.integers(1, 6), st.integers(2, 6), st.integers(3, 6)

# 2^-k: least float16 and float32, least normal and least float64, and one that no float64 can hold
TINY_EXPONENTS = (24, 149, 1022, 1074, 1100)


@st.composite
def laws(draw: st.DrawFn, tokens: Tokens = FROM_1, max_denominator: int = 60) -> Numbers:
    """One law, [V] Fractions.  Shrinks towards one token, and towards all mass on the last one."""
    V, d = _sizes(draw, tokens, max_denominator)
    return _over(d, draw(_numerators(V, d)))


@st.composite
def pairs(draw: st.DrawFn, tokens: Tokens = FROM_1, max_denominator: int = 60) -> Pair:
    """Any target and draft.  Shrinks towards one token, then towards p = q with all mass on the last token."""
    V, d = _sizes(draw, tokens, max_denominator)
    return Pair(*(_over(d, n) for n in draw(_two_numerators(V, d))))


def equal_pairs(tokens: Tokens = FROM_1, max_denominator: int = 60) -> st.SearchStrategy[Pair]:
    """p = q, so that nothing is ever rejected and the residual is zero.  Shrinks as `laws` does."""
    return laws(tokens, max_denominator).map(lambda p: Pair(p, p))


@st.composite
def disjoint_pairs(draw: st.DrawFn, tokens: Tokens = FROM_2, max_denominator: int = 60) -> Pair:
    """No token has mass on both sides, so that every draft is rejected; at least two tokens.

    Shrinks towards two tokens, p one-hot at token 0 and q at token 1.
    """
    V, d = _sizes(draw, tokens, max_denominator, least=2)
    of_p = _some_not_all(draw, V)
    of_q = [x for x in range(V) if x not in of_p]
    return Pair(_law_on(draw, of_p, V, d), _law_on(draw, of_q, V, d))


@st.composite
def one_hot_laws(draw: st.DrawFn, tokens: Tokens = FROM_1) -> Numbers:
    """All mass on one token, as of a greedy model.  Shrinks towards one token, then towards token 0."""
    V, _ = _sizes(draw, tokens, 1)
    x = draw(st.integers(0, V - 1))
    return Numbers(Fraction(int(i == x)) for i in range(V))


@st.composite
def pairs_with_zeros(draw: st.DrawFn, tokens: Tokens = FROM_2, max_denominator: int = 60) -> Pair:
    """At least one token with p = 0, or with q = 0, or one of each; at least two tokens.

    Shrinks towards two tokens with the zero in p, at token 1.
    """
    V, d = _sizes(draw, tokens, max_denominator, least=2)
    zeros_in = draw(st.sampled_from(("p", "q", "pq")))
    p, q = (_law_on(draw, _some_not_all(draw, V) if side in zeros_in else range(V), V, d) for side in "pq")
    return Pair(p, q)


@st.composite
def ties(draw: st.DrawFn, tokens: Tokens = FROM_3, max_denominator: int = 60) -> Pair:
    """p != q, with p = q > 0 at one token at least, where `<` and `<=` part; three tokens and denominator 2 at least.

    Shrinks towards three tokens with 1/2 on the tie, which is then the first of them.
    """
    V, d = _sizes(draw, tokens, max_denominator, least=3, least_denominator=2)
    tie, x = draw(st.integers(1, d - 1)), draw(st.integers(0, V - 1))
    a, b = draw(_two_numerators(V - 1, d - tie).filter(lambda ab: ab[0] != ab[1]))
    return Pair(*(_over(d, (*n[:x], tie, *n[x:])) for n in (a, b)))


@st.composite
def tiny(draw: st.DrawFn, tokens: Tokens = FROM_2, max_denominator: int = 60) -> Pair:
    """On each side one token has the probability 2^-24, 2^-149, 2^-1022, 2^-1074 or 2^-1100, the edges of the floats.

    The others share the rest as a law of `laws` would; at least two tokens.  Shrinks towards two tokens and 2^-24.
    """
    V, d = _sizes(draw, tokens, max_denominator, least=2)

    def side() -> Numbers:
        e = Fraction(1, 2 ** draw(st.sampled_from(TINY_EXPONENTS)))
        x, rest = draw(st.integers(0, V - 1)), [w * (1 - e) for w in _over(d, draw(_numerators(V - 1, d)))]
        return Numbers((*rest[:x], e, *rest[x:]))

    return Pair(side(), side())


# ---- the pieces


def _sizes(
    draw: st.DrawFn, tokens: Tokens, max_denominator: int, least: int = 1, least_denominator: int = 1
) -> tuple[int, int]:
    """V and the common denominator."""
    V = tokens if isinstance(tokens, int) else draw(tokens)
    for name, value, bound in (("tokens", V, least), ("max_denominator", max_denominator, least_denominator)):
        if value < bound:
            raise LawError(f"{name}={value}: here it is at least {bound}, this is {bound - value} too small; raise it")
    return V, draw(st.integers(least_denominator, max_denominator))


def _numerators(V: int, d: int) -> st.SearchStrategy[tuple[int, ...]]:
    """d cut into V non-negative numbers; every one of `exact.search.numerators` can come."""
    return st.tuples(*[st.integers(0, d)] * (V - 1)).map(lambda cuts: _parts(cuts, d))


def _two_numerators(V: int, d: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """The same twice; drawn token by token, so that hypothesis can drop a token from p and q at once."""
    cut = st.integers(0, d)
    return st.tuples(*[st.tuples(cut, cut)] * (V - 1)).map(
        lambda cuts: (_parts((a for a, _ in cuts), d), _parts((b for _, b in cuts), d))
    )


def _parts(cuts: Iterable[int], d: int) -> tuple[int, ...]:
    return tuple(b - a for a, b in pairwise([0, *sorted(cuts), d]))


def _over(d: int, numerators: Sequence[int]) -> Numbers:
    return Numbers(Fraction(n, d) for n in numerators)


def _some_not_all(draw: st.DrawFn, V: int) -> list[int]:
    """A set of tokens that is neither empty nor all of them; shrinks towards token 0 alone."""
    bits = draw(st.integers(1, 2**V - 2))
    return [x for x in range(V) if bits >> x & 1]


def _law_on(draw: st.DrawFn, support: Sequence[int], V: int, d: int) -> Numbers:
    """A law over V tokens without mass outside the support."""
    numerators = dict(zip(support, draw(_numerators(len(support), d)), strict=True))
    return _over(d, [numerators.get(x, 0) for x in range(V)])
