"""Speculative sampling at one position: the exact law of the token that the verifier emits.

A token x is drawn from the draft law q and accepted with probability min(1, p(x)/q(x)); on rejection the token
is redrawn from the residual (p-q)^+, normalised (Leviathan et al. 2023, algorithm 1; Chen et al. 2023, theorem 1).

The vectors need not sum to 1 (float vectors hardly ever do).  With m = min(p,q), r = (p-q)^+ and the sums
A of m, R of r, Q of (q-p)^+, S_p of p, S_q of q, the program emits

    dist = (m + r Q/R) / S_q        alpha = A / S_q        rejected mass = Q / S_q

and p/S_p where R = 0.  This is p when both sums are 1, which is what `proof/rejection.py` derives.

Every function reads its vectors exactly (`exact.reading`); `emitted_distribution` alone asks that they be laws.
The same code runs on the positive symbols of `proof/symbolic.py`: it uses + - * / and comparisons only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import Any

from exact.law import Distribution, Law
from exact.reading import (
    Number,
    Numbers,
    over_common_denominator,
    ratio,
    read_laws,
    read_numbers,
    sums,
)

MOST_BITS = 1024  # of a common denominator that makes ints of all entries


def emitted_distribution(p: object, q: object) -> tuple[Distribution, Number]:
    """The exact law of the emitted token, and the probability that the drafted token is accepted.

    p, q: target and draft, [V] probabilities; q may be 0 where p is not.  Numbers and float tolerance as in
    `exact.reading`, LawError otherwise.  Returns dist, [V] Fractions, and alpha, a Fraction.

    >>> emitted_distribution(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    (Distribution(1/2, 1/3, 1/6), Fraction(2, 3))
    >>> emitted_distribution([1, 0], [0, 1])
    (Distribution(1, 0), Fraction(0, 1))
    """
    return rejection_law(*read_laws(p, q))


def rejection_law(p: object, q: object) -> tuple[Distribution, Number]:
    """`emitted_distribution` for any non-negative vectors of one length and with positive sums.

    >>> rejection_law(["3/4", "1/4", "1/8"], ["1/2", "3/8", "1/8"])
    (Distribution(5/8, 1/4, 1/8), Fraction(7, 8))
    """
    p, q = over_common_denominator(*read_numbers(p, q), most_bits=MOST_BITS)
    if type(p[0]) is Fraction:
        return _law_of_long_fractions(p, q)
    m, r = overlap(p, q), residual(p, q)
    R, Q, S_q = sum(r), sum(residual(q, p)), sum(q)
    alpha = ratio(sum(m), S_q)
    if not R > 0:
        return Distribution(p, sum(p)), alpha
    # accepted m/S_q, plus rejected Q/S_q times redrawn r/R, over the common denominator R S_q
    return Distribution(tuple(R * m_i + Q * r_i for m_i, r_i in zip(m, r, strict=True)), R * S_q), alpha


def _law_of_long_fractions(p: Numbers, q: Numbers) -> tuple[Distribution, Number]:
    """The same where a common denominator would be long: only the sums have it, and every token keeps its own."""
    up = [a > b for a, b in zip(p, q, strict=True)]
    down = [not is_up for is_up in up]
    groups = [[*compress(v, chosen)] for chosen in (up, down) for v in (p, q)]
    p_up, q_up, p_down, q_down, one = sums(*groups, [1])
    R, Q, S_p, S_q = p_up - q_up, q_down - p_down, Fraction(p_up + p_down, one), Fraction(q_up + q_down, one)
    alpha = Fraction(p_down + q_up, q_up + q_down)
    if not R:
        return Distribution(p, S_p), alpha
    return Distribution(Weights(p, q, 1, Fraction(Q, R)), S_q), alpha


@dataclass(frozen=True, eq=False)
class Weights(Sequence[Number]):
    """R m_i + Q r_i, computed when somebody looks: a long vector is hardly ever read to its end."""

    p: Sequence[Number]
    q: Sequence[Number]
    R: Number
    Q: Number

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple(map(self._weight, self.p[i], self.q[i]))
        return self._weight(self.p[i], self.q[i])

    def __len__(self) -> int:
        return len(self.p)

    def __iter__(self) -> Iterator[Number]:
        return map(self._weight, self.p, self.q)

    def _weight(self, p: Number, q: Number) -> Number:
        return self.R * p if p <= q else self.R * q + self.Q * (p - q)


def acceptance(p: object, q: object) -> Numbers:
    """min(1, p/q) per token; 1 where q = 0 (never drafted, so that no value there can matter).

    >>> acceptance(["1/2", "1/2"], ["3/4", "1/4"])
    (Fraction(2, 3), Fraction(1, 1))
    """
    p, q = read_numbers(p, q)
    one = ratio(1, 1)
    return Numbers(min(one, ratio(p_i, q_i)) if q_i > 0 else one for p_i, q_i in zip(p, q, strict=True))


def overlap(p: object, q: object) -> Numbers:
    """m = min(p, q) per token: the mass that is drafted and accepted.

    >>> overlap(["1/2", "1/2"], ["3/4", "1/4"])
    (Fraction(1, 2), Fraction(1, 4))
    """
    p, q = read_numbers(p, q)
    return Numbers(map(min, p, q))


def residual(p: object, q: object) -> Numbers:
    """r = (p-q)^+ per token, unnormalised: what the accepted mass still lacks of p.

    >>> residual(["1/2", "1/2"], ["3/4", "1/4"])
    (Fraction(0, 1), Fraction(1, 4))
    """
    p, q = read_numbers(p, q)
    return Numbers(max(p_i - q_i, 0 * p_i) for p_i, q_i in zip(p, q, strict=True))


def replacement(p: object, q: object) -> Numbers:
    """The law that is redrawn from on rejection: r/R, and p/S_p where there is no residual.

    >>> replacement(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    (Fraction(1, 1), Fraction(0, 1), Fraction(0, 1))
    >>> replacement(["1/2", "1/2"], ["1/2", "1/2"])
    (Fraction(1, 2), Fraction(1, 2))
    """
    p, q = read_numbers(p, q)
    r = residual(p, q)
    R = sum(r)
    weights, S = (r, R) if R > 0 else (p, sum(p))
    return Numbers(ratio(w, S) for w in weights)


def rejected_mass(p: object, q: object) -> Number:
    """Q/S_q: the probability that the drafted token is rejected.

    >>> rejected_mass(["1/2", "1/2"], ["3/4", "1/4"])
    Fraction(1, 4)
    """
    p, q = read_numbers(p, q)
    return ratio(sum(residual(q, p)), sum(q))


def joint(p: object, q: object) -> Law:
    """The law of the pair (draft token, emitted token), so that conditional questions have exact answers.

    Where the sums are equal, a rejected token is never emitted again, and so the two are the same token exactly
    when the draft was accepted.  Given that token 0 was emitted, was it the draft's?

    >>> pair = joint(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    >>> pair.given(lambda xy: xy[1] == 0).probability(lambda xy: xy[0] == xy[1])
    Fraction(1, 3)
    """
    p, q = read_numbers(p, q)
    accepted, rejected, redraw, S_q = overlap(p, q), residual(q, p), replacement(p, q), sum(q)
    kept = [((x, x), ratio(m_x, S_q)) for x, m_x in enumerate(accepted)]
    redrawn = [((x, y), ratio(e_x, S_q) * w) for x, e_x in enumerate(rejected) for y, w in enumerate(redraw)]
    return Law(pair for pair in kept + redrawn if pair[1])
