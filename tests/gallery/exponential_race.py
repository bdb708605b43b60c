"""Correct: draft and replacement are drawn by argmax(weight / E), each with fresh exponential noise E.

An argmax in a sampler looks greedy. The least of independent exponentials with rates w comes from token i with
probability w(i)/sum(w), so each race is one exact draw, and weights need not be normalised.
No field case. Sharing the noise is the fault: gumbel_noise_shared.py.
"""

import numpy as np


def race(weights, rng):
    return int((weights / rng.exponential(size=len(weights))).argmax())


def emit(p, q, rng):
    x = race(q, rng)
    if rng.random() * q[x] < p[x]:
        return x, True
    return race(np.maximum(p - q, 0), rng), False
