"""The residual is not divided by its mass."""

import numpy as np


def emitted(p, q):
    m = np.minimum(p, q)
    return m + (1 - m.sum()) * np.maximum(p - q, 0), m.sum()
