"""The residual is (q - p)^+ instead of (p - q)^+.

The ratio divides p by q and the difference subtracts p from q, since in the paper at hand the letters are swapped.
The replacement is then a token that the drafter overrates already, often the rejected one itself.
No field case.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    difference = np.where(q > p, q - p, 0 * p)
    return rng.choice(len(difference), p=difference / difference.sum()), False
