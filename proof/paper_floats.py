"""The part of paper.md about floats: bounds with their proof, the ledger of one result, witnesses, wrong formulas.

Everything here is computed from stored pairs by + - * /, min and max, in a fixed order, and by exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from exact.dyadic import float_law
from exact.reading import figure
from numeric.ledger import EXAMPLE, Ledger, example
from numeric.mutants import Stored, stored_table
from numeric.naming import textbook
from numeric.tightness import tightness_table
from numeric.rounding import SUMS, alpha_bound, bound, lines, tree_height
from numeric.witnesses import BITWISE, DISCRIMINATING, SCALED, WITNESSES, Witness, witness, witness_table

Ref = Callable[[str], str]
Rows = Iterable[Sequence[object]]

VOCABULARY = 128256  # of the example in the table of bounds

NEGATIVE = "ten-tenths"  # where the textbook line is negative
SIZES = (2, 3, 4, 8, 127, 128, 1024, 128256)  # tokens of the pairs that nearly reach the bound of the tree
LEAST_SHARE = Fraction(3, 10)  # a bound of which less can be reached would have to be sharpened
UNIT = {"growth": "k = {}", "slack": "underflow"}
HOW = {
    "pairwise": "float sums, in the tree of `np.sum` on a C-ordered row",
    "exact": "sums that are exact, of the exact differences, and rounded once",
    "scalars": "two quotients of exact sums, each rounded once",
}


def floating(ref: Ref) -> str:
    return "\n\n".join((what_is_proved(ref), counted(), sharpness(), witnesses(), one_ledger(), wrong_formulas()))


def table(head: Sequence[str], rows: Rows) -> str:
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in cells)


def signed(x: Fraction) -> str:
    return figure(x) if x >= 0 else f"minus {figure(-x)}"


# ---- the bound


def what_is_proved(ref: Ref) -> str:
    h = tree_height(VOCABULARY)
    rows = [
        (f"`{sums}`", HOW[sums], *(next(x.k for x in lines(sums) if x.name == n) for n in ("dist", "alpha")),
         bound(VOCABULARY, "float64", sums).k, alpha_bound(VOCABULARY, "float64", sums).k)
        for sums in SUMS
    ]  # fmt: skip
    return f"""## What floating point adds

Float vectors hardly ever sum to exactly 1. Lines {ref("mass-formula")} to {ref("defect-bound")} say what the program emits on
the numbers as they are, $F$, and what keeps that from $p/S_p$. So a float result differs from $p/S_p$ by two things, and
by nothing else:

- *rounding*: the result is within $(1+u)^8$ of the exact law $F$, plus about $3\\eta$, never more than $4\\eta$ (proved below; this is for
  `exact` sums, and each way to sum has its own power);
- *defect*: $F$ less $p/S_p$, by line {ref("defect")}, a rational number that is computed and not bounded. It is 0 where the two sums
  are equal, line {ref("right-if-same-sums")}, and its total variation is at most what line {ref("defect-bound")} says.

Here $u$ is the unit roundoff and $\\eta$ half the least subnormal number. The program has one formula, that of line
{ref("mass-formula")}, and three ways to evaluate it; $h$ is the height of the summation tree.

{table(["sums", "how", "k", "k of alpha", f"k at V = {VOCABULARY:,}, h = {h}", "k of alpha there"], rows)}

**Theorem.** Let $S_p$ and $S_q$ be within $1/4$ of 1. Then each computed entry $c$ is between $F (1+u)^{{-k}} - 4\\eta$ and
$F (1+u)^k + 4\\eta$, and so is the computed acceptance probability, with its own $k$ and $\\eta$ in place of $4\\eta$. Neither is ever
below 0, and where the exact value is 0, so is the computed one."""


def counted() -> str:
    counts = "\n\n".join(
        f"`{sums}`: {HOW[sums]}.\n\n"
        + table(["letter", "is computed as", "k"], ((f"`{n}`", f"`{formula}`", k) for n, formula, k in lines(sums)))
        for sums in SUMS
    )
    return f"""*Proof by closeness.* For numbers that are not negative, write that $b$ is $k$-close to $a$ where $b$ is between
$a (1+u)^{{-k}}$ and $a (1+u)^k$. Four facts are used. Products and quotients add their $k$. A sum of terms has the largest $k$ of its terms. One rounding adds 1, since
its relative error is at most $u/(1+u)$, and $1 - u/(1+u) = 1/(1+u)$. Scaling by a power of two adds nothing. So no term of
higher order is dropped anywhere. The minimum $m$ and the comparison of $p$ with $q$ are exact on floats. The count, line by
line:

{counts}

Where there is no residual, which the floats decide exactly, $p/S_p$ takes fewer.

*Underflow.* Sums and differences of floats are exact where they are subnormal; products and quotients lose at most $\\eta$ each there. If $Q/R$ (or
$Q/(R S_q)$) underflows, $Q$ is below twice the least normal number, so that $R = S_p - S_q + Q$ is below $0.51$; the product with $r$
inherits at most $0.51\\eta$ and has its own $\\eta$. (Gradual underflow is assumed: a processor that flushes subnormal numbers to zero is not covered.) The sum $S_q$ is computed as $0.74$ at least, so that the last quotient inherits at most $2.1\\eta$ and
has its own: less than $4\\eta$ in all. With two scalars it is less than $3\\eta$. Where $F$ is 0, $m$ is 0 and $r$ or $Q$ is; minimum, comparison and
sums of zeros give exactly that, so that 0 is computed. $R$ is multiplied by a power of two where $Q/R$ could
overflow, upwards only, and $r$ with it.

