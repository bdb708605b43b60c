"""The float engine against plain Fractions, with ==: nothing here is nearly equal to anything."""

import copy
import pickle
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import Distribution, LawError, dyadic, emitted_distribution, reading, rejection_law, total_variation
from exact.dyadic import CHUNK, SCALE, SHIFT, ExponentBins, exact_sum, float_law, read_float_law
from exact.law import OnDemand
from exact.reading import LONG, Numbers, is_long_float_vector

LEAST, LEAST_NORMAL, GREATEST = 5e-324, 2.0**-1022, sys.float_info.max
VOCABULARY = 128_256


def fractions(x):
    return Numbers(Fraction(float(a)) for a in x)


def formula(p, q):
    """The head of exact/rejection.py token by token, and its sums, written again from scratch."""
    p, q = fractions(p), fractions(q)
    S_p, S_q, A = sum(p), sum(q), sum(map(min, p, q))
    R = sum(max(a - b, 0) for a, b in zip(p, q, strict=True))
    Q = sum(max(b - a, 0) for a, b in zip(p, q, strict=True))
    if not R:
        return [a / S_p for a in p], A / S_q, (A, R, Q, S_p, S_q)
    dist = [(min(a, b) + max(a - b, 0) * Q / R) / S_q for a, b in zip(p, q, strict=True)]
    return dist, A / S_q, (A, R, Q, S_p, S_q)


def agree(p, q):
    """Both ways to sum, whichever is taken for so many tokens."""
    short = dyadic.LONG
    try:
        for dyadic.LONG in (0, len(p) + 1):
            agree_as_it_is(p, q)
    finally:
        dyadic.LONG = short


def agree_as_it_is(p, q):
    law = float_law(p, q)
    dist, alpha, sums = formula(p, q)
    assert [Fraction(x, SCALE) for x in (law.A, law.R, law.Q, law.S_p, law.S_q)] == list(sums)
    assert (law.dist, law.alpha) == (dist, alpha) == rejection_law(fractions(p), fractions(q))
    assert list(law.dist) == dist
    assert {type(x) for x in law.dist} == {type(law.alpha)} == {Fraction}
    assert {type(w) for w in (*law.dist.weights, law.dist.total)} == {int}
    assert sum(law.dist.weights) == law.dist.total


def drawn(V, seed, spread=3.0):
    weights = np.exp(spread * np.random.default_rng(seed).standard_normal(V))
    return weights / weights.sum()


def top(k, p):
    kept = np.where(p >= np.sort(p)[-k], p, 0.0)
    return kept / kept.sum()


