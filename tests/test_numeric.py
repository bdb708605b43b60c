"""The float program against the exact one, the theorem on its rounding, and every check shown failing."""

import pickle
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import isinf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact
import numeric
from exact import acceptance, joint, replacement
from exact.reading import LawError
from exact.search import pairs
from numeric import Summary, cross_check, emitted_distribution, rejection_law, rejection_sample
from numeric.crosscheck import NEAR, WITHIN, WRONG
from numeric.rejection import inverse_cdf
from numeric.rounding import (
    PRECISIONS,
    SUMS,
    alpha_bound,
    bound,
    lines,
    one_call_is_the_tree,
    precision,
    replay_blocks,
    replay_sum,
    row_sum,
    tree_height,
)
from numeric.witnesses import WITNESSES, textbook_line, witness_table

BOTH = pytest.mark.parametrize("dtype", [np.float32, np.float64])
WAYS = pytest.mark.parametrize("sums", SUMS)
SMALL = [pair for V in (1, 2, 3) for pair in pairs(V, 8)]
WITNESS = {w.name: w for w in WITNESSES}


def bits(x):
    return np.asarray(x).tobytes()


def random_law(V, rng, dtype=np.float64, spread=4.0):
    weights = np.exp(spread * rng.standard_normal(V)) * (rng.random(V) < 0.8)
    weights[rng.integers(V)] += 1
    return (weights / weights.sum()).astype(dtype)


def random_pairs(dtype, sizes=(1, 2, 3, 7, 8, 9, 50, 127, 128, 129, 300, 1000)):
    rng = np.random.default_rng(1)
    return [(random_law(V, rng, dtype), random_law(V, rng, dtype)) for V in sizes]


# ---- the theorem


@BOTH
@pytest.mark.parametrize("V", [*range(1, 301), 1000, 4097, 8192, 8200, 16385, 20000, 50257, 128256])
def test_the_sum_is_the_tree_that_the_theorem_assumes(V, dtype):
    x = np.random.default_rng(V).random((3 if V > 300 else 40, V)).astype(dtype)
    want = [replay_sum(row) for row in x[:3]]
    assert bits(row_sum(x)[:3, 0]) == bits(want)
    assert bits(row_sum(x[0])[0]) == bits(want[0])
    if V <= 8192:
        assert bits(np.sum(x, axis=-1)[:3]) == bits(want)
        assert bits(np.sum(x[0])) == bits(want[0])


class Depth:
    """A number that only counts the additions above it; adding to it is one more."""

    def __init__(self, height=0):
        self.height = height

    def __add__(self, other):
        return Depth(1 + max(self.height, other.height))


@pytest.mark.parametrize("V", [*range(1, 400), 1000, 8192, 8200, 128256])
def test_the_height_is_the_height_of_the_replayed_tree(V):
    leaves = np.empty(V, dtype=object)
    leaves[:] = [Depth() for _ in range(V)]
    assert replay_sum(leaves).height == tree_height(V)


def test_heights_as_the_paper_states_them():
    assert tree_height(128256) == 28
    assert tree_height(127) > tree_height(128) > tree_height(129)
    assert [bound(128256, "float32", sums).k for sums in SUMS] == [8, 4, 91]
    assert [alpha_bound(128256, "float32", sums).k for sums in SUMS] == [1, 1, 57]


def test_numpy_before_2_is_found_out_to_sum_long_rows_in_buffers():
    rows = np.random.default_rng(5).random((20, 3 * 8192 + 1))
    assert [replay_blocks(row) for row in rows[:3]] == [replay_sum(row) for row in rows[:3]]
    assert one_call_is_the_tree() == all(np.sum(row) == replay_blocks(row) for row in rows)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_u_and_eta_are_the_dtypes(dtype):
    digits, u, eta = precision(dtype)
    info = finfo(dtype)
    assert (2 * u, 2 * eta) == (Fraction(float(info.eps)), Fraction(float(info.smallest_subnormal)))
    assert u == Fraction(1, 2**digits)
    assert bound(2, dtype, native=True).slack == 4 * eta
    assert alpha_bound(2, dtype, native=True).slack == eta
    wide = 4 * precision("float64").eta
    assert bound(2, dtype).slack == (wide if dtype == "float64" else slack_of(dtype, wide))


def slack_of(dtype, s):
    """Rounded to a narrower dtype, a slack grows as anything does, and a subnormal result is off by eta."""
    for name in ("float32", dtype) if dtype == "bfloat16" else (dtype,):
        _, u, eta = precision(name)
        s = s * (1 + u) + eta
    return s


def finfo(dtype):
    if dtype != "bfloat16":
        return np.finfo(dtype)
    return pytest.importorskip("ml_dtypes").finfo(dtype)


