"""The right tokens; alpha is its complement."""

import numpy as np


def emitted(p, q):
    return p, np.maximum(p - q, 0).sum()
