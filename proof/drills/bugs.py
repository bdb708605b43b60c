"""Five wrong verifiers, for somebody to find the pair that shows it; each is a rule of the table, as a program.

Their text is part of a starter file, and so nothing in it says which rule it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import lcm
from typing import Any

import numpy as np

from exact.reading import Numbers
from exact.rules import RULES, smallest_wrong
from exact.search import Pair

# mypy: disable-error-code="no-untyped-def"


def verifier_a(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() * q[x] < p[x]:
        return x
    difference = np.abs(p - q)
    return rng.choice(len(p), p=difference / difference.sum())


def verifier_b(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() * q[x] < p[x]:
        return x
    return rng.choice(len(p), p=p)


def verifier_c(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < p[x]:
        return x
    residual = np.maximum(p - q, 0)
    if residual.sum() == 0:
        return rng.choice(len(p), p=p)
    return rng.choice(len(p), p=residual / residual.sum())


def verifier_d(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() * q[x] < p[x]:
        return x
    left = p.copy()
    left[x] = max(p[x] - q[x], 0)
    return rng.choice(len(p), p=left / left.sum())


def verifier_e(p, q, rng):
    x = rng.choice(len(q), p=q)
    u = rng.random()
    if u * q[x] < p[x]:
        return x
    residual = np.maximum(p - q, 0)
    return np.searchsorted(np.cumsum(residual / residual.sum()), u, side="right")


VERIFIERS: dict[str, Callable[..., Any]] = {
    x.__name__: x for x in (verifier_a, verifier_b, verifier_c, verifier_d, verifier_e)
}
RULES_OF = {
    "verifier_a": "absolute-difference",
    "verifier_b": "redraw-from-p",
    "verifier_c": "accept-with-p",
    "verifier_d": "remove-only-the-rejected",
    "verifier_e": "coin-reused-for-residual",
}


@cache
def emitted(name: str, p: Numbers, q: Numbers) -> tuple[Any, ...]:
    """The exact law of what the verifier of that name emits, from its own code."""
    from numeric.audit.pair import audit

    return audit(VERIFIERS[name], p, q, arrays="fraction").dist


@cache
def smallest_pair(name: str) -> Pair:
    """The first pair that shows it, in the order of `exact.search`."""
    return smallest_wrong(RULES[RULES_OF[name]])  # which has the same law, and in less time: tests/test_drill.py


def size(pair: Pair) -> tuple[int, int]:
    """Tokens, then the smallest common denominator: smaller is smaller.

    >>> size(smallest_pair("verifier_b"))
    (2, 2)
    """
    return len(pair.p), lcm(*(x.denominator for law in pair for x in law))
