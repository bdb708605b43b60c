"""How much of every bound of `numeric/rounding.py` some pair of laws needs.

A bound has two parts.  Its growth, (1+u)^k, is used up by roundings that all go the same way, each by nearly u, which
asks for numbers just above powers of two; its slack by subnormal results that are rounded by half of their last
place.  The pairs that do so are

    climb         pairs found by a seeded search that pushes every bit uphill; FOUND keeps them bit for bit
    adversary     for every V: three sums that lose, or gain, about u at each addition of the deepest path
    halfway       an exact law, and alpha, halfway between two floats: the last rounding of a narrow dtype
    underflow     subnormal products and quotients halfway between two floats

Everything is measured in Fractions, on results made by + - * /, min and max, so `tightness_table` is the same on
every machine.

    python -m numeric.tightness
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from exact.dyadic import SCALE, FloatLaw, float_law
from exact.reading import EPSILON, figure
from numeric.rejection import rejection_law
from numeric.rounding import (
    BLOCK,
    SUMS,
    Bound,
    Floats,
    alpha_bound,
    bound,
    first_half,
    precision,
    replay_sum,
    roundings,
    tree_height,
)
from numeric.witnesses import from_hex

Pair: TypeAlias = tuple[Floats, Floats]
Entry: TypeAlias = tuple[Fraction, Fraction]
Tokens: TypeAlias = Sequence[int]

WHAT = ("dist", "alpha")
SIZES = (2, 3, 4, 5, 8, 16, 127, 128, 1024, 8193, 128256)  # of the table's pairs for the summation tree


# ---- the measure


class Reach(NamedTuple):
    """How much of one part of a bound, "growth" or "slack", the entry of a pair needs that needs the most.

    needed and allowed are in u for the growth (so allowed is k and terms of order u), in eta for the slack; each part
    is measured with the whole of the other granted.  The bound holds where share <= 1.
    """

    part: str
    what: str
    sums: str
    dtype: str
    V: int
    k: int
    needed: Fraction
    allowed: Fraction

    @property
    def share(self) -> Fraction:
        return self.needed / self.allowed


def growth_needed(within: Bound, exact: Fraction, computed: Fraction) -> Fraction:
    """The least x >= 0 such that the bound would hold, for exact > 0, if its growth were 1 + x.

    >>> growth_needed(Bound(1, Fraction(2), Fraction(0)), Fraction(2, 3), Fraction(1))
    Fraction(1, 2)
    """
    return max((computed - within.slack) / exact, exact / (computed + within.slack), Fraction(1)) - 1


def slack_needed(within: Bound, exact: Fraction, computed: Fraction) -> Fraction:
    """The least slack such that the bound would hold.

    >>> slack_needed(Bound(1, Fraction(2), Fraction(0)), Fraction(2), Fraction(9, 2))
    Fraction(1, 2)
    """
    return max(exact / within.growth - computed, computed - exact * within.growth, Fraction(0))


def growth_reached(pair: Pair, what: str, sums: str) -> Reach:
    """Of the growth, by a pair of one dtype, [V] each; what: "dist" or "alpha"; sums: one of SUMS.

    >>> growth_reached(halfway("float32"), "alpha", "exact").share > Fraction(99, 100)
    True
    """
    within, entries = judged(pair, what, sums)
    V, dtype = len(pair[0]), pair[0].dtype.name
    u = precision(dtype).u
    needed = max((growth_needed(within, *entry) for entry in entries if entry[0]), default=Fraction(0))
    return Reach("growth", what, sums, dtype, V, within.k, needed / u, (within.growth - 1) / u)


def slack_reached(pair: Pair, what: str, sums: str) -> Reach:
    """Of the slack, likewise.

    >>> figure(slack_reached(two_underflows("float64"), "dist", "exact").needed)
    '2.00'
    """
    within, entries = judged(pair, what, sums)
    V, dtype = len(pair[0]), pair[0].dtype.name
    eta = precision(dtype).eta
    needed = max(slack_needed(within, *entry) for entry in entries)
    return Reach("slack", what, sums, dtype, V, within.k, needed / eta, within.slack / eta)


def judged(pair: Pair, what: str, sums: str, law: FloatLaw | None = None) -> tuple[Bound, list[Entry]]:
    """The bound, and (exact, computed) of alpha or of every token that p has."""
    law, (dist, alpha) = law or float_law(*pair), rejection_law(*pair, sums)
    V, dtype = len(dist), dist.dtype
    if what == "alpha":
        return alpha_bound(V, dtype, sums), [(law.alpha, Fraction(alpha))]
    exact, tokens = law.dist, np.flatnonzero(pair[0]).tolist()
    return bound(V, dtype, sums), [(exact[x], Fraction(float(dist[x]))) for x in tokens]


# ---- the search


def climb(start: Pair, what: str, sums: str, seed: int, steps: int) -> Pair:
    """From a pair of float32 or float64 laws uphill, to one that needs more of the growth.

    A step multiplies one or two numbers of the pair by 1 + x, |x| of any order of magnitude from 1 down to u, and is
    taken back where p or q is then no law or the share falls.  The same seed finds the same pair on every machine.
    """
    random, best, reached = Random(seed), start, _height(start, what, sums)
    for _ in range(steps):
        pair = _nudged(best, random)
        height = _height(pair, what, sums)
        if height >= reached:
            best, reached = pair, height
    return best


def _nudged(pair: Pair, random: Random) -> Pair:
    p, q = pair[0].copy(), pair[1].copy()
    digits = precision(p.dtype).bits
    for _ in range(1 + int(random.random() * 2)):
        x = (p, q)[int(random.random() * 2)]
        token = int(random.random() * len(x))
        x[token] = float(x[token]) * (1 + (2 * random.random() - 1) * 2.0 ** -int(random.random() * digits))
    return p, q


def _height(pair: Pair, what: str, sums: str) -> Fraction:
    law = float_law(*pair)
    if any(Fraction(S - SCALE, SCALE) ** 2 > EPSILON[pair[0].dtype.name] for S in (law.S_p, law.S_q)):
        return Fraction(-1)
    within, entries = judged(pair, what, sums, law)
    return max(growth_needed(within, *entry) for entry in entries if entry[0])


@dataclass(frozen=True)
class Found:
    """What `climb` found from `adversary`, the best of 20 to 220 seeds.

    p_hex, q_hex: one `float.hex` per token.
    """

    what: str
    sums: str
    dtype: str
    seed: int
    steps: int
    p_hex: str
    q_hex: str

    @property
    def pair(self) -> Pair:
        return from_hex(self.p_hex).astype(self.dtype), from_hex(self.q_hex).astype(self.dtype)

    def again(self) -> Pair:
        """Search once more; about a second."""
        V = len(self.pair[0])
        return climb(adversary(V, self.dtype), self.what, self.sums, self.seed, self.steps)


# fmt: off
FOUND = (
    Found("dist", "exact", "float64", 148, 1000,
          "0x1.fffffffea86d2p-1 0x1.f4c80cbff4f88p-54 0x1.0000003f03d10p-27 0x1.fba632493b582p-54",
          "0x1.0000000000007p+0 0x1.0000004158ae6p-27 0x1.f8c8c8c1d5c91p-54 0x1.f8041447fb57ap-54"),
    Found("dist", "scalars", "float64", 214, 1000,
          "0x1.0000000000009p+0 0x1.f7dd735d6f2efp-54 0x1.000007f306df8p-27 0x1.f80000446850fp-54",
          "0x1.ffffff441a62ap-1 0x1.ffffff5eb93f4p-28 0x1.f7fff2373089bp-54 0x1.f7ffa101fb4a5p-54"),
    Found("dist", "pairwise", "float64", 22, 1000,
          "0x1.ffffffada93cfp-1 0x1.1e075fe710212p-27",
          "0x1.0000001fe48b6p+0 0x1.f50f99807bfe6p-54"),
    Found("dist", "pairwise", "float32", 4, 1000,
          "0x1.0000000000000p+0 0x1.01846c0000000p-13",
          "0x1.0008440000000p+0 0x1.f690000000000p-25"),
    Found("dist", "pairwise", "float64", 6, 1000,
          "0x1.0000000000fc7p+0 0x1.f7d4813eadb49p-54 0x1.ffff2e16be9fep-28",
          "0x1.0000000000001p+0 0x1.04fdbdb10fc83p-27 0x1.f7ffff495c382p-54"),
    Found("dist", "pairwise", "float32", 24, 1000,
          "0x1.0007b00000000p+0 0x1.f80fc80000000p-25 0x1.001c620000000p-13",
          "0x1.0000000000000p+0 0x1.001fd20000000p-13 0x1.fd88040000000p-25"),
    Found("dist", "pairwise", "float64", 11, 1000,
          "0x1.fffffffffbbaep-1 0x1.009308eec6c1ap-53 0x1.0003711ae8e19p-27 0x1.09f8fc9a2b51ap-53",
          "0x1.0000000000390p+0 0x1.0000003f064ebp-27 0x1.f8d7e9c01b27ap-54 0x1.f7fffff479f0ap-54"),
    Found("dist", "pairwise", "float32", 26, 1000,
          "0x1.0000000000000p+0 0x1.f8173e0000000p-25 0x1.001f7a0000000p-13 0x1.f7f0100000000p-25",
          "0x1.0000140000000p+0 0x1.001f800000000p-13 0x1.e430000000000p-25 0x1.de80bc0000000p-25"),
    Found("alpha", "pairwise", "float64", 6, 200,
          "0x1.fffffffff439fp-1",
          "0x1.0000001ffcceap+0"),
    Found("alpha", "pairwise", "float64", 18, 500,
          "0x1.ffffffffffffep-1 0x1.93c1adeb7006ep-29",
          "0x1.0000002000000p+0 0x1.0abc5a6f0c2a5p-54"),
    Found("alpha", "pairwise", "float32", 11, 200,
          "0x1.ffd2de0000000p-1",
          "0x1.0004b20000000p+0"),
    Found("alpha", "pairwise", "float32", 5, 500,
          "0x1.ffc5420000000p-1 0x1.7ff8ce0000000p-13",
          "0x1.0009ce0000000p+0 0x1.07b85e0000000p-25"),
)
# fmt: on


# ---- for every V: the deepest paths of the summation tree


class Path(NamedTuple):
    """A token, and for each addition on its way to the root the tokens of the other side."""

    token: int
    siblings: tuple[Tokens, ...]


class Partial:
    """A partial sum of `replay_sum` that only knows the paths of its tokens so far."""

    def __init__(self, paths: dict[int, tuple[Tokens, ...]]) -> None:
        self.paths = paths

    def __add__(self, other: Partial) -> Partial:
        left, right = tuple(self.paths), tuple(other.paths)
        paths = {x: (*siblings, right) for x, siblings in self.paths.items()}
        return Partial(paths | {x: (*siblings, left) for x, siblings in other.paths.items()})


def deepest_paths(V: int) -> list[Path]:
    """Three of the longest paths through `replay_sum` of V numbers, one of them repeated where V < 3.

    >>> deepest_paths(3)
    [Path(token=0, siblings=((1,), (2,))), Path(token=1, siblings=((0,), (2,))), Path(token=2, siblings=((0, 1),))]
    """
    block, above = deepest_block(V)
    leaves = np.empty(len(block), object)
    leaves[:] = [Partial({x: ()}) for x in block]
    paths = [Path(x, (*siblings, *above)) for x, siblings in replay_sum(leaves).paths.items()]
    deepest = sorted(paths, key=lambda path: (-len(path.siblings), path.token))
    longest = [path for path in deepest if len(path.siblings) == tree_height(V)]
    paths = longest if len(longest) >= 3 else deepest[:3]
    return [paths[i * len(paths) // 3] for i in range(3)]


def deepest_block(V: int) -> tuple[range, list[Tokens]]:
    """The tokens where halving ends, always on the higher side, and the halves left aside, the last one first."""
    block, aside = range(V), list[Tokens]()
    while len(block) > BLOCK:
        half = first_half(len(block))
        left, right = block[:half], block[half:]
        block, other = (left, right) if tree_height(half) >= tree_height(len(right)) else (right, left)
        aside.insert(0, other)
    return block, aside


def adversary(V: int, dtype: DTypeLike) -> Pair:
    """Two laws whose three sums in the tree go wrong together, by about u at each addition: dist comes out too large.

    S_q has a 1 at the end of its path, and on the other side of each addition a little less than u, where p = q: the
    1 stays.  R and Q have an s, and s u beside it: in R, where p > q, a tie that goes down to an even s; in Q, where
    q > p, a little more, which goes up.  s is so small that p and q are laws.  One token can serve S_q and one of R
    and Q.  The token that R begins with is the one that dist is wrong at.

    >>> p, q = adversary(3, "float64")
    >>> [x.hex() for x in p]
    ['0x1.0000000000000p+0', '0x1.f800000000000p-54', '0x1.0000003f00000p-27']
    >>> [x.hex() for x in q]
    ['0x1.0000000000000p+0', '0x1.0000003f00000p-27', '0x1.f800000000000p-54']
    """
    one, Q, R = deepest_paths(V)
    u, s = float(precision(dtype).u), small(dtype)
    p, q = np.zeros(V), np.zeros(V)
    for x in (p, q):
        x[one.token] = 1
        x[[siblings[0] for siblings in one.siblings]] = u * (1 - 2.0**-6)
    taken = {one.token, Q.token, R.token}
    for x, path, lost in ((p, R, s * u), (q, Q, s * u * (1 + 2.0**-6))):
        x[path.token] += s
        x[first_free(path.siblings, taken)] += lost
    return p.astype(dtype), q.astype(dtype)


def small(dtype: DTypeLike) -> float:
    """A power of two, at most half of the sqrt(eps) that the sum of a law may be off by."""
    return 2.0 ** -(precision(dtype).bits // 2 + 1)


def first_free(sides: Iterable[Tokens], taken: set[int]) -> list[int]:
    """One token of each side that has one left, which is then taken."""
    found = list[int]()
    for side in sides:
        token = next((x for x in side if x not in taken), None)
        if token is not None:
            taken.add(token)
            found.append(token)
    return found


def alpha_adversary(V: int, dtype: DTypeLike) -> Pair:
    """Two laws, V >= 2, whose A and S_q go wrong in the tree: alpha comes out too large.

    Both begin at the same token, A with s where q is 1; beside it m is s u and a little more, and q a little less
    than u.  All that p still lacks stands at a token of its own, or where there is none at the last of these, with q
    cut down to m.

    >>> [[x.hex() for x in law] for law in alpha_adversary(2, "float64")]
    [['0x1.0000000000000p-27', '0x1.0000000000000p+0'], ['0x1.0000000000000p+0', '0x1.0400000000000p-80']]
    """
    token, siblings = deepest_paths(V)[0]
    u, s = float(precision(dtype).u), small(dtype)
    p, q = np.zeros(V), np.zeros(V)
    beside = [side[0] for side in siblings]
    p[token], q[token] = s, 1
    p[beside], q[beside] = s * u * (1 + 2.0**-6), u * (1 - 2.0**-6)
    rest = next((x for side in siblings for x in side[1:2]), beside[-1])
    p[rest], q[rest] = 1, p[rest]
    return p.astype(dtype), q.astype(dtype)


# ---- one rounding at the end, and underflow


def halfway(dtype: DTypeLike) -> Pair:
    """dist[0] = alpha = (1/2 + 2u)/(1 + u), which is near 1/2 + 3u/2: halfway between two floats.

    >>> halfway("float64")[1].tolist() == [1 / 2 + 2.0**-52, 1 / 2 - 2.0**-53, 0]
    True
    """
    u = float(precision(dtype).u)
    return as_dtype([1 / 2 + 2 * u, 0, 1 / 2 - 2 * u], dtype), as_dtype([1 / 2 + 2 * u, 1 / 2 - u, 0], dtype)


def one_underflow(dtype: DTypeLike) -> Pair:
    """dist[0] = alpha = n E/(1+s), near (n - 1/2) E: E the least subnormal number, n = 1/(2s) + 3."""
    E, s = least(dtype), small(dtype)
    n = 1 / (2 * s) + 3
    return as_dtype([n * E, 1, 0], dtype), as_dtype([n * E, 0, 1 + s], dtype)


def two_underflows(dtype: DTypeLike) -> Pair:
    """dist[0] = (n E + E/2)/(1+s), near n E: R = 2E and Q = E, so that E/2 is lost, and then another E/2.

    >>> p, q = two_underflows("float64")
    >>> float((rejection_law(p, q)[0] - p)[0] / 5e-324)
    -2.0
    """
    E, s = least(dtype), small(dtype)
    n = 1 / (2 * s) + 3
    return as_dtype([(n + 1) * E, E, 0, 1 + s], dtype), as_dtype([n * E, 0, E, 1 + s], dtype)


def least(dtype: DTypeLike) -> float:
    return float(2 * precision(dtype).eta)


def as_dtype(values: Sequence[float], dtype: DTypeLike) -> Floats:
    """Exact where the dtype holds the values; by way of float32, as bfloat16 asks for, unless it is float64."""
    x = np.array(values)
    return x if dtype == "float64" else x.astype(np.float32).astype(dtype)


# ---- the table


def tight_pairs(what: str, sums: str, dtype: str, sizes: Iterable[int] = SIZES) -> Iterator[Pair]:
    """Pairs for the growth of one bound; one for every V where the bound depends on V and not on the last rounding."""
    found = {len(f.pair[0]): f.pair for f in FOUND if (f.what, f.sums, f.dtype) == (what, sums, dtype)}
    if len(roundings(dtype, sums)) > 1 or (what == "alpha" and sums != "pairwise"):
        yield halfway(dtype)
    elif sums != "pairwise":
        yield from found.values()
    else:
        build = adversary if what == "dist" else alpha_adversary
        yield from (found[V] if V in found else build(V, dtype) for V in sizes)


def underflow(what: str, sums: str, dtype: str) -> Pair:
    """A pair for the slack of one bound."""
    once = what == "alpha" or len(roundings(dtype, sums)) > 1
    return one_underflow(dtype) if once else two_underflows(dtype)


def tightness_table(
    dtypes: Sequence[str] = ("float64", "float32", "float16"), sizes: Iterable[int] = SIZES
) -> list[Reach]:
    """How much of every bound is reached, first of the growth, then of the slack.

    bfloat16 can be among the dtypes where ml_dtypes has been imported.

    >>> table = tightness_table(("float64",), sizes=(2, 128))
    >>> [(row.what, row.sums, row.k) for row in table if row.part == "growth" and row.V > 4]
    [('dist', 'pairwise', 61), ('alpha', 'pairwise', 37)]
    """
    bounds = [(what, sums, dtype) for what in WHAT for sums in SUMS for dtype in dtypes]
    growth = [growth_reached(pair, b[0], b[1]) for b in bounds for pair in tight_pairs(*b, sizes)]
    return growth + [slack_reached(underflow(*b), b[0], b[1]) for b in bounds]


HEAD = ("part", "what", "sums", "dtype", "V", "k", "needed", "allowed", "share")


def as_text(row: Reach) -> tuple[str, ...]:
    """
    >>> as_text(Reach("growth", "dist", "exact", "float64", 3, 8, Fraction(13, 2), Fraction(8)))
    ('growth', 'dist', 'exact', 'float64', '3', '8', '6.5', '8', '0.812')
    """
    return *row[:4], str(row.V), str(row.k), *map(figure, (row.needed, row.allowed, row.share))


def main() -> None:
    """Every dtype that there is here: bfloat16 needs ml_dtypes."""
    narrow = ("bfloat16",) if find_spec("ml_dtypes") and import_module("ml_dtypes") else ()
    for cells in (HEAD, *map(as_text, tightness_table(("float64", "float32", "float16", *narrow)))):
        print("".join(f"{cell:9}" for cell in cells).rstrip())


if __name__ == "__main__":
    main()
