"""Acceptance with lenience 2, min(1, 2 p(x)/q(x)), and on rejection a draw from p.

Lenience trades exactness for speed on purpose; it is reported here because the word lossless often stays in the text.
No replacement law repairs it: a token with q(x) > 2 p(x) is kept with mass 2 p(x), and no draw can take mass away.
Field case: lenience-2-resample-p.
"""

LENIENCE = 2


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    keep = rng.random() * q[x] < LENIENCE * p[x]
    if keep:
        return x, True
    return rng.choice(len(p), p=p), False
