"""Plain Python and exact: lists and Fractions, no arrays."""

from fractions import Fraction


def emitted(p, q):
    p, q = (list(map(Fraction, v.tolist())) for v in (p, q))
    m = list(map(min, p, q))
    r = [a - b for a, b in zip(p, m)]
    R, S = sum(r), sum(q)
    if R == 0:
        return [a / sum(p) for a in p], sum(m) / S
    return [(a + (S - sum(m)) * b / R) / S for a, b in zip(m, r)], sum(m) / S
