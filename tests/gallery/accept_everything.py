"""Every draft token is accepted: max stands where min should, so the coin is compared with at least 1.

The acceptance rate of 100 per cent reads like a good drafter. What comes out is the draft law, not the target's;
the residual below is never reached.
Field case: accept-everything.
"""


def residual_weights(p, q):
    return [max(a - b, 0) for a, b in zip(p, q, strict=True)]


def emit(p, q, rng):
    vocab = range(len(q))
    token = rng.choices(vocab, weights=q)[0]
    if rng.random() < max(1, p[token] / q[token]):
        return token, True
    return rng.choices(vocab, weights=residual_weights(p, q))[0], False
