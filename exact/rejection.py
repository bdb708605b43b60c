"""Speculative sampling at one position: the exact law of the token that the verifier emits.

A token x is drawn from the draft law q and accepted with probability min(1, p(x)/q(x)); on rejection the token
is redrawn from the residual (p-q)^+, normalised (Leviathan et al. 2023, algorithm 1; Chen et al. 2023, theorem 1).

The vectors need not sum to 1 (float vectors hardly ever do).  With m = min(p,q), r = (p-q)^+ and the sums
A of m, R of r, Q of (q-p)^+, S_p of p, S_q of q, the program emits

    dist = (m + r Q/R) / S_q        alpha = A / S_q        rejected mass = Q / S_q

and p/S_p where R = 0.  This is p when both sums are 1, which is what `proof/rejection.py` derives; `proof/floating.py`
derives the rest.

Every function reads its vectors exactly (`exact.reading`); `emitted_distribution` alone asks that they be laws.
The law of long float vectors comes from `exact/dyadic.py`, with the same result.  The code of this module runs on the
positive symbols of `proof/symbolic.py` as well: it uses + - * / and comparisons only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from exact.law import Distribution, Law, OnDemand
from exact.reading import (
    MOST_BITS,
    Number,
    Numbers,
    additive,
    is_long_float_vector,
    over_common_denominator,
    ratio,
    read_laws,
    read_numbers,
)

if TYPE_CHECKING:
    from exact.dyadic import FloatLaw


def emitted_distribution(p: object, q: object) -> tuple[Distribution, Number]:
    """The exact law of the emitted token, and the probability that the drafted token is accepted.

    p, q: target and draft, [V] probabilities; q may be 0 where p is not.  Numbers and float tolerance as in
    `exact.reading`, LawError otherwise.  Returns dist, [V] Fractions, and alpha, a Fraction.

    >>> emitted_distribution(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    (Distribution(1/2, 1/3, 1/6), Fraction(2, 3))
    >>> emitted_distribution([1, 0], [0, 1])
    (Distribution(1, 0), Fraction(0, 1))
    """
    law = _law_of_floats(p, q)
    if law and law.is_of_laws:
        return law.dist, law.alpha
    return rejection_law(*read_laws(p, q))


def rejection_law(p: object, q: object) -> tuple[Distribution, Number]:
    """`emitted_distribution` for any non-negative vectors of one length and with positive sums.

    >>> rejection_law(["3/4", "1/4", "1/8"], ["1/2", "3/8", "1/8"])
    (Distribution(5/8, 1/4, 1/8), Fraction(7, 8))
    """
    law = _law_of_floats(p, q)
    if law:
        return law.dist, law.alpha
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


def _law_of_floats(p: object, q: object) -> FloatLaw | None:
    """By `exact.dyadic`, where p and q are long vectors of floats with nothing wrong in them; else None."""
    if not (is_long_float_vector(p) and is_long_float_vector(q)):
        return None
    from exact.dyadic import read_float_law  # here, as it imports numpy

    return read_float_law(p, q)


def _law_of_long_fractions(p: Numbers, q: Numbers) -> tuple[Distribution, Number]:
    """The same where a common denominator would be long: only the sums are brought to one, and no token is."""
    A, S_p, S_q, one = additive(lambda p, q: (sum(map(min, p, q)), sum(p), sum(q)), p, q)
    return Distribution(OnDemand(_Emitted(S_p - A, S_q - A, S_p, S_q, one), p, q), 1), Fraction(A, S_q)


@dataclass(frozen=True)
class _Emitted:
    """The emitted law of a token, of its p and q; R, Q, S_p and S_q are ints over `one`."""

    R: int
    Q: int
    S_p: int
    S_q: int
    one: int

    def __call__(self, p: Fraction, q: Fraction) -> Fraction:
        rate, S = self._in_lowest_terms
        return (p if p <= q else q + (p - q) * rate) / S

    @cached_property
    def _in_lowest_terms(self) -> tuple[Fraction, Fraction]:
        if not self.R:  # then m = p
            return Fraction(0), Fraction(self.S_p, self.one)
        return Fraction(self.Q, self.R), Fraction(self.S_q, self.one)


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

    Where the sums are equal, a rejected token is never drawn again, and so the two are the same token exactly
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
