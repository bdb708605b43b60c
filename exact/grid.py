"""Every pair of laws over V tokens whose numerators are over one denominator d, many at once, in NumPy integers.

A tile is two int16 arrays [V, N], the numerators of N targets and of N drafts: column x is one pair.  Its laws are
compared with `==` on integers, so this is as exact as `exact.search`, and some thousands of times as fast.

With m = min(p,q), r = (p-q)^+ and the sums A of m, R of r, Q of (q-p)^+, S_q of q, the program emits

    dist = (R m + Q r) / (R S_q)        alpha = A / S_q

and p/S_p where R = 0.  It has to be p/d, and alpha 1 - TV with TV = sum |p-q| / (2d).

Nothing overflows.  Entries are >= 0 with sum d, hence R, Q, A, S_q <= d and R m + Q r <= d (m + r) = d p <= d^2.
The comparisons multiply by d, or by p <= d, so the largest number is d^3, which is below 2^15 for d <= 31; no sum
or product on the way is larger (2 d A and S_q (2d - sum |p-q|) are at most 2 d^2), and no difference is below -d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exact.reading import LawError, Number, Numbers
from exact.search import Pair, numerators

Ints: TypeAlias = NDArray[Any]  # int16 in a tile; Python ints, in an object array, where a law asks for more

MOST = 31  # MOST^3 < 2^15
COLUMNS = 2**14  # of a tile, about: its arrays together then fit in a cache of a megabyte


class Tile(NamedTuple):
    """Numerators of targets and drafts, one pair in each column; `spare` is three more such arrays to work in.

    Fresh memory for every tile would cost nearly as much as the arithmetic.
    """

    p: Ints
    q: Ints
    spare: tuple[Ints, Ints, Ints]


class Emitted(NamedTuple):
    """The laws of a tile: dist = weights/total and alpha = accepted/drafted; weights [V, N], the others [N].

    The weights may be the first of the tile's spare arrays, and then last until the next tile; the check works in
    the other two.
    """

    weights: Ints
    total: Ints
    accepted: Ints
    drafted: Ints


class Column(NamedTuple):
    """One pair of a tile, and what was emitted there."""

    pair: Pair
    dist: Numbers
    alpha: Fraction


class Checked(NamedTuple):
    """How many pairs were compared, and the first of them, in the order of `exact.search`, with another law."""

    pairs: int
    first: Column | None


Laws: TypeAlias = Callable[[Tile], Emitted]


# ---- the laws of a tile, and what they have to be


def rejection_laws(tile: Tile) -> Emitted:
    """What speculative sampling emits, in every column: `exact.rejection_law` a second time, on arrays.

    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> emitted = rejection_laws(tile_of([Pair(Numbers([half, half]), Numbers([3 * quarter, quarter]))]))
    >>> emitted.weights.T.tolist(), emitted.total.tolist(), emitted.accepted.tolist(), emitted.drafted.tolist()
    ([[2, 2]], [4], [3], [4])
    """
    p, q, (m, r, excess) = tile
    np.minimum(p, q, out=m)
    np.subtract(p, m, out=r)  # (p-q)^+
    np.subtract(q, m, out=excess)  # (q-p)^+
    R, Q, A, S_q = (over_tokens(v) for v in (r, excess, m, q))
    none = np.flatnonzero(R == 0)
    weights, total = np.add(np.multiply(R, m, out=m), np.multiply(Q, r, out=r), out=m), R * S_q
    weights[:, none], total[none] = p[:, none], over_tokens(p[:, none])
    return Emitted(weights, total, A, S_q)


def over_tokens(v: Ints) -> Ints:
    """[V, N] to [N]; the sum is left in int16, which numpy would otherwise widen."""
    return np.add.reduce(v, axis=0, dtype=v.dtype)  # type: ignore[no-any-return]


def holds(tile: Tile, emitted: Emitted) -> NDArray[np.bool_]:
    """Per column: dist == p/d and alpha == 1 - TV, multiplied out; the TV is from |p-q|, not from min(p,q).

    Laws of your own have to leave room for a factor d in their integers, or be of a wider kind.
    """
    p, q, spare = tile
    weights, total, accepted, drafted = emitted
    d = denominator(tile)
    _, got, wanted = spare if weights.dtype == p.dtype else (None, None, None)
    dist = (np.multiply(weights, d, out=got) == np.multiply(p, total, out=wanted)).all(axis=0)
    dist &= total > 0  # 0/0 is no law, though 0 d == p 0
    gap = np.subtract(p, q, out=spare[1])
    twice_tv = over_tokens(np.abs(gap, out=gap))
    return dist & (drafted > 0) & (accepted * (2 * d) == drafted * (2 * d - twice_tv))  # type: ignore[no-any-return]


def denominator(tile: Tile) -> int:
    return int(tile.p[:, 0].sum())


# ---- every pair, once


def tiles(V: int, d: int) -> Iterator[Tile]:
    """The pairs of `exact.search.pairs_with_denominator(V, d)`, each in one column of one tile.

    A pair whose smallest common denominator is a proper divisor of d is no pair of d: with g the greatest common
    divisor of the numerators of p, and h that of q, d is the smallest where g and h have no divisor in common.
    LawError where V or d is out of range.

    >>> [(tile.p.T.tolist(), tile.q.T.tolist()) for tile in tiles(2, 1)]
    [([[0, 1], [0, 1], [1, 0], [1, 0]], [[0, 1], [1, 0], [0, 1], [1, 0]])]
    >>> next(tiles(2, 32))
    Traceback (most recent call last):
    exact.reading.LawError: d=32: the numbers of a tile fit in int16 up to d = 31, this is 1 more; use exact.search
    """
    require_in_range(V, d)
    laws = np.array(list(numerators(V, d)), np.int16)
    divisor = np.gcd.reduce(laws, axis=1)
    for g in np.unique(divisor):
        yield from all_against_all(laws[divisor == g], laws[np.gcd(divisor, g) == 1])


def require_in_range(V: int, d: int) -> None:
    for name, value in (("V", V), ("d", d)):
        if value < 1:
            raise LawError(f"{name}={value}: it is at least 1, this is {1 - value} too small; raise it")
    if d > MOST:
        raise LawError(
            f"d={d}: the numbers of a tile fit in int16 up to d = {MOST}, this is {d - MOST} more; use exact.search"
        )


def all_against_all(targets: Ints, drafts: Ints) -> Iterator[Tile]:
    """Laws as rows come in, [N, V]; tiles of some targets, each against all the drafts, go out."""
    if not len(drafts):
        return
    rows = min(len(targets), max(1, COLUMNS // len(drafts)))
    every_draft = np.ascontiguousarray(np.tile(drafts.T, rows))
    spare = [np.empty_like(every_draft) for _ in range(3)]
    for k in range(0, len(targets), rows):
        p = np.repeat(targets[k : k + rows].T, len(drafts), axis=1)
        m, r, excess = (array[:, : p.shape[1]] for array in spare)
        yield Tile(p, every_draft[:, : p.shape[1]], (m, r, excess))


def tile_of(pairs: Iterable[Pair]) -> Tile:
    """Pairs of laws over the same tokens as one tile, in the order given, over their smallest common denominator."""
    sides = list(zip(*pairs, strict=True))
    d = lcm(*(x.denominator for side in sides for law in side for x in law))
    require_in_range(len(sides[0][0]), d)
    p, q = (np.array([[int(d * x) for x in law] for law in side], np.int16).T.copy() for side in sides)
    return Tile(p, q, (np.empty_like(p), np.empty_like(p), np.empty_like(p)))


def pairs_of(tile: Tile) -> list[Pair]:
    d = denominator(tile)
    return [
        Pair(*(Numbers(Fraction(n, d) for n in law) for law in pair))
        for pair in zip(*as_rows(tile.p, tile.q), strict=True)
    ]


def columns(tile: Tile, emitted: Emitted, x: int = 0) -> Iterator[Column]:
    """The columns of a tile from x on, read back into Fractions; 0 where a law has 0/0, so that it sums to 0."""
    pairs = pairs_of(Tile(tile.p[:, x:], tile.q[:, x:], tile.spare))
    rows = as_rows(*(array[..., x:] for array in emitted))
    return (
        Column(pair, Numbers(quotient(w, total) for w in weights), quotient(accepted, drafted))
        for pair, weights, total, accepted, drafted in zip(pairs, *rows, strict=True)
    )


def quotient(a: int, b: int) -> Fraction:
    return Fraction(a, b) if b else Fraction(0)


def as_rows(*arrays: Ints) -> list[Any]:
    """Python ints, one row for each column: what numpy holds is not what a Fraction is made of."""
    return [array.T.tolist() for array in arrays]


# ---- the check


def check(V: int, d: int, laws: Laws = rejection_laws) -> Checked:
    """The law of every pair with which d is the smallest common denominator, against what it has to be.

    >>> check(3, 12)
    Checked(pairs=7308, first=None)
    """
    pairs, wrong = 0, []
    for tile in tiles(V, d):
        emitted = laws(tile)
        right = holds(tile, emitted)
        pairs += len(right)
        if not right.all():
            wrong.append(next(columns(tile, emitted, int(right.argmin()))))
    return Checked(pairs, min(wrong, default=None))


def sweep(tokens: Iterable[int], most: int, laws: Laws = rejection_laws) -> Iterator[Checked]:
    """`check` for each number of tokens and each denominator <= most, in the order of `exact.search`.

    >>> sum(checked.pairs for checked in sweep([1, 2, 3], 12))
    25310
    """
    return (check(V, d, laws) for V in tokens for d in range(1, most + 1))


def smallest(laws: Laws, tokens: int = 3, most: int = 6) -> Column | None:
    """The first pair with V <= tokens and common denominator <= most that has another law, as `exact.search.smallest`.

    >>> smallest(rejection_laws) is None
    True
    """
    return next((checked.first for checked in sweep(range(1, tokens + 1), most, laws) if checked.first), None)


def laws_of(law: Callable[[Numbers, Numbers], tuple[Any, Number]]) -> Laws:
    """Any (p, q) -> (dist, alpha) as the laws of a tile: column by column, in Python ints, slow and without a limit.

    >>> from exact.rules import law_of
    >>> smallest(laws_of(law_of("redraw-from-p"))).pair
    Pair(p=(Fraction(1, 2), Fraction(1, 2)), q=(Fraction(0, 1), Fraction(1, 1)))
    """

    def laws(tile: Tile) -> Emitted:
        emitted = [law(*pair) for pair in pairs_of(tile)]
        total = [lcm(*(Fraction(mass).denominator for mass in dist)) for dist, _ in emitted]
        weights = [[int(mass * t) for mass in dist] for (dist, _), t in zip(emitted, total, strict=True)]
        alpha = [Fraction(alpha).as_integer_ratio() for _, alpha in emitted]
        return Emitted(np.array(weights, object).T, np.array(total, object), *np.array(alpha, object).T)

    return laws
