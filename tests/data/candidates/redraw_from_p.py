"""On rejection it draws from p."""

import numpy as np


def emitted(p, q):
    m = np.minimum(p, q)
    return m + (1 - m.sum()) * p, m.sum()
