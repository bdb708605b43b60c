"""Two candidates drawn without replacement, but the second one is tested against q as it was before the first draw.

Recursive rejection reads: test b against q, then subtract q. That is for independent candidates. Here b was drawn from
q without a, renormalised, so b comes more often than q(b) says and passes too often.
With two tokens the second candidate is the only one left, and nothing shows.
No field case.
"""

import numpy as np


def without(q, a):
    """q with token a taken out, renormalised; all zero if a was all there is."""
    rest = q.copy()
    rest[a] = 0
    return rest / rest.sum() if rest.any() else rest


def emit(p, q, rng):
    target, proposal = p, q
    for _ in range(2):
        if not proposal.any():
            break
        x = rng.choice(len(proposal), p=proposal)
        if rng.random() * q[x] < target[x]:
            return x
        target = np.maximum(target - q, 0)
        target = target / target.sum()
        proposal = without(proposal, x)
    return rng.choice(len(target), p=target)
