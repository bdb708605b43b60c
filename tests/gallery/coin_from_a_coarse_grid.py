"""The acceptance coin has four random bits: u = k/16, k = 0 .. 15.

A few bits left over from another draw seem to be enough for a yes or no. The test u < p(x)/q(x) then passes with
probability ceil(16 p/q)/16: right where the ratio is a multiple of 1/16, too often everywhere else.
No field case; every generator has such a grid, with 24 or 53 bits instead of 4.
"""

import numpy as np

BITS = 4


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    k = rng.integers(2**BITS)
    if k * q[x] < 2**BITS * p[x]:
        return x, True
    r = np.maximum(p - q, 0)
    return rng.choice(len(r), p=r / r.sum()), False