def test_a_bound_is_sharp_and_refuses_what_is_not_finite():
    u = precision("float64").u
    four = bound(9, "float64", "scalars")
    assert (four.k, four.growth) == (4, (1 + u) ** 4)
    slackless = four._replace(slack=Fraction(0))
    assert slackless.contains((1 + u) ** -4, 1.0)
    assert slackless.contains((1 + u) ** 4, 1.0)
    assert not slackless.contains((1 + u) ** 5, 1.0)
    assert not slackless.contains((1 + u) ** -5, 1.0)
    tiny = Fraction(1, 2**1200)
    assert four.contains(tiny, 2 * 5e-324)
    assert not four.contains(tiny, 3 * 5e-324)
    assert four.contains(tiny, 0.0)
    assert not four.contains(tiny, -5e-324)
    assert four.contains(Fraction(0), 0.0)
    assert not any(four.contains(Fraction(0), x) for x in (5e-324, -5e-324))
    assert not any(four.contains(Fraction(1), x) for x in (nan, float("inf"), np.float32("nan")))
    with pytest.raises(LawError, match="dtype=int64: the rounding bound is for bfloat16, float16, float32, float64"):
        bound(3, "int64")
    with pytest.raises(LawError, match="sums='fast': the sums are exact, scalars, pairwise"):
        bound(3, "float64", "fast")
    for V in (0, -1, 3.5, "3"):
        with pytest.raises(LawError, match=r"V=.*: a law has a whole number of tokens, at least one; give it"):
            bound(V, "float64")
    assert bound(3, "f8") == bound(3, np.float64)
    assert bound(np.int64(999), "float64", "pairwise") == bound(999, "float64", "pairwise")
    for sums in ("bogus", None, ["exact"]):
        with pytest.raises(LawError, match="the sums are exact, scalars, pairwise"):
            bound(1, "float64", sums)
    with pytest.raises(LawError, match="dtype=None"):
        bound(3, None)


def test_two_dtypes_that_no_dtype_holds_are_refused():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    p, q = np.array([0.5, 0.5], np.float16), np.array([0.5, 0.5]).astype(ml_dtypes.bfloat16)
    with pytest.raises(LawError, match="no dtype holds both; convert one of them"):
        rejection_law(p, q)


def test_a_narrower_dtype_has_one_rounding_of_its_own():
    u, u_32, u_16 = (precision(dtype).u for dtype in ("float64", "float32", "float16"))
    assert bound(9, "float16", "exact").growth == (1 + u) ** 8 * (1 + u_16)
    assert bound(9, "float16", "pairwise").growth == (1 + u_32) ** bound(9, "float16", "pairwise").k * (1 + u_16)
    assert bound(9, "bfloat16", "scalars").growth == (1 + u) ** 4 * (1 + u_32) * (1 + precision("bfloat16").u)
    assert bound(9, "float16", "pairwise", native=True).growth == (1 + u_16) ** bound(9, "float16", "pairwise").k


@pytest.mark.parametrize("sums", SUMS)
def test_every_line_of_the_count_has_a_k_that_the_line_before_allows(sums):
    counted = {line.name: line.k for line in lines(sums)}
    assert counted["r"] == (0, 1)
    assert counted["dist"] == {"exact": (0, 8), "scalars": (0, 4), "pairwise": (3, 7)}[sums]
    assert counted["alpha"] == {"exact": (0, 1), "scalars": (0, 1), "pairwise": (2, 1)}[sums]


# ---- the float program against the exact one


@WAYS
@BOTH
def test_every_small_pair_is_within_the_bound(dtype, sums):
    for V in (1, 2, 3):
        rows = [(pair.p, pair.q) for pair in SMALL if len(pair.p) == V]
        p, q = (np.array([[float(x) for x in law] for law in laws], dtype) for laws in zip(*rows, strict=True))
        dist, alpha = emitted_distribution(p, q, sums)
        assert (dist.dtype, alpha.dtype, alpha.shape) == (dtype, dtype, (len(rows),))
        assert {cross_check(*row, sums=sums).verdict for row in zip(p, q, dist, alpha, strict=True)} == {WITHIN}
        singles = [emitted_distribution(*row, sums) for row in zip(p, q, strict=True)]
        assert bits(dist) == bits([d for d, _ in singles])
        assert alpha.tolist() == [a for _, a in singles]


@WAYS
@BOTH
def test_a_dyadic_pair_that_fits_gives_p_bit_for_bit(dtype, sums):
    for p, q in SMALL:
        if all((8 * x).denominator == 1 for x in (*p, *q)):
            a, b = (np.array([float(x) for x in law], dtype) for law in (p, q))
            dist, alpha = emitted_distribution(a, b, sums)
            assert bits(dist) == bits(a)
            assert alpha == exact.emitted_distribution(p, q)[1]
            assert (alpha == 1) == (p == q)


def multiples_of_u(V, dtype, rng):
    """Two laws of multiples of u whose sums are exactly 1."""
    digits = precision(dtype).bits
    cuts = np.sort(rng.integers(0, 2**digits, (2, V - 1)))
    return (np.diff(cuts, prepend=0, append=2**digits) * 2.0**-digits).astype(dtype)


