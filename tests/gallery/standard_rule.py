"""Correct: accept the drafted x with probability min(1, p(x)/q(x)), on rejection draw from the residual (p - q)^+.

Accepted mass is min(p, q) per token, and what is missing to p is the residual: the emitted law is p, for every pair.
No rule that drafts from q accepts more often than 1 - TV, and this one does accept that often.
The fallback is for floats, whose sums can differ by a rounding: with equal sums it is never reached.
Field case: standard-rule.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    if residual.sum() == 0:
        residual = p
    return rng.choice(len(p), p=residual / residual.sum()), False
