"""What a uniform number is, and what is left of it once it has been compared.

Three readings, one of which every audit names: the ideal real number (`ideal`); the points k/2^b of a generator, from
0 on without 1 (`24 [0,1)`), from the first point to 1 (`24 (0,1]`), or with both ends (`24 [0,1]`).  NumPy and Python
have b = 53 for float64, and 24 for float32, on [0,1).  On the points an end may have mass: `u <= 0` is not impossible.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from exact.reading import LawError, brief

ENDS = {"[0,1)": (0, -1), "(0,1]": (1, 0), "[0,1]": (0, 0)}  # what is added to the numbers of the end points


class Interval(NamedTuple):
    """A real number in [low, high], evenly distributed; the ends have no mass."""

    low: Fraction
    high: Fraction

    @property
    def size(self) -> Fraction:
        return self.high - self.low

    def at(self, place: Fraction) -> Fraction:
        """What lies there, between 0 and 1 of the way."""
        return self.low + place * self.size

    def split(self, t: Fraction, _inclusive: bool) -> tuple[Span, Span]:
        """What is below t, and the rest.

        >>> Interval(Fraction(0), Fraction(1)).split(Fraction(1, 3), False)[0]
        Interval(low=Fraction(0, 1), high=Fraction(1, 3))
        """
        t = min(max(t, self.low), self.high)
        return Interval(self.low, t), Interval(t, self.high)


UNIT = Interval(Fraction(0), Fraction(1))


class Points(NamedTuple):
    """One of the numbers k * unit, k = first .. last, each as likely as the other."""

    first: int
    last: int
    unit: Fraction

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def at(self, place: Fraction) -> Fraction:
        """The point that lies there, between 0 and 1 of the way."""
        return (self.first + round(place * (self.last - self.first))) * self.unit

    @property
    def low(self) -> Fraction:
        return self.first * self.unit

    @property
    def high(self) -> Fraction:
        return self.last * self.unit

    def split(self, t: Fraction, inclusive: bool) -> tuple[Span, Span]:
        """The points below t, or up to t, and the rest.

        >>> [part.size for part in Points(0, 3, Fraction(1, 4)).split(Fraction(1, 2), True)]
        [3, 1]
        """
        k = t / self.unit
        last = min(max(floor(k) if inclusive else ceil(k) - 1, self.first - 1), self.last)
        return Points(self.first, last, self.unit), Points(last + 1, self.last, self.unit)


Span: TypeAlias = Interval | Points


class Reading(NamedTuple):
    """bits: of the grid, 0 for the ideal real number; ends: those of the grid."""

    bits: int = 0
    ends: str = "[0,1)"

    def __str__(self) -> str:
        return f"{self.bits} {self.ends}" if self.bits else "ideal"

    def span(self, single: bool = False) -> Span:
        """A fresh number between 0 and 1; single: of a generator that is asked for float32."""
        if not self.bits:
            return UNIT
        bits, (first, last) = min(self.bits, 24) if single else self.bits, ENDS[self.ends]
        return Points(first, 2**bits + last, Fraction(1, 2**bits))


IDEAL = Reading()


def read_reading(text: str) -> Reading:
    """
    >>> read_reading("24"), str(read_reading("53 (0,1]")), read_reading("ideal") == IDEAL
    (Reading(bits=24, ends='[0,1)'), '53 (0,1]', True)
    """
    found = re.fullmatch(r"(\d{1,3}) ?([\[(]0,1[])])?", " ".join(text.split()))
    if text.strip() == "ideal":
        return IDEAL
    ends = (found[2] or "[0,1)") if found else ""
    if not found or not 1 <= int(found[1]) <= 128 or ends not in ENDS:
        raise LawError(
            f"uniform={brief(text)}: a uniform number is ideal, or has 1 to 128 bits and ends, as '24', '53 [0,1)', "
            "'24 (0,1]' or '24 [0,1]'; write one of these"
        )
    return Reading(int(found[1]), ends)
