"""After a rejection q[x] is set to zero in place, before the residual (p - q)^+ is formed from that array.

The line is meant to keep the drafter from proposing x again. The residual then reads q(x) = 0 and gives the
rejected token its whole p(x) once more. The caller's q is changed as well.
No field case.
"""

import numpy as np


def mask_out(probs, token):
    probs[token] = 0


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    mask_out(q, x)
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False
