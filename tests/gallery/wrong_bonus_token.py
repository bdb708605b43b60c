"""Sequence: when every drafted token has been accepted, the extra token is drawn from q instead of p.

The drafter has the next law at hand already, so the bonus token seems to be free. It is drawn unverified: the token
after a fully accepted draft has the drafter's law. A check of the first token never sees it.
No field case.
"""

import numpy as np

STEPS = 2


def emit(p, q, rng):
    prefix = []
    for _ in range(STEPS):
        target, draft = p(prefix), q(prefix)
        x = rng.choice(len(draft), p=draft)
        if rng.random() * draft[x] >= target[x]:
            residual = np.maximum(target - draft, 0)
            return [*prefix, rng.choice(len(target), p=residual / residual.sum())]
        prefix = [*prefix, x]
    bonus = q(prefix)
    return [*prefix, rng.choice(len(bonus), p=bonus)]
