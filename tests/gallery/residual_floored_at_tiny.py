"""The residual is floored at the least normal float, 2^-1022, so that its sum is never zero.

No sample will ever show the difference, and with real generators the draw behaves like the right one. The law has it
all the same: a token with residual 0, p(x) = 0 among them, has mass 2^-1022 per rejection instead of none.
Field case: none of its own; residual_floored.py is the same with a floor that can be felt.
"""

import numpy as np

ARRAYS = "numpy"
TINY = np.finfo(float).tiny


def emit(p, q, rng):
    token = rng.choice(len(q), p=q)
    accepted = rng.random() < min(1, p[token] / q[token])
    if not accepted:
        recovered = np.maximum(p - q, TINY)
        token = rng.choice(len(p), p=recovered / recovered.sum())
    return token, accepted
