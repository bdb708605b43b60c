"""Sequence: after n accepted tokens the residual is formed from the rows n - 1 instead of n.

The index of the last accepted token is taken for that of the rejected one. At n = 0 the index -1 wraps round to the
last rows, and nothing raises. The acceptance tests are right, so the acceptance rate looks right, too.
No field case.
"""

import numpy as np

STEPS = 2


def draw(w, rng):
    return rng.choice(len(w), p=w / w.sum())


def emit(p, q, rng):
    x, q_rows = [], []
    for _ in range(STEPS):
        q_rows.append(q(tuple(x)))
        x.append(draw(q_rows[-1], rng))
    p_rows = [p(tuple(x[:i])) for i in range(STEPS + 1)]
    n = 0
    while n < STEPS and rng.random() * q_rows[n][x[n]] < p_rows[n][x[n]]:
        n += 1
    if n == STEPS:
        return [*x, draw(p_rows[n], rng)]
    residual = np.maximum(p_rows[n - 1] - q_rows[n - 1], 0)
    return [*x[:n], draw(residual if residual.any() else p_rows[n], rng)]
