"""Correct: the standard rule again, in another style: tests by u * q < p, and a residual drawn by inverse CDF.

Without a quotient nothing is divided by 0, and the residual needs no normalising: u times its mass is looked up in its
running sums. On disjoint supports every draft is rejected and the residual is p itself.
Field case: standard-rule-disjoint.
"""


def inverse_cdf(weights, u):
    """The token in whose cell u * sum(weights) lies; cells are half open, so a token without weight has none."""
    point = u * sum(weights)
    reached = 0
    for token, weight in enumerate(weights):
        reached += weight
        if point < reached:
            return token
    raise ValueError("no weight at all")


def emit(p, q, rng):
    x = inverse_cdf(q, rng.random())
    if rng.random() * q[x] < p[x]:
        return x, True
    surplus = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
    return inverse_cdf(surplus, rng.random()), False
