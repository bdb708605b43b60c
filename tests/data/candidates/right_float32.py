"""The same in single precision, as most models compute."""

import numpy as np


def emitted(p, q):
    p, q = p.astype(np.float32), q.astype(np.float32)
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    R = r.sum()
    return m + (r / R * np.maximum(q - p, 0).sum() if R > 0 else 0), m.sum()
