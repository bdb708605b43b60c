"""Tiles of integers: the same laws as `exact`, every pair once, wrong laws caught at the smallest pair."""

from fractions import Fraction
from itertools import islice
from random import Random

import numpy as np
import pytest

from exact import LawError, grid, rejection_law, total_variation
from exact.grid import (
    Emitted,
    Tile,
    check,
    columns,
    holds,
    laws_of,
    over_tokens,
    rejection_laws,
    smallest,
    sweep,
    tiles,
)
from exact.reading import Numbers
from exact.rules import RULES, WRONG, law_of
from exact.search import Pair, count_pairs, pairs, pairs_with_denominator, random_pair
from exact.search import smallest as smallest_by_search

ONE = Numbers([Fraction(1)])


def every_column(V, d):
    for tile in tiles(V, d):
        yield from columns(tile, rejection_laws(tile))


def breaks(law):
    """The claims of `grid.holds`, on one pair."""

    def fails(p, q):
        dist, alpha = law(p, q)
        return (dist, alpha) if tuple(dist) != p or alpha != 1 - total_variation(p, q) else None

    return fails


# ---- the same laws as `exact`


@pytest.mark.parametrize("V", [1, 2, 3])
def test_the_tiles_have_the_laws_of_the_program_on_every_small_pair(V):
    for d in range(1, 9):
        for (p, q), dist, alpha in every_column(V, d):
            assert rejection_law(p, q) == (dist, alpha)


@pytest.mark.parametrize("V", [4, 5])
def test_the_tiles_have_the_laws_of_the_program_on_sampled_pairs(V):
    random = Random(V)
    for d in range(1, grid.MOST + 1):
        sample = [random_pair(V, d, random) for _ in range(20)]
        tile = grid.tile_of(sample)
        read = list(columns(tile, rejection_laws(tile)))
        assert [column.pair for column in read] == sample
        assert [(column.dist, column.alpha) for column in read] == [rejection_law(*pair) for pair in sample]


def test_the_tiles_have_the_formula_of_the_program_also_where_sums_are_not_equal():
    """On laws R = Q, and nobody could tell one from the other."""
    p, q = np.random.default_rng(0).integers(0, 6, (2, 3, 500), np.int16)
    p[0], q[0] = p[0] + 1, q[0] + 1
    p[:, 0] = q[:, 0]
    weights, total, accepted, drafted = rejection_laws(Tile(p, q, tuple(np.empty((3, 3, 500), np.int16))))
    for x in range(500):
        dist, alpha = rejection_law(p[:, x].tolist(), q[:, x].tolist())
        assert dist == [Fraction(int(w), int(total[x])) for w in weights[:, x]]
        assert alpha == Fraction(int(accepted[x]), int(drafted[x]))


def test_equal_laws_take_the_fallback():
    pair = Pair(*[Numbers([Fraction(1, 3), Fraction(2, 3), Fraction(0)])] * 2)
    tile = grid.tile_of([pair])
    emitted = rejection_laws(tile)
    assert (emitted.weights.T.tolist(), emitted.total.tolist()) == ([[1, 2, 0]], [3])
    assert list(columns(tile, emitted)) == [(pair, pair.p, 1)]


# ---- every pair, once


@pytest.mark.parametrize(("V", "most"), [(1, 8), (2, 12), (3, 8), (4, 5), (5, 3)])
def test_the_tiles_visit_every_pair_once(V, most):
    for d in range(1, most + 1):
        visited = sorted(column.pair for column in every_column(V, d))
        assert visited == list(pairs_with_denominator(V, d))
        assert check(V, d).pairs == len(visited)


@pytest.mark.parametrize(("V", "most"), [(1, 31), (2, 31), (3, 31), (4, 14), (5, 8), (6, 6)])
def test_the_count_is_that_of_the_search_and_every_pair_holds(V, most):
    checked = list(sweep([V], most))
    assert sum(pairs for pairs, _ in checked) == count_pairs(V, most)
    assert {first for _, first in checked} == {None}


