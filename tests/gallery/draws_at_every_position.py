"""Correct, sequence: coins and replacements are drawn for all positions at once, and at most one replacement is read.

Batched code samples first and looks afterwards; it looks as if replacements influenced each other or were chosen
among. The first failed coin decides which one is read, and coins and replacements are independent of each other.
No field case.
"""

import numpy as np

STEPS = 2


def replacement(target, draft, rng):
    """A draw from the residual; where that has no mass it will not be read, and any law will do."""
    residual = np.maximum(target - draft, 0)
    weights = residual if residual.any() else target
    return rng.choice(len(weights), p=weights / weights.sum())


def emit(p, q, rng):
    x = ()
    for _ in range(STEPS):
        x = (*x, rng.choice(len(q(x)), p=q(x)))
    targets = [p(x[:i]) for i in range(STEPS + 1)]
    drafts = [q(x[:i]) for i in range(STEPS)]
    coins = rng.random(STEPS)
    spare = [replacement(targets[i], drafts[i], rng) for i in range(STEPS)]
    spare.append(rng.choice(len(targets[STEPS]), p=targets[STEPS]))
    failed = [i for i in range(STEPS) if coins[i] * drafts[i][x[i]] >= targets[i][x[i]]]
    n = failed[0] if failed else STEPS
    return [*x[:n], spare[n]]
