"""How far the float program of `numeric/rejection.py` can be from the exact law of the floats that it is given.

u is the unit roundoff, eta half the least subnormal number, h the height of the summation tree over V tokens.

**Closeness.**  For numbers >= 0, x' ~k x means x/(1+u)^k <= x' <= x (1+u)^k.  Then k adds over * and /, sums of
terms that are ~k are ~k, and one rounding is ~1: to nearest, its relative error is at most u/(1+u), and
1 - u/(1+u) = 1/(1+u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4).  Sums and
differences of floats never underflow: where they are subnormal they are exact.  So no term of higher order is dropped.

**Theorem.**  Let S_p and S_q be within 1/4 of 1.  Then, for each of three ways to evaluate the one formula,

    dist (1+u)^-k - 4 eta  <=  computed dist  <=  dist (1+u)^k + 4 eta

    pairwise    sums by numpy's tree of height h                        k = 3h + 7
    exact       sums rounded once, of the exact differences             k = 8, for every V
    scalars     c = Q/(R S_q) and s = 1/S_q rounded once, m s + r c     k = 4, for every V

and the same for alpha = A/S_q, with k = 2h + 1 in the tree, and k = 1 where the exact quotient is rounded once, and
with eta alone in place of 4 eta.  `numeric/tightness.py` has pairs that need most of it.

*Roundings.*  `lines` below counts them, line by line: m = min(p,q) is exact, ~0; r = (p-q)^+ is one rounding of an
exact difference, ~1, and so are the terms of Q in the tree; a tree of height h puts h roundings on the longest path;
multiplying r and R by one power of two, upwards, is exact.  Where R = 0, which the floats decide exactly, p/S_p needs
no more: h + 1, 2 and 2.  Where V = 1, R or Q is 0, and the quotient is p/p or q/q, which is 1: k = 0, and k = 2 for
the scalars, which multiply p or q by its rounded inverse.

*Underflow.*  Only * and / can underflow, by at most eta each and then without a relative error; in alpha, one quotient.
If Q/R (or c) does, Q is below twice the least normal number, as R and S_q are at most 5/4; hence R = S_p - S_q + Q is
below 0.51, scaled or not, hence r < 0.51 and the product inherits at most 0.51 eta; with its own eta, y and z are off
by at most 1.52 eta.  The computed S_q is at least 0.74 (0.62 where every rounding is in float16 or bfloat16, and the
tree no higher than 47), so the quotient inherits at most 2.1 eta (2.5), and has its own eta: less than 4.  With
scalars, r c is off by 0.51 eta and its own eta, m s by its own: less than 3.  Nothing leads below 0, as all letters are
sums, products and quotients of numbers >= 0; and where dist or alpha is 0, so is what is computed: then m = 0, and
r = 0 or Q = 0, which minimum, comparison and sums of zeros give exactly (and A = 0 for alpha).  All this asks for
gradual underflow: a processor that was told to flush subnormal numbers to zero is not covered.

*Other precisions.*  Sums that are exact come as integers, which float64 rounds once; so "exact" and "scalars" are
evaluated in float64 for every dtype, and the tree for float16 and bfloat16 in float32.  The result is rounded to its
dtype once (from float64 to bfloat16 by way of float32, twice).  Each time the growth is multiplied by 1 + u, and a
slack s becomes s (1 + u) + eta, with u and eta of the narrower dtype: hardly more than its eta.  QED
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise as neighbours
from operator import add
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from exact.dyadic import SCALE
from exact.reading import LawError, brief

Floats: TypeAlias = NDArray[np.floating[Any]]

BLOCK = 128  # numpy adds up to this many numbers in eight interleaved lanes (PW_BLOCKSIZE in its source)
ONE_CALL = 8192  # numpy 1.26 cuts longer rows into buffers of this length and adds those in order; numpy 2.4 does not
PIECE = 2**15  # rows that are longer are evaluated in pieces of the tree, of at most so many numbers
SUMS_WITHIN = Fraction(1, 4)  # the theorem's hypothesis: S_p and S_q are this near to 1
SUMS = ("exact", "scalars", "pairwise")  # how dist is evaluated
ONE_TOKEN = {"exact": 0, "scalars": 2, "pairwise": 0}  # the k of dist where V = 1
ETAS = {"dist": 4, "alpha": 1}  # the slack, in eta of the dtype that all is evaluated in
UP = {"float32": 2.0**64, "float64": 2.0**512}  # where R UP < 1/2, r and R are multiplied by it: Q/R cannot overflow


class Precision(NamedTuple):
    """Unit roundoff u = 2^-bits, and eta, half the least subnormal number."""

    bits: int
    u: Fraction
    eta: Fraction


PRECISIONS = {
    "bfloat16": Precision(8, Fraction(1, 2**8), Fraction(1, 2**134)),
    "float16": Precision(11, Fraction(1, 2**11), Fraction(1, 2**25)),
    "float32": Precision(24, Fraction(1, 2**24), Fraction(1, 2**150)),
    "float64": Precision(53, Fraction(1, 2**53), Fraction(1, 2**1075)),
}


def precision(dtype: DTypeLike) -> Precision:
    """bits, u and eta of a float dtype; LawError for any other.

    >>> precision("float32").u == Fraction(1, 2**24)
    True
    """
    return PRECISIONS[kind(dtype)]


def kind(dtype: DTypeLike) -> str:
    """The name of a float dtype of PRECISIONS; LawError for any other.  bfloat16 need not be installed to be named."""
    try:
        name = dtype if isinstance(dtype, str) and dtype in PRECISIONS else np.dtype(dtype).name
    except TypeError:
        name = brief(dtype)
    if name not in PRECISIONS:
        raise LawError(f"dtype={name}: the rounding bound is for {', '.join(PRECISIONS)}; give one of these")
    return name


# ---- the summation tree


@cache
def tree_height(V: int) -> int:
    """h: the most additions that can round on a path through `row_sum` of V numbers.

    Below 8 numbers numpy adds in order; up to 128 in eight lanes, the lanes in pairs and the rest in order; above, it
    halves (pairwise summation, Higham 1993).  h does not grow steadily with V.  `replay_sum` is that tree.

    >>> [tree_height(V) for V in (1, 7, 8, 127, 128, 129, 128256)]
    [0, 6, 3, 24, 18, 12, 28]
    """
    if V < 8:
        return max(V - 1, 0)
    if V <= BLOCK:
        return (V // 8 - 1) + 3 + V % 8
    half = first_half(V)
    return 1 + max(tree_height(half), tree_height(V - half))


def row_sum(x: Floats) -> Floats:
    """The sums along the last axis, kept as an axis of length 1, in the tree of `tree_height`.

    >>> row_sum(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[3.0], [7.0]]
    """
    V = x.shape[-1]
    if V > ONE_CALL and not one_call_is_the_tree():
        half = first_half(V)
        return row_sum(x[..., :half]) + row_sum(x[..., half:])
    total: Floats = np.add.reduce(x, axis=-1, keepdims=True)
    return total


@cache
def one_call_is_the_tree() -> bool:
    """Does this numpy sum rows past ONE_CALL by halves?  Decided on rows whose sums in another order differ."""
    V = 3 * ONE_CALL + 1
    rows = [1 / (first + np.arange(V)) for first in (1.0, 2.0, 3.0, 5.0)]
    return all(np.add.reduce(x) == replay_blocks(x) for x in rows)


def replay_blocks(x: Floats) -> Any:
    """`replay_sum` with numpy itself for the rows that all its versions sum alike."""
    V = len(x)
    return np.add.reduce(x) if V <= ONE_CALL else replay_blocks(x[: first_half(V)]) + replay_blocks(x[first_half(V) :])


def in_tree(sums: Callable[[slice], Floats], start: int, stop: int) -> Floats:
    """Sums of pieces, added as the tree of `row_sum` adds them."""
    if stop - start <= PIECE:
        return sums(slice(start, stop))
    middle = start + first_half(stop - start)
    return in_tree(sums, start, middle) + in_tree(sums, middle, stop)


def pieces(start: int, stop: int) -> Iterator[slice]:
    """The pieces of `in_tree`, in their order.

    >>> [piece.stop - piece.start for piece in pieces(0, 128256)]
    [32064, 32064, 32064, 32064]
    """
    if stop - start <= PIECE:
        yield slice(start, stop)
        return
    middle = start + first_half(stop - start)
    yield from pieces(start, middle)
    yield from pieces(middle, stop)


def first_half(V: int) -> int:
    """How many of V numbers go left: half of them, rounded down to a multiple of 8."""
    return V // 2 // 8 * 8


def replay_sum(x: NDArray[Any]) -> Any:
    """The sum of x, [V] with V >= 1, one scalar addition after the other, in the tree that the theorem assumes.

    >>> x = np.array([1.0, 2.0**-53, 2.0**-53])
    >>> float(replay_sum(x)), float(replay_sum(x[::-1]))
    (1.0, 1.0000000000000002)
    """
    V = len(x)
    if V < 8:
        return in_order(x)
    if V <= BLOCK:
        return in_lanes(x[: V // 8 * 8], x[V // 8 * 8 :])
    half = first_half(V)
    return replay_sum(x[:half]) + replay_sum(x[half:])


def in_order(x: Iterable[Any]) -> Any:
    return reduce(add, x)


def in_lanes(x: NDArray[Any], rest: NDArray[Any]) -> Any:
    a, b, c, d, e, f, g, h = (in_order(x[lane::8]) for lane in range(8))
    return in_order([((a + b) + (c + d)) + ((e + f) + (g + h)), *rest])


# ---- counting roundings


class Close(NamedTuple):
    """The k of x' ~k x as a h + b, for every height h >= 0.

    >>> print(Close(3, 7), Close(0, 4), Close(1, 0))
    3h + 7 4 h
    """

    h: int
    ones: int

    def __str__(self) -> str:
        heights = "" if not self.h else "h" if self.h == 1 else f"{self.h}h"
        return " + ".join(part for part in (heights, str(self.ones) if self.ones or not self.h else "") if part)

    def at(self, height: int) -> int:
        return self.h * height + self.ones


class Line(NamedTuple):
    """One line of the count: what is computed, from what, and its k."""

    name: str
    formula: str
    k: Close


EXACT, ONE_ROUNDING, TREE = Close(0, 0), Close(0, 1), Close(1, 0)


def through(*parts: Close) -> Close:
    """Products, quotients and roundings: k adds."""
    return Close(sum(k.h for k in parts), sum(k.ones for k in parts))


def larger(a: Close, b: Close) -> Close:
    """Of two closenesses the one that is the larger at every h: a sum of such terms has it."""
    assert (a.h - b.h) * (a.ones - b.ones) >= 0
    return max(a, b)


@cache
def lines(sums: str) -> tuple[Line, ...]:
    """The count for one evaluation, up to dist and alpha.

    >>> print(", ".join(f"{line.name} ~{line.k}" for line in lines("exact")))
    r ~1, R ~1, Q ~1, S_q ~1, t ~3, y ~5, z ~6, dist ~8, alpha ~1
    >>> [str(line.k) for line in lines("pairwise")[-2:]], [str(line.k) for line in lines("scalars")[-2:]]
    (['3h + 7', '2h + 1'], ['4', '1'])
    """
    return tuple(_scalar_lines() if read_sums(sums) == "scalars" else _sum_lines(sums == "pairwise"))


def _sum_lines(tree: bool) -> list[Line]:
    r = ONE_ROUNDING
    R = Q = through(r, TREE) if tree else ONE_ROUNDING
    S_q = A = TREE if tree else ONE_ROUNDING
    t = through(Q, R, ONE_ROUNDING)
    y = through(r, t, ONE_ROUNDING)
    z = through(larger(EXACT, y), ONE_ROUNDING)
    added = "sum in the tree, of the computed {}" if tree else "exact sum, rounded once, of the exact {}"
    return [
        Line("r", "(p-q)^+", r),
        Line("R", added.format("(p-q)^+"), R),
        Line("Q", added.format("(q-p)^+"), Q),
        Line("S_q", added.partition(" of")[0] + " of q", S_q),
        Line("t", "Q / R", t),
        Line("y", "r t", y),
        Line("z", "m + y", z),
        Line("dist", "z / S_q", through(z, S_q, ONE_ROUNDING)),
        Line("alpha", "A / S_q", through(A, S_q, ONE_ROUNDING)) if tree else ALPHA_ONCE,
    ]


def _scalar_lines() -> list[Line]:
    r = c = s = ONE_ROUNDING
    kept, y = through(EXACT, s, ONE_ROUNDING), through(r, c, ONE_ROUNDING)
    return [
        Line("r", "(p-q)^+", r),
        Line("c", "Q / (R S_q), exact, rounded once", c),
        Line("s", "1 / S_q, exact, rounded once", s),
        Line("y", "r c", y),
        Line("z", "m s", kept),
        Line("dist", "z + y", through(larger(kept, y), ONE_ROUNDING)),
        ALPHA_ONCE,
    ]


ALPHA_ONCE = Line("alpha", "A / S_q, exact, rounded once", ONE_ROUNDING)


# ---- the bound


class Bound(NamedTuple):
    """exact/growth - slack <= computed <= exact growth + slack, computed >= 0, and 0 where exact is 0.

    growth is (1+u)^k, times 1+u of each narrower dtype that the result is rounded to; slack is 4 eta, for alpha eta,
    of the dtype that all is evaluated in, and then hardly more than the eta of a narrower one.
    """

    k: int
    growth: Fraction
    slack: Fraction

    def contains(self, exact: Fraction, computed: Any) -> bool:
        """Decided in Fractions; False where computed is not finite.

        >>> third = Bound(1, 1 + Fraction(1, 2**53), Fraction(0))
        >>> third.contains(Fraction(1, 3), 1 / 3), third.contains(Fraction(1, 3), 0.3333)
        (True, False)
        """
        if not np.isfinite(computed):
            return False
        low, high = self.ends(exact)
        return low <= Fraction(*computed.as_integer_ratio()) <= high

    def ends(self, exact: Fraction) -> tuple[Fraction, Fraction]:
        """The interval of what may be computed: no slack leads below 0, and none away from 0.

        exact is below 0 only where a law is none, as the textbook's can be.

        >>> one = Bound(1, Fraction(2), Fraction(1))
        >>> [tuple(map(str, one.ends(Fraction(x)))) for x in (4, 1, 0, -2)]
        [('1', '9'), ('0', '3'), ('0', '0'), ('-5', '0')]
        """
        low, high = sorted((exact / self.growth, exact * self.growth))
        if exact >= 0:
            return max(low - self.slack, Fraction(0)), high + self.slack if exact else high
        return low - self.slack, high + self.slack


def bound(V: int, dtype: DTypeLike, sums: str = "exact", native: bool = False) -> Bound:
    """The theorem's bound for dist over V tokens; native: every rounding in dtype, as somebody's program may have it.

    >>> [bound(128256, "float64", sums).k for sums in SUMS]
    [8, 4, 91]
    """
    return _bound("dist", V, dtype, sums, native)


def alpha_bound(V: int, dtype: DTypeLike, sums: str = "exact", native: bool = False) -> Bound:
    """The theorem's bound for alpha over V tokens.

    >>> [alpha_bound(128256, "float64", sums).k for sums in SUMS]
    [1, 1, 57]
    """
    return _bound("alpha", V, dtype, sums, native)


def _bound(what: str, V: int, dtype: DTypeLike, sums: str, native: bool) -> Bound:
    sums = read_sums(sums)
    if not isinstance(V, int | np.integer) or V < 1:
        raise LawError(f"V={brief(V)}: a law has a whole number of tokens, at least one; give it")
    V = int(V)  # (1+u)^k is no power in 64 bits
    if dtype is None:
        raise LawError(f"dtype=None: the rounding bound is for {', '.join(PRECISIONS)}; give one of these")
    one_token = V == 1 and what == "dist" and not native
    k = ONE_TOKEN[sums] if one_token else next(x.k for x in lines(sums) if x.name == what).at(tree_height(V))
    return _grown(k, ETAS[what], (kind(dtype),) if native else roundings(dtype, sums))


@cache
def _grown(k: int, etas: int, dtypes: tuple[str, ...]) -> Bound:
    wide, *narrower = map(precision, dtypes)
    growth, slack = (1 + wide.u) ** k, etas * wide.eta
    for _, u, eta in narrower:
        growth, slack = growth * (1 + u), slack * (1 + u) + eta
    return Bound(k, growth, slack)


def roundings(dtype: DTypeLike, sums: str) -> tuple[str, ...]:
    """The dtype that dist is evaluated in, and those that the result is rounded to, one after the other.

    >>> roundings("bfloat16", "exact"), roundings("float16", "pairwise"), roundings("float32", "pairwise")
    (('float64', 'float32', 'bfloat16'), ('float32', 'float16'), ('float32',))
    """
    name = kind(dtype)
    wide = "float32" if sums == "pairwise" and name != "float64" else "float64"
    path = (wide, "float32", name) if name == "bfloat16" else (wide, name)
    return tuple(a for a, b in neighbours((*path, "")) if a != b)


def power_up(R: int) -> int:
    """The power of two that r and R, an int over SCALE, are multiplied by in float64: 1 unless R is very small.

    >>> power_up(SCALE), power_up(1) == 2**512
    (1, True)
    """
    up = int(UP["float64"])
    return up if R * 2 * up < SCALE else 1


def float_power_up(R: Any) -> Any:
    """The same for float sums, in their dtype; R UP is not computed, as it could overflow where sums are large.

    >>> float_power_up(np.array([1.0, 5e-324])).tolist() == [1.0, 2.0**512]
    True
    """
    up = R.dtype.type(UP[R.dtype.name])
    return np.where(np.less(R, 1 / (2 * up)), up, R.dtype.type(1))


def read_sums(sums: str) -> str:
    """One of SUMS; LawError otherwise."""
    if not isinstance(sums, str) or sums not in SUMS:
        raise LawError(f"sums={sums!r}: the sums are {', '.join(SUMS)}; give one of these")
    return sums
