"""A float result against the exact law of the very floats that went in.

Two things make a float result differ from p/S_p, and they are kept apart, both in exact arithmetic:

    rounding    the float result minus the exact dist of the floats as given
    defect      that exact dist minus p/S_p; it is there because S_p and S_q differ, and zero where they agree

Three verdicts on the rounding:

**within the bound**: every token is as near, relatively, as the theorem of `numeric/rounding.py` proves of our program.

**not certified, though near**: not so, but the absolute errors of all tokens together are at most

    ball  =  ((1+u)^(k+1) - 1) + 4 V eta + 2 |S_p - 1| + 2 |S_q - 1|        k = 3h + 7

which correct programs of another kind can reach.  With g = r/R, which sums to 1 as dist does, two of them are, in
exact arithmetic,

    m + (1 - A) g  =  dist + (S_q - 1) (dist - g)                    (the textbook line: 1 - A = Q + 1 - S_q)
    p = m + r      =  dist + (S_q - 1) (dist - g) + (S_p - 1) g      (the target itself)

so they differ from dist, over all tokens, by at most the last two terms of the ball.  In floats the textbook line
rounds h times in A and once in 1 - A, h + 3 times in g (r, the sum R of such r, the quotient), once in the product and
once in the sum: 2h + 6 times in all.  What a rounding changes sums over the tokens to at most u times A, |1 - A| or
the sum of the result, none more than 5/4, so all errors together are at most 5/4 ((1+u)^(2h+6) - 1) and, by
Bernoulli's inequality, at most (1+u)^(k+1) - 1, as 5/4 (2h+6) <= 3h + 8 = k + 1; each token can underflow twice.  The
same count goes for any program of sums of probabilities, products, ratios below 1 and complements 1 - a that rounds
that often on the way to a token.  Its *relative* error has no bound: 1 - A cancels, and a token of probability 2^-66
can be off by many times its size, or be lost.  The ball is thus a theorem about a kind of program.  That a result lies
in it does not prove what program made it: p itself, copied, lies in it.

**wrong**: outside the ball, or no vector of V finite numbers.

No rounding float decides anything here: what `numeric/certificate.py` leaves open is decided in Fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from exact.dyadic import SCALE, FloatLaw, float_law
from exact.reading import LawError, brief, show
from numeric.certificate import Certificate, Defect, Rounding, certificate, largest_defect, rounding
from numeric.rejection import in_one_dtype, read_floats, rejection_law, require_one_pair, require_one_shape
from numeric.rounding import PRECISIONS, SUMS_WITHIN, Bound, Floats, alpha_bound, bound, kind, precision, read_sums

WITHIN = "within the bound"
NEAR = "not certified, though near"
WRONG = "wrong"
VERDICTS = (WITHIN, NEAR, WRONG)  # from best to worst


@dataclass(frozen=True)
class CrossCheck:
    """One pair checked: verdict (of dist and alpha together) and, unless it is "within the bound", the reason.

    k is that of the bound on dist; rounding and alpha_rounding are None where there was no number to compare.
    """

    name: str
    V: int
    verdict: str
    reason: str
    k: int
    defect: Defect
    rounding: Rounding | None = None
    alpha_rounding: Rounding | None = None

    def holds(self, strict: bool = False) -> bool:
        """Is the result within the bound?  Where it is only near, that is a note, and a failure when strict."""
        return self.verdict == WITHIN or (self.verdict == NEAR and not strict)


def cross_check(
    p: object,
    q: object,
    dist: object = None,
    alpha: object = None,
    dtype: DTypeLike | None = None,
    *,
    sums: str | None = None,
    name: str = "",
) -> CrossCheck:
    """Compare a float result, ours or the one given, with the exact law of the floats p and q.

    p, q: one pair, [V] floats, non-negative, with sums within 1/4 of 1.  dist: [V] floats, and alpha: a float;
    neither given, both are ours; one given, it alone is checked.  dtype: the precision that the result was computed
    in, by default that of dist, if it has one, or else of p and q.  sums: how, which says the bound; ours by default
    with "exact" sums, and what is given is judged as "pairwise".  LawError where p, q, dtype or sums are not as said;
    whatever is wrong with dist or alpha is a verdict.

    >>> check = cross_check([0.5, 0.5], [0.75, 0.25])
    >>> check.verdict, check.k, check.rounding
    ('within the bound', 8, Rounding(size=Fraction(0, 1), ulps=Fraction(0, 1), token=0))
    >>> check.defect
    Defect(size=Fraction(0, 1), token=0)
    >>> print(cross_check([0.5, 0.5], [0.75, 0.25], dist=[0.625, 0.375]).reason)
    dist[0]: wanted 1/2, got 5/8, off by 1/8
    """
    target, draft = read_pair(p, q)
    ours = dist is None and alpha is None
    sums = read_sums(sums or ("exact" if ours else "pairwise"))
    if ours:
        dist, alpha = rejection_law(target, draft, sums)
    dtype = _dtype_of(dist, target) if dtype is None else kind(dtype)
    law, V = law_near_1(target, draft), len(target)
    within, judge = bound(V, dtype, sums, native=not ours), Judge(dtype, law)
    on_dist = judge.compare(dist, within) if dist is not None else NOT_GIVEN
    of_alpha = alpha_bound(V, dtype, sums, native=not ours)
    on_alpha = judge.compare_alpha(alpha, of_alpha) if alpha is not None else NOT_GIVEN
    worst = max(on_dist, on_alpha, key=lambda finding: VERDICTS.index(finding.verdict))
    defect = largest_defect(law)
    return CrossCheck(name, V, worst.verdict, worst.reason, within.k, defect, on_dist.rounding, on_alpha.rounding)


def read_pair(p: object, q: object) -> tuple[Floats, Floats]:
    """One pair [V] in one dtype; LawError otherwise."""
    a, b = read_floats(p, "p"), read_floats(q, "q")
    require_one_shape(a, b)
    require_one_pair(a)
    return in_one_dtype(a, b)


def _dtype_of(dist: object, p: Floats) -> DTypeLike:
    """A list of Python floats does not say what it was computed in; then it is judged by the precision of p."""
    name = str(getattr(dist, "dtype", "")).rpartition(".")[2]  # torch says torch.float32
    return name if name in PRECISIONS else p.dtype


def law_near_1(p: Floats, q: Floats) -> FloatLaw:
    """The exact law of floats as they are; LawError where a sum is not within 1/4 of 1, as the theorem asks.

    >>> law = law_near_1(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    >>> law.dist, law.alpha
    (Distribution(1/2, 1/2), Fraction(3, 4))
    """
    law = float_law(p, q)
    for name, total in (("p", law.S_p), ("q", law.S_q)):
        S = Fraction(total, SCALE)
        if abs(S - 1) > SUMS_WITHIN:
            raise LawError(
                f"{name} sums to {show(S)}: the rounding bound is proved for sums within {SUMS_WITHIN} of 1, "
                f"this is off by {show(abs(S - 1))}; divide every entry by the sum"
            )
    return law


# ---- the comparison


class Finding(NamedTuple):
    """What one vector came to."""

    verdict: str
    reason: str
    rounding: Rounding | None


NOT_GIVEN = Finding(WITHIN, "", None)


@dataclass(frozen=True)
class Judge:
    """The precision that a result is judged by, and the law that it should be."""

    dtype: DTypeLike
    law: FloatLaw

    def compare(self, dist: object, within: Bound) -> Finding:
        computed = _finite_floats("dist", dist, len(self.law.p))
        if isinstance(computed, str):
            return Finding(WRONG, computed, None)
        errors = certificate(self.law, computed)
        largest = errors.largest(self.dtype)
        if errors.within(within):
            return Finding(WITHIN, "", largest)
        if errors.together_at_most(self.ball()):
            return Finding(NEAR, self._reason(errors, largest.token, largest.ulps), largest)
        return Finding(WRONG, self._reason(errors, errors.farthest()), largest)

    def compare_alpha(self, alpha: object, within: Bound) -> Finding:
        computed = _finite_floats("alpha", [alpha], 1)
        if isinstance(computed, str):
            return Finding(WRONG, computed, None)
        exact, value = self.law.alpha, float(computed[0])
        found = rounding(Fraction(value) - exact, exact, self.dtype, 0)
        if within.contains(exact, value):
            return Finding(WITHIN, "", found)
        near = abs(found.size) <= self.ball()
        return Finding(NEAR if near else WRONG, _off("alpha", exact, found.size, found.ulps if near else None), found)

    def _reason(self, errors: Certificate, token: int, ulps: Fraction | None = None) -> str:
        return _off(f"dist[{token}]", self.law.dist[token], errors.error_at(token), ulps)

    def ball(self) -> Fraction:
        V = len(self.law.p)
        _, growth, slack = bound(V, self.dtype, "pairwise", native=True)
        off_1 = Fraction(abs(self.law.S_p - SCALE) + abs(self.law.S_q - SCALE), SCALE)
        return growth * (1 + precision(self.dtype).u) - 1 + V * slack + 2 * off_1


def _off(what: str, exact: Fraction, error: Fraction, ulps: Fraction | None) -> str:
    also = f", {show(ulps)} ulp of this token" if ulps is not None else ""
    return f"{what}: wanted {show(exact)}, got {show(exact + error)}, off by {show(abs(error))}{also}"


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
    near: int = 0
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
            self.near + other.near,
            self.wrong + other.wrong,
            _larger(self.worst, other.worst, lambda check: VERDICTS.index(check.verdict)),
            _larger(self.largest_rounding, other.largest_rounding, _ulps),
            _larger(self.largest_defect, other.largest_defect, lambda check: abs(check.defect.size)),
        )


def _summary_of_one(check: CrossCheck) -> Summary:
    return Summary(1, check.V, int(check.verdict == NEAR), int(check.verdict == WRONG), check, check, check)


def _larger(
    a: CrossCheck | None, b: CrossCheck | None, size: Callable[[CrossCheck], Fraction | int]
) -> CrossCheck | None:
    if a is None or b is None:
        return a or b
    return b if size(b) > size(a) else a


def _ulps(check: CrossCheck) -> Fraction:
    return check.rounding.ulps if check.rounding else Fraction(-1)
