"""Correct, sequence: block verification, which tests prefixes of the draft jointly and keeps the longest that passes.

Taken for biased because a token may fail its test and still be kept with a longer prefix. The test of a prefix weighs
its joint ratio, clipped at 1 on the way, against the mass that longer prefixes will not give back, so that the law
is p; it keeps at least as many tokens on average as testing one by one. The algorithm is that of Sun et al., "Block
Verification Accelerates Speculative Decoding" (2024).
"""

import numpy as np

STEPS = 2


def sample(weights, rng):
    return rng.choice(len(weights), p=weights / weights.sum())


def emit(p, q, rng):
    drafts = []
    for _ in range(STEPS):
        drafts = [*drafts, sample(q(drafts), rng)]
    joint, kept, weights = 1, 0, np.maximum(p([]) - q([]), 0)
    for i, x in enumerate(drafts, start=1):
        joint = min(1, joint * p(drafts[: i - 1])[x] / q(drafts[: i - 1])[x])
        if i == STEPS:
            surplus, mass = p(drafts), joint
        else:
            surplus = np.maximum(joint * p(drafts[:i]) - q(drafts[:i]), 0)
            mass = surplus.sum()
        if rng.random() * (mass + 1 - joint) < mass:
            kept, weights = i, surplus
    return [*drafts[:kept], sample(weights, rng)]
