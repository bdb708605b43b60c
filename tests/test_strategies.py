"""What the strategies promise: exact laws of the kind that their names say, and failing cases that shrink."""

import importlib
import sys
from fractions import Fraction

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from exact import LawError, emitted_distribution, total_variation
from exact.rules import WRONG, emission
from exact.search import pairs as every_pair
from exact.search import smallest
from exact.strategies import (
    TINY_EXPONENTS,
    disjoint_pairs,
    equal_pairs,
    laws,
    one_hot_laws,
    pairs,
    pairs_with_zeros,
    ties,
    tiny,
)

OF_PAIRS = [pairs, equal_pairs, disjoint_pairs, pairs_with_zeros, ties, tiny]


def is_law(p):
    return isinstance(p, tuple) and {type(x) for x in p} == {Fraction} and min(p) >= 0 and sum(p) == 1


def common_denominator_at_most(most, p):
    return any(all((d * x).denominator == 1 for x in p) for d in range(1, most + 1))


# ---- what comes back


@given(laws())
def test_a_law_sums_to_exactly_1(p):
    assert is_law(p)
    assert common_denominator_at_most(60, p)


@pytest.mark.parametrize("strategy", OF_PAIRS)
def test_a_pair_is_two_laws_over_the_same_tokens(strategy):
    @given(strategy())
    def check(pair):
        p, q = pair
        assert is_law(p)
        assert is_law(q)
        assert len(p) == len(q) <= 6

    check()


@pytest.mark.parametrize("strategy", [s for s in OF_PAIRS if s is not tiny])
def test_the_denominator_is_bounded(strategy):
    @given(strategy(max_denominator=7))
    def check(pair):
        assert common_denominator_at_most(7, pair.p + pair.q)

    check()


@pytest.mark.parametrize("strategy", [laws, one_hot_laws, *OF_PAIRS])
@pytest.mark.parametrize("tokens", [4, st.just(4)])
def test_the_number_of_tokens_is_a_number_or_a_strategy(strategy, tokens):
    @given(strategy(tokens=tokens))
    def check(drawn):
        assert len(getattr(drawn, "p", drawn)) == 4

    check()


@given(equal_pairs())
def test_equal_pairs(pair):
    assert pair.p == pair.q


@given(disjoint_pairs())
def test_disjoint_pairs(pair):
    assert total_variation(*pair) == 1


@given(one_hot_laws())
def test_one_hot_laws(p):
    assert is_law(p)
    assert sorted(p)[:-1] == [0] * (len(p) - 1)


@given(pairs_with_zeros())
def test_pairs_with_zeros(pair):
    assert 0 in pair.p + pair.q


@given(ties())
def test_ties(pair):
    assert pair.p != pair.q
    assert any(a == b > 0 for a, b in zip(*pair, strict=True))


@given(tiny())
def test_tiny(pair):
    edges = {Fraction(1, 2**k) for k in TINY_EXPONENTS}
    assert all(edges & set(side) for side in pair)


@given(st.one_of(s() for s in OF_PAIRS))
def test_the_theorem_holds_on_all_of_them(pair):
    assert emitted_distribution(*pair) == (pair.p, 1 - total_variation(*pair))


@pytest.mark.parametrize("pair", list(every_pair(2, 3)))
def test_every_small_pair_can_come(pair):
    assert find(pairs(tokens=2, max_denominator=3), lambda drawn: drawn == pair) == pair


# ---- what it shrinks towards

ONE = Fraction(1)
SIMPLEST = {
    laws: (ONE,),
    one_hot_laws: (ONE,),
    pairs: ((ONE,), (ONE,)),
    equal_pairs: ((ONE,), (ONE,)),
    disjoint_pairs: ((1, 0), (0, 1)),
    pairs_with_zeros: ((1, 0), (0, 1)),
    ties: ((ONE / 2, 0, ONE / 2), (ONE / 2, ONE / 2, 0)),
    tiny: ((ONE / 2**24, 1 - ONE / 2**24),) * 2,
}


@pytest.mark.parametrize("strategy", SIMPLEST)
def test_the_simplest_value(strategy):
    assert find(strategy(), lambda _: True) == SIMPLEST[strategy]


def test_a_wrong_redraw_shrinks_to_two_tokens_and_denominator_2():
    p, q = find(pairs(), lambda pair: emission(WRONG["redraw-from-p"], *pair).dist != pair.p)
    assert (p, q) == ((ONE / 2, ONE / 2), (0, 1))


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_rule_shrinks_to_the_pair_that_the_search_finds_first(name):
    def differs(p, q):
        got = emission(WRONG[name], p, q)
        return (got.dist, got.alpha) != (p, 1 - total_variation(p, q))

    first, _ = smallest(lambda p, q: differs(p, q) or None)
    assert find(pairs(), lambda pair: differs(*pair)) == first


# ---- what is refused


@pytest.mark.parametrize("strategy", [laws, one_hot_laws, *OF_PAIRS])
def test_no_tokens(strategy):
    with pytest.raises(LawError, match="tokens=0: here it is at least"):
        find(strategy(tokens=0), lambda _: True)


@pytest.mark.parametrize("strategy", [disjoint_pairs, pairs_with_zeros, tiny, ties])
def test_one_token_is_too_few_for_two_different_ones(strategy):
    with pytest.raises(LawError, match=r"tokens=1: here it is at least [23], this is [12] too small"):
        find(strategy(tokens=1), lambda _: True)


@pytest.mark.parametrize("strategy", [laws, *OF_PAIRS])
def test_no_denominator(strategy):
    with pytest.raises(LawError, match="max_denominator=0: here it is at least"):
        find(strategy(max_denominator=0), lambda _: True)


def test_without_hypothesis_the_import_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "exact.strategies")
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ImportError, match=r"exact.strategies needs hypothesis: pip install 'samelaw\[test\]'"):
        importlib.import_module("exact.strategies")
