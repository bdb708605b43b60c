"""How far the float program of `numeric/rejection.py` can be from the exact law of the floats that it is given.

u is the unit roundoff, eta half the least subnormal number, h the height of the summation tree over V tokens.

**Closeness.**  For numbers >= 0, x' ~k x means x/(1+u)^k <= x' <= x (1+u)^k.  Then k adds over * and /, sums of
terms that are ~k are ~k, and one rounding is ~1: to nearest, its relative error is at most u/(1+u), and
1 - u/(1+u) = 1/(1+u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4).  Sums and
differences of floats never underflow: where they are subnormal they are exact.

**Theorem.**  Let S_p and S_q be within 1/8 of 1.  Then, k = 3h + 7,

    dist (1+u)^-k - 3 eta  <=  computed dist  <=  dist (1+u)^k + 3 eta

and the same for alpha with k = 2h + 1 and eta alone.

*Roundings.*  m = min(p,q) is exact: ~0.  r = (p-q)^+ is one rounding of an exact difference: ~1, and so are the
terms of Q.  A tree of height h puts h roundings on the longest path: A and S_q are ~h, R and Q are ~(h+1).  Scaling r
and R by a power of two upwards is exact.  So

    t = Q/R       (h+1) + (h+1) + 1 = 2h + 3
    y = r t       (2h+3) + 1 + 1    = 2h + 5
    z = m + y     (2h+5) + 1        = 2h + 6
    z / S_q       (2h+6) + h + 1    = 3h + 7
    A / S_q       h + h + 1         = 2h + 1

and where R = 0, which the floats decide exactly, p/S_p is ~(h+1).

*Underflow.*  Only * and / can underflow, by at most eta each and then without a relative error.  If t does, Q is
below all normal numbers, hence R = S_p - S_q + Q < 1/2, hence R was scaled to below 1/2, hence r < 1/2 and y inherits
at most eta/2; with its own eta, y and z are off by at most 3/2 eta.  The computed S_q is at least 3/4, so the
quotient inherits at most 2 eta, and has its own eta: together 3 eta.  (If the last quotient underflows, z is so
small that m + y is exact; if it does not, its own eta is missing, and the 2 eta grow by at most (1+u)^2.)  QED
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache, reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from exact.reading import LawError

Floats: TypeAlias = NDArray[np.floating[Any]]

BLOCK = 128  # numpy adds up to this many numbers in eight interleaved lanes (PW_BLOCKSIZE in its source)
ONE_CALL = 8192  # numpy 1.26 cuts longer rows into buffers of this length and adds those in order; numpy 2.4 does not
SUMS_WITHIN = Fraction(1, 8)  # the theorem's hypothesis: S_p and S_q are this near to 1


class Precision(NamedTuple):
    """Unit roundoff u = 2^-bits, and eta, half the least subnormal number."""

    bits: int
    u: Fraction
    eta: Fraction


PRECISIONS = {
    "float32": Precision(24, Fraction(1, 2**24), Fraction(1, 2**150)),
    "float64": Precision(53, Fraction(1, 2**53), Fraction(1, 2**1075)),
}


class Bound(NamedTuple):
    """k roundings, growth = (1+u)^k and slack = 3 eta: exact/growth - slack <= computed <= exact growth + slack."""

    k: int
    growth: Fraction
    slack: Fraction


def precision(dtype: DTypeLike) -> Precision:
    """bits, u and eta of float32 or float64; LawError for any other dtype.

    >>> precision("float32").u == Fraction(1, 2**24)
    True
    """
    return _precision(np.dtype(dtype))


@cache
def _precision(dtype: np.dtype[Any]) -> Precision:
    if dtype.name not in PRECISIONS:
        raise LawError(f"dtype={dtype.name}: the rounding bound is for float32 and float64; give one of these")
    return PRECISIONS[dtype.name]


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
    if V > ONE_CALL:
        half = first_half(V)
        return row_sum(x[..., :half]) + row_sum(x[..., half:])
    total: Floats = np.sum(x, axis=-1, keepdims=True)
    return total


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


def bound(V: int, dtype: DTypeLike) -> Bound:
    """The theorem's bound for dist over V tokens: k = 3h + 7.

    >>> bound(128256, "float64").k
    91
    """
    return _bound(3 * tree_height(V) + 7, np.dtype(dtype))


def alpha_bound(V: int, dtype: DTypeLike) -> Bound:
    """The theorem's bound for alpha over V tokens: k = 2h + 1.

    >>> alpha_bound(128256, "float64").k
    57
    """
    return _bound(2 * tree_height(V) + 1, np.dtype(dtype))


@cache
def _bound(k: int, dtype: np.dtype[Any]) -> Bound:
    _, u, eta = _precision(dtype)
    return Bound(k, (1 + u) ** k, 3 * eta)


def within(exact_value: Fraction, computed: Any, k: int, dtype: DTypeLike) -> bool:
    """Is exact_value/(1+u)^k - 3 eta <= computed <= exact_value (1+u)^k + 3 eta?  Decided in Fractions.

    alpha is allowed the same 3 eta, of which the theorem uses one.

    >>> within(Fraction(1, 3), 1 / 3, 1, "float64"), within(Fraction(1, 3), 0.3333, 1, "float64")
    (True, False)
    """
    if not np.isfinite(computed):
        return False
    _, growth, slack = _bound(k, np.dtype(dtype))
    value = Fraction(*computed.as_integer_ratio())
    return exact_value <= (value + slack) * growth and value <= exact_value * growth + slack
