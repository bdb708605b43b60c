"""Every bound on rounding is needed to at least 30 %, by pairs that a search finds or that exist for every V."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from exact.dyadic import float_law
from numeric.rejection import read_laws, rejection_law
from numeric.rounding import PRECISIONS, SUMS, Bound, alpha_bound, bound, precision, replay_sum, row_sum, tree_height
from numeric.tightness import (
    FOUND,
    WHAT,
    adversary,
    as_text,
    climb,
    deepest_paths,
    growth_needed,
    growth_reached,
    halfway,
    judged,
    one_underflow,
    slack_needed,
    slack_reached,
    tight_pairs,
    tightness_table,
    two_underflows,
    underflow,
)

ENOUGH = Fraction(3, 10)
BOUNDS = [(what, sums, dtype) for what in WHAT for sums in SUMS for dtype in PRECISIONS]
EVERY_BOUND = pytest.mark.parametrize(("what", "sums", "dtype"), BOUNDS, ids=map("-".join, BOUNDS), indirect=["dtype"])
LONG = (16, 127, 128, 129, 200, 1000, 1024, 8191, 8192, 8193, 16385, 50257, 128256)
BOTH = pytest.mark.parametrize("dtype", ["float32", "float64"], indirect=True)


@pytest.fixture
def dtype(request):
    """The parameter; skipped where it is bfloat16 and ml_dtypes is absent."""
    return request.param if request.param != "bfloat16" else pytest.importorskip("ml_dtypes") and request.param


def bits(pair):
    return [x.tobytes() for x in pair]


def every_size(what, dtype):
    """The summation tree has a bound of its own for every V."""
    first = 2 if what == "dist" else 1
    return (*range(first, 34 if dtype == "float64" else 18), *LONG)


# ---- every bound is reached


@EVERY_BOUND
def test_every_growth_is_reached_and_not_exceeded(what, sums, dtype):
    reached = 0
    for pair in tight_pairs(what, sums, dtype, every_size(what, dtype)):
        read_laws(*pair)  # they are laws: no LawError
        row = growth_reached(pair, what, sums)
        assert ENOUGH <= row.share <= 1, (row.V, float(row.share))
        assert (row.what, row.sums, row.dtype) == (what, sums, dtype)
        reached += 1
    assert reached == (len(every_size(what, dtype)) if sums == "pairwise" and dtype in ("float32", "float64") else 1)


@EVERY_BOUND
def test_every_slack_is_reached_and_not_exceeded(what, sums, dtype):
    pair = underflow(what, sums, dtype)
    read_laws(*pair)
    assert ENOUGH <= slack_reached(pair, what, sums).share <= 1


@EVERY_BOUND
def test_a_quarter_of_a_bound_is_broken_and_the_bound_is_not(what, sums, dtype):
    def holds(within, entries):
        return all(within.contains(exact, float(computed)) for exact, computed in entries)

    for pair in tight_pairs(what, sums, dtype, (2, 3, 9, 128)):
        (k, growth, slack), entries = judged(pair, what, sums)
        assert holds(Bound(k, growth, slack), entries)
        assert not holds(Bound(k, 1 + (growth - 1) / 4, slack), entries)
    (k, growth, slack), entries = judged(underflow(what, sums, dtype), what, sums)
    assert holds(Bound(k, growth, slack), entries)
    assert not holds(Bound(k, growth, slack / 4), entries)


def test_one_token_is_1_and_rounds_nowhere_but_in_its_scalars():
    random, missed = Random(1), 0
    for _ in range(400):
        p, q = (np.array([random.uniform(0.75, 1.25)]) for _ in "pq")
        for dtype in ("float64", "float32", "float16"):
            pair = p.astype(dtype), q.astype(dtype)
            for sums in ("exact", "pairwise"):
                assert rejection_law(*pair, sums)[0].tolist() == [1.0]
                assert bound(1, dtype, sums).k == 0
            within, [(exact, computed)] = judged(pair, "dist", "scalars")
            assert (within.k, exact) == (2, 1)
            assert within.contains(exact, float(computed))
            missed += dtype == "float64" and growth_reached(pair, "dist", "scalars").share >= ENOUGH
    assert missed > 10
    assert bound(1, "float64", "pairwise", native=True).k == 7  # somebody else's program may round there


# ---- the pairs


@pytest.mark.parametrize("V", [*range(3, 40), 100, *LONG])
def test_the_paths_are_the_longest_and_meet_every_token_once(V):
    paths = deepest_paths(V)
    assert len({path.token for path in paths}) == 3
    assert len(paths[0].siblings) == tree_height(V)
    for path in paths:
        assert sorted(x for side in path.siblings for x in side) == [x for x in range(V) if x != path.token]


@BOTH
@pytest.mark.parametrize("V", [2, 7, 8, 9, 127, 129, *LONG])
def test_ties_beside_the_longest_path_are_all_lost(V, dtype):
    u = float(precision(dtype).u)
    token, siblings = deepest_paths(V)[0]
    for side in (0, -1):
        x = np.zeros(V, dtype)
        x[token] = 1
        x[[tokens[side] for tokens in siblings]] = u
        assert float(row_sum(x)[0]) == float(replay_sum(x)) == 1
        assert sum(map(Fraction, x.tolist())) == 1 + tree_height(V) * Fraction(u)


@BOTH
def test_an_adversary_is_a_pair_of_laws_within_the_bound_at_every_token(dtype):
    for V in range(2, 300, 3):
        p, q = adversary(V, dtype)
        read_laws(p, q)
        within, entries = judged((p, q), "dist", "pairwise")
        assert all(growth_needed(within, *entry) <= within.growth - 1 for entry in entries if entry[0])
        if V >= 5:
            assert growth_reached((p, q), "dist", "pairwise").share >= ENOUGH


def test_what_is_halfway_lies_halfway():
    for dtype in ("float16", "float32", "float64"):
        u = precision(dtype).u
        law = float_law(*halfway(dtype))
        assert law.dist[0] == law.alpha == (Fraction(1, 2) + 2 * u) / (1 + u)
        assert 0 < Fraction(1, 2) + 3 * u / 2 - law.alpha < 2 * u**2


@BOTH
def test_underflows_lose_half_a_subnormal_each(dtype):
    eta = precision(dtype).eta
    law, (dist, _) = float_law(*two_underflows(dtype)), rejection_law(*two_underflows(dtype), "pairwise")
    assert Fraction(19, 10) < (law.dist[0] - Fraction(float(dist[0]))) / eta < 2
    law, (dist, _) = float_law(*one_underflow(dtype)), rejection_law(*one_underflow(dtype), "pairwise")
    assert Fraction(9, 10) < abs(law.dist[0] - Fraction(float(dist[0]))) / eta < 1


# ---- the search


@pytest.mark.parametrize("i", [1, 3, 8], ids=lambda i: f"{FOUND[i].what}-{FOUND[i].sums}-{FOUND[i].dtype}")
def test_the_search_finds_its_pair_again_bit_for_bit(i):
    assert bits(FOUND[i].again()) == bits(FOUND[i].pair)


def test_every_pair_found_is_stored_bit_for_bit_and_small():
    assert len({(f.what, f.sums, f.dtype, len(f.pair[0])) for f in FOUND}) == len(FOUND)
    for f in FOUND:
        assert [f.p_hex, f.q_hex] == [" ".join(x.hex() for x in map(float, law)) for law in f.pair]
        assert len(f.pair[0]) <= 6


@pytest.mark.parametrize("sums", SUMS)
def test_a_short_search_from_any_seed_goes_uphill_and_far_enough(sums):
    start = adversary(5, "float64")
    before = bits(start)
    for seed in (0, 1):
        first, second = (growth_reached(climb(start, "dist", sums, seed, n), "dist", sums).share for n in (20, 200))
        assert growth_reached(start, "dist", sums).share <= first <= second <= 1
        assert second >= ENOUGH
    assert bits(start) == before


# ---- the measure


def test_the_measure_says_what_the_bound_says():
    random = Random(2)
    for _ in range(2000):
        growth, slack = 1 + Fraction(random.randint(1, 9), 16), Fraction(random.randint(1, 4), 8)
        within = Bound(1, growth, slack)
        exact, computed = Fraction(random.randint(1, 32), 8), Fraction(random.randint(0, 32), 8)
        holds = within.contains(exact, float(computed))
        assert holds == (growth_needed(within, exact, computed) <= growth - 1)
        assert holds == (slack_needed(within, exact, computed) <= slack)
        least = within._replace(growth=1 + growth_needed(within, exact, computed))
        assert least.contains(exact, float(computed))
        least = within._replace(slack=slack_needed(within, exact, computed))
        assert least.contains(exact, float(computed))


def test_a_result_beyond_the_bound_has_a_share_above_1(monkeypatch):
    pair = adversary(16, "float64")
    assert growth_reached(pair, "dist", "pairwise").share <= 1
    monkeypatch.setattr("numeric.tightness.rejection_law", lambda p, q, sums: (p, 1.0))
    assert growth_reached(pair, "dist", "pairwise").share > 1
    assert slack_reached(pair, "dist", "pairwise").share > 1


def test_a_bound_that_is_too_wide_has_a_share_below_30_per_cent(monkeypatch):
    def wide(*args):
        return bound(*args)._replace(growth=1 + 4 * (bound(*args).growth - 1), slack=8 * bound(*args).slack)

    pair, tiny = adversary(16, "float64"), two_underflows("float64")
    monkeypatch.setattr("numeric.tightness.bound", wide)
    assert growth_reached(pair, "dist", "pairwise").share < ENOUGH
    assert slack_reached(tiny, "dist", "pairwise").share < ENOUGH


def test_the_table_has_every_bound_and_is_made_of_fractions():
    table = tightness_table(("float64", "float32", "float16"), (4, 128))
    for part in ("growth", "slack"):
        rows = [row for row in table if row.part == part]
        assert {(row.what, row.sums, row.dtype) for row in rows} == {b for b in BOUNDS if b[2] != "bfloat16"}
        assert all(ENOUGH <= row.share <= 1 for row in rows)
    assert {type(x) for row in table for x in row} == {str, int, Fraction}
    eight = next(row for row in table if (row.sums, row.k, row.dtype) == ("exact", 8, "float64"))
    assert 8 < eight.allowed < 8 + Fraction(1, 10**12)
    assert as_text(eight)[:6] == ("growth", "dist", "exact", "float64", "4", "8")
    assert {alpha_bound(4, "float64", sums).k for sums in SUMS} == {1, 7}
