"""Wrong and tautological float formulas for the emitted law, and which test sees which of them.

Most of them are within 1e-12 of p wherever somebody looks: an epsilon against a division by zero, a complement in place
of a sum, the target itself.  The table asks of each formula

    1e-12        does a comparison with p at an absolute tolerance of 1e-12 fail on one of some hundred random pairs?
    10^6, 10^9   would a chi-square test at the 1 % level on so many samples, on the worst of these pairs, reject it at
                 least every second time?  No sample is drawn: the power follows from the exact noncentrality.
    certificate  is the result, on a stored witness, farther from the exact law than the theorem of
                 `numeric/rounding.py` allows?
    bits         does it miss, on a pair of BITWISE, an exact law that a correct evaluation meets bit for bit?

The last two together see all of them.  `ratio-times-q` and `log-space-ratio` are true evaluations that round more:
no witness shows them, the bits alone do.  (The ratio through logarithms has no bound that is good for every pair:
where p < q are both near 1e-300, log p comes in steps of 2^-43, and there the certificate refuses it as well.)

    python -m numeric.mutants
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from exact.reading import Numbers, over_common_denominator
from exact.rejection import rejection_law as exact_law
from exact.rules import RULES
from numeric.rejection import rejection_law
from numeric.rounding import Floats, bound, row_sum
from numeric.samples import power
from numeric.witnesses import BITWISE, DISCRIMINATING, SCALED, WITNESSES, Witness, textbook_line

Pair: TypeAlias = tuple[Floats, Floats]
Part: TypeAlias = Floats | None
Passes: TypeAlias = Callable[[Floats, Floats, Floats], bool]  # of p, q and a result

# ---- the formula in pieces, so that a mutant is the formula with one piece replaced


class Parts(NamedTuple):
    """The letters of the formula in floats: p, q, m, r are [V], the sums [1]."""

    p: Floats
    q: Floats
    m: Floats
    r: Floats
    A: Floats
    R: Floats
    Q: Floats
    S_p: Floats
    S_q: Floats


def parts(p: Floats, q: Floats) -> Parts:
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    return Parts(p, q, m, r, *map(row_sum, (m, r, np.maximum(q - p, 0), p, q)))


def law(s: Parts) -> Floats:
    """(m + r Q/R) / S_q, and p/S_p where R = 0, as the program of `numeric/rejection.py` has it.

    >>> law(parts(np.array([0.75, 0.25, 0.125]), np.array([0.5, 0.375, 0.125]))).tolist()
    [0.625, 0.25, 0.125]
    """
    r, R = scaled_up(s)
    redrawn = r * (s.Q / (R + (R == 0)))
    return np.where(s.R > 0, (s.m + redrawn) / s.S_q, s.p / s.S_p)


def scaled_up(s: Parts) -> tuple[Floats, Floats]:
    """r and R times the power of two that brings R to 1/4 or above, so that Q/R does not overflow."""
    up = np.maximum(-1 - np.frexp(s.R)[1], 0)
    return np.ldexp(s.r, up), np.ldexp(s.R, up)


def with_residual(s: Parts, r: Floats) -> Parts:
    return s._replace(r=r, R=row_sum(r))


def ratio(p: Floats, q: Floats) -> Floats:
    """min(1, p/q), 1 where q = 0."""
    return np.where(q > 0, np.minimum(1, p / q), 1)


def normalised(weights: Floats, otherwise: Floats) -> Floats:
    """The weights over their sum; where they have no mass, `otherwise` over its sum."""
    kept = weights if weights.any() else otherwise
    over: Floats = kept / row_sum(kept)
    return over


# ---- formulas that take more than a line


def rounded_once(s: Parts) -> Parts:
    above, below = s.p > s.q, s.q > s.p
    R, Q = (np.append(a[where], -b[where]) for a, b, where in ((s.p, s.q, above), (s.q, s.p, below)))
    return Parts(s.p, s.q, s.m, s.r, *(np.array([fsum(x)]) for x in (s.m, R, Q, s.p, s.q)))


def divided_apart(s: Parts) -> Floats:
    r, R = scaled_up(s)
    apart = s.m / s.S_q + r * (s.Q / ((R + (R == 0)) * s.S_q))
    return np.where(s.R > 0, apart, s.p / s.S_p)


def without_scaling(s: Parts) -> Floats:
    return np.where(s.R > 0, (s.m + s.r * (s.Q / s.R)) / s.S_q, s.p / s.S_p)


def with_1_minus_alpha(s: Parts) -> Floats:
    line = s.m / s.S_q + (1 - s.A / s.S_q) * (s.r / s.R)
    return np.where(s.R > 0, line, s.p / s.S_p)


def last_by_complement(s: Parts) -> Floats:
    first = law(s)[:-1]
    return np.append(first, 1 - row_sum(first))


def in_float32(s: Parts) -> Floats:
    return law(parts(s.p.astype(np.float32), s.q.astype(np.float32))).astype(np.float64)


def through_logarithms(s: Parts) -> Floats:
    a = np.exp(np.minimum(0, np.log(s.p) - np.log(s.q)))
    return law(s._replace(m=np.where(s.q > 0, s.q * a, 0)))


# ---- the wrong rules of exact/rules.py in floats


def emitted(drafted: Floats, accept: Floats, redraw: Floats) -> Floats:
    """Draft from one law, accept with the given probabilities, on rejection draw from another law."""
    kept = drafted * accept
    dist: Floats = kept + row_sum(drafted - kept) * redraw
    return dist


def of_rule(s: Parts, accept: Part = None, redraw: Part = None, draft: Part = None) -> Floats:
    """`emitted` by the right rule, but for what is given."""
    drafted = s.q / s.S_q if draft is None else draft
    accept = ratio(s.p, s.q) if accept is None else accept
    return emitted(drafted, accept, normalised(s.r, s.p) if redraw is None else redraw)


def only_the_rejected_removed(s: Parts) -> Floats:
    drafted, accept = s.q / s.S_q, ratio(s.p, s.q)
    weights = np.where(np.eye(len(s.p), dtype=bool), s.r, s.p)
    weights = np.where(row_sum(weights) > 0, weights, s.p)
    redrawn: Floats = (drafted * (1 - accept) * (weights / row_sum(weights)).T).sum(axis=1)
    return drafted * accept + redrawn


def unlikely_dropped(s: Parts) -> Floats:
    drafted, likely = s.q / s.S_q, 2 * s.q >= 1
    likely_half = emitted(np.where(likely, drafted, 0), ratio(s.p, s.q), normalised(s.r, s.p))
    return likely_half + row_sum(np.where(likely, 0, drafted)) * (s.p / s.S_p)


def greedy(s: Parts) -> Floats:
    return of_rule(s, draft=1.0 * (np.arange(len(s.q)) == np.argmax(s.q)))


def top_2(s: Parts) -> Floats:
    kept = np.argsort(-s.q, kind="stable")[:2]
    return of_rule(s, draft=normalised(np.where(np.isin(np.arange(len(s.q)), kept), s.q, 0), s.q))


def uniform(s: Parts) -> Floats:
    return np.full(len(s.p), 1 / len(s.p))


# ---- the table


@dataclass(frozen=True)
class Formula:
    """A float formula (p, q) -> dist, float64 [V] each, with a name and one sentence."""

    name: str
    sentence: str
    of_parts: Callable[[Parts], Floats]

    def __call__(self, p: Floats, q: Floats) -> Floats:
        with np.errstate(all="ignore"):  # what comes of it is judged, not how
            return self.of_parts(parts(p, q))


def rule(name: str, of_parts: Callable[[Parts], Floats]) -> Formula:
    return Formula(name, RULES[name].sentence, of_parts)


CORRECT = (
    Formula("sums-exact", "numeric.rejection_law, sums rounded once", lambda s: rejection_law(s.p, s.q, "exact")[0]),
    Formula("sums-scalars", "numeric.rejection_law, two quotients rounded once",
            lambda s: rejection_law(s.p, s.q, "scalars")[0]),
    Formula("sums-pairwise", "numeric.rejection_law, sums by numpy", lambda s: rejection_law(s.p, s.q, "pairwise")[0]),
    Formula("sums-by-fsum", "the formula with math.fsum of exact differences", lambda s: law(rounded_once(s))),
    Formula("sums-backwards", "the formula with its sums in the opposite order",
            lambda s: law(parts(s.p[::-1], s.q[::-1]))[::-1]),
    Formula("divided-apart", "m/S_q + r (Q/(R S_q)), term by term", divided_apart),
)  # fmt: skip

MUTANTS = (
    # what is tiny is guarded away
    Formula("residual-below-1e-10-dropped", "residual entries below 1e-10 count as 0",
            lambda s: law(with_residual(s, np.where(s.r < 1e-10, 0, s.r)))),
    Formula("residual-at-least-normal", "residual entries are raised to the least normal number",
            lambda s: law(with_residual(s, np.maximum(s.r, np.finfo(np.float64).tiny)))),
    Formula("q-plus-1e-20", "the ratio is p/(q + 1e-20)",
            lambda s: law(s._replace(m=s.q * np.minimum(1, s.p / (s.q + 1e-20))))),
    Formula("R-at-least-1e-20", "R is raised to 1e-20", lambda s: law(s._replace(R=np.maximum(s.R, 1e-20)))),
    Formula("R-plus-1e-20", "1e-20 is added to R", lambda s: law(s._replace(R=s.R + 1e-20))),
    Formula("p-below-1e-15-zeroed", "entries of p below 1e-15 count as 0",
            lambda s: law(parts(np.where(s.p < 1e-15, 0, s.p), s.q))),
    Formula("ties-within-1e-15", "a draft is accepted where p is above q - 1e-15",
            lambda s: law(s._replace(m=np.where(s.p > s.q - 1e-15, s.q, s.m)))),
    Formula("no-residual-below-1e-12", "p/S_p where R is below 1e-12, not only where it is 0",
            lambda s: law(s) if s.R > 1e-12 else s.p / s.S_p),
    Formula("target-where-close", "p itself where np.allclose finds p and q close",
            lambda s: s.p if np.allclose(s.p, s.q) else law(s)),
    # the answer is put in
    Formula("target", "p itself", lambda s: s.p),
    Formula("target-over-its-sum", "p/S_p", lambda s: s.p / s.S_p),
    Formula("weights-normalised", "m + r over the sum of m + r", lambda s: normalised(s.m + s.r, s.p)),
    Formula("R-for-Q", "the residual is weighted by its own mass R, not by the rejected mass Q",
            lambda s: law(s._replace(Q=s.R))),
    Formula("normalised-first", "p and q are divided by their sums, in floats, before anything else",
            lambda s: law(parts(s.p / s.S_p, s.q / s.S_q))),
    # complements and normalisation
    Formula("textbook-line", "m + (1 - A) r/R", lambda s: textbook_line(s.p, s.q)),
    Formula("textbook-line-over-its-sum", "m + (1 - A) r/R, divided by its sum",
            lambda s: normalised(textbook_line(s.p, s.q), s.p)),
    Formula("1-minus-alpha", "the rejected mass is 1 - A/S_q", with_1_minus_alpha),
    Formula("R-by-complement", "R is S_p - A", lambda s: law(s._replace(R=s.S_p - s.A))),
    Formula("last-by-complement", "the last token gets 1 less the others", last_by_complement),
    Formula("divided-by-S_p", "m + r Q/R is divided by S_p", lambda s: law(s._replace(S_q=s.S_p))),
    Formula("not-divided", "m + r Q/R is not divided by S_q", lambda s: law(s._replace(S_q=np.ones(1)))),
    Formula("divided-to-first-order", "1/S_q is taken to be 2 - S_q", lambda s: law(s._replace(S_q=1 / (2 - s.S_q)))),
    Formula("fallback-not-divided", "where R = 0, p is not divided by S_p", lambda s: law(s._replace(S_p=np.ones(1)))),
    # support
    Formula("residual-on-the-draft-support", "there is no residual where q = 0",
            lambda s: law(with_residual(s, np.where(s.q > 0, s.r, 0)))),
    Formula("ratio-0-over-0", "m is q min(1, p/q), with no guard where both are 0",
            lambda s: law(s._replace(m=s.q * np.minimum(1, s.p / s.q)))),
    # precision
    Formula("float32-inside", "p and q are rounded to float32, and so is every step", in_float32),
    Formula("Q-over-R-unscaled", "Q/R with R as it is, so that it may overflow", without_scaling),
    Formula("fixed-point", "the result is rounded to a multiple of 2^-50", lambda s: law(s) + 4 - 4),
    Formula("ratio-times-q", "m is q min(1, p/q): true, with two more roundings",
            lambda s: law(s._replace(m=s.q * ratio(s.p, s.q)))),
    Formula("log-space-ratio", "m is q exp(min(0, log p - log q)): true, with larger roundings", through_logarithms),
    # every rule of exact/rules.py that emits a wrong law, under its name
    rule("redraw-from-p", lambda s: of_rule(s, redraw=s.p / s.S_p)),
    rule("redraw-from-q", lambda s: of_rule(s, redraw=s.q / s.S_q)),
    rule("redraw-reversed", lambda s: of_rule(s, redraw=normalised(np.maximum(s.q - s.p, 0), s.q))),
    rule("redraw-uniform", lambda s: of_rule(s, redraw=uniform(s))),
    rule("unnormalised-residual", lambda s: of_rule(s, redraw=s.r)),
    rule("absolute-difference", lambda s: of_rule(s, redraw=normalised(np.abs(s.p - s.q), s.p))),
    rule("residual-floored", lambda s: of_rule(s, redraw=normalised(np.maximum(s.r, 1e-5), s.p))),
    rule("remove-only-the-rejected", only_the_rejected_removed),
    rule("accept-all", lambda s: of_rule(s, np.ones(len(s.p)))),
    rule("accept-iff-p-at-least-q", lambda s: of_rule(s, 1.0 * (s.p >= s.q))),
    rule("ratio-upside-down", lambda s: of_rule(s, ratio(s.q, s.p))),
    rule("accept-with-p", lambda s: of_rule(s, s.p / s.S_p)),
    rule("lenience-2", lambda s: of_rule(s, ratio(2 * s.p, s.q))),
    rule("lenience-2-resample-p", lambda s: of_rule(s, ratio(2 * s.p, s.q), s.p / s.S_p)),
    rule("low-confidence-draft-dropped", unlikely_dropped),
    rule("greedy-draft-soft-q", greedy),
    rule("top-k-draft-raw-q", top_2),
    rule("low-precision-draft", lambda s: of_rule(s, draft=normalised(np.floor(256 * s.q + 0.5), s.q))),
)  # fmt: skip

FORMULAS = (*CORRECT, *MUTANTS)
NOT_IN_THE_PAPER = ("log-space-ratio",)  # it calls exp and log


# ---- what sees them

CERTIFIED = (*DISCRIMINATING, *SCALED, *WITNESSES)
SEED, PAIRS, TOKENS, LEVEL = 0, 300, 50, 0.01


def certified(p: Floats, q: Floats, dist: Floats) -> bool:
    """Is every entry as near to the exact law as the theorem proves of the formula with numpy's sums?

    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> certified(p, q, p), certified(p, q, p + 1e-12)
    (True, False)
    """
    limit = bound(len(p), "float64", "pairwise")
    return all(limit.contains(w, x) for w, x in zip(exact_law(p, q)[0], dist, strict=True))


def met(p: Floats, q: Floats, dist: Floats) -> bool:
    """Is every entry the exact law itself?"""
    return bool(exact_law(p, q)[0] == dist)


def seen_on(f: Formula, witnesses: Iterable[Witness], passes: Passes) -> tuple[str, ...]:
    """The names of the witnesses on which the formula does not pass."""
    return tuple(w.name for w in witnesses if not passes(w.p, w.q, f(w.p, w.q)))


def random_pairs(seed: int, n: int = PAIRS, tokens: int = TOKENS) -> list[Pair]:
    """Laws drawn uniformly from all laws (exponential weights over their sum), normalised in floats as people do.

    >>> [p.shape for p in random_pairs(0, n=1)[0]]
    [(50,), (50,)]
    """
    weights = np.random.default_rng(seed).standard_exponential((n, 2, tokens))
    return [(p, q) for p, q in weights / weights.sum(axis=-1, keepdims=True)]


def seen_by_tolerance(f: Formula, pairs: Iterable[Pair]) -> bool:
    return any(not np.allclose(f(p, q), p, rtol=0, atol=1e-12) for p, q in pairs)


def noncentrality(p: Floats, dist: Floats) -> Fraction | float:
    """Per sample, sum (dist - p/S_p)^2 / (p/S_p), exactly; infinite where a token that p has not is emitted.

    >>> noncentrality(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    Fraction(1, 4)
    >>> noncentrality(np.array([1.0, 0.0]), np.array([0.75, 0.25]))
    inf
    """
    if not np.isfinite(dist).all() or dist[p == 0].any():
        return inf
    p, dist = p[p > 0], dist[p > 0]
    P, D, (one,) = over_common_denominator(*(Numbers(map(Fraction, x.tolist())) for x in (p, dist, np.ones(1))))
    S, whole = sum(P), prod(P)  # p/S_p = P/S and dist = D/one, so a term is (D S - P one)^2 / (one^2 S P)
    return Fraction(sum((d * S - w * one) ** 2 * (whole // w) for d, w in zip(D, P, strict=True)), one**2 * S * whole)


def seen_by_chi_square(per_sample: Fraction | float, n: int, tokens: int) -> bool:
    """Has the test on n samples, at level LEVEL, at least an even chance to reject?"""
    return power(n * per_sample, tokens - 1, LEVEL) >= 0.5


# ---- the rows


class Stored(NamedTuple):
    """A formula and what the stored pairs say: the witnesses outside the bound, and the pairs of BITWISE it misses."""

    name: str
    sentence: str
    correct: bool
    witnesses: tuple[str, ...]
    bits: tuple[str, ...]

    @property
    def killed(self) -> bool:
        return bool(self.witnesses or self.bits)


class Row(NamedTuple):
    """A formula and all columns; noncentrality is per sample, the largest over the random pairs."""

    stored: Stored
    by_tolerance: bool
    noncentrality: Fraction | float
    by_10_6: bool
    by_10_9: bool


def stored_table() -> list[Stored]:
    """What may stand in the paper: the stored pairs alone, and no formula that calls exp or log.

    >>> {row.killed for row in stored_table() if row.correct}, {row.killed for row in stored_table() if not row.correct}
    ({False}, {True})
    """
    return [stored(f) for f in FORMULAS if f.name not in NOT_IN_THE_PAPER]


def stored(f: Formula) -> Stored:
    return Stored(f.name, f.sentence, f in CORRECT, seen_on(f, CERTIFIED, certified), seen_on(f, BITWISE, met))


def mutant_table(seed: int = SEED) -> list[Row]:
    """One row per formula, the correct ones first; the random pairs come from the seed."""
    pairs = random_pairs(seed)
    return [row(f, pairs) for f in FORMULAS]


def row(f: Formula, pairs: Sequence[Pair]) -> Row:
    worst = max(noncentrality(p, f(p, q)) for p, q in pairs)
    by_10_6, by_10_9 = (seen_by_chi_square(worst, n, len(pairs[0][0])) for n in (10**6, 10**9))
    return Row(stored(f), seen_by_tolerance(f, pairs), worst, by_10_6, by_10_9)


# ---- the command


def main() -> int:
    """Print the table; 1 where a mutant survives or a correct formula is flagged, else 0."""
    rows = mutant_table()
    print(f"{PAIRS} random pairs over {TOKENS} tokens, seed {SEED}; chi-square at level {LEVEL}, power at least 1/2.")
    print("A name is the first stored pair that sees the formula, of as many as the number says.\n")
    print(as_text(rows))
    return int(any(r.stored.killed is r.stored.correct for r in rows))


def as_text(rows: Sequence[Row]) -> str:
    """The table in plain text, with the counts below it."""
    cells = [("formula", "1e-12", "10^6", "10^9", "certificate", "bits", "what it is"), *map(as_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)][:-1]
    lines = ["  ".join([*map(str.ljust, line, widths), line[-1]]) for line in cells]
    return "\n".join([*lines, "", *counts(rows)])


def as_cells(r: Row) -> tuple[str, ...]:
    seen = ("seen" if x else "-" for x in (r.by_tolerance, r.by_10_6, r.by_10_9))
    sentence = f"{'correct: ' if r.stored.correct else ''}{r.stored.sentence}"
    return (r.stored.name, *seen, first_of(r.stored.witnesses), first_of(r.stored.bits), sentence)


def first_of(names: Sequence[str]) -> str:
    return f"{names[0]} {len(names)}" if names else "-"


def counts(rows: Sequence[Row]) -> list[str]:
    wrong = [r for r in rows if not r.stored.correct]
    missed = {
        "1e-12 on the random pairs": [r for r in wrong if not r.by_tolerance],
        "the chi-square test on 10^9 samples": [r for r in wrong if not r.by_10_9],
        f"the certificate on {len(CERTIFIED)} witnesses": [r for r in wrong if not r.stored.witnesses],
        "both the certificate and the bits": [r for r in wrong if not r.stored.killed],
    }
    lines = [f"{len(found)} of {len(wrong)} mutants pass {test}{named(found)}" for test, found in missed.items()]
    flagged = [r for r in rows if r.stored.correct and r.stored.killed]
    return [*lines, f"{len(flagged)} of {len(rows) - len(wrong)} correct formulas are flagged{named(flagged)}"]


def named(rows: Sequence[Row]) -> str:
    """The names, where there are few."""
    return f": {', '.join(r.stored.name for r in rows)}" if 0 < len(rows) <= 3 else ""


if __name__ == "__main__":
    raise SystemExit(main())