@WAYS
@BOTH
def test_multiples_of_u_with_sum_1_give_p_bit_for_bit(dtype, sums):
    rng = np.random.default_rng(2)
    for V in (*range(2, 170), 200, 9000, 131072):  # with the dtypes and the sums over a thousand pairs
        p, q = multiples_of_u(V, dtype, rng)
        dist, alpha = emitted_distribution(p, q, sums)
        assert bits(dist) == bits(p)
        assert 0 < alpha < 1
        assert emitted_distribution(p, p, sums)[1] == 1


@WAYS
def test_where_the_exact_law_is_not_p_it_is_met_bit_for_bit(sums):
    q = np.array([1 / 2, 3 / 8, 1 / 8])
    p = np.array([1 / 2 + 2.0**-29, 3 / 8 - 2.0**-30, 1 / 8])
    assert rejection_law(p, q, sums)[0].tolist() == [1 / 2 + 2.0**-30, 3 / 8 - 2.0**-30, 1 / 8]
    assert emitted_distribution(p, q, sums)[0].tolist() != p.tolist()  # so `return p` fails here
    assert rejection_law([3 / 4, 1 / 4, 1 / 8], q, sums)[0].tolist() == [5 / 8, 1 / 4, 1 / 8]


@WAYS
@BOTH
def test_random_pairs_are_within_the_bound_of_the_exact_program(dtype, sums):
    for p, q in random_pairs(dtype):
        dist, alpha = emitted_distribution(p, q, sums)
        want, want_alpha = exact.rejection_law(p.tolist(), q.tolist())
        within = bound(len(p), dtype, sums)
        assert all(within.contains(w, x) for w, x in zip(want, dist, strict=True))
        assert alpha_bound(len(p), dtype, sums).contains(want_alpha, alpha)
        assert cross_check(p, q, sums=sums).verdict == WITHIN
        assert 0 <= alpha <= 1


def as_float(x, dtype):
    return (x.astype(np.float32) if dtype == "bfloat16" else x).astype(dtype)


@WAYS
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_every_precision_is_within_its_bound(dtype, sums):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    for p, q in random_pairs(np.float64, (1, 2, 3, 8, 50, 129, 1000)):
        p, q = as_float(p, dtype), as_float(q, dtype)
        dist, alpha = emitted_distribution(p, q, sums)
        assert dist.dtype.name == dtype
        assert isinstance(alpha, float)
        check = cross_check(p, q, sums=sums)
        assert (check.verdict, check.reason) == (WITHIN, "")
        batch, alphas = emitted_distribution(np.stack([p, q]), np.stack([q, p]), sums)
        assert bits(batch[0]) == bits(dist)
        assert alphas[0] == alpha


def test_a_thousand_ones_in_bfloat16_are_a_thousand():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    ones = np.full(1000, 2.0**-10).astype(ml_dtypes.bfloat16)
    assert float(np.sum(ones)) == 2.0**-2  # numpy stops at 256 of them
    for sums in SUMS:
        dist, alpha = rejection_law(ones, ones, sums)
        assert {float(x) for x in dist} == {float(ml_dtypes.bfloat16(0.001))}
        assert alpha == 1


def floats(width):
    small = [0.0, float(np.finfo(f"float{width}").smallest_subnormal), 2.0**-66, 0.25, 0.5]
    return st.one_of(st.sampled_from(small), st.floats(0, 1, width=width, allow_subnormal=True))


@st.composite
def float_pairs(draw):
    """Two rows of one dtype with sums within 1/4 of 1: drawn entries, and one token that takes what is missing."""
    width, V = draw(st.sampled_from([32, 64])), draw(st.integers(1, 12))
    dtype = np.dtype(f"float{width}")

    def law():
        rest = np.array(draw(st.lists(floats(width), min_size=V - 1, max_size=V - 1)), dtype) / dtype.type(V)
        last = dtype.type(draw(st.floats(0.8, 1.2))) - rest.sum(dtype=dtype)
        return np.roll(np.append(rest, max(last, dtype.type(0))), draw(st.integers(0, V - 1)))

    return law(), law()


@given(float_pairs(), st.sampled_from(SUMS))
def test_whatever_floats_go_in_the_theorem_holds(pair, sums):
    p, q = pair
    with np.errstate(all="raise"):
        dist, alpha = rejection_law(p, q, sums)
    assert dist.dtype == p.dtype
    assert (dist >= 0).all()
    assert 0 <= alpha <= 1
    check = cross_check(p, q, sums=sums)
    assert (check.verdict, check.reason) == (WITHIN, "")
    target = [Fraction(float(x)) / sum(Fraction(float(y)) for y in p) for x in p]
    want = exact.rejection_law(p, q)[0]
    assert check.defect.size == want[check.defect.token] - target[check.defect.token]
    assert abs(check.defect.size) == max(abs(w - t) for w, t in zip(want, target, strict=True))


