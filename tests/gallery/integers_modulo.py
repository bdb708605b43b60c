"""The replacement is picked from the tokens with p > q by a random nibble modulo their number.

Two slips in one line. The tokens of the residual are taken as equally likely, although their weights p - q differ;
and 16 is no multiple of 3, so of three such tokens the first is picked 6 times in 16.
With two tokens there is one to pick from, and nothing shows.
No field case.
"""

import numpy as np


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() * q[x] < p[x]:
        return x, True
    lacking = np.flatnonzero(p > q)
    return lacking[rng.integers(16) % len(lacking)], False
