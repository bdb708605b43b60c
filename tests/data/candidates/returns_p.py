"""No sampler at all, and no pair can tell."""

import numpy as np


def emitted(p, q):
    return p, np.minimum(p, q).sum()