@given(float_pairs(), st.sampled_from(SUMS))
def test_scaling_both_by_a_power_of_two_changes_nothing(pair, sums):
    p, q = pair[0].astype(np.float64), pair[1].astype(np.float64)
    if min(x for x in (*p, *q) if x > 0) < 2.0**-900:
        return
    dist, alpha = rejection_law(p, q, sums)
    again, alpha_again = rejection_law(p * 2.0**-90, q * 2.0**-90, sums)
    assert bits(dist) == bits(again)
    assert alpha == alpha_again


def test_no_warning_and_no_nan_at_the_edges():
    least = 5e-324
    edges = [([0.5, 0.5, least], [0.5, 0.5 + 1e-9, 0.0]), ([1.0, 0.0], [0.0, 1.0]), ([0.3, 0.7], [0.3, 0.7]),
             ([1.0], [1.0]), ([least, 1.0], [1.0, least]), ([1.0, least, 0.0], [1.0, 0.0, least]),
             ([1.0, 0.0], [1.0 + 1e-9, 0.0]), ([1.0 + 1e-9, 0.0], [1.0, 0.0])]  # fmt: skip
    for p, q in edges:
        with np.errstate(all="raise"):
            dist, alpha = emitted_distribution(p, q)
        assert np.isfinite(dist).all()
        assert type(alpha) is float
        assert cross_check(p, q).verdict == WITHIN
    with np.errstate(over="ignore"):  # what the scaling is for
        p, q = map(np.array, edges[0])
        assert isinf(row_sum(np.maximum(q - p, 0))[0] / row_sum(np.maximum(p - q, 0))[0])


# ---- what comes in


def layouts(x):
    wide, frozen, odd = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype), x.copy(), np.zeros(x.nbytes + 1, np.uint8)
    wide[:, ::2] = x
    frozen.flags.writeable = False
    unaligned = odd[1:].view(x.dtype).reshape(x.shape)
    unaligned[:] = x
    return [wide[:, ::2], np.asfortranarray(x), frozen, x[::-1, ::-1].copy()[::-1, ::-1], unaligned,
            x.astype(x.dtype.newbyteorder())]  # fmt: skip


@BOTH
@pytest.mark.parametrize("V", [5, 130, 9000])
def test_the_layout_of_the_input_does_not_matter(V, dtype):
    rng = np.random.default_rng(V)
    p, q = (np.stack([random_law(V, rng, dtype) for _ in range(3)]) for _ in "pq")
    dist, alpha = emitted_distribution(p, q)
    for a, b in product(layouts(p), layouts(q)):
        before = bits(a), bits(b)
        got, got_alpha = emitted_distribution(a, b)
        assert (bits(got), bits(got_alpha)) == (bits(dist), bits(alpha))
        assert (bits(a), bits(b)) == before
        assert got.dtype == dtype
        assert not np.shares_memory(got, a)
        assert got.flags.c_contiguous


@pytest.mark.parametrize("V", [3, 130, 8200])
def test_rows_of_a_batch_are_single_calls_bit_for_bit(V):
    rng = np.random.default_rng(V)
    p, q = (np.stack([random_law(V, rng) for _ in range(6)]).reshape(2, 3, V) for _ in "pq")
    q[1, 2] = p[1, 2]
    dist, alpha = emitted_distribution(p, q)
    assert (dist.shape, alpha.shape) == ((2, 3, V), (2, 3))
    for i in np.ndindex(2, 3):
        single, one = emitted_distribution(p[i], q[i])
        assert (bits(single), one) == (bits(dist[i]), alpha[i])


def test_dtypes_and_shapes_of_the_result():
    half = np.array([0.5, 0.5])
    assert emitted_distribution(half.astype(np.float32), half)[0].dtype == np.float64
    assert emitted_distribution(half.astype(np.float32), np.array([1, 0], np.int8))[0].dtype == np.float64
    assert emitted_distribution([1, 0], (0, 1))[0].tolist() == [1.0, 0.0]
    assert emitted_distribution(np.array([1, 0], np.uint8), [1, 0])[0].tolist() == [1.0, 0.0]
    assert emitted_distribution([np.float32(0.5)] * 2, [np.float32(0.5)] * 2)[0].dtype == np.float32
    assert type(emitted_distribution(*[half.astype(np.float32)] * 2)[1]) is float
    dist, alpha = emitted_distribution(np.zeros((0, 4)), np.zeros((0, 4)))
    assert (dist.shape, alpha.shape) == ((0, 4), (0,))


GOOD = [0.5, 0.5]
BATCH = np.tile([0.25, 0.25, 0.5], (4, 1))


