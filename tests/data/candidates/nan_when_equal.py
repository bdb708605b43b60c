"""0/0 where q = p."""

import numpy as np


def emitted(p, q):
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    return m + (1 - m.sum()) * (r / r.sum()), m.sum()
