"""A float result against the exact law of the very floats that went in.

Two things make a float result differ from p/S_p, and they are kept apart, both in exact arithmetic:

    rounding    the float result minus the exact dist of the floats as given
    defect      that exact dist minus p/S_p; it is there because S_p and S_q differ, and zero where they agree

Three verdicts on the rounding:

**within the bound**: every token is as near, relatively, as the theorem of `numeric/rounding.py` proves of our program.

**the exact law, badly conditioned here**: not so, but every token is within the absolute distance

    ball  =  ((1+u)^k - 1) + 3 eta + |S_p - 1| + |S_q - 1|

that correct programs of another kind can reach.  With g = r/R <= 1 and dist <= 1 two of them are, in exact arithmetic,

    m + (1 - A) g  =  dist + (S_q - 1) (dist - g)                    (the textbook line: 1 - A = Q + 1 - S_q)
    p = m + r      =  dist + (S_q - 1) (dist - g) + (S_p - 1) g      (the target itself)

so they differ from dist by at most the last two terms of the ball.  In floats the textbook line rounds h times in A
and once in 1 - A, h + 3 times in g (r, the sum R of such r, the quotient), once in the product and once in the sum:
2h + 6 times in all.  A, |1 - A| and the result are at most 9/8, so its absolute error is at most
9/8 ((1+u)^(2h+6) - 1) and, by Bernoulli's inequality, less than (1+u)^k - 1, as 9/8 (2h+6) < 3h + 7 = k; it can
underflow twice.  The same count goes for any program of
sums of probabilities, products, ratios below 1 and complements 1 - a that rounds that often on the way to a token.
Its *relative* error has no bound: 1 - A cancels, and a token of probability 2^-66 can be off by many times its size.
The ball is thus a theorem about a kind of program.  That a result lies in it does not prove what program made it:
p itself, copied, lies in it.

**wrong**: outside the ball, or no vector of V finite numbers.

No rounding float decides anything here: floats become integers over one power of two, and integers are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from exact.law import Distribution
from exact.reading import LawError, Numbers, brief, show
from exact.rejection import rejection_law as exact_rejection_law
from numeric.rejection import in_one_dtype, read_floats, rejection_law, require_one_shape
from numeric.rounding import PRECISIONS, SUMS_WITHIN, Floats, alpha_bound, bound, precision, within

WITHIN = "within the bound"
CONDITIONED = "the exact law, badly conditioned here"
WRONG = "wrong"
VERDICTS = (WITHIN, CONDITIONED, WRONG)  # from best to worst


class Rounding(NamedTuple):
    """Float result minus exact value, at the token where it is the most units in the last place.

    size is signed; ulps is |size| over the spacing of floats at the exact value; both exact.
    """

    size: Fraction
    ulps: Fraction
    token: int


class Defect(NamedTuple):
    """Exact dist minus p/S_p, at the token where it is largest; exact and signed."""

    size: Fraction
    token: int


@dataclass(frozen=True)
class CrossCheck:
    """One pair checked: verdict (of dist and alpha together) and, unless it is "within the bound", the reason.

    rounding and alpha_rounding are None where there was no number to compare.
    """

    name: str
    V: int
    verdict: str
    reason: str
    defect: Defect
    rounding: Rounding | None = None
    alpha_rounding: Rounding | None = None

    def holds(self, strict: bool = False) -> bool:
        """Is the result the exact law, up to rounding?  Bad conditioning is a note, and a failure only when strict."""
        return self.verdict == WITHIN or (self.verdict == CONDITIONED and not strict)


def cross_check(
    p: object, q: object, dist: object = None, alpha: object = None, dtype: DTypeLike | None = None, *, name: str = ""
) -> CrossCheck:
    """Compare a float result, ours or the one given, with the exact law of the floats p and q.

    p, q: one pair, [V] float32 or float64, non-negative, with sums within 1/8 of 1.  dist: [V] floats, and alpha: a
    float; neither given, both are ours; one given, it alone is checked.  dtype: the precision that the result was
    computed in, by default that of dist, if it has one, or else of p and q.  LawError where p, q or dtype are not as
    said; whatever is wrong with dist or alpha is a verdict.

    >>> check = cross_check([0.5, 0.5], [0.75, 0.25])
    >>> check.verdict, check.rounding
    ('within the bound', Rounding(size=Fraction(0, 1), ulps=Fraction(0, 1), token=0))
    >>> check.defect
    Defect(size=Fraction(0, 1), token=0)
    >>> print(cross_check([0.5, 0.5], [0.75, 0.25], dist=[0.625, 0.375]).reason)
    dist[0]: wanted 1/2, got 5/8, off by 1/8
    """
    target, draft = _read_pair(p, q)
    if dist is None and alpha is None:
        dist, alpha = rejection_law(target, draft)
    dtype = _dtype_of(dist, target) if dtype is None else dtype
    exact, V = exact_law(target, draft), len(target)
    k, k_alpha = bound(V, dtype).k, alpha_bound(V, dtype).k
    judge = Judge(dtype, exact)
    on_dist = judge.compare("dist", dist, exact.dist, k) if dist is not None else NOT_GIVEN
    on_alpha = judge.compare("alpha", [alpha], exact.alpha, k_alpha) if alpha is not None else NOT_GIVEN
    worst = max(on_dist, on_alpha, key=lambda finding: VERDICTS.index(finding.verdict))
    return CrossCheck(name, V, worst.verdict, worst.reason, exact.defect(), on_dist.rounding, on_alpha.rounding)


def _read_pair(p: object, q: object) -> tuple[Floats, Floats]:
    a, b = read_floats(p, "p"), read_floats(q, "q")
    require_one_shape(a, b)
    if a.ndim != 1:
        raise LawError(f"p has shape {a.shape}: this takes one pair, [V]; give one row at a time")
    return in_one_dtype(a, b)


def _dtype_of(dist: object, p: Floats) -> DTypeLike:
    """A list of Python floats does not say what it was computed in; then it is judged by the precision of p."""
    name = str(getattr(dist, "dtype", "")).rpartition(".")[2]  # torch says torch.float32
    return name if name in PRECISIONS else p.dtype


# ---- the exact law of floats


@dataclass(frozen=True)
class ExactLaw:
    """The exact law of two float vectors; P: the weights of p, ints over one power of two, as they sum to S_p."""

    dist: Distribution
    alpha: Distribution  # of one entry, so that one comparison serves both
    P: Numbers
    S_p: Fraction
    S_q: Fraction

    def defect(self) -> Defect:
        """The entry of dist - p/S_p that is largest in size, all over the common denominator total sum(P)."""
        whole, total = sum(self.P), self.dist.total
        signed = [w * whole - x * total for w, x in zip(self.dist.weights, self.P, strict=True)]
        token = _index_of_largest(list(map(abs, signed)))
        return Defect(Fraction(signed[token], total * whole), token)


def exact_law(p: Floats, q: Floats) -> ExactLaw:
    """`exact.rejection_law` of floats as they are; the sums must be within 1/8 of 1.

    >>> law = exact_law(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> law.dist, law.alpha, law.S_p
    (Distribution(1/2, 1/2), Distribution(3/4), Fraction(1, 1))
    """
    weights, b = dyadic(np.concatenate([p, q]))
    P, W_q = Numbers(weights[: len(p)]), Numbers(weights[len(p) :])
    S_p, S_q = (_near_1(Fraction(sum(w), 2**b), name) for w, name in ((P, "p"), (W_q, "q")))
    dist, alpha = exact_rejection_law(P, W_q)
    return ExactLaw(dist, Distribution((alpha.numerator,), alpha.denominator), P, S_p, S_q)


def _near_1(S: Fraction, name: str) -> Fraction:
    if abs(S - 1) > SUMS_WITHIN:
        raise LawError(
            f"{name} sums to {show(S)}: the rounding bound is proved for sums within {SUMS_WITHIN} of 1, "
            f"this is off by {show(abs(S - 1))}; divide every entry by the sum"
        )
    return S


def dyadic(x: Floats) -> tuple[list[int], int]:
    """Integers n and one b >= the bits of the dtype with x = n / 2^b, exactly.

    >>> dyadic(np.array([0.5, 0.75, 3.0], dtype=np.float32))
    ([8388608, 12582912, 50331648], 24)
    """
    bits = precision(x.dtype).bits
    fraction, exponent = np.frexp(x)  # |fraction| < 1 has `bits` binary digits, subnormals included
    mantissa = np.ldexp(fraction, bits).astype(np.int64)
    least = min(int(exponent.min()), 0)
    return [n << up for n, up in zip(mantissa.tolist(), (exponent - least).tolist(), strict=True)], bits - least


# ---- the comparison


class Finding(NamedTuple):
    """What one vector came to."""

    verdict: str
    reason: str
    rounding: Rounding | None


NOT_GIVEN = Finding(WITHIN, "", None)


class Gaps(NamedTuple):
    """Per token, the exact value is weights / total, and computed - exact is signed / (total 2^b); all are ints."""

    signed: list[int]
    sizes: list[int]
    weights: Sequence[int]
    total: int
    b: int

    def exact(self, token: int) -> Fraction:
        return Fraction(self.weights[token], self.total)

    def gap(self, token: int) -> Fraction:
        return Fraction(self.signed[token], self.total << self.b)


@dataclass(frozen=True)
class Judge:
    """The precision that a result is judged by, and the law that it should be."""

    dtype: DTypeLike
    law: ExactLaw

    def compare(self, what: str, values: object, exact: Distribution, k: int) -> Finding:
        computed = _finite_floats(what, values, len(exact))
        if isinstance(computed, str):
            return Finding(WRONG, computed, None)
        gaps = _gaps(computed, exact)
        rounding = _largest_in_ulps(gaps, self.dtype)
        if self._all_within(computed, gaps, k):
            return Finding(WITHIN, "", rounding)
        farthest = _index_of_largest(gaps.sizes)
        if abs(gaps.gap(farthest)) <= self.ball():
            return Finding(CONDITIONED, _reason(what, gaps, rounding.token, rounding.ulps), rounding)
        return Finding(WRONG, _reason(what, gaps, farthest), rounding)

    def _all_within(self, computed: Floats, gaps: Gaps, k: int) -> bool:
        # |f - d| <= (k-1) u d is enough for d (1+u)^-k <= f <= d (1+u)^k: above by Bernoulli; below as
        # 1 - (1+u)^-k >= 1 - 1/(1+ku) = ku/(1+ku) >= (k-1) u  <=>  k (k-1) u <= 1, and k < 2^12 = u^(-1/2) in float32.
        # With d = w/total, |f - d| = size / (total 2^b) and u = 2^-bits it reads size <= (k-1) w 2^(b-bits); and
        # size >> n < y is enough for size <= y 2^n.
        n = gaps.b - precision(self.dtype).bits
        return all(
            not size or size >> n < (k - 1) * w or within(Fraction(w, gaps.total), f, k, self.dtype)
            for size, w, f in zip(gaps.sizes, gaps.weights, computed, strict=True)
        )

    def ball(self) -> Fraction:
        _, growth, slack = bound(len(self.law.dist), self.dtype)
        return growth - 1 + slack + abs(self.law.S_p - 1) + abs(self.law.S_q - 1)


def _finite_floats(what: str, values: object, V: int) -> Floats | str:
    """The result as [V] floats, or what keeps it from being that."""
    try:
        array = np.asarray(values)
        floats = array.astype(np.float64, casting="safe")
    except Exception as error:  # somebody else's result may be anything
        return f"{what}={brief(values)}: this is no vector of floats ({brief(error)})"
    if floats.shape != (V,):
        return f"{what} has shape {floats.shape}: wanted {(V,)}"
    wrong = np.flatnonzero(~np.isfinite(floats))
    return f"{_at(what, int(wrong[0]))}={floats[wrong[0]]!s}: wanted a finite number" if len(wrong) else floats


def _gaps(computed: Floats, exact: Distribution) -> Gaps:
    n, b = dyadic(computed)
    signed = [f * exact.total - (w << b) for f, w in zip(n, exact.weights, strict=True)]
    return Gaps(signed, list(map(abs, signed)), exact.weights, exact.total, b)


def _largest_in_ulps(gaps: Gaps, dtype: DTypeLike) -> Rounding:
    spacing = _spacing(gaps, dtype)
    exponent = np.frexp(spacing)[1]
    ups = (exponent.max() - exponent).tolist()  # dividing by powers of two, in integers
    token = _index_of_largest([size << up for size, up in zip(gaps.sizes, ups, strict=True)])
    gap = gaps.gap(token)
    return Rounding(gap, abs(gap) / Fraction(float(spacing[token])), token)


@np.errstate(under="ignore")
def _spacing(gaps: Gaps, dtype: DTypeLike) -> Floats:
    """One unit in the last place of the float that is nearest to each exact value (int / int rounds correctly)."""
    nearest = np.array([w / gaps.total for w in gaps.weights])
    spacing: Floats = np.spacing(nearest.astype(dtype)).astype(np.float64)
    return spacing


def _index_of_largest(sizes: list[int]) -> int:
    return sizes.index(max(sizes))


def _reason(what: str, gaps: Gaps, token: int, ulps: Fraction | None = None) -> str:
    exact, gap = gaps.exact(token), gaps.gap(token)
    also = f", {show(ulps)} ulp of this token" if ulps is not None else ""
    return f"{_at(what, token)}: wanted {show(exact)}, got {show(exact + gap)}, off by {show(abs(gap))}{also}"


def _at(what: str, token: int) -> str:
    return f"dist[{token}]" if what == "dist" else what


# ---- many pairs


@dataclass(frozen=True)
class Summary:
    """Many cross-checks in one value: counts per verdict, and the check that is worst in each respect.

    Summaries of parts add up to the summary of the whole; on ties the earlier check stays.

    >>> half = cross_check([0.5, 0.5], [0.75, 0.25], name="half")
    >>> wrong = cross_check([0.5, 0.5], [0.75, 0.25], dist=[0.75, 0.25], name="the draft itself")
    >>> total = Summary.of([half, half]) + Summary.of([wrong])
    >>> total.pairs, total.entries, total.wrong, total.verdict, total.worst.name
    (3, 6, 1, 'wrong', 'the draft itself')
    """

    pairs: int = 0
    entries: int = 0
    conditioned: int = 0
    wrong: int = 0
    worst: CrossCheck | None = None
    largest_rounding: CrossCheck | None = None
    largest_defect: CrossCheck | None = None

    @staticmethod
    def of(checks: Iterable[CrossCheck]) -> Summary:
        return reduce(Summary.__add__, map(_summary_of_one, checks), Summary())

    @property
    def verdict(self) -> str:
        return self.worst.verdict if self.worst else WITHIN

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.pairs + other.pairs,
            self.entries + other.entries,
            self.conditioned + other.conditioned,
            self.wrong + other.wrong,
            _larger(self.worst, other.worst, lambda check: VERDICTS.index(check.verdict)),
            _larger(self.largest_rounding, other.largest_rounding, _ulps),
            _larger(self.largest_defect, other.largest_defect, lambda check: abs(check.defect.size)),
        )


def _summary_of_one(check: CrossCheck) -> Summary:
    return Summary(1, check.V, int(check.verdict == CONDITIONED), int(check.verdict == WRONG), check, check, check)


def _larger(
    a: CrossCheck | None, b: CrossCheck | None, size: Callable[[CrossCheck], Fraction | int]
) -> CrossCheck | None:
    if a is None or b is None:
        return a or b
    return b if size(b) > size(a) else a


def _ulps(check: CrossCheck) -> Fraction:
    return check.rounding.ulps if check.rounding else Fraction(-1)
