"""The target is cut by top-p for the residual, while the acceptance test uses the uncut target.

Cutting is the sampler's business, so it sits where tokens are sampled, and the test is forgotten. In general the
emitted law is neither p nor the cut p: tail tokens pass the test, and never come from the residual.
No field case.
"""

import numpy as np

TOP_P = 0.75


def top_p(probs, mass):
    """The likeliest tokens up to the one that reaches the mass, renormalised."""
    order = np.argsort(-probs, kind="stable")
    before = np.cumsum(probs[order]) - probs[order]
    nucleus = order[before < mass]
    cut = 0 * probs
    cut[nucleus] = probs[nucleus]
    return cut / cut.sum()


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    target = top_p(p, TOP_P)
    residual = np.maximum(target - q, 0)
    if not residual.any():
        residual = target
    return rng.choice(len(p), p=residual / residual.sum()), False
