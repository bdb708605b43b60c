"""Correct: two candidates drawn without replacement, each tested against the law that it was drawn from.

The second draw depends on the first, which looks like a reason for bias. Given the rejected a, the second candidate
has law q without a, renormalised, and the standard rule for that law and the residual target is exact.
No field case; without_replacement_tested_as_with.py tests the second against q.
"""

import numpy as np


def normalised(weights):
    return weights / weights.sum()


def emit(p, q, rng):
    target, proposal = p, q.copy()
    for _ in range(2):
        if not proposal.any():
            break
        proposal = normalised(proposal)
        x = rng.choice(len(proposal), p=proposal)
        if rng.random() * proposal[x] < target[x]:
            return x
        target = normalised(np.maximum(target - proposal, 0))
        proposal[x] = 0
    return rng.choice(len(target), p=target)
