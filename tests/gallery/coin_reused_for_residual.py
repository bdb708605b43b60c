"""The uniform that decided on acceptance also draws the replacement, by inverse CDF.

One random number per position saves a kernel call. But after a rejection u is known to lie in [p(x)/q(x), 1):
the tokens at the front of the residual are drawn too seldom. The acceptance rate is right.
Where the residual has one possible token nothing shows, so three tokens are needed.
Field case: coin-reused-for-residual.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    u = rng.random()
    if u < p[x] / q[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    cdf = np.cumsum(residual / residual.sum())
    return int(np.argmax(cdf > u)), False
