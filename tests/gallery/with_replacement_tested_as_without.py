"""Two independent candidates from q, but the second is tested as if it had been drawn without the first.

The rejected token is struck out of q before the second test, as the rule for draws without replacement says. But these
candidates are independent: the second can be the first again, and other tokens come less often than assumed.
No field case.
"""

import numpy as np


def normalised(weights):
    return weights / weights.sum() if weights.any() else weights


def emit(p, q, rng):
    a, b = rng.choice(len(q), size=2, p=q)
    if rng.random() * q[a] < p[a]:
        return a
    target = normalised(np.maximum(p - q, 0))
    remaining = q.copy()
    remaining[a] = 0
    remaining = normalised(remaining)
    if rng.random() * remaining[b] < target[b]:
        return b
    residual = np.maximum(target - remaining, 0)
    weights = normalised(residual) if residual.any() else target
    return rng.choice(len(weights), p=weights)
