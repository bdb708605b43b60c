"""As the textbooks write it; 1 - alpha cancels."""

import numpy as np


def emitted(p, q):
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    alpha = m.sum()
    if not r.any():
        return m, alpha
    return m + (1 - alpha) * (r / r.sum()), alpha
