"""A few float64 pairs, stored bit for bit, on which floating point shows what it does to the law.

WITNESSES       laws on which the formula and the textbook line part; the paper prints them
DISCRIMINATING  laws on which wrong formulas, which hardly differ from p elsewhere, leave the rounding bound
SCALED          no laws: the sums are 5/4 and 3/4, for `rejection_law` alone
BITWISE         the exact law consists of floats that our formula meets bit for bit, without any tolerance

`numeric/mutants.py` shows of each what it tells apart.

The table is the same bytes on every machine: it is made from the stored pairs by + - * /, min, max and exact scaling,
each of which IEEE 754 defines to the bit, with the summation tree of `numeric/rounding.py`, and by exact arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from numeric.crosscheck import CrossCheck, cross_check
from numeric.rounding import Floats, row_sum


@dataclass(frozen=True)
class Witness:
    """A named pair; p_hex and q_hex hold one `float.hex` per token, separated by blanks.

    >>> Witness("half", "One half each.", "0x1p-1 0x1p-1", "0x1p-1 0x1p-1").p.tolist()
    [0.5, 0.5]
    """

    name: str
    sentence: str
    p_hex: str
    q_hex: str

    @property
    def p(self) -> Floats:
        return from_hex(self.p_hex)

    @property
    def q(self) -> Floats:
        return from_hex(self.q_hex)


def from_hex(text: str) -> Floats:
    return np.array([float.fromhex(word) for word in text.split()])


TENTH = "0x1.999999999999ap-4"

WITNESSES = (
    Witness(
        "equal",
        "Target and draft are equal, so there is no residual, and nothing but the sum can round.",
        "0x1.999999999999ap-4 0x1.999999999999ap-3 0x1.6666666666666p-1",
        "0x1.999999999999ap-4 0x1.999999999999ap-3 0x1.6666666666666p-1",
    ),
    Witness(
        "disjoint",
        "No token is possible under both laws, so every draft is rejected.",
        "0x1.3333333333333p-2 0x1.6666666666666p-1 0x0p+0 0x0p+0",
        "0x0p+0 0x0p+0 0x1.999999999999ap-3 0x1.999999999999ap-1",
    ),
    Witness(
        "subnormal-residual",
        "The residual is the least subnormal number, so Q/R overflows unless R is scaled up first.",
        "0x1p-1 0x1p-1 0x0.0000000000001p-1022",
        "0x1p-1 0x1.000000089705fp-1 0x0p+0",
    ),
    Witness(
        "ten-tenths",
        "Ten times 0.1 is more than 1, so 1 - alpha, exactly, is negative, and so is the textbook's last token.",
        " ".join([TENTH] * 10 + ["0x1p-60"]),
        " ".join(["0x1.999999999999bp-4"] + [TENTH] * 9 + ["0x0p+0"]),
    ),
    Witness(
        "sums-differ",
        "The supports differ and the two sums are some units in the last place apart, which is a defect, not rounding.",
        "0x1.5555555555555p-2 0x1.5555555555555p-2 0x1.5555555555555p-2 0x0p+0",
        "0x0p+0 0x1.999999999999ap-3 0x1.6666666666668p-1 0x1.999999999999cp-4",
    ),
    Witness(
        "tiny-token",
        "1 - alpha cancels down to 2^-38, and a token of probability 2^-66 inherits what the cancellation lost.",
        "0x1.999999999999ap-3 0x1.999999999999ap-2 0x1.999999999999ap-2 0x1p-66",
        "0x1.99999999b999ap-3 0x1.999999999999ap-2 0x1.999999998999ap-2 0x0p+0",
    ),
)

DISCRIMINATING = (
    Witness(
        "supports",
        "The supports differ both ways, and one token is impossible under both, where p/q is 0/0.",
        "0x1p-2 0x1.6666666666666p-2 0x1.999999999999ap-2 0x0p+0 0x0p+0",
        "0x1.3333333333333p-2 0x1.3333333333333p-2 0x0p+0 0x1.999999999999ap-2 0x0p+0",
    ),
    Witness(
        "tails",
        "Tokens of 2^-30, 2^-66 and 1e-300, drafted or not, and sums 2^-27 above and below 1, so no tail keeps its p.",
        "0x1.333333b333333p-2 0x1.6666665e66666p-1 0x1p-30 0x1p-66 0x1.56e1fc2f8f359p-997 0x1.56e1fc2f8f359p-997",
        "0x1.6666666666666p-1 0x1.333332b333333p-2 0x0p+0 0x1p-66 0x0p+0 0x1.56e1fc2f8f359p-997",
    ),
    Witness(
        "near",
        "p is q up to one unit in the last place, and the last token, 2^-80 under p alone, comes 2^24 times as often.",
        "0x1.999999999999ap-4 0x1.999999999999ap-3 0x1.6666666666666p-1 0x1p-80",
        "0x1.999999999999bp-4 0x1.999999999999ap-3 0x1.6666666666666p-1 0x0p+0",
    ),
    Witness(
        "small-residual",
        "Residual and rejected mass are 2^-70, less than any rounding of 1 - alpha, and all that the third token gets.",
        "0x1.3333333333333p-2 0x1.6666666666666p-1 0x1p-70 0x0p+0",
        "0x1.3333333333333p-2 0x1.6666666666666p-1 0x0p+0 0x1p-70",
    ),
    Witness(
        "no-residual",
        "Drafts are rejected and yet p is nowhere above q, as it sums to 2^-27 less: the law is p over its sum.",
        "0x1.3333333333333p-2 0x1.6666662666666p-1 0x0p+0",
        "0x1.3333333333333p-2 0x1.6666666666666p-1 0x1p-70",
    ),
)

SCALED = (
    Witness(
        "scaled",
        "5/4 of one law and 3/4 of another: the law that is emitted is far from either, by an exact defect.",
        "0x1.4p-1 0x1.ep-2 0x1.4p-3",
        "0x1.8p-3 0x1.8p-3 0x1.8p-2",
    ),
)

BITWISE = (
    Witness(
        "grid",
        "Multiples of 2^-53 that sum to exactly 1: no sum, difference or quotient of sums rounds, and the law is p.",
        "0x1.eb851eb851ecp-6 0x1.1eb851eb851fp-4 0x1.9999999999998p-4 "
        "0x1.9999999999998p-3 0x1.33330b3333333p-1 0x1.4p-20",
        "0x1.c28f5c28f5c28p-4 0x1.0a3d70a3d70a4p-3 0x1.5c28f5c28f5c4p-3 "
        "0x1.851eb851eb85p-3 0x1.999929999999ap-2 0x1.cp-20",
    ),
    Witness(
        "half-of-the-residual",
        "p sums to 1 + 2^-30 and half of the residual is emitted: the law is 1/2 + 2^-30, 3/8 - 2^-30, 1/8, not p.",
        "0x1.0000001p-1 0x1.7ffffffp-2 0x1p-3",
        "0x1p-1 0x1.8p-2 0x1p-3",
    ),
    Witness(
        "nine-eighths",
        "p sums to 9/8, which is no law, and the law that is emitted is 5/8, 1/4, 1/8.",
        "0x1.8p-1 0x1p-2 0x1p-3",
        "0x1p-1 0x1.8p-2 0x1p-3",
    ),
)


def witness(name: str) -> Witness:
    """The one of WITNESSES that has this name.

    >>> len(witness("ten-tenths").p)
    11
    """
    return next(w for w in WITNESSES if w.name == name)


def textbook_line(p: Floats, q: Floats) -> Floats:
    """m + (1 - alpha) r/R, as it is often written, evaluated in floats: the exhibit beside our formula.

    >>> textbook_line(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])).tolist()
    [0.5, 0.25, 0.25]
    """
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    R = row_sum(r)
    with np.errstate(under="ignore"):
        line: Floats = m + (1 - row_sum(m)) * (r / (R + (R == 0)))
    return line


class Row(NamedTuple):
    """One witness: our rounding in ulps, the defect at its largest, and what the textbook line comes to; all exact."""

    name: str
    sentence: str
    V: int
    ulps: Fraction
    verdict: str
    defect: Fraction
    textbook_ulps: Fraction
    textbook_verdict: str


def witness_table() -> list[Row]:
    """One row per witness, for the paper.

    >>> [row.verdict for row in witness_table()] == ["within the bound"] * len(WITNESSES)
    True
    """
    return [_row(w) for w in WITNESSES]


def _row(w: Witness) -> Row:
    ours, textbook = cross_check(w.p, w.q), cross_check(w.p, w.q, dist=textbook_line(w.p, w.q))
    return Row(
        w.name, w.sentence, len(w.p),
        largest_ulps(ours), ours.verdict, ours.defect.size,
        largest_ulps(textbook), textbook.verdict,
    )  # fmt: skip


def largest_ulps(check: CrossCheck) -> Fraction:
    """The rounding of dist at its largest; the check has one, as its result was a vector of numbers."""
    assert check.rounding is not None
    return check.rounding.ulps
