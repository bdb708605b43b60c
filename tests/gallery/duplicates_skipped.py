"""Two independent candidates; a second one equal to the rejected first is skipped, and the residual is not updated.

A duplicate cannot pass, so testing it looks like wasted work. Skipping the test is fine, skipping the update is not:
the second residual is due after every rejected second candidate, and here a duplicate goes without it.
Right would be to let the duplicate be rejected like any other: two_candidates_recursive.py.
No field case.
"""

import numpy as np


def residual_of(target, q):
    r = np.maximum(target - q, 0)
    return r / r.sum()


def emit(p, q, rng):
    target, tried = p, set()
    for x in [rng.choice(len(q), p=q) for _ in range(2)]:
        if x in tried:
            continue
        if rng.random() * q[x] < target[x]:
            return x
        tried.add(x)
        target = residual_of(target, q)
    return rng.choice(len(target), p=target)
