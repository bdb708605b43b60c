"""The test is u <= p(x)/q(x) on a uniform that can be exactly 0: a token with p(x) = 0 passes once in 2^24.

For real numbers < and <= are the same, so the test looks like a matter of taste. On the grid k/2^24 that float32
generators draw from, u = 0 has mass. Strictly less is right for [0,1); at most is right for (0,1].
Field case: inclusive-test-at-u-zero.
"""

import numpy as np

UNIFORM = "24 [0,1)"


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    u = rng.random(dtype=np.float32)
    if u <= p[x] / q[x]:
        return x, True
    r = np.maximum(p - q, 0)
    return rng.choice(len(r), p=r / r.sum()), False
