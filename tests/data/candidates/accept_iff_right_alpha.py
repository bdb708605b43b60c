"""No coin: a draft token is accepted where p >= q; alpha is what the theorem says."""

import numpy as np


def emitted(p, q):
    r = np.maximum(p - q, 0)
    accepted = np.where(p >= q, q, 0)
    replacement = r / r.sum() if r.any() else p
    return accepted + (q - accepted).sum() * replacement, np.minimum(p, q).sum()
