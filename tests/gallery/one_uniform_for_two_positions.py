"""Sequence: one uniform is drawn per call and compared with the ratio at every position.

A single coin is uniform at each position, so each test taken alone is right. Together they are not: after an
acceptance u is known to be small, and the next token passes too often. The first token's law is right.
No field case.
"""

STEPS = 2


def pick(weights, rng):
    return rng.choices(range(len(weights)), weights=weights)[0]


def emit(p, q, rng):
    coin = rng.random()
    out = []
    while len(out) < STEPS:
        target, draft = p(out), q(out)
        x = pick(draft, rng)
        if coin * draft[x] >= target[x]:
            return [*out, pick([max(a - b, 0) for a, b in zip(target, draft, strict=True)], rng)]
        out = [*out, x]
    return [*out, pick(p(out), rng)]