def broken(index, value, dtype=np.float64):
    x = BATCH.astype(dtype)
    x[index] = value
    return x


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        (broken((3, 2), -0.1), BATCH, "p[3, 2]=-0.1: a probability is not negative, this is 0.1 below 0; mend it"),
        (broken((3, 2), -0.1, np.float32), BATCH, "p[3, 2]=-0.1: a probability is not negative, this is 0.1 below 0"),
        (BATCH, broken((0, 1), nan), "q[0, 1]=nan: a number here is finite; replace it"),
        (broken((1, 0), float("inf")), BATCH, "p[1, 0]=inf: a number here is finite; replace it"),
        (broken((2, 0), 0.5), BATCH, "p[2] sums to 5/4: a law in floats sums to 1 within 1.49e-08, this is 1/4 too"),
        (GOOD, [0.5, 0.25], "q sums to 3/4: a law in floats sums to 1 within 1.49e-08, this is 1/4 too little"),
        (np.float32([0.5, 0.25]), GOOD, "p sums to 3/4: a law in floats sums to 1 within 0.000345"),
        ([0.0, 0.0], GOOD, "the entries sum to 0, 1 too little"),
        ([2, 0], GOOD, "p sums to 2"),
        (np.array([[1, 1]]), [GOOD], "p[0] sums to 2"),
        ([1e308, 1e308], GOOD, "p sums to about 2.00000E+308"),
        ([], [], "p has shape (0,): a law has at least one token, this one is empty; give it one"),
        (np.zeros((2, 0)), np.zeros((2, 0)), "p has shape (2, 0): a law has at least one token"),
        (0.5, GOOD, "p=0.5: a law has the shape [V] or [..., V]; give a list or an array"),
        (None, GOOD, "p=None: a law has the shape [V]"),
        ("1/2", GOOD, "p='1/2': a law has the shape [V]"),
        ({0.5: 1}, GOOD, "p={0.5: 1}: a law has the shape [V]"),
        ([[0.5, 0.5], [1.0]], GOOD, "p=[[0.5, 0.5], [1.0]]: this is no array of numbers"),
        (["1/2", "1/2"], GOOD, "p has dtype <U3: a law here is float16, bfloat16, float32, "
         "float64 or integer; use exact."),
        ([Fraction(1, 2)] * 2, GOOD, "p has dtype object: a law here is float16, bfloat16, float32, "
         "float64 or integer; use exact."),
        ([None, 1.0], GOOD, "p has dtype object"),
        ([True, False], GOOD, "p=[True, False]: a truth value is no number; write 1 and 0"),
        ([True, 0.0], GOOD, "p=[True, 0.0]: a truth value is no number; write 1 and 0"),
        (np.array([True, False]), GOOD, "p has dtype bool: a law here is float16, bfloat16, float32, "
         "float64 or integer; write 1 and 0"),
        ([0.5 + 0j, 0.5], GOOD, "p has dtype complex128: a law here is float16, bfloat16, float32, "
         "float64 or integer; take the"),
        (np.ma.array(GOOD, mask=[0, 1]), GOOD, "a masked entry has no probability; fill it in"),
        (GOOD, [[0.5, 0.5]], "p has shape (2,) but q has (1, 2): both laws are over the same tokens; give one shape"),
        (GOOD, [0.5, 0.25, 0.25], "p has shape (2,) but q has (3,)"),
    ],
)  # fmt: skip
def test_what_is_no_law_is_refused_and_said_why(p, q, message):
    with pytest.raises(LawError) as error:
        emitted_distribution(p, q)
    assert message in str(error.value)


def test_longdouble_is_refused_where_it_is_no_float64():
    p = np.array(GOOD, np.longdouble)
    if p.dtype.name != "float64":
        with pytest.raises(
            LawError, match="a law here is float16, bfloat16, float32, float64 or integer; convert with"
        ):
            emitted_distribution(p, GOOD)


@BOTH
def test_the_sum_rule_is_decided_exactly_at_its_edge(dtype):
    eps = Fraction(float(np.finfo(dtype).eps))
    beyond = dtype(1 + float(eps) ** 0.5 - 8 * float(eps))
    while (Fraction(float(beyond)) - 1) ** 2 <= eps:
        edge, beyond = beyond, np.nextafter(beyond, dtype(2))
    inside, outside = np.array([edge, 0], dtype), np.array([beyond, 0], dtype)
    emitted_distribution(inside, inside)
    with pytest.raises(LawError, match=r"p\[1\] sums to"):
        emitted_distribution(np.stack([inside, outside]), np.stack([inside, inside]))


def test_a_row_too_long_for_the_float_sum_is_read_exactly(monkeypatch):
    monkeypatch.setattr("numeric.rejection.MOST_PLAIN", 2)
    emitted_distribution(BATCH, BATCH)
    with pytest.raises(LawError, match=r"p\[1\] sums to 3/4"):
        emitted_distribution(broken((1, 2), 0.25), BATCH)


def test_a_mixed_pair_is_judged_each_by_its_own_dtype():
    rough = np.array([0.5, 0.5001], np.float32)
    emitted_distribution(rough, GOOD)
    with pytest.raises(LawError, match="q sums to"):
        emitted_distribution(GOOD, rough.astype(np.float64))


# ---- wrong formulas


