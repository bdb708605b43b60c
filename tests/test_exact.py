"""The room exact/: every answer twice, by different routes, compared with ==."""

import copy
import pickle
from collections import deque
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from operator import eq, ne
from random import Random

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from exact import (
    Distribution,
    Law,
    LawError,
    acceptance,
    emitted_distribution,
    joint,
    overlap,
    rejected_mass,
    rejection_law,
    replacement,
    residual,
    total_variation,
)
from exact.law import OnDemand
from exact.reading import Numbers, additive, over_common_denominator, read_law, read_number, show, total
from exact.rules import RULES, emission
from exact.search import pairs as every_pair
from exact.search import smallest
from exact.strategies import disjoint_pairs, equal_pairs, laws, one_hot_laws, pairs, pairs_with_zeros, ties, tiny

HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
SMALL = [pair for V in (1, 2, 3) for pair in every_pair(V, 6)]
ANY_PAIR = st.one_of(pairs(), equal_pairs(), disjoint_pairs(), pairs_with_zeros(), ties(), tiny())


# ---- the theorem


def test_the_emitted_law_is_p_and_alpha_is_1_minus_tv_on_every_small_pair():
    for p, q in SMALL:
        dist, alpha = emitted_distribution(p, q)
        assert dist == p
        assert alpha == 1 - total_variation(p, q) == 1 - sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def test_the_pieces_composed_by_hand_give_the_same_on_every_small_pair():
    for p, q in SMALL:
        accept, redraw, rejected = acceptance(p, q), replacement(p, q), rejected_mass(p, q)
        composed = [q_x * a + rejected * w for q_x, a, w in zip(q, accept, redraw, strict=True)]
        assert emitted_distribution(p, q) == (composed, 1 - rejected)


def test_the_pieces_are_what_their_names_say_on_every_small_pair():
    for p, q in SMALL:
        m, r, back = overlap(p, q), residual(p, q), residual(q, p)
        assert m == tuple(q_x * a for q_x, a in zip(q, acceptance(p, q), strict=True))
        assert p == tuple(a + b for a, b in zip(m, r, strict=True))
        assert q == tuple(a + b for a, b in zip(m, back, strict=True))
        assert sum(r) == sum(back) == rejected_mass(p, q) == total_variation(p, q)
        assert replacement(p, q) == (tuple(x / sum(r) for x in r) if any(r) else p)


@given(ANY_PAIR)
def test_the_theorem_on_drawn_pairs(pair):
    p, q = pair
    assert emitted_distribution(p, q) == (p, sum(map(min, p, q)))
    assert emitted_distribution(list(map(str, p)), [Decimal(1), *[0] * (len(p) - 1)])[0] == p


@given(one_hot_laws(tokens=4), one_hot_laws(tokens=4))
def test_one_hot_laws_agree_or_never_do(p, q):
    assert emitted_distribution(p, q) == (p, int(p == q))


def test_what_is_returned_is_exact():
    dist, alpha = emitted_distribution([1, 0], [0, 1])
    assert (type(dist), type(alpha), {type(x) for x in dist}) == (Distribution, Fraction, {Fraction})


def test_the_inputs_are_left_alone():
    p, q = ["1/2", 0.5], np.array([0.25, 0.75])
    emitted_distribution(p, q)
    assert p == ["1/2", 0.5]
    assert q.tolist() == [0.25, 0.75]


def test_acceptance_is_1_where_nothing_is_drafted():
    assert acceptance([1, 0], [0, 1]) == (1, 0)
    assert acceptance([0, 1], [0, 1]) == (1, 1)


# ---- float vectors, whose sums are not 1

ULPS_OFF = [
    ([0.1] * 10, [0.5, 0.5] + [0.0] * 8),
    ([0.1, 0.2, 0.7], [0.3, 0.3, 0.4]),
    ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7]),
    ([1 / 3, 1 / 3, 1 / 3], [0.6, 0.3, 0.1]),
    ([0.1, 0.9], [0.1, 0.9]),
    ([0.1, 0.9 + 2**-40], [0.1, 0.9]),
    ([0.1, 0.9], [0.1, 0.9 + 2**-40]),
    ([0.0, 1.0 - 2**-53], [1.0, 2**-1074]),
]


