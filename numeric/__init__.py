"""The same algorithms in floating point: NumPy, its rounding bounds, samplers, the cross-check."""

__samelaw__ = True
