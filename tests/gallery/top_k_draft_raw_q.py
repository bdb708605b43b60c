"""The draft is sampled from q cut to its two likeliest tokens, but the ratio and the residual use the uncut q.

The sampler of the drafter cuts on its own, and what it hands over to the verifier is the raw softmax.
Drafted tokens come more often than q says, cut ones never. Right would be to hand over the cut law.
Field case: top-k-draft-raw-q.
"""

import numpy as np

TOP_K = 2


def top_k(probs, k):
    """probs with all but its k largest entries (the first ones on ties) set to zero, renormalised."""
    keep = np.argsort(-probs, kind="stable")[:k]
    cut = 0 * probs
    cut[keep] = probs[keep]
    return cut / cut.sum()


def emit(p, q, rng):
    draft = rng.choice(len(q), p=top_k(q, TOP_K))
    u = rng.random()
    if u < min(1, p[draft] / q[draft]):
        return draft, True
    resample = np.clip(p - q, 0, None)
    return rng.choice(len(p), p=resample / resample.sum()), False