@pytest.mark.parametrize("width", [1, 7, 100, 2**20])
def test_nothing_depends_on_the_width_of_a_tile(monkeypatch, width):
    want = check(3, 6, redrawn_from_p)
    monkeypatch.setattr(grid, "COLUMNS", width)
    assert check(3, 6, redrawn_from_p) == want
    assert sorted(column.pair for column in every_column(3, 6)) == list(pairs_with_denominator(3, 6))


def test_the_arrays_are_int16_and_contiguous_where_speed_asks_for_it():
    for tile in tiles(3, 7):
        emitted = rejection_laws(tile)
        assert {array.dtype for array in (tile.p, tile.q, *tile.spare, *emitted)} == {np.dtype(np.int16)}
        assert tile.q[0].flags.c_contiguous
        assert not any(np.shares_memory(tile.p, array) or np.shares_memory(tile.q, array) for array in tile.spare)


# ---- wrong laws, in arrays and from the table of rules


def masses(tile):
    """m, r, and the sums that the wrong laws below are made of."""
    m = np.minimum(tile.p, tile.q)
    r = tile.p - m
    return m, r, over_tokens(r), over_tokens(tile.q - m), over_tokens(m), over_tokens(tile.q)


def redrawn_from_p(tile):
    m, _, _, Q, A, S_q = masses(tile)
    return Emitted(S_q * m + Q * tile.p, S_q * S_q, A, S_q)


def unnormalised(tile):
    m, r, _, Q, A, S_q = masses(tile)
    return Emitted(S_q * m + Q * r, S_q * S_q, A, S_q)


def alpha_is_tv(tile):
    right = rejection_laws(tile)
    return right._replace(accepted=right.drafted - right.accepted)


def without_fallback(tile):
    m, r, R, Q, A, S_q = masses(tile)
    return Emitted(R * m + Q * r, R * S_q, A, S_q)


def zero_where_equal(p, q):
    """What 0/0 is read back as."""
    dist, alpha = rejection_law(p, q)
    return (Numbers([Fraction(0)] * len(p)) if p == q else dist), alpha


WRONG_ARRAYS = {
    redrawn_from_p: law_of("redraw-from-p"),
    unnormalised: law_of("unnormalised-residual"),
    alpha_is_tv: law_of("alpha-is-tv"),
    without_fallback: zero_where_equal,
}


@pytest.mark.parametrize("laws", WRONG_ARRAYS)
def test_a_wrong_tile_is_caught_at_the_pair_that_the_search_finds(laws):
    law = WRONG_ARRAYS[laws]
    pair, emitted = smallest_by_search(breaks(law))
    found = smallest(laws)
    assert (found.pair, (found.dist, found.alpha)) == (pair, emitted)


@pytest.mark.parametrize("laws", WRONG_ARRAYS)
def test_a_wrong_tile_is_caught_wherever_the_law_is_wrong(laws):
    fails = breaks(WRONG_ARRAYS[laws])
    for d in range(1, 7):
        wrong = [pair for pair in pairs_with_denominator(3, d) if fails(*pair)]
        found = [pair for tile in tiles(3, d) for pair, right in
                 zip(grid.pairs_of(tile), holds(tile, laws(tile)), strict=True) if not right]  # fmt: skip
        assert sorted(found) == wrong
        first = check(3, d, laws).first
        assert (first and first.pair) == (wrong[0] if wrong else None)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_caught_at_the_pair_that_the_search_finds(name):
    pair, emitted = smallest_by_search(breaks(law_of(name)))
    found = smallest(laws_of(law_of(name)))
    assert (found.pair, (found.dist, found.alpha)) == (pair, emitted)


@pytest.mark.parametrize("name", sorted(RULES.keys() - WRONG.keys() - {"one-hot-draft"}))
def test_a_right_rule_is_not_caught(name):
    assert smallest(laws_of(law_of(name)), 3, 4) is None


