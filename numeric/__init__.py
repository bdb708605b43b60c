"""The same algorithms in floating point: NumPy, its rounding bounds, samplers, the cross-check."""

from exact.reading import LawError
from numeric.crosscheck import CrossCheck, Summary, cross_check
from numeric.rejection import emitted_distribution, rejection_law, rejection_sample

__samelaw__ = True

__all__ = [
    "CrossCheck",
    "LawError",
    "Summary",
    "cross_check",
    "emitted_distribution",
    "rejection_law",
    "rejection_sample",
]
