"""A draft token is accepted if p(x) > 1/4, without a coin and whatever q is; otherwise the residual is drawn.

Typical acceptance in its simplest form: what the target finds plausible may pass. It is a deliberate trade of the law
for speed; the residual below it does not make it lossless. (The fallback is for rejections at p = q.)
No field case; accept_iff_p_at_least_q.py is its relative.
"""

import numpy as np

THRESHOLD = 0.25


def typical(p, x):
    return p[x] > THRESHOLD


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if typical(p, x):
        return x, True
    residual = np.maximum(p - q, 0)
    if not residual.any():
        residual = p
    return rng.choice(len(p), p=residual / residual.sum()), False
