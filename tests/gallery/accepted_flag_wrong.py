"""The tokens are right, but the reported acceptance is not: the test is read off from the token that goes out.

For the statistics the comparison is made once more at the end, with token instead of the draft. A replacement has
p > q and always passes it, so every call counts as accepted. Acceptance above 1 - TV(p, q) is impossible for a
lossless verifier, which is how such a figure is found out.
No field case.
"""

import numpy as np


def draft(q, rng):
    return rng.choice(len(q), p=q)


def emit(token, p, q, rng):
    u = rng.random()
    if u * q[token] >= p[token]:
        residual = np.maximum(p - q, 0)
        token = rng.choice(len(p), p=residual / residual.sum())
    accepted = u * q[token] < p[token]
    return token, accepted
