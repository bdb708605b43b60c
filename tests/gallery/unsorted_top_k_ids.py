"""The replacement is drawn from the residual sorted by size, and its rank is returned as if it were the token id.

Samplers sort before they cut by top-k or top-p, and work on ranks. The last step, order[rank], is missing: whenever
the residual is not sorted already, mass goes to the wrong tokens.
No field case.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    order = np.argsort(-residual, kind="stable")
    sorted_probs = residual[order] / residual.sum()
    rank = rng.choice(len(order), p=sorted_probs)
    return rank, False
