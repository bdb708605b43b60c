"""Laws in exact arithmetic: int and Fraction.  No rounding, no tolerance."""

from exact.branching import Raised, law_of
from exact.law import Distribution, Law, total_variation
from exact.reading import LawError
from exact.rejection import (
    acceptance,
    emitted_distribution,
    joint,
    overlap,
    rejected_mass,
    rejection_law,
    replacement,
    residual,
)

__samelaw__ = True

__all__ = [
    "Distribution",
    "Law",
    "LawError",
    "Raised",
    "acceptance",
    "emitted_distribution",
    "joint",
    "law_of",
    "overlap",
    "rejected_mass",
    "rejection_law",
    "replacement",
    "residual",
    "total_variation",
]
