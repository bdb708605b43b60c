"""Every entry of the residual is raised to at least 1/100000 before it is normalised.

The floor keeps a division or a logarithm from blowing up. It also gives each token without residual mass, among them
the rejected one, a chance of about 1 in 100,000 per rejection: too rare for a test that draws samples.
Field case: residual-floored.
"""

import numpy as np

FLOOR = 100_000


def floored(weights):
    """Weights in units of 1/FLOOR, each at least one unit."""
    return np.maximum(weights * FLOOR, 1)


def emit(p, q, rng):
    draft_id = rng.choice(len(q), p=q)
    if rng.random() < np.minimum(1, p[draft_id] / q[draft_id]):
        return draft_id, True
    weights = floored(p - q)
    return rng.choice(len(p), p=weights / weights.sum()), False