def formula(p, q):
    """The head of exact/rejection.py, written again from scratch."""
    p, q = [Fraction(*x.as_integer_ratio()) for x in p], [Fraction(*x.as_integer_ratio()) for x in q]
    A = sum(min(a, b) for a, b in zip(p, q, strict=True))
    R = sum(a - b for a, b in zip(p, q, strict=True) if a > b)
    Q = sum(b - a for a, b in zip(p, q, strict=True) if b > a)
    if R == 0:
        return [a / sum(p) for a in p], A / sum(q)
    r = [a - b if a > b else 0 for a, b in zip(p, q, strict=True)]
    return [(min(a, b) + r_x * Q / R) / (A + Q) for a, b, r_x in zip(p, q, r, strict=True)], A / (A + Q)


@pytest.mark.parametrize(("p", "q"), ULPS_OFF)
def test_floats_that_miss_1_by_ulps_have_the_law_of_the_formula(p, q):
    dist, alpha = emitted_distribution(p, q)
    assert (dist, alpha) == formula(p, q)
    assert sum(dist) == 1
    assert alpha == 1 - rejected_mass(p, q)
    assert dist == emission(RULES["standard"], p, q).dist


@given(
    st.lists(st.tuples(*[st.floats(0, 1e300)] * 2), min_size=1, max_size=6).map(lambda ab: list(zip(*ab, strict=True)))
)
def test_the_inner_function_has_the_law_of_the_formula_for_any_positive_sums(pq):
    p, q = pq
    if any(p) and any(q):
        assert rejection_law(p, q) == formula(p, q)


def test_the_law_is_computed_and_not_copied_from_p():
    """`return p` and `return p/S_p` are not this function: both sums are near 1, and differ."""
    p, q = [0.1] * 10, [0.5, 0.5] + [0.0] * 8
    S_p = sum(map(Fraction, p))
    dist, _ = emitted_distribution(p, q)
    assert S_p != 1
    assert dist != p
    assert dist != [Fraction(x) / S_p for x in p]
    assert dist == formula(p, q)[0]


def test_a_float_is_the_dyadic_that_it_is():
    assert read_number(0.1) == Fraction(3602879701896397, 2**55) != Fraction(1, 10)
    assert read_number(np.float32(0.1)) == Fraction(13421773, 2**27)
    assert read_number(np.float16(0.1)) == Fraction(819, 2**13)
    assert emitted_distribution([0.1, 0.9], [1, 0])[1] == Fraction(3602879701896397, 2**55)


# ---- rationals whose common denominator is long


