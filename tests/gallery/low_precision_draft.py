"""The draft is sampled from a rounded copy r of q, but the ratio and the residual use q.

Half precision is good enough for the drafter, so people think; but only if the verifier is given the rounded law.
Here r keeps logits in sixteenths and running sums in 1/256, the last possible token taking what is left:
log(1/2) becomes -11/16, whose exponential is 129/256 after rounding, so (1/2, 1/2) is drawn from (129/256, 127/256).
Field case: low-precision-draft.
"""

import numpy as np

ARRAYS = "numpy"


def low_precision(q):
    """The law that the drafter samples from: q through rounded logits and a rounded cumulative table."""
    with np.errstate(divide="ignore"):
        logits = np.round(np.log(q) * 16) / 16
    table = np.minimum(np.cumsum(np.round(np.exp(logits) * 256)), 256)
    table[np.flatnonzero(q)[-1] :] = 256
    return np.diff(table, prepend=0) / 256


def emit(p, q, rng):
    x = rng.choice(len(q), p=low_precision(q))
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    r = np.maximum(p - q, 0)
    return rng.choice(len(p), p=r / r.sum()), False
