"""Right up to three tokens; from four on the last one is forgotten."""

import numpy as np


def emitted(p, q):
    dist = p.copy()
    if len(p) > 3:
        dist[0] += dist[-1]
        dist[-1] = 0
    return dist, np.minimum(p, q).sum()
