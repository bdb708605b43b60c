"""Sequence: after a rejection the loop goes on, and tests the remaining drafts with the laws of the drafted prefix.

The first token is right, and so is each test for the prefix it was made for. But the replacement has changed the
prefix: what follows it continues a text that was not emitted. If p and q do not depend on the prefix nothing shows.
No field case.
"""

import numpy as np

STEPS = 2


def verify(x, target, draft, rng):
    if rng.random() < min(1, target[x] / draft[x]):
        return x
    residual = np.maximum(target - draft, 0)
    return rng.choice(len(target), p=residual / residual.sum())


def emit(p, q, rng):
    drafted = []
    for _ in range(STEPS):
        drafted = [*drafted, rng.choice(len(q(drafted)), p=q(drafted))]
    out = []
    for i, x in enumerate(drafted):
        out = [*out, verify(x, p(drafted[:i]), q(drafted[:i]), rng)]
    if out == drafted:
        out = [*out, rng.choice(len(p(out)), p=p(out))]
    return out
