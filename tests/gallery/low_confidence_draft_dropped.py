"""A drafted token with q(x) < 1/2 is dropped unseen and the target is sampled instead; otherwise the standard rule.

Not proposing what one is unsure of looks harmless, since the target speaks for itself then. But whether to propose is
decided after the token has been drawn: surviving proposals are the likely tokens, on top of their fair share.
Stopping after such a token, and still verifying it, is right: stop_after_low_confidence.py.
Field case: low-confidence-draft-dropped.
"""

import numpy as np

MIN_CONFIDENCE = 0.5


def verify(x, p, q, rng):
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if q[x] < MIN_CONFIDENCE:
        return rng.choice(len(p), p=p), False
    return verify(x, p, q, rng)