def test_the_first_failing_tile_is_not_always_that_of_the_smallest_pair():
    """p whose numerators have a divisor come in tiles of their own, and 'first' is over all of them."""
    last = pairs_with_denominator(3, 6)
    wrong = sorted(list(last)[100:])

    def fails_from_100_on(tile):
        emitted = rejection_laws(tile)
        late = np.array([pair >= wrong[0] for pair in grid.pairs_of(tile)], np.int16)
        return emitted._replace(accepted=emitted.accepted + late)

    order = [pair for tile in tiles(3, 6) for pair in grid.pairs_of(tile) if pair >= wrong[0]]
    assert order[0] != wrong[0]
    assert check(3, 6, fails_from_100_on).first.pair == wrong[0]


@pytest.mark.parametrize("part", ["weights", "total", "accepted", "drafted"])
@pytest.mark.parametrize("by", [-1, 1])
def test_one_number_that_is_off_by_one_is_caught_in_its_column(part, by):
    for tile in islice(tiles(3, 5), 3):
        emitted = rejection_laws(tile)
        for x in range(0, tile.p.shape[1], 37):
            array = getattr(emitted, part).copy()
            array[..., x].flat[-1] += by
            changes = part != "drafted" or emitted.accepted[x] > 0  # 0/d is 0/(d+1)
            want = [i != x or not changes for i in range(tile.p.shape[1])]
            assert holds(tile, emitted._replace(**{part: array})).tolist() == want


def test_a_quotient_by_zero_is_no_law():
    tile = next(tiles(2, 3))
    emitted = rejection_laws(tile)
    zero = np.zeros_like(emitted.total)
    assert holds(tile, emitted).all()
    assert not holds(tile, emitted._replace(weights=zero * emitted.weights, total=zero)).any()
    assert not holds(tile, emitted._replace(accepted=zero, drafted=zero)).any()


# ---- the limit of int16


def as_int64(tile):
    return Tile(tile.p.astype(np.int64), tile.q.astype(np.int64), tuple(a.astype(np.int64) for a in tile.spare))


def largest(tile):
    weights, total, accepted, drafted = rejection_laws(tile)
    d = grid.denominator(tile)
    return max(v.max() for v in (weights * d, tile.p * total, accepted * 2 * d, drafted * 2 * d))


@pytest.mark.parametrize(("V", "d"), [(3, 31), (3, 30), (4, 9)])
def test_int16_holds_every_number_and_the_largest_is_d_cubed(V, d):
    reached = 0
    for tile in tiles(V, d):
        wide = as_int64(tile)
        reached = max(reached, largest(wide))
        assert all(np.array_equal(a, b) for a, b in zip(rejection_laws(tile), rejection_laws(wide), strict=True))
    assert reached == d**3 < 2**15


def test_one_more_would_not_fit(monkeypatch):
    monkeypatch.setattr(grid, "MOST", 32)
    assert max(largest(as_int64(tile)) for tile in tiles(3, 32)) == 32**3 == 2**15


@pytest.mark.parametrize(
    ("V", "d", "says"),
    [
        (2, 32, "d=32: the numbers of a tile fit in int16 up to d = 31, this is 1 more; use exact.search"),
        (0, 3, "V=0: it is at least 1, this is 1 too small; raise it"),
        (2, -1, "d=-1: it is at least 1, this is 2 too small; raise it"),
    ],
)
def test_what_is_out_of_range_is_refused(V, d, says):
    with pytest.raises(LawError, match=f"^{says}$"):
        check(V, d)


def test_pairs_whose_denominator_is_too_large_are_refused():
    p, q = Numbers([Fraction(1, 4), Fraction(3, 4)]), Numbers([Fraction(1, 9), Fraction(8, 9)])
    with pytest.raises(LawError, match=r"^d=36: "):
        grid.tile_of([Pair(p, q)])


def test_laws_of_a_program_have_no_limit():
    huge = 10**30
    law = laws_of(lambda p, q: ([x + Fraction(i, huge) for i, x in enumerate(p)], 1 - total_variation(p, q)))
    found = smallest(law)
    assert (found.pair, found.dist) == (next(pairs(2, 1)), (0, 1 + Fraction(1, huge)))
    assert smallest(laws_of(lambda p, q: (p, 1 - total_variation(p, q))), 2, 4) is None
