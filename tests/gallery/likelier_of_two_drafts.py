"""Two tokens are drawn from q and the likelier one is proposed; ratio and residual use q.

A cheap way to a higher acceptance rate: both candidates come from q, after all. The one that is picked does not: its
law leans towards the likely tokens, and it is tested as if it did not. Even p = q comes out wrong.
No field case; greedy_draft_soft_q.py is the limit of many draws.
"""


def emit(p, q, rng):
    vocab = range(len(q))
    first, second = rng.choices(vocab, weights=q, k=2)
    x = first if q[first] >= q[second] else second
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    lack = [max(p[t] - q[t], 0) for t in vocab]
    return rng.choices(vocab, weights=lack)[0], False
