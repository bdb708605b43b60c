"""The residual subtracts q at the rejected token only, not everywhere.

"The target said no to x, so draw from the target without x" is right for a one-hot draft and wrong for a sampled one:
the other tokens had their chance to be drafted, too. With two tokens nobody can see it; three are needed.
Field case: remove-only-the-rejected.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < p[x] / q[x]:
        return x, True
    rest = p.copy()
    rest[x] = np.maximum(rest[x] - q[x], 0)
    return rng.choice(len(rest), p=rest / rest.sum()), False
