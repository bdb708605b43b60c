"""The draft token is the argmax of q, but the ratio and the residual use the probabilities in q.

The model's softmax looks like the draft law; under greedy drafting the draft law is one-hot at the argmax.
A favourite with p >= q is then always emitted, and no other token is ever proposed.
Right would be a one-hot q in both places (see one_hot_draft.py).
Field case: greedy-draft-soft-q.
"""

import numpy as np


def propose(q):
    """Greedy drafting: the likeliest token, the first one on ties."""
    return int(q.argmax())


def emit(p, q, rng):
    x = propose(q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False
