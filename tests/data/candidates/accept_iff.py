"""It accepts if and only if p >= q; twice, in another order of product and quotient."""

import numpy as np


def product_first(p, q):
    a, r = np.where(p >= q, q, 0), np.maximum(p - q, 0)
    R = r.sum()
    return a + ((1 - a.sum()) * r / R if R > 0 else 0), a.sum()


def quotient_first(p, q):
    a, r = np.where(p >= q, q, 0), np.maximum(p - q, 0)
    R = r.sum()
    return a + ((1 - a.sum()) * (r / R) if R > 0 else 0), a.sum()
