"""Correct, sequence: drafting stops after a token with q(x) < 1/2, and that token is still verified.

Taken for biased because the length of the draft depends on the drafted tokens. It does so only through tokens that
are already in the draft: every token that is drawn is tested, and the next law is p's or the residual's.
Dropping the unsure token unseen is the fault: low_confidence_draft_dropped.py.
"""

import numpy as np

STEPS = 2
MIN_CONFIDENCE = 0.5


def draft_tokens(q, rng):
    drafted = []
    while len(drafted) < STEPS:
        law = q(drafted)
        x = rng.choice(len(law), p=law)
        drafted = [*drafted, x]
        if law[x] < MIN_CONFIDENCE:
            break
    return drafted


def emit(p, q, rng):
    drafted = draft_tokens(q, rng)
    for i, x in enumerate(drafted):
        prefix = drafted[:i]
        target, draft = p(prefix), q(prefix)
        if rng.random() >= min(1, target[x] / draft[x]):
            residual = np.maximum(target - draft, 0)
            return [*prefix, rng.choice(len(target), p=residual / residual.sum())]
    bonus = p(drafted)
    return [*drafted, rng.choice(len(bonus), p=bonus)]