PAIR = np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.3, 0.4])


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda dist, p, q: dist * (1 + 1e-12), "dist[2]: wanted "),
        (lambda dist, p, q: np.minimum(p, q) + (1 - np.minimum(p, q).sum()) * p, "dist[2]: wanted "),
        (lambda dist, p, q: q, "dist[2]: wanted "),
        (lambda dist, p, q: dist[::-1], "dist[2]: wanted "),
        (lambda dist, p, q: -dist, "dist[2]: wanted "),
        (lambda dist, p, q: dist * [1, 1, nan], "dist[2]=nan: wanted a finite number"),
        (lambda dist, p, q: dist * [1, float("inf"), 1], "dist[1]=inf: wanted a finite number"),
        (lambda dist, p, q: dist[:-1], "dist has shape (2,): wanted (3,)"),
        (lambda dist, p, q: dist[:, None], "dist has shape (3, 1): wanted (3,)"),
        (lambda dist, p, q: 0.5, "dist has shape (): wanted (3,)"),
        (lambda dist, p, q: "p", "dist='p': this is no vector of floats"),
        (lambda dist, p, q: dist + 0j, "this is no vector of floats"),
        (lambda dist, p, q: [Fraction(1, 3)] * 3, "this is no vector of floats"),
        (lambda dist, p, q: [[0.5], [0.5, 0.5]], "dist=[[0.5], [0.5, 0.5]]: this is no vector of floats"),
    ],
)  # fmt: skip
def test_a_wrong_result_is_wrong_and_said_why(wrong, reason):
    p, q = PAIR
    check = cross_check(p, q, dist=wrong(rejection_law(p, q)[0], p, q))
    assert check.verdict == WRONG
    assert reason in check.reason
    assert not check.holds()
    assert check.alpha_rounding is None


def test_a_wrong_alpha_is_wrong_though_dist_is_right():
    p, q = PAIR
    dist, alpha = rejection_law(p, q)
    assert cross_check(p, q, dist, alpha).verdict == cross_check(p, q, alpha=alpha).verdict == WITHIN
    for wrong in (1 - alpha, p @ q, nan, None, [alpha], "0.7"):
        check = cross_check(p, q, dist, [None] if wrong is None else wrong)
        assert (check.verdict, check.reason[:5]) == (WRONG, "alpha")


def test_copying_p_is_not_within_the_bound_where_there_is_a_defect():
    w = WITNESS["subnormal-residual"]
    check = cross_check(w.p, w.q, dist=w.p)
    assert check.verdict == NEAR
    assert check.holds()
    assert not check.holds(strict=True)
    S_p = 1 + Fraction(5e-324)
    assert check.rounding.size == Fraction(5e-324) * (1 - 1 / S_p) - check.defect.size
    assert cross_check(w.p, w.q, dist=w.p * (1 + 1e-8)).verdict == WRONG
    w = WITNESS["sums-differ"]  # a defect of some units in the last place is as small as rounding may be
    assert cross_check(w.p, w.q).defect.size != 0
    assert cross_check(w.p, w.q, dist=w.p).verdict == WITHIN
    assert cross_check(w.p, w.q, dist=w.p * (1 + 8e-15)).verdict == WRONG


def one_minus_alpha(p, q):
    """Our line, but with 1 - alpha for Q/S_q."""
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    return m / q.sum() + (1 - m.sum() / q.sum()) * (r / r.sum())


@pytest.mark.parametrize("line", [textbook_line, one_minus_alpha])
@pytest.mark.parametrize("name", ["tiny-token", "ten-tenths"])
def test_a_complement_loses_a_tiny_token_and_stays_in_the_ball(line, name):
    w = WITNESS[name]
    check = cross_check(w.p, w.q, dist=line(w.p, w.q))
    assert check.verdict == NEAR
    assert check.rounding.ulps >= 10**10
    assert f"dist[{len(w.p) - 1}]: wanted" in check.reason
    assert "ulp of this token" in check.reason
    assert abs(check.rounding.size) < 2.0**-26


def test_the_textbook_line_is_a_negative_probability_in_exact_arithmetic():
    w = WITNESS["ten-tenths"]
    p, q = ([Fraction(x) for x in law.tolist()] for law in (w.p, w.q))
    exact_line = min(p[-1], q[-1]) + (1 - sum(exact.overlap(p, q))) * replacement(p, q)[-1]
    assert exact_line == Fraction(-1, 2**54)
    assert f"{float(exact_line):.2e}" == "-5.55e-17"
    assert emitted_distribution(w.p, w.q)[0][-1] > 0
    assert cross_check(w.p, w.q, dist=[*w.p[:-1], float(exact_line)]).verdict == NEAR


@BOTH
def test_other_lines_stay_in_the_ball(dtype):
    for p, q in random_pairs(dtype):
        lines = [p, p / p.sum()] + ([textbook_line(p, q), one_minus_alpha(p, q)] if (p > q).any() else [])
        assert all(cross_check(p, q, dist=line).holds() for line in lines)


