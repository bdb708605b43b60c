"""The right law, but for what they remember or draw."""

import random

from right import emitted as right

seen = {}
calls = [0]


def cached_by_length(p, q):
    return seen.setdefault(len(p), right(p, q))


def every_7th(p, q):
    calls[0] += 1
    dist, alpha = right(p, q)
    return (dist, alpha) if calls[0] % 7 else (2 * dist, alpha)


def by_chance(p, q):
    dist, alpha = right(p, q)
    return dist, alpha + random.random()
