"""Correct: recursive rejection with two independent candidates: a rejected one turns the target into the residual.

Two chances for the drafter look like too much of q in the result. Each round is the standard rule for the target that
is left, so whatever round ends it, the emitted law is p. A second candidate equal to the first is rejected again.
No field case; duplicates_skipped.py leaves that rejection out.
"""

import numpy as np


def emit(p, q, rng):
    target = p
    for _ in range(2):
        x = rng.choice(len(q), p=q)
        if rng.random() < min(1, target[x] / q[x]):
            return x
        residual = np.maximum(target - q, 0)
        target = residual / residual.sum()
    return rng.choice(len(target), p=target)