@given(float_pairs(), st.integers(-60, 60), st.integers(0, 11), st.sampled_from(SUMS))
def test_the_certificate_decides_as_the_fractions_do(pair, steps, token, sums):
    p, q = pair
    dist, alpha = rejection_law(p, q, sums)
    token %= len(p)
    shifted = float(dist[token]) + steps * float(np.spacing(dist[token])) / 2
    dist = dist.astype(np.float64)
    dist[token] = shifted
    within, want = bound(len(p), p.dtype, sums, native=True), exact.rejection_law(p.tolist(), q.tolist())[0]
    slow = all(within.contains(w, x) for w, x in zip(want, dist, strict=True))
    assert (cross_check(p, q, dist, alpha, dtype=p.dtype, sums=sums).verdict == WITHIN) == slow


def test_the_result_is_judged_by_the_precision_it_was_computed_in():
    p, q = (law.astype(np.float32) for law in PAIR)
    rough = rejection_law(p, q)[0]
    p, q = p.astype(np.float64), q.astype(np.float64)
    assert cross_check(p, q, dist=rough).verdict == WITHIN
    assert cross_check(p, q, dist=rough.tolist()).verdict != WITHIN
    assert cross_check(p, q, dist=rough.tolist(), dtype="float32").verdict == WITHIN
    with pytest.raises(LawError, match="dtype=float128"):
        cross_check(p, q, dtype="float128")


def test_the_cross_check_refuses_what_the_theorem_does_not_cover():
    with pytest.raises(LawError, match=r"q sums to 11/8: .* within 1/4 of 1, this is off by 3/8; divide every entry"):
        cross_check([0.5, 0.5], [0.75, 0.625])
    with pytest.raises(LawError, match="one row at a time"):
        cross_check([GOOD], [GOOD])
    with pytest.raises(LawError, match=r"p\[0\]=-0.5"):
        cross_check([-0.5, 1.5], GOOD)


def test_rounding_and_defect_are_what_their_names_say():
    p, q = PAIR
    dist, _ = rejection_law(p, q)
    want, _ = exact.rejection_law(p, q)
    check = cross_check(p, q)
    roundings = [Fraction(float(x)) - w for x, w in zip(dist, want, strict=True)]
    ulps = [abs(d) / Fraction(float(np.spacing(float(w)))) for d, w in zip(roundings, want, strict=True)]
    token = ulps.index(max(ulps))
    assert check.rounding == (roundings[token], ulps[token], token)


def test_summaries_of_parts_add_up_and_travel_between_processes():
    laws = random_pairs(np.float64)
    checks = [cross_check(p, q, name=str(len(p))) for p, q in laws]
    checks.insert(3, cross_check(*PAIR, dist=PAIR[1], name="wrong"))
    checks.insert(5, cross_check(*PAIR, dist=[nan] * 3, name="nan"))
    checks.append(cross_check(WITNESSES[-1].p, WITNESSES[-1].q, dist=WITNESSES[-1].p, name="near"))
    whole = Summary.of(checks)
    assert whole == Summary.of(checks[:4]) + pickle.loads(pickle.dumps(Summary.of(checks[4:])))
    assert (whole.pairs, whole.near, whole.wrong) == (len(checks), 1, 2)
    assert whole.entries == sum(check.V for check in checks)
    assert (whole.verdict, whole.worst.name) == (WRONG, "wrong")
    assert whole.largest_rounding.rounding.ulps == max(c.rounding.ulps for c in checks if c.rounding)
    assert abs(whole.largest_defect.defect.size) == max(abs(c.defect.size) for c in checks)
    assert Summary.of([]) == Summary()
    assert Summary().verdict == WITHIN


# ---- witnesses


@pytest.mark.parametrize("w", WITNESSES, ids=lambda w: w.name)
def test_a_witness_is_a_pair_of_laws_stored_bit_for_bit(w):
    assert emitted_distribution(w.p, w.q)[0].shape == w.p.shape
    assert [float.fromhex(x.hex()) for x in w.p.tolist()] == w.p.tolist()
    assert len(w.p) <= 6 or w.name == "ten-tenths"
    assert w.sentence.endswith(".")


def test_the_witnesses_show_what_they_are_for():
    rows = {row.name: row for row in witness_table()}
    assert {row.verdict for row in rows.values()} == {WITHIN}
    assert all(row.ulps < 2 for row in rows.values())
    assert [name for name, row in rows.items() if not row.defect] == ["equal", "disjoint"]
    assert [n for n, r in rows.items() if r.textbook_verdict == NEAR] == [
        "subnormal-residual", "ten-tenths", "tiny-token"]  # fmt: skip
    assert all(type(x) in (str, int, Fraction) for row in rows.values() for x in row)


# ---- the sampler


class Walk:
    """In place of a Generator: hands out a fixed list of uniforms."""

    def __init__(self, uniforms):
        self.uniforms = np.array(uniforms, float)

    def random(self, size):
        count = int(np.prod(size))
        out, self.uniforms = self.uniforms.ravel()[:count], self.uniforms.ravel()[count:]
        return out.reshape(size)


GRID = list(product([i / 8 for i in range(8)], repeat=3))