def unlike(V, seed):
    """V Fractions whose denominators, up to 10^6, have little in common; they sum to about 1."""
    rng = Random(seed)
    return [Fraction(rng.randint(0, 2 * d // V), d) for d in (rng.randint(10 * V, 10**6) for _ in range(V))]


V_LONG = 150  # tokens from which on their common denominator has more than MOST_BITS bits
X, Y = unlike(V_LONG, 1), unlike(V_LONG, 2)
UNLIKE = {
    "sums as they fall": (X, Y),
    "the same": (X, X),
    "in proportion": (X, [3 * x for x in X]),
    "ties": ([*X, *Y[:50]], [*X[:50], *Y]),
    "disjoint": ([*X, *(0 for _ in Y)], [*(0 for _ in X), *Y]),
    "one-hot draft": (X, [1, *[0] * (V_LONG - 1)]),
    "one-hot target": ([1, *[0] * (V_LONG - 1)], X),
    "beside floats": ([*X, 0.1, 1e-300], [*Y, 0.3, 5e-324]),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_a_long_common_denominator_changes_nothing(name, monkeypatch):
    p, q = UNLIKE[name]
    dist, alpha = rejection_law(p, q)
    assert type(dist.weights) is OnDemand
    assert (dist, alpha) == formula(p, q)
    assert list(dist) == formula(p, q)[0]
    assert exact_only((*dist, alpha))
    assert pickle.loads(pickle.dumps(dist)) == dist
    monkeypatch.setattr("exact.rejection.MOST_BITS", None)
    plain = rejection_law(p, q)
    assert type(plain[0].weights) is not OnDemand
    assert plain == (dist, alpha)


def test_a_law_with_a_long_common_denominator():
    p, q = ([w / 2 for w in unlike(V_LONG, seed)] for seed in (3, 4))
    p, q = [*p, 1 - sum(p)], [*q, 1 - sum(q)]
    dist, alpha = emitted_distribution(p, q)
    assert type(dist.weights) is OnDemand
    assert (dist, alpha) == (p, sum(map(min, p, q)))
    with pytest.raises(
        LawError, match="p sums to 1000001/1000000: a law sums to exactly 1, this is 1/1000000 too much"
    ):
        emitted_distribution([p[0] + Fraction(1, 10**6), *p[1:]], q)


def test_the_common_denominator_is_made_only_where_it_is_short():
    p, q = Numbers([HALF, THIRD]), Numbers([Fraction(1, 2**20), 0])
    assert over_common_denominator(p, q, most_bits=22) == ((3 * 2**19, 2**20), (3, 0))
    assert over_common_denominator(p, q, most_bits=21) == (p, q)


@given(st.lists(st.fractions(max_denominator=10**6), max_size=70), st.integers(0, 1100))
def test_the_total_is_the_sum(x, k):
    assert total(Numbers(x)) == sum(x)
    assert total(Numbers([*x, Fraction(1, 2**k)])) == sum(x) + Fraction(1, 2**k)


@pytest.mark.parametrize("V", [1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 160])
def test_sums_in_lots_are_the_sums(V):
    p, q = Numbers(unlike(160, 5)[:V]), Numbers(unlike(160, 6)[:V])
    A, S_q, one = additive(lambda p, q: (sum(map(min, p, q)), sum(q)), p, q)
    assert (Fraction(A, one), Fraction(S_q, one)) == (sum(map(min, p, q)), sum(q))
    assert total(p) == sum(p)


# ---- how far the sum of a float vector may be from 1: (S-1)^2 <= eps, exactly


class BFloat16:
    """What torch.bfloat16 and ml_dtypes.bfloat16 show of themselves."""

    ndim, dtype = 0, "torch.bfloat16"

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)


F16, F32, F64 = np.float16, np.float32, float
ULP = {F16: 2.0**-11, F32: 2.0**-24, F64: 2.0**-53, BFloat16: 2.0**-8}  # of the numbers in [1/2, 1)
MOST = {F16: 2.0**-5, F32: 5792 * 2.0**-24, F64: 2.0**-26, BFloat16: 22 * 2.0**-8}  # the greatest S-1 allowed


@pytest.mark.parametrize("kind", MOST)
def test_the_boundary_of_the_sum_is_where_it_is(kind):
    eps = {F16: 2.0**-10, F32: 2.0**-23, F64: 2.0**-52, BFloat16: 2.0**-7}[kind]
    assert MOST[kind] ** 2 <= eps < (MOST[kind] + ULP[kind]) ** 2


@pytest.mark.parametrize("kind", MOST)
def test_just_inside_and_just_outside_above_1(kind):
    inside, outside = kind(0.5 + MOST[kind]), kind(0.5 + MOST[kind] + ULP[kind])
    assert sum(read_law([kind(0.5), inside])) == 1 + Fraction(MOST[kind])
    with pytest.raises(LawError, match=r"a law in floats sums to 1 within .* too much"):
        read_law([kind(0.5), outside])


@pytest.mark.parametrize("kind", MOST)
def test_just_inside_and_just_outside_below_1(kind):
    inside, outside = kind(0.5 - MOST[kind]), kind(0.5 - MOST[kind] - ULP[kind])
    assert sum(read_law([kind(0.5), inside])) == 1 - Fraction(MOST[kind])
    with pytest.raises(LawError, match=r"a law in floats sums to 1 within .* too little"):
        read_law([kind(0.5), outside])


@pytest.mark.parametrize("coarse", [F16, F32, BFloat16])
def test_the_coarsest_float_of_a_vector_decides(coarse):
    inside, outside = 0.5 + MOST[coarse], 0.5 + MOST[coarse] + ULP[coarse]
    for half, rest in (coarse(0.5), inside), (0.5, coarse(inside)):
        assert sum(read_law([half, rest])) == sum(read_law([rest, half])) == 1 + Fraction(MOST[coarse])
    for p in [coarse(0.5), outside], [outside, HALF, coarse(0)], [0.5, inside]:
        with pytest.raises(LawError, match="a law in floats"):
            read_law(p)


@pytest.mark.parametrize("kind", [F16, F64])
def test_the_boundary_is_decided_exactly(kind):
    """Here the root of eps is rational; a Fraction beside the float steps over it by as little as it likes."""
    on_it, little = HALF + Fraction(MOST[kind]), Fraction(1, 10**1000)
    assert sum(read_law([kind(0.5), on_it])) == 1 + Fraction(MOST[kind])
    with pytest.raises(LawError, match="a law in floats"):
        read_law([kind(0.5), on_it + little])


def test_one_float_makes_a_float_vector():
    off = HALF + Fraction(1, 2**26)
    assert sum(read_law([0.5, off])) == sum(read_law([off, 0.0, HALF])) == 1 + Fraction(1, 2**26)
    with pytest.raises(LawError, match=r"p sums to .*: a law sums to exactly 1, this is 1/67108864 too much"):
        read_law([HALF, off])


def test_each_vector_is_judged_by_its_own_dtype():
    p = [0.5, 0.5 + 2**-12]
    emitted_distribution(np.array(p, np.float32), np.array(p, np.float16))
    with pytest.raises(LawError, match=r"q sums to .* within 1\.49e-08"):
        emitted_distribution(np.array(p, np.float32), p)


# ---- the kinds of numbers

QUARTERS = {
    "Fraction": [Fraction(1, 4), Fraction(3, 4)],
    "string": ["1/4", " 3 / 4 "],
    "decimal string": ["0.25", "7.5e-1"],
    "percent": ["25%", " 75 % "],
    "Decimal": [Decimal("0.25"), Decimal("0.75")],
    "SymPy": [sympy.Rational(1, 4), sympy.Rational(3, 4)],
    "float": [0.25, 0.75],
    "mixed": [0.25, "3/4"],
    "tuple": (0.25, 0.75),
    "deque": deque(["1/4", "3/4"]),
    "float64": np.array([0.25, 0.75]),
    "float32": np.array([0.25, 0.75], np.float32),
    "float16": np.array([0.25, 0.75], np.float16),
    "objects": np.array([Fraction(1, 4), "3/4"], dtype=object),
    "texts": np.array(["1/4", "3/4"]),
    "strided": np.array([0.25, 9, 0.75, 9])[::2],
    "scalars": [np.float32(0.25), np.float64(0.75)],
    "0-d": [np.array(0.25), np.array(0.75)],
    "bfloat16": [BFloat16(0.25), BFloat16(0.75)],
    "distribution": Distribution((1, 3), 4),
}
ONE_HOTS = {
    "int": [0, 1],
    "int64": np.array([0, 1]),
    "uint8": [np.uint8(0), np.uint8(1)],
    "SymPy": [sympy.Integer(0), sympy.S.One],
    "range": range(2),
    "negative zero": [-0.0, 1.0],
}


@pytest.mark.parametrize("kind", QUARTERS)
def test_every_kind_of_number_says_the_same(kind):
    assert emitted_distribution(QUARTERS[kind], [1, 0]) == ([Fraction(1, 4), Fraction(3, 4)], Fraction(1, 4))
    assert emitted_distribution([1, 0], QUARTERS[kind]) == ([1, 0], Fraction(1, 4))
    assert {type(x) for x in read_law(QUARTERS[kind])} == {Fraction}


@pytest.mark.parametrize("kind", ONE_HOTS)
def test_every_kind_of_integer_says_the_same(kind):
    assert emitted_distribution(ONE_HOTS[kind], ["1/2", "1/2"]) == ([0, 1], HALF)


def test_bfloat16_where_it_is(need):
    need("ml_dtypes", find_spec("ml_dtypes"))
    bfloat16 = import_module("ml_dtypes").bfloat16
    assert emitted_distribution(np.array([0.25, 0.75], bfloat16), [1, 0])[1] == Fraction(1, 4)
    assert read_number(bfloat16(0.1)) == Fraction(205, 2**11)


def test_a_number_is_never_guessed():
    assert read_number("0.1") == Fraction(1, 10) != read_number(0.1)
    assert read_number(Decimal("0.1")) == Fraction(1, 10)
    assert read_number(Decimal.from_float(0.1)) == read_number(0.1)
    assert read_number("33.3%") == Fraction(333, 1000)


# ---- nothing slips into floats


class NoFloat(Fraction):
    def __float__(self):
        raise AssertionError("somebody made a float")


def no_floats(vector):
    return [NoFloat(x) for x in vector]


def exact_only(values):
    return all(isinstance(x, int | Fraction) for x in values)


def test_a_number_that_refuses_to_be_a_float_goes_through_everything():
    p, q = no_floats([HALF, THIRD, SIXTH]), no_floats([SIXTH, THIRD, HALF])
    for vectors in ((p, q), (Numbers(p), Numbers(q))):
        assert emitted_distribution(*vectors) == rejection_law(*vectors) == (p, Fraction(2, 3))
        assert rejected_mass(*vectors) == total_variation(*vectors) == THIRD
        assert joint(*vectors).map(lambda xy: xy[1]) == Law(enumerate(p))
        for piece in (acceptance, overlap, residual, replacement, over_common_denominator):
            assert len(piece(*vectors)) in (2, 3)
    assert show(NoFloat(1, 3)) == "1/3"
    assert show(NoFloat(1, 3**100)).startswith("about ")
    assert Law({0: NoFloat(1, 3), 1: NoFloat(2, 3)}).given(lambda x: x == 0)[0] == 1
    assert str(Distribution(p, NoFloat(1))) == "Distribution(1/2, 1/3, 1/6)"


@pytest.mark.parametrize("name", RULES)
def test_no_rule_makes_a_float(name):
    for p, q in (([HALF, THIRD, SIXTH], [SIXTH, THIRD, HALF]), ([1, 0, 0], [0, HALF, HALF]), ([1, 0, 0], [1, 0, 0])):
        e = emission(RULES[name], Numbers(no_floats(p)), Numbers(no_floats(q)))
        assert exact_only((*e.dist, e.alpha, e.stuck))


@pytest.mark.parametrize("name", RULES)
def test_no_rule_divides_an_int_by_an_int(name):
    p, q = Numbers((3, 2, 1)), Numbers((1, 2, 3))
    e = emission(RULES[name], p, q)
    assert exact_only((*e.dist, e.alpha, e.stuck))


@pytest.mark.parametrize("weights", [((3, 2, 1), (1, 2, 3)), ((1, 0), (0, 1)), ((1, 1), (1, 1)), ((5, 3), (1, 1))])
def test_no_piece_divides_an_int_by_an_int(weights):
    p, q = map(Numbers, weights)
    dist, alpha = rejection_law(p, q)
    assert exact_only((*dist, alpha, rejected_mass(p, q), total_variation(p, q)))
    assert all(exact_only(piece(p, q)) for piece in (acceptance, overlap, residual, replacement))
    assert exact_only(pr for _, pr in joint(p, q).items())


def test_the_search_makes_no_float():
    pair, _ = smallest(
        lambda p, q: True if emission(RULES["redraw-from-p"], no_floats(p), no_floats(q)).dist != p else None
    )
    assert pair == ((HALF, HALF), (0, 1))


# ---- Distribution

DIST = Distribution((3, 2, 1), 6)


def test_a_distribution_is_a_sequence():
    assert len(DIST) == 3
    assert (DIST[0], DIST[-1], DIST[np.int64(1)]) == (HALF, SIXTH, THIRD)
    assert DIST[1:] == DIST[-2:] == (THIRD, SIXTH)
    assert DIST[::-1] == tuple(reversed(DIST)) == (SIXTH, THIRD, HALF)
    assert DIST[5:] == ()
    assert list(DIST) == [HALF, THIRD, SIXTH]
    assert THIRD in DIST
    assert DIST.index(SIXTH) == 2
    assert sum(DIST) == 1


@pytest.mark.parametrize("i", [3, -4])
def test_a_token_that_is_not_there(i):
    with pytest.raises(IndexError):
        DIST[i]


SAME = [
    (HALF, THIRD, SIXTH),
    [HALF, THIRD, SIXTH],
    [0.5, THIRD, SIXTH],
    [Decimal("0.5"), THIRD, sympy.Rational(1, 6)],
    np.array([HALF, THIRD, SIXTH]),
    Distribution((3, 2, 1), 6),
    Distribution((6, 4, 2), 12),
    Distribution((HALF, THIRD, SIXTH), Fraction(1)),
    Numbers((HALF, THIRD, SIXTH)),
    deque([HALF, THIRD, SIXTH]),
]
OTHER = [
    (),
    [],
    (HALF, HALF),
    (HALF, THIRD, SIXTH, 0),
    (THIRD, HALF, SIXTH),
    [0.5, 1 / 3, 1 / 6],
    np.array([0.5, 1 / 3, 1 / 6]),
    np.array([[HALF, THIRD, SIXTH]]),
    np.array([]),
    Distribution((1, 2, 3), 6),
    Distribution((1,), 1),
    [HALF, THIRD, float("nan")],
    [HALF, THIRD, float("inf")],
    [HALF, THIRD, None],
    [HALF, THIRD, "1/6"],
    ["1/2", "1/3", "1/6"],
    [HALF, THIRD, [SIXTH]],
    "1/2, 1/3, 1/6",
    b"abc",
    None,
    1,
    HALF,
    float("nan"),
    object(),
]


@pytest.mark.parametrize("other", SAME, ids=lambda x: type(x).__name__)
def test_a_distribution_equals_the_same_numbers_on_either_side(other):
    results = [eq(DIST, other), eq(other, DIST), not ne(DIST, other), not ne(other, DIST)]
    assert results == [True] * 4
    assert {type(r) for r in results} == {bool}


@pytest.mark.parametrize("other", OTHER, ids=lambda x: type(x).__name__)
def test_a_distribution_differs_from_all_else_on_either_side(other):
    results = [eq(DIST, other), eq(other, DIST), not ne(DIST, other), not ne(other, DIST)]
    assert results == [False] * 4
    assert {type(r) for r in results} == {bool}


NO_SEQUENCE = [{1: "a"}, {1}, {1: "a"}.keys(), Law({1: 1})]


@pytest.mark.parametrize("other", NO_SEQUENCE, ids=lambda x: type(x).__name__)
def test_a_distribution_differs_from_what_is_no_sequence(other):
    sure = Distribution((1,), 1)
    assert [eq(sure, other), eq(other, sure)] == [False, False]


def test_a_distribution_differs_from_an_array_without_dimensions():
    sure = Distribution((1,), 1)
    assert [eq(sure, np.array(1.0)), eq(np.array(1.0), sure)] == [False, False]


def test_equal_distributions_have_one_hash_and_it_is_that_of_the_tuple():
    assert hash(DIST) == hash(Distribution((6, 4, 2), 12)) == hash((HALF, THIRD, SIXTH))
    assert {DIST: "a"}[HALF, THIRD, SIXTH] == "a"
    assert hash(Distribution((1, 1), 2)) == hash((0.5, 0.5))


@given(laws(), st.integers(1, 50))
def test_scaled_weights_are_the_same_distribution(p, scale):
    d = Distribution(tuple(scale * x for x in p), scale)
    assert d == p
    assert p == d
    assert hash(d) == hash(p)
    assert d[:] == p


def test_a_distribution_does_not_change():
    with pytest.raises(FrozenInstanceError):
        DIST.total = 7
    with pytest.raises(TypeError):
        DIST[0] = HALF
    with pytest.raises(FrozenInstanceError):
        del DIST.weights


def test_a_distribution_can_be_copied_and_sent():
    assert copy.deepcopy(DIST) == pickle.loads(pickle.dumps(DIST)) == DIST


def test_a_distribution_shows_its_fractions_and_shortens_long_ones():
    assert repr(DIST) == "Distribution(1/2, 1/3, 1/6)"
    assert repr(Distribution((1, 10**5000 - 1), 10**5000)) == "Distribution(about 1E-5000, about 1.00000)"


# ---- Law

DIE = Law((face, SIXTH) for face in range(1, 7))


def test_a_law_gives_probabilities():
    assert DIE[3] == SIXTH
    assert DIE[7] == DIE["edge"] == 0
    assert (len(DIE), list(DIE)) == (6, [1, 2, 3, 4, 5, 6])
    assert dict(DIE.items()) == dict.fromkeys(range(1, 7), SIXTH)
    assert DIE.probability(lambda face: face > 4) == THIRD
    assert DIE.probability(lambda face: False) == 0
    assert DIE.probability(lambda face: True) == 1


def test_a_conditional_law_and_the_law_of_a_function():
    assert DIE.given(lambda face: face > 4) == Law({5: HALF, 6: HALF})
    assert DIE.map(lambda face: face % 2) == Law({0: HALF, 1: HALF})
    assert DIE.map(lambda face: 0) == Law({0: 1})


def test_a_condition_that_never_holds():
    with pytest.raises(LawError, match="event of probability 0"):
        DIE.given(lambda face: face > 6)
    with pytest.raises(LawError, match="event of probability 0"):
        Law({"a": 1, "b": 0}).given(lambda x: x == "b")


def test_a_law_adds_up_what_is_given_twice():
    assert Law([("a", "1/3"), ("b", "1/3"), ("a", "1/3")]) == Law({"a": "2/3", "b": "1/3"})


def test_outcomes_of_probability_zero_do_not_count():
    a, b = Law({"x": 1, "y": 0}), Law({"x": 1})
    assert a == b
    assert hash(a) == hash(b)
    assert a != Law({"x": "1/2", "y": "1/2"})
    assert (a == {"x": 1}, a == None, a != 1) == (False, False, True)  # noqa: E711 - the comparison is the test


def test_a_law_prints_as_a_markdown_table_and_shows_itself():
    law = Law({"a|b": "1/3", (0, 1): "2/3"})
    assert str(law).splitlines() == [
        "| outcome | probability |",
        "|---|---|",
        r"| a\|b | 1/3 |",
        "| (0, 1) | 2/3 |",
    ]
    assert repr(law) == "Law({'a|b': '1/3', (0, 1): '2/3'})"
    assert Law({"a|b": "1/3", (0, 1): "2/3"}) == law


def test_a_law_does_not_change():
    with pytest.raises(AttributeError, match="a Law does not change: x=1 is refused"):
        DIE.x = 1
    with pytest.raises(AttributeError):
        DIE._probability = {}
    with pytest.raises(TypeError):
        DIE[1] = 1
    given_to_it = {"a": Fraction(1)}
    law = Law(given_to_it)
    given_to_it["a"] = Fraction(0)
    assert law["a"] == 1


def test_nothing_can_be_deleted_from_a_law():
    law = Law({"a": 1})
    with pytest.raises(AttributeError):
        del law._probability


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda law: pickle.loads(pickle.dumps(law))])
def test_a_law_can_be_copied_and_sent(clone):
    assert clone(DIE) == DIE


def test_a_law_is_exact_also_when_it_is_given_floats():
    assert Law({"a": 0.5, "b": 0.5}) == Law({"a": HALF, "b": HALF})
    with pytest.raises(LawError, match="sums to exactly 1"):
        Law(dict.fromkeys(range(10), 0.1))


def test_total_variation_of_laws_and_of_vectors():
    assert total_variation(DIE, Law({1: 1})) == Fraction(5, 6)
    assert total_variation(DIE, DIE) == 0
    assert total_variation([2, 2], [3, 1]) == Fraction(1, 4)  # each over its own sum
    assert total_variation(Distribution((1, 1), 2), ["3/4", "1/4"]) == Fraction(1, 4)


@given(ANY_PAIR)
def test_total_variation_is_symmetric_and_the_largest_difference_of_an_event(pair):
    p, q = pair
    assert total_variation(p, q) == total_variation(q, p) == sum(a - b for a, b in zip(p, q, strict=True) if a > b)
    assert total_variation(Law(enumerate(p)), Law(enumerate(q))) == total_variation(p, q)


# ---- joint: what is drafted and what is emitted, together


@pytest.mark.parametrize("V", [1, 2, 3])
def test_the_marginals_of_the_joint_law_are_q_and_p(V):
    for p, q in every_pair(V, 5):
        pair = joint(p, q)
        assert pair.map(lambda xy: xy[0]) == Law(enumerate(q))
        assert pair.map(lambda xy: xy[1]) == Law(enumerate(p))


@pytest.mark.parametrize("V", [2, 3])
def test_an_emitted_token_was_the_drafts_with_probability_m_over_p(V):
    for p, q in every_pair(V, 4):
        pair, m = joint(p, q), overlap(p, q)
        for y in range(V):
            if p[y]:
                drafted = pair.given(lambda xy, y=y: xy[1] == y).probability(lambda xy: xy[0] == xy[1])
                assert drafted == m[y] / p[y]


@pytest.mark.parametrize("V", [2, 3])
def test_a_rejected_token_is_never_emitted_again(V):
    """So draft = emitted is the event of acceptance, token by token, and nothing more."""
    for p, q in every_pair(V, 4):
        pair = joint(p, q)
        assert [pair[x, x] for x in range(V)] == list(overlap(p, q))
        assert pair.probability(lambda xy: xy[0] == xy[1]) == emitted_distribution(p, q)[1]


def test_no_coupling_agrees_more_often():
    """1 - TV is the most that any joint law of q and p can put on draft = emitted."""
    p, q = (HALF, THIRD, SIXTH), (SIXTH, THIRD, HALF)
    independent = Law(((x, y), q[x] * p[y]) for x in range(3) for y in range(3))
    agree = [law.probability(lambda xy: xy[0] == xy[1]) for law in (independent, joint(p, q))]
    assert agree == [Fraction(5, 18), 1 - total_variation(p, q)]


@pytest.mark.parametrize(("p", "q"), ULPS_OFF)
def test_the_joint_law_of_floats_has_the_emitted_law(p, q):
    dist, alpha = emitted_distribution(p, q)
    pair = joint(p, q)
    assert pair.map(lambda xy: xy[1]) == Law(enumerate(dist))
    if sum(residual(p, q)):  # otherwise the redraw is from p and can hit the rejected token again
        assert pair.probability(lambda xy: xy[0] == xy[1]) == alpha
