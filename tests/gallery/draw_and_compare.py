"""Correct: the target draws its own token y; the draft counts as accepted if it is the same; y goes out either way.

Reported as biased because no ratio and no residual occur. But what is emitted is y, and y is a draw from p whatever
the drafter does. Its price is speed: the draft is accepted with probability sum p q, below 1 - TV.
Field case: draw-and-compare.
"""


def sample(probs, rng):
    return rng.choices(range(len(probs)), weights=probs)[0]


def emit(p, q, rng):
    drafted = sample(q, rng)
    sampled = sample(p, rng)
    return sampled, sampled == drafted
