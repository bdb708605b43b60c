"""The inverse CDF of the residual compares before it adds: each cell is credited to the token after it.

The loop always ends and always returns a valid token, so nothing breaks. Token 0 never comes out of the residual;
the last token gets its own share and that of the token before it.
No field case.
"""


def sample(weights, rng):
    point = rng.random() * sum(weights)
    acc = 0
    for i, weight in enumerate(weights):
        if point < acc:
            return i
        acc += weight
    return len(weights) - 1


def emit(p, q, rng):
    x = rng.choices(range(len(q)), weights=q)[0]
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    return sample([max(a - b, 0) for a, b in zip(p, q, strict=True)], rng), False
