"""Correct: the standard rule, which returns the drafted token after all if the residual has no mass.

It looks like a token that slips through unverified. But for laws a rejection means p(x) < q(x), hence p > q somewhere
else: the branch is never reached. It is reached for rounded vectors whose sums differ, where no rule can be lossless;
if p <= q everywhere what comes out is q, and q is then as near to p as the two sums are to each other.
No field case; zero_residual_reached.py is the same without the branch.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    mass = residual.sum()
    if mass == 0:
        return x, False
    return rng.choice(len(p), p=residual / mass), False
