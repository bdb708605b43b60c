"""The exact law of somebody's verifier, from its own code, and whether it is the target's.

A verifier is audited on a pair (p, q): its program is run along every path of its random decisions
(`exact/branching.py`), which gives the law of what it emits.  Two verdicts follow, and neither needs the other:
*lossless*, the law is p; and *maximal*, the draft is accepted with probability 1 - TV(p, q), the most there can be.

The same code is run on two kinds of numbers.  On Fractions its law is that of its *formula*, and has to be p exactly.
On floats the law is that of the program that people run.  It is an exact law as well, and differs from p/S_p by two
things, as everywhere in this project: the *defect*, by which the right rule on these very floats differs from p/S_p,
and *rounding*, which is the rest.  A right program can come to

    ball  =  4 (V+1) g(2V+2)  +  8 (|S_p - 1| + |S_q - 1|)  +  16 V eta,        g(k) = k u / (1 - k u)

over all tokens, no more, and never emits a token that p excludes.  Right is a program that takes p and q as they are or
over their sums, compares a uniform number (or that times q) with p/q (or p), draws again from (p-q)^+, as it is or over
its sum, and draws by these weights, or by their running sums over the last of them.

Proof.  k roundings of sums, products and quotients of numbers >= 0 are a factor 1 + e, |e| <= g(k) (Higham 2002, lemma
3.1), but for underflow, at most eta each.  Let P = p/S_p and Q = q/S_q, with residual r of mass R, and let all sums
below be over the tokens.

1.  A law d' of the draft in the place of d changes what is emitted by at most sum |d' - d|.  A step of running sums is
    off by g(2V) at most, which moves mass between two tokens, so the V-1 steps come to 2 (V-1) g(2V); the same for the
    second draw.
2.  Of an acceptance a' for a, mass sum Q |a' - a| <= g(2V+1) goes to the second draw or comes from there: twice that.
3.  Weights w of sum W for r.  The mass that is drawn again is R, and R sum |w/W - r/R| <= 2 sum |w - r|, as
    |R/W - 1| W <= sum |w - r|, also with any token where W is 0.  Of P and Q after V roundings each, and one more for
    the difference, that is at most 4 g(V+2) in all, and for the division by W 2 g(V) more.
4.  So far 4 (V-1) g(2V) + 2 g(2V+1) + 4 g(V+2) + 2 g(V) <= 4 (V+1) g(2V+2).
5.  A program that takes p or q as it is, somewhere, compares with c P/Q and draws from (P - c Q)^+ where c is 1, S_p,
    1/S_q or S_p/S_q, or the inverse.  As in 2 and 3 that is at most 4 |c - 1| away from P, and the right rule on p and
    q is within 2 (|S_p - 1| + |S_q - 1|) of P (`numeric/crosscheck.py`).  With sums within 1/4 of 1, |c - 1| is at most
    4/3 of |S_p - 1| + |S_q - 1|, and 16/3 + 2 < 8.
6.  Where p is 0, ratio, residual and the step of the running sums are 0, exactly.

That a law lies within the ball does not prove what program made it; but no wrong rule of the table does so on the pairs
of a search (`tests/test_audit.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from exact.branching import Explored, FloatsNeeded, Raised
from exact.law import Law
from exact.reading import EPSILON, LawError, Numbers, brief, read_numbers, show
from exact.reals import Real
from exact.rejection import rejection_law
from exact.spans import IDEAL, Reading, read_reading
from numeric.audit.following import MAX_PATHS, SECONDS, Follow, following
from numeric.audit.program import RNG, Program
from numeric.rounding import precision

FRACTION, NUMPY, FLOAT32 = ARRAYS = ("fraction", "numpy", "float32")
DTYPES = {NUMPY: "float64", FLOAT32: "float32"}


@dataclass(frozen=True)
class Emitted:
    """What a program emits: the law of it, and the probability that it reports the draft as accepted, if it does.

    length: how many tokens it emits on average, where it emits several.
    """

    law: Law
    alpha: Fraction | None
    paths: int
    length: Fraction | None = None


@dataclass(frozen=True)
class Audit:
    """What a verifier does on one pair; all numbers are exact.

    p, q: the numbers that it got, [V], or a law for every prefix.  outcomes: the tokens, or all sequences of tokens;
    target: p/S_p of each; right: the law of the right rule on these very numbers, and most its alpha, the most that a
    draft from q can be accepted with, None where the draft is from another law by its own report.  got, ideal: what
    it emits by the reading of the uniform asked for, and by the ideal one; an outcome that is no token is one all the
    same.  ball: what all roundings together may come to, 0 on Fractions.  usual_length: how many tokens the right rule,
    token by token, emits on average, where the verifier emits several.
    """

    p: Any
    q: Any
    arrays: str
    uniform: Reading
    outcomes: tuple[Any, ...]
    target: tuple[Fraction, ...]
    right: tuple[Fraction, ...]
    most: Fraction | None
    got: Emitted
    ideal: Emitted
    ball: Fraction = Fraction(0)
    usual_length: Fraction | None = None

    @cached_property
    def dist(self) -> tuple[Fraction, ...]:
        """The probability of each token; what is missing to 1 is that of `others`."""
        return tuple(self.got.law[x] for x in self.outcomes)

    @cached_property
    def others(self) -> dict[Any, Fraction]:
        """The outcomes that are no token: it raised, stopped, or gave an id that there is not."""
        tokens = {*self.outcomes}
        return {x: pr for x, pr in self.got.law.items() if pr and x not in tokens}

    @property
    def stuck(self) -> Fraction:
        """The probability that no token comes out."""
        return sum(self.others.values(), Fraction(0))

    @property
    def alpha(self) -> Fraction | None:
        """The probability that the draft is reported as accepted; None where nothing is reported."""
        return self.got.alpha

    @property
    def tv(self) -> Fraction:
        """The total variation between the law of what comes out and the target."""
        return (distance(self.dist, self.target) + self.stuck) / 2

    @property
    def defect(self) -> Fraction:
        """How far the right rule on these numbers is from p/S_p, over all tokens."""
        return distance(self.right, self.target)

    @cached_property
    def ideal_dist(self) -> tuple[Fraction, ...]:
        """dist with an ideal uniform."""
        return tuple(self.ideal.law[x] for x in self.outcomes)

    @cached_property
    def rounding(self) -> Fraction:
        """How far the program, with an ideal uniform, is from the right rule on these numbers, over all tokens."""
        return distance(self.ideal_dist, self.right)

    @cached_property
    def on_grid_only(self) -> dict[Any, Fraction]:
        """The outcomes that have mass on the grid of the uniform and none with an ideal one."""
        return {x: pr for x, pr in self.got.law.items() if pr and not self.ideal.law[x]}

    @cached_property
    def lost_on_grid(self) -> tuple[Any, ...]:
        """The tokens that come out with an ideal uniform and never do on the grid."""
        return tuple(x for x in self.outcomes if self.ideal.law[x] and not self.got.law[x])

    @cached_property
    def excluded(self) -> dict[Any, Fraction]:
        """The tokens that p excludes and that come out all the same, with an ideal uniform."""
        pairs = zip(self.outcomes, self.target, self.ideal_dist, strict=True)
        return {x: pr for x, wanted, pr in pairs if pr and not wanted}

    @cached_property
    def is_near(self) -> bool:
        """With an ideal uniform, is the law p, exactly or, on floats, up to what may be rounding?"""
        if self.ideal_dist == self.target:
            return True
        return sum(self.ideal_dist) == 1 and self.rounding <= self.ball

    @property
    def lossless(self) -> bool:
        """Is it so, and nothing possible that p excludes, nor anything on a grid alone?"""
        return self.is_near and not self.excluded and not self.on_grid_only and not self.lost_on_grid

    @property
    def beyond(self) -> Fraction:
        """alpha less the most there can be, beyond what may be rounding; 0 where one of them is not known."""
        if self.ideal.alpha is None or self.most is None:
            return Fraction(0)
        gap = self.ideal.alpha - self.most
        return gap if abs(gap) > self.ball else Fraction(0)

    @property
    def maximal(self) -> bool | None:
        """Is alpha the most there can be?  None where that is not known."""
        return None if self.alpha is None or self.most is None else not self.beyond


def distance(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    """The sum of |a - b|, which is twice the total variation.

    >>> distance([Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)])
    Fraction(1, 1)
    """
    return sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0))


# ---- one pair


def audit(
    emit: Callable[..., object],
    p: object,
    q: object,
    *,
    draft: Callable[..., object] | None = None,
    arrays: str | None = None,
    protocol: str = RNG,
    uniform: str = "ideal",
    max_paths: int = MAX_PATHS,
    seconds: float = SECONDS,
) -> Audit:
    """The law of what a verifier emits on one pair.

    emit: `emit(p, q, rng)`, which draws the draft itself, or, where `draft` is given, `emit(x, p, q, rng)`; it returns
    the token, or (token, accepted).  draft: `draft(q, rng)`, which returns x, or (x, the q that it reports).  p, q: [V]
    non-negative numbers, read exactly; they need not sum to 1.  arrays: "fraction", "numpy" (float64) or "float32", and
    by default the first of the first two that the code can be run on.  protocol: "rng", or "global", where the program
    takes no rng.  uniform: as `exact.spans.read_reading` has it.

    Raises LawError where p, q or an option is not as said, or the program cannot be followed.

    >>> def redraws_from_p(p, q, rng):
    ...     x = rng.choice(len(q), p=q)
    ...     if rng.random() < p[x] / q[x]:
    ...         return x, True
    ...     return rng.choice(len(p), p=p), False
    >>> found = audit(redraws_from_p, ["1/2", "1/2"], [0, 1])
    >>> found.dist, found.alpha, found.tv, found.lossless, found.maximal
    ((Fraction(1, 4), Fraction(3, 4)), Fraction(1, 2), Fraction(1, 4), False, True)
    """
    p, q = read_numbers(p, q)
    program, kinds, reading = Program(emit, draft, protocol), read_arrays(arrays), read_uniform(uniform)
    with following(max_paths, seconds) as follow:
        return on_first(kinds, lambda kind: audit_pair(program, p, q, kind, reading, follow))


def on_first(kinds: Sequence[str], audit: Callable[[str], Audit]) -> Audit:
    """On the first of the arrays; where floats are needed, and may be taken, on these."""
    try:
        return audit(kinds[0])
    except FloatsNeeded:
        if len(kinds) == 1:
            raise
        return audit(kinds[1])


def read_arrays(arrays: object) -> list[str]:
    """The kinds that are tried: that one, or both."""
    if arrays is None:
        return [FRACTION, NUMPY]
    if not isinstance(arrays, str) or arrays not in ARRAYS:
        raise LawError(f"arrays={brief(arrays)}: p and q are made of one of {', '.join(ARRAYS)}; write one of these")
    return [arrays]


def read_uniform(uniform: object) -> Reading:
    return read_reading(uniform if isinstance(uniform, str) else brief(uniform))


# ---- what it emits


def audit_pair(program: Program, p: Numbers, q: Numbers, arrays: str, uniform: Reading, follow: Follow) -> Audit:
    given_p, given_q = in_arrays(p, arrays), in_arrays(q, arrays)
    if arrays in DTYPES:
        p, q = exactly(given_p), exactly(given_q)
    ball = ball_of(p, q, arrays) if arrays in DTYPES else Fraction(0)
    program.another_q = False
    got, ideal = both_readings(
        lambda reading: follow(program, given_p, given_q, reading=reading, size=len(p)), uniform, token_of
    )
    right, most = rejection_law(p, q)
    if program.another_q:  # most is about a draft from q
        most = None
    S = sum(p)
    return Audit(
        p, q, arrays, uniform, tuple(range(len(p))), tuple(x / S for x in p), tuple(right), most, got, ideal, ball
    )


def in_arrays(law: Numbers, arrays: str) -> Any:
    """[V] floats, the nearest ones, or an object array of exact numbers."""
    if arrays in DTYPES:
        return np.array([float(x) for x in law], DTYPES[arrays])
    exact = np.empty(len(law), object)
    exact[:] = [Real(x) for x in law]
    return exact


def exactly(floats: Any) -> Numbers:
    return Numbers(map(Fraction, floats.tolist()))


def ball_of(p: Numbers, q: Numbers, arrays: str = NUMPY) -> Fraction:
    """See the head of this module, for floats p and q; LawError where a sum is not near 1."""
    V, (_, u, eta) = len(p), precision(DTYPES[arrays])
    off_1 = sum(distance_from_1(name, law, DTYPES[arrays]) for name, law in (("p", p), ("q", q)))
    k = 2 * V + 2
    return 4 * (V + 1) * (k * u / (1 - k * u)) + 8 * off_1 + 16 * V * eta


def distance_from_1(name: str, law: Numbers, dtype: str) -> Fraction:
    """As far as a law in such floats may be: with sums farther off, there would be room for any law in the ball."""
    S, epsilon = Fraction(sum(law)), EPSILON[dtype]
    if epsilon < (S - 1) ** 2:
        raise LawError(
            f"{name} sums to {show(S)}: a law in {dtype} sums to 1 within {float(epsilon) ** 0.5:.3g}, this is off by "
            f"{show(abs(S - 1))}; divide every entry by the sum, or audit it on Fractions"
        )
    return abs(S - 1)


def both_readings(
    explored: Callable[[Reading], Explored], uniform: Reading, outcome_of: Callable[[Any], Any]
) -> tuple[Emitted, Emitted]:
    """What it emits by the reading asked for, and by the ideal one."""
    got = emitted(explored(uniform), outcome_of)
    return got, got if uniform == IDEAL else emitted(explored(IDEAL), outcome_of)


def emitted(explored: Explored, outcome_of: Callable[[Any], Any]) -> Emitted:
    reports = [accepted(outcome) for outcome in explored.law]
    alpha = sum((pr for pr, says in zip(explored.law.values(), reports, strict=True) if says), Fraction(0))
    law = explored.law.map(lambda outcome: outcome_of(outcome[0] if accepted(outcome) is not None else outcome))
    return Emitted(law, alpha if set(reports) - {None} else None, explored.paths)


def accepted(outcome: Any) -> bool | None:
    """Of (token, accepted) the second; None where it is something else."""
    is_pair = isinstance(outcome, tuple) and len(outcome) == 2 and not isinstance(outcome, Raised)
    says = token_of(outcome[1]) if is_pair else None
    return says if isinstance(says, bool) else None


def token_of(x: Any) -> Any:
    """The token itself, also out of an array with one entry."""
    return x[0] if isinstance(x, tuple) and len(x) == 1 else x
