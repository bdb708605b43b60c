"""An extra clause accepts the draft also when a token sampled from p happens to be the same.

Each half alone is a correct verifier. Joined by "or" they accept with probability 1 - (1 - p(x))(1 - a(x)), a(x) being
min(1, p(x)/q(x)): more than is due wherever the ratio test can fail.
No field case.
"""

import numpy as np


def emit(p, q, rng):
    drafted = rng.choice(len(q), p=q)
    target_token = rng.choice(len(p), p=p)
    u = rng.random()
    if target_token == drafted or u < min(1, p[drafted] / q[drafted]):
        return drafted, True
    adjusted = np.maximum(p - q, 0)
    return rng.choice(len(p), p=adjusted / adjusted.sum()), False