def is_dyadic(p, q):
    """Every probability that the sampler compares a uniform with is a multiple of 1/8."""
    compared = [*q, *acceptance(p, q), *replacement(p, q)]
    return all((8 * x).denominator == 1 for x in compared)


def test_a_walk_over_the_whole_grid_counts_the_exact_law():
    """The law of (draft, emitted), acceptance included, with == and for every pair that a grid of eighths resolves."""
    resolved = [pair for pair in SMALL if is_dyadic(*pair)]
    assert len(resolved) > 500
    for p, q in resolved:
        a, b = ([float(x) for x in law] for law in (p, q))
        draft, accepted, emitted = rejection_sample(a, b, Walk(GRID), size=len(GRID))
        counts = Counter(zip(draft.tolist(), emitted.tolist(), strict=True))
        assert exact.Law({xy: Fraction(n, len(GRID)) for xy, n in counts.items()}) == joint(p, q)
        assert Fraction(int(accepted.sum()), len(GRID)) == exact.emitted_distribution(p, q)[1]
        assert ((draft == emitted) == accepted).all()
        assert Counter(emitted.tolist()) == {x: len(GRID) * w for x, w in enumerate(p) if w}


def test_a_coin_of_zero_accepts_no_impossible_token():
    draft, accepted, emitted = rejection_sample([0.0, 1.0], [1.0, 0.0], Walk([[0.0, 0.0, 0.0]]))
    assert (draft, accepted, emitted) == (0, False, 1)
    assert (type(draft), type(accepted), type(emitted)) == (int, bool, int)


def test_the_top_uniform_and_tokens_of_weight_zero_stay_inside():
    top = np.nextafter(1.0, 0.0)
    rng = np.random.default_rng(5)
    for V in (1, 2, 3, 10, 1000):
        weights = np.concatenate([[0.0], random_law(V, rng) * 3, [0.0, 0.0]])
        tokens = inverse_cdf(weights, np.array([0.0, top, *rng.random(200)]))
        assert (weights[tokens] > 0).all()
        assert tokens[0] == np.flatnonzero(weights)[0]
        assert tokens[1] == np.flatnonzero(weights)[-1]
    assert inverse_cdf(np.array([5e-324, 0.0, 5e-324]), np.array([top])).tolist() == [2]


def test_no_residual_is_redrawn_from_p():
    """Possible where the sums differ: p <= q everywhere, and yet a draft can be rejected."""
    p, q = [0.5, 0.5], [0.5, 0.5 + 1e-9]
    assert rejection_sample(p, q, Walk([[0.75, np.nextafter(1.0, 0.0), 0.25]])) == (1, False, 0)


def test_a_subnormal_draft_gives_no_warning():
    with np.errstate(all="raise"):
        assert rejection_sample([1.0, 0.0], [5e-324, 1.0], Walk([[0.0, 0.5, 0.5]])) == (0, True, 0)


def test_draws_at_once_are_draws_one_by_one():
    p, q = PAIR
    draft, accepted, emitted = rejection_sample(p, q, np.random.default_rng(7), size=(4, 5))
    assert draft.shape == accepted.shape == emitted.shape == (4, 5)
    rng = np.random.default_rng(7)
    singles = [rejection_sample(p.astype(np.float64), q, rng) for _ in range(20)]
    assert singles == list(zip(*(x.ravel().tolist() for x in (draft, accepted, emitted)), strict=True))
    assert rejection_sample(p, q, rng, size=0)[0].shape == (0,)


def test_the_sampler_refuses_batches_and_what_is_no_generator():
    with pytest.raises(LawError, match="this takes one pair"):
        rejection_sample([GOOD], [GOOD], np.random.default_rng(0))
    for rng in (None, 0, random.Random(0)):
        with pytest.raises(LawError, match=r"rng=.*give numpy\.random\.default_rng"):
            rejection_sample(GOOD, GOOD, rng)
    for size in (-1, 1.5, "ab", (2, None)):
        with pytest.raises(LawError, match=r"size=.*an int or a tuple of ints"):
            rejection_sample(GOOD, GOOD, np.random.default_rng(0), size)


def test_the_room_exports_what_it_promises():
    assert numeric.__samelaw__ is True
    assert all(hasattr(numeric, name) for name in numeric.__all__)
    assert numeric.LawError is LawError
    assert callable(numeric.cross_check)
    assert numeric.crosscheck.cross_check is numeric.cross_check


@pytest.mark.parametrize("sums", SUMS)
@pytest.mark.parametrize(("dtype", "much"), [("float32", 2.0**100), ("float64", 2.0**1000)])
def test_large_sums_raise_no_warning(dtype, much, sums):
    p, q = np.array([0.5, 0.5], dtype), np.array([0.75, 0.25], dtype)
    dist, alpha = rejection_law(p * p.dtype.type(much), q * p.dtype.type(much), sums)
    assert (dist.tolist(), alpha) == ([0.5, 0.5], 0.75)
