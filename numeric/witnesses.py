"""A few float64 pairs, stored bit for bit, on which floating point shows what it does to the law.

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
