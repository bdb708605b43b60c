"""The draft token and the replacement are both drawn by argmax(weight / E) with the same exponential noise E.

Noise per request (log-space: the same Gumbel noise) makes runs reproducible, and each race alone has the right law.
But given that x won the race over q, the noise of the losers is known to be large where q is large, and the race over
the residual is no longer fair. With two tokens the residual has one possible token and nothing shows.
No field case. Fresh noise is right: exponential_race.py.
"""

import numpy as np


def race(weights, noise):
    return int((weights / noise).argmax())


def emit(p, q, rng):
    noise = rng.exponential(size=len(p))
    x = race(q, noise)
    if rng.random() * q[x] < p[x]:
        return x, True
    return race(np.maximum(p - q, 0), noise), False
