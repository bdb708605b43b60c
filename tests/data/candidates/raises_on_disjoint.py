"""It takes a good draft for granted."""

import numpy as np


def emitted(p, q):
    alpha = np.minimum(p, q).sum()
    if alpha == 0:
        raise ValueError(f"nothing in common: {object()}")
    return p, alpha
