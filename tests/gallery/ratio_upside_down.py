"""The acceptance ratio is upside down: min(1, q(x)/p(x)) instead of min(1, p(x)/q(x)).

In texts that call the draft p and the target q the fraction is printed the other way round, and is copied so.
Tokens that the drafter overrates always pass. Where p(x) = 0 the quotient is taken as 1: forbidden tokens pass, too.
Field case: ratio-upside-down.
"""

import numpy as np


def acceptance_probability(target_prob, draft_prob):
    if target_prob == 0:
        return 1
    return min(1, draft_prob / target_prob)


def emit(p, q, rng):
    token = rng.choice(len(q), p=q)
    if rng.uniform() < acceptance_probability(p[token], q[token]):
        return token, True
    adjusted = np.maximum(p - q, 0)
    adjusted = adjusted / adjusted.sum()
    return rng.choice(len(adjusted), p=adjusted), False
