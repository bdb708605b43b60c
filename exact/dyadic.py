"""The exact law of two float vectors at vocabulary scale: NumPy where it is error-free, Python ints for the rest.

A float is an integer over 2^1074, so that the sum of any floats is one too.  min(p, q) and p > q are exact on the
floats themselves; only the sums need care, and with them the law is there (letters as in `exact/rejection.py`):

    S_p = sum p     S_q = sum q     A = sum m     R = sum p - sum q where p > q     Q = sum q - sum p where not

`exact_sum` writes x = (head + tail) 2^(e-26), |x| = f 2^e with 1/2 <= f < 1: the head an integer of 26 bits, the tail
a multiple of 2^-27 below 1, and adds heads and tails apart for each e.  A float64 holds 53 bits, so that up to 2^26 of
either add up without rounding, in any order.  The time does not depend on how far the exponents are spread
(Demmel and Hida 2003 add by exponent for the same reason).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exact.law import Distribution, OnDemand
from exact.reading import EPSILON, LONG

Floats: TypeAlias = NDArray[np.float64]

SHIFT = 1074  # every finite float64 is an integer over 2^1074
SCALE = 1 << SHIFT
CHUNK = 2**13  # tokens at a time: the scratch arrays stay in the cache, and small
MOST = 2**26  # of this many 26-bit heads, or 27-bit tails, the float64 sum is exact
ORIGIN = 1073  # frexp gives exponents from -1073 (of 2^-1074) to 1024
SPAN = ORIGIN + 1024 + 1


class ExponentBins:
    """Exact sums of finite float64 chunks, one sum for each of two groups of tokens."""

    def __init__(self) -> None:
        self.whole = [0, 0]  # the sums so far, over 2^(SHIFT + 52)
        self.least = SPAN  # the least e + ORIGIN of a number that is not 0
        self._empty()

    def _empty(self) -> None:
        self.heads, self.tails, self.count = np.zeros(2 * SPAN), np.zeros(2 * SPAN), 0

    def add(self, x: Floats, first_bin: NDArray[np.intp] | int = 0) -> None:
        """Add x; first_bin is 0 or SPAN per token: the group that it is of."""
        if self.count + len(x) > MOST:
            self._fold()
        self.count += len(x)
        fraction, exponent = np.frexp(x)  # exact, subnormals included; 0 is 0 2^0
        scaled = fraction * 2.0**26  # exact: a power of two, far from both ends of the range
        head = np.floor(scaled)
        tail = scaled - head  # exact: the last 27 of 53 bits
        at = exponent + (first_bin + np.intp(ORIGIN))
        self.heads += np.bincount(at, head, 2 * SPAN)  # exact: integers, 2^26 of them at most 2^52
        self.tails += np.bincount(at, tail, 2 * SPAN)  # exact: multiples of 2^-27, 2^26 of them below 2^26

    def _fold(self) -> None:
        used = np.flatnonzero((self.heads != 0) | (self.tails != 0))  # heads of two signs can cancel
        if len(used):
            heads, tails = (
                (bins[used] * 2.0**27).tolist() for bins in (self.heads, self.tails)
            )  # exact: a power of two
            group, e = np.divmod(used, SPAN)
            least, parts = int(e.min()), [0, 0]
            for g, up, head, tail in zip(group.tolist(), (e - least).tolist(), heads, tails, strict=True):
                parts[g] += (int(head) + int(tail)) << up  # exact: both are integers
            self.whole = [whole + (part << least) for whole, part in zip(self.whole, parts, strict=True)]
            self.least = min(self.least, least)
        self._empty()

    def sums(self) -> tuple[int, int]:
        """The sums of both groups, over 2^SHIFT."""
        self._fold()
        first, second = self.whole
        return first >> 52, second >> 52  # exact: every float is an integer over 2^SHIFT


def exact_sum(x: NDArray[Any]) -> int:
    """The sum of finite floats, [V] of any of the four dtypes, as an integer over 2^SHIFT.

    >>> exact_sum(np.array([0.5, 0.25, 5e-324])) == 3 * 2 ** (SHIFT - 2) + 1
    True
    """
    bins = ExponentBins()
    for start in range(0, len(x), CHUNK):
        bins.add(x[start : start + CHUNK].astype(np.float64))  # exact: float64 holds all four kinds
    return bins.sums()[0]


@dataclass(frozen=True, eq=False)
class FloatLaw:
    """The exact law of two float vectors; A, R, Q, S_p and S_q are ints over 2^SHIFT.

    p, q: read-only float64 copies; bits: p 2^bits and q 2^bits are integers; is_of_laws: both sums are as near to 1 as
    `exact.reading` asks of a float vector.
    """

    p: Floats
    q: Floats
    A: int
    R: int
    Q: int
    S_p: int
    S_q: int
    bits: int
    is_of_laws: bool

    def __post_init__(self) -> None:
        if (self.S_p, self.S_q) != (self.A + self.R, self.A + self.Q):  # and so S_p - S_q = R - Q
            raise ArithmeticError("S_p = A + R and S_q = A + Q do not hold: these exact sums are wrong; report this")

    @property
    def alpha(self) -> Fraction:
        """A/S_q."""
        return Fraction(self.A, self.S_q)

    @property
    def dist(self) -> Distribution:
        """(m + r Q/R)/S_q, p/S_p where R = 0; an entry is computed when somebody looks at it."""
        R, Q, S_p, S_q = (x >> SHIFT - self.bits for x in (self.R, self.Q, self.S_p, self.S_q))  # exact, by `bits`
        if not R:  # then m = p
            return Distribution(OnDemand(partial(_weight, 1, 0, self.bits), self.p, self.q), S_p)
        return Distribution(OnDemand(partial(_weight, R, Q, self.bits), self.p, self.q), R * S_q)


def _weight(R: int, Q: int, bits: int, p: float, q: float) -> int:
    """R m + Q r of one token, over the same 2^bits as R and Q."""
    if p <= q:
        return R * _units(p, bits)
    b = _units(q, bits)
    return R * b + Q * (_units(p, bits) - b)


def _units(x: float, bits: int) -> int:
    n, d = x.as_integer_ratio()
    return n << bits + 1 - d.bit_length()  # d is a power of two, at most 2^bits


def float_law(p: NDArray[Any], q: NDArray[Any]) -> FloatLaw:
    """The exact law of the floats p and q as they are: [V] each, finite and non-negative, with positive sums.

    >>> law = float_law(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> law.dist, law.alpha, Fraction(law.R, SCALE)
    (Distribution(1/2, 1/2), Fraction(3, 4), Fraction(1, 4))
    """
    return _law(_frozen(p), _frozen(q), EPSILON[p.dtype.name], EPSILON[q.dtype.name])


def read_float_law(p: Any, q: Any) -> FloatLaw | None:
    """`float_law` of arrays or lists of floats that may be wrong; None where they are.

    Then the reading of `exact.reading` has to say what is wrong.

    >>> read_float_law([0.5, 0.5], [1.0, float("nan")]) is None
    True
    """
    vectors = _frozen(p), _frozen(q)
    if len(vectors[0]) != len(vectors[1]) or not all(map(_is_valid, vectors)):
        return None
    return _law(*vectors, *(EPSILON[x.dtype.name if hasattr(x, "dtype") else "float64"] for x in (p, q)))


def _law(p: Floats, q: Floats, epsilon_p: Fraction, epsilon_q: Fraction) -> FloatLaw:
    *sums, bits = _short_sums(p.tolist(), q.tolist()) if len(p) < LONG else _long_sums(p, q)
    A, R, Q, S_p, S_q = sums
    return FloatLaw(p, q, A, R, Q, S_p, S_q, bits, _is_near_1(S_p, epsilon_p) and _is_near_1(S_q, epsilon_q))


def _short_sums(p: list[float], q: list[float]) -> tuple[int, ...]:
    """A, R, Q, S_p, S_q and bits, one token at a time."""
    bits = max(x.as_integer_ratio()[1].bit_length() for x in (*p, *q)) - 1
    a, b = [_units(x, bits) for x in p], [_units(x, bits) for x in q]
    R, Q = (sum(max(x - y, 0) for x, y in zip(*pair, strict=True)) for pair in ((a, b), (b, a)))
    return *(total << SHIFT - bits for total in (sum(map(min, a, b)), R, Q, sum(a), sum(b))), bits


def _long_sums(p: Floats, q: Floats) -> tuple[int, ...]:
    """A, R, Q, S_p, S_q and bits, by exponents."""
    low, high, apart = ExponentBins(), ExponentBins(), ExponentBins()
    for start in range(0, len(p), CHUNK):
        a, b = p[start : start + CHUNK], q[start : start + CHUNK]
        first_bin = (a > b) * np.intp(SPAN)
        low.add(np.minimum(a, b), first_bin)
        high.add(np.maximum(a, b), first_bin)
        apart.add(a)  # S_p and S_q are summed on their own, so that a sum gone wrong above is noticed
        apart.add(b, SPAN)
    (p_down, q_up), (q_down, p_up) = low.sums(), high.sums()
    bits = min(max(0, 53 + ORIGIN - min(low.least, high.least)), SHIFT)
    return p_down + q_up, p_up - q_up, q_down - p_down, *apart.sums(), bits


def _frozen(x: Any) -> Floats:
    copy = np.array(x, np.float64)  # exact: float64 holds all four kinds
    copy.flags.writeable = False
    return copy


@np.errstate(invalid="ignore")  # a nan is below nothing, and that is all that is asked of it
def _is_valid(x: Floats) -> bool:
    return bool(x.min() >= 0 and 0 < x.max() < np.inf)


def _is_near_1(S: int, epsilon: Fraction) -> bool:
    """(S-1)^2 <= epsilon, of S over 2^SHIFT."""
    return (S - SCALE) ** 2 * epsilon.denominator <= epsilon.numerator << 2 * SHIFT
