"""A draft token is accepted if and only if p(x) >= q(x), without a coin.

"Keep what the target likes at least as much" sounds like the rule in words. A token that the drafter overrates is
then never emitted at all, although the target does give it p(x).
Field case: accept-iff-p-at-least-q.
"""


def emit(p, q, rng):
    vocab = list(range(len(p)))
    (x,) = rng.choices(vocab, weights=q)
    if p[x] >= q[x]:
        return x, True
    surplus = [max(p[t] - q[t], 0) for t in vocab]
    (y,) = rng.choices(vocab, weights=surplus)
    return y, False
