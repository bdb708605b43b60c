"""Correct, sequence: the standard rule token by token, up to the first rejection, with a bonus token at the end.

Each position is the one-token theorem given the prefix that was accepted, and after a rejection everything behind it
is thrown away. The bonus token comes from the target's law behind the whole draft.
No field case; standard_rule.py is one position of it.
"""

import numpy as np

STEPS = 2


def sample(weights, rng):
    return rng.choice(len(weights), p=weights / weights.sum())


def emit(p, q, rng):
    drafts = []
    for _ in range(STEPS):
        drafts = [*drafts, sample(q(drafts), rng)]
    accepted = []
    for x in drafts:
        target, draft = p(accepted), q(accepted)
        if rng.random() * draft[x] >= target[x]:
            residual = np.maximum(target - draft, 0)
            return [*accepted, sample(residual if residual.any() else target, rng)]
        accepted = [*accepted, x]
    return [*accepted, sample(p(accepted), rng)]
