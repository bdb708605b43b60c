"""Sequence: from the second position on, ratio and residual use the q of the position before.

The list of draft laws starts with the one from the prefill, which is stored once more in the loop: all later entries
sit one place too late. The first position is right, and so is everything if q does not depend on the prefix.
No field case.
"""

import numpy as np

STEPS = 2


def sample(weights, rng):
    return rng.choice(len(weights), p=weights / weights.sum())


def emit(p, q, rng):
    drafted = []
    laws = [q(drafted)]
    for _ in range(STEPS):
        laws.append(q(drafted))
        drafted = [*drafted, sample(laws[-1], rng)]
    for i, x in enumerate(drafted):
        target, draft = p(drafted[:i]), laws[i]
        if rng.random() * draft[x] >= target[x]:
            residual = np.maximum(target - draft, 0)
            return [*drafted[:i], sample(residual if residual.any() else target, rng)]
    return [*drafted, sample(p(drafted), rng)]