*Other dtypes.* Exact sums are integers, rounded to float64 once; `exact` and `scalars` are evaluated in float64 for every
dtype, `pairwise` in float32 for float16 and bfloat16, and the result is rounded to its dtype at the end, which adds
a factor of 1 plus the $u$ of that dtype (for bfloat16 from float64 also that of float32). QED

Where the entries are multiples of $u$ and sum to exactly 1, no operation of any of the three rounds at all, for every V, and the
result is $p$ bit for bit."""


def sharpness() -> str:
    table_of = tightness_table(("float64",), SIZES)
    off = [row for row in table_of if not LEAST_SHARE <= row.share <= 1]
    if off:
        raise ArithmeticError(f"a bound is exceeded, or not needed: {off}")
    rows = [(row.what, f"`{row.sums}`", row.V, UNIT[row.part].format(row.k), *map(figure, (row.needed, row.share)))
            for row in table_of]  # fmt: skip
    return f"""**How sharp it is.** A search for the worst pairs, and a construction for every height of the tree, left these (float64; stored or
constructed, bit for bit). *Needed* is how many times $u$ the ratio of the computed to the exact entry is off 1, or how many $\\eta$ are
left over beyond it; *share* is what that is of the bound.

{table(["of", "sums", "V", "bound", "needed", "share"], rows)}"""


# ---- stored pairs


def witnesses() -> str:
    rows = [
        (
            f"`{row.name}`",
            row.sentence,
            figure(row.ulps),
            signed(row.defect),
            figure(row.textbook_ulps),
            row.textbook_verdict,
        )
        for row in witness_table()
    ]
    pair = witness(NEGATIVE)
    least = min(textbook(float_law(pair.p, pair.q)))
    if least >= 0:
        raise ArithmeticError(f"the textbook line is not negative on {NEGATIVE}")
    return f"""Stored pairs, bit for bit; ulp is the distance to the next float, the rounding is that of `exact` sums at its largest, and
so is the defect. The textbook line is $m + (1 - A) r/R$, the same law where the draft sums to 1, which cancels in $1 - A$.

{table(["pair", "what it shows", "rounding, ulp", "defect", "textbook, ulp", "verdict on the textbook line"], rows)}

On `{NEGATIVE}` the textbook line is no law at all, and not because of rounding: in exact arithmetic its last token has the
probability {signed(least)}, below 0, since the sum of ten floats that are called $0.1$ is more than 1."""


def one_ledger() -> str:
    (name, token), book = EXAMPLE, example()
    if book.balance or book.beyond():
        raise ArithmeticError(f"the ledger of {name} does not add up")
    return f"""## The ledger of one float

The result at token {token} of `{name}`, with `exact` sums. Each operation is put in the place of its exact value, one after
the other; what that does to the result is its share.

{table(["letter", "operation", "rounded by", "at most", "share in the result"], ledger_rows(book))}

The shares add up to {signed(book.rounding)}, the rounding; the defect is {signed(book.defect)}; and the two are the float result less
$p/S_p$ with nothing left over, as an equation of fractions. Each operation rounded by at most half a unit in its last place."""


def ledger_rows(book: Ledger) -> Rows:
    for entry in book.entries:
        yield (
            f"`{entry.letter}`",
            f"`{entry.formula}`",
            signed(entry.rounding),
            figure(entry.allowed),
            signed(entry.share),
        )


# ---- wrong formulas


def wrong_formulas() -> str:
    rows = stored_table()
    wrong, correct = [r for r in rows if not r.correct], [r for r in rows if r.correct]
    survivors, alarms = [r.name for r in wrong if not r.killed], [r.name for r in correct if r.killed]
    if survivors or alarms:
        raise ArithmeticError(f"formulas not caught: {survivors}; false alarms: {alarms}")
    by_bits = [f"`{r.name}`" for r in wrong if not r.witnesses]
    pairs = len(WITNESSES) + len(DISCRIMINATING) + len(SCALED)
    return f"""## Wrong and tautological formulas

A comparison with $p$ up to $10^{{-12}}$ lets more than half of the following through (`python -m numeric.mutants` counts them, on random pairs); `return p` is one of them. The
certificate asks instead whether each entry is within the proved bound, here that of `pairwise`, of the exact law of the very floats that went in, on
{pairs} stored pairs: the {len(WITNESSES)} above, and the first {pairs - len(WITNESSES)} of those listed below. A single one of them does not tell every other law from the right one; together they do. The bits ask for equality, on the last {len(BITWISE)} pairs below, where a
correct evaluation cannot round. Together they see all {len(wrong)}, and none of {len(correct)} correct evaluations. Only the bits
see {" and ".join(by_bits)}: a true evaluation with more roundings. A formula through logarithms is not in this table, as its last bits differ from machine to machine.

{table(["formula", "what it is", "seen by the certificate on", "by its bits on"], map(formula_row, wrong))}

{table(["pair", "what it shows"], map(pair_row, (*DISCRIMINATING, *SCALED, *BITWISE)))}"""


def formula_row(row: Stored) -> Sequence[object]:
    return f"`{row.name}`", row.sentence.replace("|", "\\|"), seen(row.witnesses), seen(row.bits)


def seen(names: Sequence[str]) -> str:
    """The first pair, and of how many it is the first."""
    return "none" if not names else f"`{names[0]}`" + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def pair_row(w: Witness) -> Sequence[object]:
    return f"`{w.name}`", w.sentence