ANY, OTHER = drawn(300, 1), drawn(300, 2)
WIDE = 2.0 ** np.linspace(-1074, 0, 300)
PAIRS = {
    "drawn": (ANY, OTHER),
    "equal": (ANY, ANY),
    "one ulp apart": (ANY, np.nextafter(ANY, 1)),
    "ties": (np.where(ANY > OTHER, ANY, 0.001), np.where(ANY > OTHER, OTHER, 0.001)),
    "q = p / 8": (ANY, ANY / 8),
    "q = p * 2^40": (ANY, ANY * 2.0**40),
    "subnormals": (np.arange(1, 301) * LEAST, np.arange(300, 0, -1) * LEAST),
    "subnormals beside normals": (np.r_[ANY, LEAST, 0.0], np.r_[OTHER, 0.0, 3 * LEAST]),
    "about the least normal": (np.array([LEAST_NORMAL, LEAST_NORMAL - LEAST]), np.array([LEAST, LEAST_NORMAL])),
    "every exponent": (WIDE, WIDE[::-1]),
    "hundreds of bits apart": (drawn(300, 3, 60.0), drawn(300, 4, 60.0)),
    "to either end of the range": (np.array([GREATEST, LEAST, 0.0]), np.array([LEAST, GREATEST, 1.0])),
    "beyond the range": (np.full(300, GREATEST), np.full(300, GREATEST / 2)),
    "zeros": (np.where(ANY > 0.001, ANY, 0.0), np.where(OTHER > 0.001, OTHER, -0.0)),
    "top 5": (top(5, ANY), top(7, OTHER)),
    "top 5 of the same": (top(5, ANY), ANY),
    "disjoint": (np.r_[ANY, 0 * ANY], np.r_[0 * OTHER, OTHER]),
    "disjoint one-hots": (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
    "one token": (np.array([0.5]), np.array([0.75])),
    "one token, the same": (np.array([0.5]), np.array([0.5])),
    "all the bits": (np.full(300, 2.0 - 2.0**-52), np.full(300, 1.0 + 2.0**-52)),
    "two chunks": (drawn(CHUNK + 3, 5), drawn(CHUNK + 3, 6)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_engine_is_the_formula(name):
    agree(*PAIRS[name])
    agree(*reversed(PAIRS[name]))


def bfloat16(need):
    need("ml_dtypes", find_spec("ml_dtypes"))
    return import_module("ml_dtypes").bfloat16


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("other", [np.float16, np.float32, np.float64])
def test_narrow_floats(dtype, other):
    agree(ANY.astype(dtype), OTHER.astype(other))
    tiny = np.arange(1, 40) * np.finfo(dtype).smallest_subnormal
    agree(tiny.astype(dtype), tiny[::-1].astype(other) + np.finfo(other).smallest_subnormal)


def test_bfloat16(need):
    dtype = bfloat16(need)
    agree(ANY.astype(dtype), OTHER.astype(dtype))
    agree(ANY.astype(dtype), OTHER)


@given(st.lists(st.tuples(*[st.floats(0, allow_infinity=False)] * 2), min_size=1, max_size=40))
def test_any_floats(pairs):
    p, q = map(np.array, zip(*pairs, strict=True))
    if p.any() and q.any():
        agree(p, q)


@given(
    st.lists(
        st.tuples(
            *[st.builds(np.ldexp, st.sampled_from((0.0, 1.0, 1 + 2.0**-52, 2 - 2.0**-52)), st.integers(-90, 0))] * 2
        ),
        min_size=1,
        max_size=40,
    )
)
def test_floats_with_all_bits_and_with_few(pairs):
    p, q = map(np.array, zip(*pairs, strict=True))
    if p.any() and q.any():
        agree(p, q)


# ---- the sum


def units(x):
    n, d = float(x).as_integer_ratio()
    return n * (SCALE // d)


def as_one_by_one(x):
    return sum(map(units, x))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=60))
def test_the_exact_sum_of_anything_finite(x):
    assert exact_sum(np.array(x, float)) == as_one_by_one(x)


@pytest.mark.parametrize("x", [[0.75 + 2.0**-52, -0.75], [1 + 2.0**-52, 2.0**-30, -1.0]])
def test_tails_stay_where_their_heads_cancel(x):
    assert exact_sum(np.array(x)) == as_one_by_one(x) > 0


@pytest.mark.parametrize("V", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_chunks_are_added_whole(V):
    x = drawn(V, V) if V else np.zeros(0)
    assert exact_sum(x) == as_one_by_one(x)


@pytest.mark.parametrize("most", [CHUNK, 2 * CHUNK, 3 * CHUNK - 1])
def test_the_bins_are_emptied_before_they_could_round(most, monkeypatch):
    p, q = drawn(3 * CHUNK + 5, 7), drawn(3 * CHUNK + 5, 8)
    A = exact_sum(np.minimum(p, q))
    monkeypatch.setattr(dyadic, "MOST", most)
    assert exact_sum(p) == as_one_by_one(p)
    assert float_law(p, q).A == A


LONGEST = np.array([1 - 2.0**-53])  # its head and its tail have all their bits


def filled(n):
    """Bins as after n such numbers, without adding them one by one."""
    bins = ExponentBins()
    bins.add(LONGEST)
    bins.heads, bins.tails, bins.count = bins.heads * n, bins.tails * n, n
    return bins


@pytest.mark.parametrize("n", [dyadic.MOST - 2, dyadic.MOST - 1, dyadic.MOST])
def test_as_many_as_bins_may_hold_add_up_without_rounding(n):
    (one,) = map(units, LONGEST)
    assert filled(n).sums() == (n * one, 0)
    bins = filled(n)
    bins.add(LONGEST)
    assert bins.sums() == ((n + 1) * one, 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_exact_sum_of_every_dtype(dtype):
    assert exact_sum(ANY.astype(dtype)) == as_one_by_one(ANY.astype(dtype))


def test_the_exact_sum_of_bfloat16(need):
    ones = np.ones(1000, bfloat16(need))
    assert exact_sum(ones) == 1000 * SCALE  # a sum in bfloat16 itself stops at 256


def test_the_scale():
    assert SCALE == 2**SHIFT
    assert exact_sum(np.array([LEAST])) == 1


# ---- a sum gone wrong is noticed


def one_too_great(self, x, first_bin=0, add=ExponentBins.add):
    return add(self, x + 2.0**-60 if isinstance(first_bin, int) else x, first_bin)


def without_the_last(self, x, first_bin=0, add=ExponentBins.add):
    return add(self, x, first_bin) if isinstance(first_bin, int) else add(self, x[:-1], first_bin[:-1])


def in_one_group(self, x, first_bin=0, add=ExponentBins.add):
    return add(self, x, first_bin if isinstance(first_bin, int) else 0 * first_bin)


def in_the_other_group(self, x, first_bin=0, add=ExponentBins.add):
    return add(self, x, first_bin if isinstance(first_bin, int) else dyadic.SPAN - first_bin)


BREAKS = [
    (ExponentBins, "add", one_too_great),
    (ExponentBins, "add", without_the_last),
    (ExponentBins, "add", in_one_group),
    (ExponentBins, "add", in_the_other_group),
]


@pytest.mark.parametrize(("where", "attribute", "wrong"), BREAKS, ids=lambda x: getattr(x, "__name__", x))
def test_a_broken_sum_raises(where, attribute, wrong, monkeypatch):
    monkeypatch.setattr(where, attribute, wrong)
    with pytest.raises(ArithmeticError, match="S_p = A \\+ R and S_q = A \\+ Q do not hold"):
        float_law(ANY, OTHER)


# ---- the size of a vocabulary


@pytest.fixture(scope="module", params=[np.float64, np.float32])
def vocabulary(request):
    p, q = (drawn(VOCABULARY, seed).astype(request.param) for seed in (11, 12))
    p[:1000], q[500:2000] = 0, 0
    p[5000:5100] = q[5000:5100]
    return p, q, float_law(p, q)


def test_the_sums_at_vocabulary_size(vocabulary):
    p, q, law = vocabulary
    assert (law.S_p, law.S_q) == (as_one_by_one(p), as_one_by_one(q))
    assert as_one_by_one(map(min, p, q)) == law.A
    assert sum(Fraction(float(a)) - Fraction(float(b)) for a, b in zip(p, q, strict=True) if a > b) * SCALE == law.R
    assert sum(Fraction(float(b)) - Fraction(float(a)) for a, b in zip(p, q, strict=True) if b > a) * SCALE == law.Q


def test_tokens_at_vocabulary_size(vocabulary):
    p, q, law = vocabulary
    R, Q, S_q = (Fraction(x, SCALE) for x in (law.R, law.Q, law.S_q))
    for i in (*range(0, VOCABULARY, 997), 499, 500, 999, 1000, 1999, 5000, VOCABULARY - 1):
        a, b = Fraction(float(p[i])), Fraction(float(q[i]))
        assert law.dist[i] == (min(a, b) + max(a - b, 0) * Q / R) / S_q
    assert law.dist[-1] == law.dist[VOCABULARY - 1]
    assert sum(law.dist.weights) == law.dist.total
    assert law.alpha == Fraction(law.A, law.S_q)


def test_a_token_takes_at_most_64_bytes():
    p, q = drawn(256_000, 13), drawn(256_000, 14)
    rejection_law(p[:100], q[:100])  # what is loaded once
    tracemalloc.start()
    try:
        dist, _ = rejection_law(p, q)
        assert tracemalloc.get_traced_memory()[1] <= 64 * len(dist)
    finally:
        tracemalloc.stop()


# ---- what comes back


def test_it_is_a_distribution_like_any_other():
    p, q = PAIRS["drawn"]
    dist, _ = rejection_law(p, q)
    want, plain = formula(p, q)[0], rejection_law(fractions(p), fractions(q))[0]
    assert type(dist) is type(plain) is Distribution
    assert dist == plain == dist == want == dist == rejection_law(p, q)[0]
    assert dist != rejection_law(q, p)[0]
    assert dist != want[:-1]
    assert (hash(dist), repr(dist), len(dist)) == (hash(plain), repr(plain), 300)
    assert (dist[3], dist[-1], dist[np.int64(3)], dist[2:5]) == (want[3], want[-1], want[3], tuple(want[2:5]))
    assert dist[::-1] == tuple(want[::-1])
    assert dist[300:] == ()
    assert want[7] in dist
    assert dist.index(want[7]) == want.index(want[7])
    assert sum(dist) == 1
    assert total_variation(dist, want) == 0
    for i in 300, -301:
        with pytest.raises(IndexError):
            dist[i]
    for i in "3", 3.0, None:
        with pytest.raises(TypeError):
            dist[i]


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda dist: pickle.loads(pickle.dumps(dist))])
def test_it_can_be_copied_and_sent(clone):
    for p, q in PAIRS["drawn"], PAIRS["equal"]:
        assert clone(rejection_law(p, q)[0]) == formula(p, q)[0]


def test_no_token_is_computed_before_somebody_looks(monkeypatch):
    looked = []
    monkeypatch.setattr(dyadic, "_weight", lambda R, Q, bits, p, q: looked.append((p, q)) or 0)
    dist, _ = rejection_law(ANY, OTHER)
    assert looked == []
    assert dist[5] == 0
    assert looked == [(ANY[5], OTHER[5])]


def test_the_inputs_are_left_alone_and_later_changes_do_not_matter():
    for dtype in np.float32, np.float64:
        p, q = ANY.astype(dtype), OTHER.astype(dtype)
        law, (dist, alpha) = float_law(p, q), rejection_law(p, q)
        assert np.array_equal(p, ANY.astype(dtype))
        assert np.array_equal(q, OTHER.astype(dtype))
        want = formula(p, q)
        p[:], q[:] = 1, 0
        assert (law.dist, law.alpha) == (dist, alpha) == want[:2]
        for kept in law.p, law.q:
            with pytest.raises(ValueError, match="read-only"):
                kept[0] = 1


# ---- which input the engine takes


class Taken(Exception):
    pass


@pytest.fixture
def engine_raises(monkeypatch):
    def raises(_p, _q):
        raise Taken

    monkeypatch.setattr(dyadic, "read_float_law", raises)


def strided(x):
    wide = np.full((len(x), 3), np.nan)
    wide[:, 1] = x
    return wide[:, 1]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def in_a_file(x, path):
    on_disk = np.memmap(path, float, "w+", shape=x.shape)
    on_disk[:] = x
    return on_disk


AS = {
    "an array": np.array,
    "strided": strided,
    "reversed twice": lambda x: x[::-1].copy()[::-1],
    "read-only": read_only,
    "big-endian": lambda x: x.astype(">f8"),
    "a list": np.ndarray.tolist,
    "a tuple": lambda x: tuple(x.tolist()),
}


@pytest.mark.usefixtures("engine_raises")
@pytest.mark.parametrize("kind", AS)
def test_the_engine_takes_long_float_vectors(kind):
    for p, q in (AS[kind](ANY), OTHER), (OTHER, AS[kind](ANY)):
        for law in rejection_law, emitted_distribution:
            with pytest.raises(Taken):
                law(p, q)


@pytest.mark.parametrize("kind", AS)
def test_the_law_of_any_such_vector(kind):
    assert rejection_law(AS[kind](ANY), OTHER) == emitted_distribution(AS[kind](ANY), OTHER) == formula(ANY, OTHER)[:2]


@pytest.mark.usefixtures("engine_raises")
def test_a_row_of_a_file(tmp_path, monkeypatch):
    p = in_a_file(ANY, tmp_path / "p")
    with pytest.raises(Taken):
        rejection_law(p, OTHER)
    monkeypatch.undo()
    assert rejection_law(p, OTHER) == formula(ANY, OTHER)[:2]


NOT_LONG_FLOATS = {
    "Numbers": fractions(ANY),
    "Fractions": list(fractions(ANY)),
    "strings": list(map(str, fractions(ANY))),
    "one Fraction among them": [Fraction(float(ANY[0])), *ANY[1:].tolist()],
    "numpy scalars": list(ANY),
    "objects": ANY.astype(object),
    "a law": Distribution(fractions(ANY), 1),
}


@pytest.mark.usefixtures("engine_raises")
@pytest.mark.parametrize("kind", NOT_LONG_FLOATS)
def test_all_else_goes_the_old_way_to_the_same_law(kind):
    values = NOT_LONG_FLOATS[kind]
    assert rejection_law(values, OTHER) == formula(ANY, OTHER)[:2]
    assert rejection_law(OTHER, values) == formula(OTHER, ANY)[:2]


@pytest.mark.usefixtures("engine_raises")
def test_short_vectors_go_the_old_way():
    p, q = (np.full(LONG - 1, 1 / 64) for _ in "pq")
    assert rejection_law(p, q) == rejection_law(p.tolist(), q.tolist()) == ([Fraction(1, LONG - 1)] * (LONG - 1), 1)


def test_importing_exact_and_short_laws_import_no_numpy():
    code = "import sys, exact; exact.emitted_distribution([0.5, 0.5], ['1/2', 0.5]); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=dyadic.__file__.rpartition("exact")[0])


# ---- bad input: the same words as without the engine


def with_entry(i, value):
    x = ANY.copy()
    x[i] = value
    return x


BAD = {
    "nan": (with_entry(7, np.nan), OTHER),
    "nan at the end, in q": (OTHER, with_entry(-1, np.nan)),
    "inf": (with_entry(7, np.inf), OTHER),
    "-inf": (with_entry(7, -np.inf), OTHER),
    "negative": (with_entry(7, -0.25), OTHER),
    "negative, tiny": (OTHER, with_entry(7, -(2.0**-24))),
    "nothing but zeros": (0 * ANY, OTHER),
    "nothing but zeros, in q": (OTHER, 0 * ANY),
    "lengths": (ANY, OTHER[:-1]),
    "both wrong": (with_entry(7, np.nan), -OTHER),
    "lengths, and wrong": (ANY, with_entry(3, np.nan)[:-1]),
    "sums": (ANY * 1.25, OTHER),
    "sums, in q": (ANY, OTHER * 0.75),
    "p sums wrong and q is wrong": (ANY * 1.25, with_entry(3, -1.0)),
    "p sums wrong and lengths": (ANY * 1.25, OTHER[:-1]),
    "masked": (np.ma.array(ANY, mask=np.arange(300) == 7), OTHER),
    "two dimensions": (ANY.reshape(-1, 2), OTHER.reshape(-1, 2)),
    "huge sums": (np.full(300, GREATEST), OTHER),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, "bfloat16", "list"])
@pytest.mark.parametrize("name", BAD)
def test_errors_are_the_same(name, dtype, monkeypatch, need):
    with np.errstate(over="ignore", under="ignore"):
        kind = bfloat16(need) if dtype == "bfloat16" else float if dtype == "list" else dtype
        p, q = (x.astype(kind) for x in BAD[name])
    if dtype == "list":
        p, q = p.tolist(), q.tolist()
    for law in [emitted_distribution] if "sums" in name else [emitted_distribution, rejection_law]:
        with pytest.raises(LawError) as fast:
            law(p, q)
        with monkeypatch.context() as patch:
            patch.setattr(reading, "LONG", 10**9)
            with pytest.raises(LawError) as slow:
                law(p, q)
        assert str(fast.value) == str(slow.value)


ULP = {np.float16: 2.0**-11, np.float32: 2.0**-24, np.float64: 2.0**-53, "bfloat16": 2.0**-8}  # of [1/2, 1)
MOST_OFF = {np.float16: 2.0**-5, np.float32: 5792 * 2.0**-24, np.float64: 2.0**-26, "bfloat16": 22 * 2.0**-8}


@pytest.mark.parametrize("dtype", MOST_OFF)
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_boundary_of_the_sum_is_where_it_is(dtype, sign, need):
    """Just inside the engine takes it, just outside it leaves it to the reading, which refuses it; in p and in q."""
    kind = bfloat16(need) if dtype == "bfloat16" else dtype
    inside, outside = (np.zeros(LONG, kind) for _ in range(2))
    inside[:2] = 0.5, 0.5 + sign * MOST_OFF[dtype]
    outside[:2] = 0.5, 0.5 + sign * (MOST_OFF[dtype] + ULP[dtype])
    good = np.zeros(LONG)
    good[0] = 1.0
    assert read_float_law(inside, good).is_of_laws
    assert read_float_law(good, inside).is_of_laws
    assert emitted_distribution(inside, good) == formula(inside, good)[:2]
    for p, q in (outside, good), (good, outside):
        assert not read_float_law(p, q).is_of_laws
        with pytest.raises(LawError, match="a law in floats sums to 1 within"):
            emitted_distribution(p, q)
        assert rejection_law(p, q) == formula(p, q)[:2]


def test_lists_count_as_float64():
    p = [0.5, 0.5 + 2**-12] + [0.0] * LONG
    emitted_distribution(np.array(p, np.float32), np.array(p, np.float32))
    with pytest.raises(LawError, match=r"q sums to .* within 1\.49e-08"):
        emitted_distribution(np.array(p, np.float32), p)


def test_what_the_engine_refuses_it_refuses_in_silence():
    for p, q in BAD.values():
        if is_long_float_vector(p) and is_long_float_vector(q):
            law = read_float_law(p, q)
            assert not (law and law.is_of_laws)


def test_on_demand_is_lazy_and_whole():
    both = OnDemand(max, (1, 5), (3, 2))
    assert (len(both), list(both), both[0], both[-1], both[:]) == (2, [3, 5], 3, 5, (3, 5))
