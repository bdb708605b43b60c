# spec_step.py -- minimal speculative sampling, no dependencies.
#
# p : target model probabilities, q : draft model probabilities
# (plain lists of floats over the same vocabulary).
# Call random.seed(...) first if you want reproducible output.

import random

TINY = 1e-12  # keeps the ratio finite where the draft puts no mass


def sample(weights):
    """Draw an index with probability proportional to weights."""
    return random.choices(range(len(weights)), weights=weights)[0]


def propose(q):
    return sample(q)


def acceptance_ratios(p, q):
    """p/q for every token; > 1 means the draft under-proposes that token."""
    return [pi / max(qi, TINY) for pi, qi in zip(p, q)]


def leftover(p, q):
    """Weights for the correction draw: only tokens the draft under-proposes."""
    ratios = acceptance_ratios(p, q)
    excess = [max(0.0, r - 1.0) for r in ratios]
    if not any(excess):
        return p  # p and q agree (up to rounding)
    return excess  # random.choices normalises for us


def verify_token(token, p, q):
    """Return (token, accepted). `token` must have been drawn from q."""
    ratio = acceptance_ratios(p, q)[token]
    if random.random() < min(1.0, ratio):
        return token, True
    return sample(leftover(p, q)), False


def speculative_step(p, q):
    """Draft one token from q, check it against p, return the emitted token."""
    if len(p) != len(q):
        raise ValueError("p and q must cover the same vocabulary")
    token, _ = verify_token(propose(q), p, q)
    return token
