"""After a rejection the replacement is drawn from p instead of from the residual (p - q)^+.

"The target has the last word" sounds safe. But the accepted tokens have already used up a part of p: a token that
the drafter overrates gets its full share by acceptance and then once more by the draw.
It is right by luck where q is proportional to p on the support of p, as in (1/2, 1/2, 0) and (1/4, 1/4, 1/2).
Field case: resample-from-p.
"""


def sample(weights, rng):
    return rng.choices(range(len(weights)), weights=weights, k=1)[0]


def emit(p, q, rng):
    draft = sample(q, rng)
    if rng.random() < min(1, p[draft] / q[draft]):
        return draft, True
    return sample(p, rng), False
