"""Correct: the draft is treated as one-hot: x passes with probability p(x), otherwise p without x is sampled.

Reported as biased because q appears neither in the test nor in the residual. Given x, the draft law is one-hot at x,
and the standard rule for that law is exactly this. It holds wherever x comes from: greedy, n-gram, or sampled from q.
Its price is speed: a sampled draft is accepted with probability sum p q, below 1 - TV.
Field case: one-hot-draft.
"""


def emit(p, q, rng):
    x = rng.multinomial(1, q).argmax()
    if rng.random() < p[x]:
        return x, True
    rest = p.copy()
    rest[x] = 0
    return rng.choice(len(rest), p=rest / rest.sum()), False
