"""Correct: fixed candidates in a fixed order: a passes with p(a), then b with p(b)/(1 - p(a)), then the rest of p.

Looks greedy, since the drafter's two favourites are always tried first and q never enters a ratio. But each test asks
the target for its own conditional law: b is reached with 1 - p(a) and passes with p(b)/(1 - p(a)), in all p(b).
Field case: none of its own; one_hot_draft.py is the same with one candidate.
"""


def favourites(q, count):
    """The ids of the likeliest tokens, ties by id."""
    return sorted(range(len(q)), key=lambda t: (-q[t], t))[:count]


def emit(p, q, rng):
    left = list(p)
    for candidate in favourites(q, 2):
        if rng.random() * sum(left) < left[candidate]:
            return candidate
        left[candidate] = 0
    return rng.choices(range(len(left)), weights=left)[0]
