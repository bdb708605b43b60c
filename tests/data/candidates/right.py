"""Masses, each a sum of its own."""

import numpy as np


def emitted(p, q):
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    Q, R = np.maximum(q - p, 0).sum(), r.sum()
    return m + (r / R * Q if R > 0 else 0), m.sum()
