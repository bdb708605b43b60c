"""The residual is not normalised before its inverse CDF is taken: the look-up can run off the end and return V.

searchsorted never fails, it answers len(cdf) for numbers beyond the last sum. Since (p - q)^+ sums to TV(p, q), this
happens with probability 1 - TV per rejection: a token id that does not exist, often one of the padded vocabulary.
No field case.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    cdf = np.cumsum(np.maximum(p - q, 0))
    return int(np.searchsorted(cdf, rng.random(), side="right")), False
