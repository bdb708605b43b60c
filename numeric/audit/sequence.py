"""Verifiers that emit several tokens: the joint law of all of them, with p and q that depend on the prefix.

A call emits between one token and gamma + 1, of gamma drafted ones.  What is left of gamma + 1 is drawn from the
target, as the next calls would, and the joint law of the whole has to be the target's.  A check of the first token
alone, or of each token by itself, misses faults of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any, NamedTuple

from exact.branching import Raised
from exact.law import Law
from exact.reading import LawError, Numbers, brief, read_numbers
from exact.search import random_pair
from exact.spans import Reading
from numeric.audit.following import MAX_PATHS_OF_STEPS, SECONDS, Follow, following, require_whole
from numeric.audit.pair import (
    DTYPES,
    Audit,
    Emitted,
    ball_of,
    both_readings,
    exactly,
    in_arrays,
    on_first,
    read_arrays,
    read_uniform,
)
from numeric.audit.program import RNG, Program

Prefix = tuple[int, ...]
MOST_STEPS, MOST_SEQUENCES = 5, 20_000


class Contexts(NamedTuple):
    """p and q after every prefix of up to gamma tokens; after the longest ones no draft is drawn from q."""

    p: Mapping[Prefix, Numbers]
    q: Mapping[Prefix, Numbers]

    @property
    def tokens(self) -> int:
        return len(self.p[()])

    @property
    def steps(self) -> int:
        return max(map(len, self.p))


def prefixes(V: int, longest: int) -> Iterator[Prefix]:
    """
    >>> list(prefixes(2, 1))
    [(), (0,), (1,)]
    """
    for length in range(longest + 1):
        yield from product(range(V), repeat=length)


def constant(p: Numbers, q: Numbers, steps: int) -> Contexts:
    """The same laws after every prefix."""
    every = [*prefixes(len(p), steps)]
    return Contexts(dict.fromkeys(every, p), dict.fromkeys(every, q))


def by_position(ps: Sequence[Numbers], qs: Sequence[Numbers]) -> Contexts:
    """A law for each position, whatever was emitted before."""
    every = [*prefixes(len(ps[0]), len(ps) - 1)]
    return Contexts({x: ps[len(x)] for x in every}, {x: [*qs, ps[-1]][len(x)] for x in every})


def random_contexts(V: int, d: int, steps: int, random: Random) -> Contexts:
    """A seeded pair of laws with denominator d after every prefix."""
    pairs = {x: random_pair(V, d, random) for x in prefixes(V, steps)}
    return Contexts({x: pair.p for x, pair in pairs.items()}, {x: pair.q for x, pair in pairs.items()})


def audit_sequence(
    emit: Callable[..., object],
    p: Callable[[Prefix], object],
    q: Callable[[Prefix], object],
    steps: int,
    *,
    arrays: str | None = None,
    protocol: str = RNG,
    uniform: str = "ideal",
    max_paths: int = MAX_PATHS_OF_STEPS,
    seconds: float = SECONDS,
) -> Audit:
    """The joint law of steps + 1 tokens, of a verifier that drafts `steps` of them.

    emit: `emit(p, q, rng)`, where p and q are functions of the prefix, a sequence of tokens, that return the law [V] of
    the next token; it returns the tokens that it emits, 1 to steps + 1.  Everything else is as in `audit`.

    >>> def accepts_all(p, q, rng):
    ...     x = rng.choice(2, p=q(()))
    ...     return [x, rng.choice(2, p=p([x]))]
    >>> found = audit_sequence(accepts_all, lambda x: ["1/2", "1/2"], lambda x: [0, 1], 1)
    >>> dict(zip(found.outcomes, map(str, found.dist)))
    {(0, 0): '0', (0, 1): '0', (1, 0): '1/2', (1, 1): '1/2'}
    """
    program, kinds, reading = Program(emit, None, protocol), read_arrays(arrays), read_uniform(uniform)
    contexts = read_contexts(p, q, steps)
    with following(max_paths, seconds) as follow:
        return on_first(kinds, lambda kind: audit_contexts(program, contexts, kind, reading, follow))


def read_contexts(p: Callable[[Prefix], object], q: Callable[[Prefix], object], steps: int) -> Contexts:
    require_steps(steps)
    for name, function in (("p", p), ("q", q)):
        if not callable(function):
            raise LawError(f"{name}={brief(function)}: of a sequence it is a function of the prefix; give one")
    V = len(read_numbers(p(()), names=("p()",))[0])
    require_few(V, steps)
    read = {x: read_numbers(p(x), q(x), names=(f"p{x}", f"q{x}")) for x in prefixes(V, steps)}
    for x, laws in read.items():
        if len(laws[0]) != V:
            raise LawError(f"p{x} has {len(laws[0])} entries but p() has {V}: all are over the same tokens; mend that")
    return Contexts(*({x: laws[i] for x, laws in read.items()} for i in (0, 1)))


def require_steps(steps: int) -> None:
    require_whole(steps=steps)
    if steps > MOST_STEPS:
        raise LawError(f"steps={brief(steps)}: at most {MOST_STEPS} tokens are drafted here; give a smaller number")


def require_few(V: int, steps: int) -> None:
    """How many sequences there are is how long an audit takes."""
    if V ** (steps + 1) > MOST_SEQUENCES:
        raise LawError(
            f"steps={steps} with {V} tokens: that is {V ** (steps + 1):,} sequences, and at most {MOST_SEQUENCES:,} "
            "are audited; give fewer of either"
        )


def audit_contexts(program: Program, contexts: Contexts, arrays: str, uniform: Reading, follow: Follow) -> Audit:
    given = [{x: in_arrays(law, arrays) for x, law in laws.items()} for laws in contexts]
    p, q = [{x: exactly(law) for x, law in laws.items()} for laws in given] if arrays in DTYPES else contexts
    ball = ball_of_block(p, q, contexts.steps + 1, arrays) if arrays in DTYPES else Fraction(0)
    outcomes = tuple(product(range(contexts.tokens), repeat=contexts.steps + 1))
    target = {x: {y: w / sum(law) for y, w in enumerate(law)} for x, law in p.items()}
    joint = tuple(prod((target[x[:i]][x[i]] for i in range(len(x))), start=Fraction(1)) for x in outcomes)
    size, laws = contexts.tokens * (contexts.steps + 1), [Laws(*named) for named in zip(given, "pq", strict=True)]
    got, ideal = both_readings(lambda reading: follow(program, *laws, reading=reading, size=size), uniform, tokens_of)
    return Audit(
        p, q, arrays, uniform, outcomes, joint, joint, None, completed(got, target), completed(ideal, target), ball,
        usual_length(p, q, contexts.steps),
    )  # fmt: skip


def ball_of_block(p: Mapping[Prefix, Numbers], q: Mapping[Prefix, Numbers], length: int, arrays: str) -> Fraction:
    """What all roundings together may come to in a joint law of so many tokens.

    That of one position at most, once for each, where a verifier goes token by token; where it tests the block as a
    whole, as many factors may be rounded on the way to each of them.
    """
    return length**2 * max(ball_of(p[x], q[x], arrays) for x in p)


def usual_length(p: Mapping[Prefix, Numbers], q: Mapping[Prefix, Numbers], steps: int) -> Fraction:
    """How many tokens the right rule, token by token, emits on average: 1, and 1 more for each draft that it accepts.

    >>> half = Numbers([Fraction(1, 2), Fraction(1, 2)])
    >>> usual_length(*constant(half, Numbers([Fraction(0), Fraction(1)]), 2), 2)
    Fraction(7, 4)
    """
    accepted: dict[Prefix, Fraction] = {(): Fraction(1)}
    for x in prefixes(len(p[()]), steps):
        if x:
            at = x[:-1]
            both = min(p[at][x[-1]], q[at][x[-1]])
            accepted[x] = accepted[at] * both / sum(q[at])
    return sum(accepted.values(), Fraction(0))


def tokens_of(x: Any) -> Any:
    """The emitted tokens, also out of (tokens, how many were accepted), and out of an array with one row.

    >>> tokens_of(3), tokens_of(((1, 0), 2)), tokens_of((1, 0)), tokens_of(((1, 0),))
    ((3,), (1, 0), (1, 0), (1, 0))
    """
    if isinstance(x, int):
        return (x,)
    if is_emission(x) and x and isinstance(x[0], tuple) and (len(x) == 1 or (len(x) == 2 and isinstance(x[1], int))):
        return tokens_of(x[0])
    return x


class Laws:
    """A function of the prefix, as a program gets it; every call gives an array of its own."""

    def __init__(self, laws: Mapping[Prefix, Any], name: str) -> None:
        self.laws, self.name = laws, name

    def __deepcopy__(self, _memo: object) -> Laws:
        return self

    def __call__(self, prefix: Sequence[int] = ()) -> Any:
        x = tuple(map(int, prefix))
        if x not in self.laws:
            longest = max(map(len, self.laws))
            raise IndexError(f"{self.name}{x}: there are laws after prefixes of up to {longest} tokens (steps)")
        return self.laws[x].copy()


def completed(emitted: Emitted, target: Mapping[Prefix, Mapping[int, Fraction]]) -> Emitted:
    """Every emission with the tokens that it lacks, from the target; what is too long stays as it is."""
    most = max(map(len, target)) + 1
    law = Law(pair for x, pr in emitted.law.items() for pair in extended(x, pr, target, most))
    length = sum((pr * len(x) for x, pr in emitted.law.items() if is_emission(x)), Fraction(0))
    return Emitted(law, None, emitted.paths, length)


def is_emission(x: Any) -> bool:
    return isinstance(x, tuple) and not isinstance(x, Raised)


def extended(
    x: Any, pr: Fraction, target: Mapping[Prefix, Mapping[int, Fraction]], length: int
) -> Iterator[tuple[Any, Fraction]]:
    """
    >>> list(extended((1,), Fraction(1, 2), {(1,): {0: Fraction(1, 3), 1: Fraction(2, 3)}}, 2))
    [((1, 0), Fraction(1, 6)), ((1, 1), Fraction(1, 3))]
    """
    is_short = is_emission(x) and 0 < len(x) < length
    if not is_short or x not in target:
        yield x, pr
        return
    for y, w in target[x].items():
        if w:
            yield from extended((*x, y), pr * w, target, length)
