"""The error of a float result at every token, against the exact law of the floats that went in.

The law is dist = (m + r Q/R)/S_q, and line D1 of `proof/floating.py` puts it as p and two small terms:

    dist = p + r c_1 + p c_2        c_1 = (S_q - S_p)/(R S_q)        c_2 = (1 - S_q)/S_q

(where R = 0, c_1 = 0 and c_2 = (1 - S_p)/S_p).  Both scalars are exact quotients of exact sums, rounded once.  For a
result f with p/2 <= f <= 2p the difference f - p has no rounding (Sterbenz 1974), so that

    error  =  f - dist  =  (f - p) - r c_1 - p c_2

needs no Fraction.  In floats r c_1 has three roundings, p c_2 two, and the two subtractions one each, of numbers no
larger than T = |f - p| + |r c_1| + |p c_2|: together less than 5.1 u T, and a product may underflow.  So the float
error is within the slack 2^-50 T + 2^-1070 of the exact one, 8 u T being 2^-50 T.  Where both scalars are 0, there is
no slack.  Every other token, where f is not near p, goes through Fractions.

What the slack leaves open is decided in Fractions.  So every answer of a `Certificate` is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from exact.dyadic import SCALE, SHIFT, FloatLaw
from numeric.rounding import Bound, Floats, power_up, precision

SLACK, LEAST = 2.0**-50, 2.0**-1070


class Rounding(NamedTuple):
    """Float result minus exact value, at the token where it is the most units in the last place.

    size is signed; ulps is |size| over the distance of neighbouring floats at the exact value; both exact.
    """

    size: Fraction
    ulps: Fraction
    token: int


class Defect(NamedTuple):
    """Exact dist minus p/S_p, at the token where it is largest; exact and signed."""

    size: Fraction
    token: int


def ulp(x: Fraction, dtype: DTypeLike) -> Fraction:
    """The distance of neighbouring floats at x >= 0: 2^(e - bits) for 2^(e-1) <= x < 2^e, at least 2 eta.

    >>> ulp(Fraction(1, 3), "float64") == Fraction(1, 2**54), ulp(Fraction(0), "float64") == Fraction(1, 2**1074)
    (True, True)
    """
    bits, _, eta = precision(dtype)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    e += x >= Fraction(2) ** e
    return max(Fraction(2) ** (e - bits), 2 * eta) if x else 2 * eta


def rounding(error: Fraction, exact: Fraction, dtype: DTypeLike, token: int) -> Rounding:
    return Rounding(error, abs(error) / ulp(exact, dtype), token)


def ulps(x: Floats, dtype: DTypeLike) -> Floats:
    """`ulp` of many floats."""
    bits, _, eta = precision(dtype)
    least = 1 - (2 * eta).denominator.bit_length()
    exponent = np.where(x > 0, np.frexp(x)[1] - bits, least)  # frexp puts 0 at 2^0
    return np.ldexp(1.0, np.maximum(exponent, least))


@dataclass(frozen=True)
class Certificate:
    """A result [V] in float64 (which holds the other dtypes exactly) beside the exact law.

    error: what the result is off by, to within slack; both are float64 [V].
    """

    law: FloatLaw
    result: Floats
    error: Floats
    slack: Floats

    def error_at(self, token: int) -> Fraction:
        """result - dist, exactly."""
        return Fraction(float(self.result[token])) - self.law.dist[token]

    @cached_property
    def dist(self) -> tuple[Floats, Floats]:
        """Floats below and above the exact dist."""
        dist = self.result - self.error
        wide = self.slack + np.abs(dist) * SLACK
        return np.maximum(dist - wide, 0), dist + wide

    def within(self, bound: Bound) -> bool:
        """Is every entry within the bound?"""
        return self.first_outside(bound) is None

    def first_outside(self, bound: Bound) -> int | None:
        """The first token that is not within the bound, None where all are."""
        # |f - dist| <= dist (1 - 1/growth) is enough, as 1 - 1/growth <= growth - 1; the last factor pays for rounding.
        margin = float(1 - 1 / bound.growth) * (1 - SLACK)
        sure = np.abs(self.error) + self.slack <= self.dist[0] * margin * (1 - SLACK)
        tokens = map(int, np.flatnonzero(~sure))
        return next((x for x in tokens if not bound.contains(self.law.dist[x], float(self.result[x]))), None)

    @np.errstate(over="ignore")  # beside a dist of 0 an error can be more ulps than a float holds
    def largest(self, dtype: DTypeLike) -> Rounding:
        """The error that is the most units in the last place of `dtype`; the first of them on ties."""
        size = np.abs(self.error)
        below, above = self.dist
        low, high = (size - self.slack) / ulps(above, dtype), (size + self.slack) / ulps(below, dtype)
        found = [rounding(self.error_at(x), self.law.dist[x], dtype, x) for x in self._candidates(low, high)]
        return max(found, key=lambda error: error.ulps)

    def farthest(self) -> int:
        """The token whose error is the largest in absolute size."""
        size = np.abs(self.error)
        return max(self._candidates(size - self.slack, size + self.slack), key=lambda x: abs(self.error_at(x)))

    def together_at_most(self, limit: Fraction) -> bool:
        """Do the absolute errors of all tokens sum to at most `limit`?"""
        size, slack = fsum(np.abs(self.error)), fsum(self.slack)  # each rounded once, which the factors pay for
        if Fraction(size + slack) * (1 + Fraction(SLACK)) <= limit:
            return True
        if Fraction(max(size - slack, 0.0)) * (1 - Fraction(SLACK)) > limit:
            return False
        return sum(abs(self.error_at(x)) for x in range(len(self.result))) <= limit

    def _candidates(self, low: Floats, high: Floats) -> list[int]:
        return contenders(low, high, self.law.p, self.law.q, self.result)


def contenders(low: Floats, high: Floats, *columns: Floats) -> list[int]:
    """Tokens that may have the largest value, given that it lies between low and high; of equal tokens the first."""
    if not high.any():
        return [0]
    tokens = np.flatnonzero(high >= low.max())
    if len(tokens) < 8:
        return tokens.tolist()
    first = np.unique(np.stack([column[tokens] for column in columns]), axis=1, return_index=True)[1]
    return sorted(tokens[first].tolist())


@np.errstate(under="ignore", over="ignore")
def certificate(law: FloatLaw, result: Floats) -> Certificate:
    """The certificate of a finite float result [V] for the pair that `law` is the law of.

    >>> from exact.dyadic import float_law
    >>> law = float_law(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> certificate(law, np.array([0.5, 0.75])).error.tolist()
    [0.0, 0.25]
    """
    p, f = law.p, np.asarray(result, np.float64)
    r, up = scaled_residual(law)
    c_1 = ((law.S_q - law.S_p) << SHIFT) / (law.R * up * law.S_q) if law.R else 0.0
    c_2 = (SCALE - law.S_q) / law.S_q if law.R else (SCALE - law.S_p) / law.S_p
    terms = (f - p, r * c_1, p * c_2)
    error = terms[0] - terms[1] - terms[2]
    slack = sum(np.abs(term) for term in terms) * SLACK + LEAST if c_1 or c_2 else np.zeros(len(p))
    slack = np.where(p > 0, slack, 0.0)
    for x in np.flatnonzero(~((f <= 2 * p) & (p <= 2 * f))):
        error[x] = float(Fraction(float(f[x])) - law.dist[int(x)])
        slack[x] = abs(error[x]) * SLACK + LEAST
    return Certificate(law, f, error, slack)


def scaled_residual(law: FloatLaw) -> tuple[Floats, int]:
    """r = (p-q)^+ times a power of two, exactly, and that power."""
    up = power_up(law.R)
    return np.maximum(law.p - law.q, 0) * float(up), up


@np.errstate(under="ignore")
def largest_defect(law: FloatLaw) -> Defect:
    """dist - p/S_p where it is largest: (S_q - S_p)/(S_p S_q) (A r/R - m), line D2 of `proof/floating.py`.

    >>> from exact.dyadic import float_law
    >>> largest_defect(float_law(np.array([0.75, 0.25, 0.125]), np.array([0.5, 0.375, 0.125])))
    Defect(size=Fraction(-1, 24), token=0)
    """
    if law.S_p == law.S_q or not law.R:
        return Defect(Fraction(0), 0)
    r, up = scaled_residual(law)
    raised, m = r * (law.A / (law.R * up)), np.minimum(law.p, law.q)
    size, slack = np.abs(raised - m), (raised + m) * SLACK + LEAST
    tokens = contenders(size - slack, size + slack, law.p, law.q)
    S_p = Fraction(law.S_p, SCALE)
    found = [Defect(law.dist[x] - Fraction(float(law.p[x])) / S_p, x) for x in tokens]
    return max(found, key=lambda defect: abs(defect.size))
