"""The right tokens; alpha is the probability of a match of independent draws."""


def emitted(p, q):
    return p, float(p @ q)
