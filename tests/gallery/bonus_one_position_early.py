"""Sequence: the extra token after a fully accepted draft is drawn from the target's law of the last drafted position.

The list of target laws is one short, and target[-1] is the law that has just been used for the test.
It is a law of the target, so single tokens look plausible; where p does not depend on the prefix it is even right.
No field case.
"""

import numpy as np

STEPS = 2


def draw(law, rng):
    return rng.choice(len(law), p=law)


def emit(p, q, rng):
    tokens = ()
    for _ in range(STEPS):
        tokens = (*tokens, draw(q(tokens), rng))
    target = [p(tokens[:i]) for i in range(STEPS)]
    draft = [q(tokens[:i]) for i in range(STEPS)]
    for i, x in enumerate(tokens):
        if rng.random() >= min(1, target[i][x] / draft[i][x]):
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i], draw(r / r.sum(), rng)]
    return [*tokens, draw(target[-1], rng)]
