"""Correct: draft and replacement are drawn by argmax(log weight + G), each with fresh Gumbel noise G.

Adding noise to logits and taking the argmax looks like a heuristic; it is an exact draw from the softmax. A token of
weight 0 has logit minus infinity and never wins.
No field case; exponential_race.py is the same without logarithms.
"""

import numpy as np


def gumbel_argmax(weights, rng):
    with np.errstate(divide="ignore"):
        logits = np.log(weights)
    return int(np.argmax(logits + rng.gumbel(size=len(weights))))


def emit(p, q, rng):
    x = gumbel_argmax(q, rng)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    return gumbel_argmax(np.maximum(p - q, 0 * p), rng), False
