"""The standard rule without a fallback, run on a p that sums to 999/1000: it rejects into a residual without mass.

With both sums equal this cannot happen: p(x) < q(x) somewhere means p > q elsewhere. Rounded or truncated
probabilities do not have equal sums; at p = (499/1000, 1/2), q = (1/2, 1/2) the code divides 0 by 0 and
the draw raises, once in 1,000. On laws it is lossless; returns_draft_when_stuck.py shows one way out.
Field case: zero-residual-reached.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False
