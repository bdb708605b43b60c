"""The derivation with a wrong rule in it: the first line that no longer holds, and where the rule happens to be right.

A rule puts its own numbers in the place of the acceptance a and of the replacement rho: what it accepts of each token,
per unit of q, and the law of what it redraws, on average over what it rejects.  With these two as they are, and every
other letter defined as before, D is what the rule emits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from exact.reading import Number, Numbers, ratio
from exact.rejection import residual
from exact.rules import Rule, is_right_on
from exact.search import Pair, all_pairs
from proof.evaluate import World
from proof.lessons.lesson import Lesson, lesson
from proof.rejection import STEPS, definitions, world_of
from proof.statement import Number as Constant

OWN = {"a": "acceptance", "rho": "replacement"}  # letters that a rule has its own numbers for, and their definitions
REPORTED = {"alpha": "acceptance-rate"}
TOKENS, DENOMINATOR = 3, 6  # of the pairs on which it is tried


def world_of_rule(rule: Rule, p: Numbers, q: Numbers) -> World:
    """The world in which D is what the rule emits; p and q are laws."""
    right, tokens = world_of(p, q), range(len(p))
    drafted, accept = rule.draft(p, q), rule.accept(p, q)
    accepted = [drafted[x] * accept[x] for x in tokens]
    rejected = [drafted[x] - accepted[x] for x in tokens]
    own = {
        "a": [ratio(accepted[x], q[x]) if q[x] else right.named("a", x) for x in tokens],
        "rho": redrawn(rule, p, q, rejected) or [right.named("rho", x) for x in tokens],
    }
    others = {name: body for name, body in definitions().items() if name not in own}
    if rule.reports:
        others["alpha"] = (None, Constant(Fraction(rule.reports(p, q))))
    return World({**right.primitives, **own}, others)


def redrawn(rule: Rule, p: Numbers, q: Numbers, rejected: list[Number]) -> list[Number]:
    """The law of the replacement, on average over the rejected tokens; empty where nothing is rejected."""
    beta, tokens = sum(rejected), range(len(p))
    laws = {x: rule.replace(p, q, x) for x in tokens if rejected[x]}
    return [ratio(sum(rejected[x] * law[y] for x, law in laws.items()), beta) for y in tokens] if laws else []


def own_definitions(rule: Rule) -> tuple[str, ...]:
    """The labels of the definitions that the rule replaces."""
    return (*OWN.values(), *(REPORTED.values() if rule.reports else ()))


def lessons_of_rule(rule: Rule, p: Numbers, q: Numbers) -> list[Lesson]:
    """The derivation on the pair, with the rule in it, up to and with the first line that does not hold."""
    world, walked = world_of_rule(rule, p, q), []
    for s in STEPS:
        walked.append(lesson(s, world))
        if walked[-1].fails and s.label not in own_definitions(rule):
            break
    return walked


def first_broken(rule: Rule, walked: Sequence[Lesson]) -> Lesson | None:
    """The line at which the walk stopped; None where all hold."""
    last = walked[-1]
    return last if last.fails and last.step.label not in own_definitions(rule) else None


def broken(rule: Rule, p: Numbers, q: Numbers) -> Lesson | None:
    """The first line that no longer holds; None where all do.

    >>> from exact.rules import RULES
    >>> found = broken(RULES["redraw-from-p"], Numbers([Fraction(1, 2), Fraction(1, 2)]), Numbers([1, 0]))
    >>> found.step.label, [row.sides for row in found.rows]
    ('redrawn-if-mass', ['1/4 is not 0', '1/4 is not 1/2'])
    """
    return first_broken(rule, lessons_of_rule(rule, p, q))


# ---- where it is right


class Kind(NamedTuple):
    """A kind of pair, in words, and whether a pair is of it."""

    name: str
    includes: Callable[[Numbers, Numbers], bool]


def proportional(v: Sequence[Number], w: Sequence[Number]) -> bool:
    return all(a * sum(w) == b * sum(v) for a, b in zip(v, w, strict=True))


def tokens_of(v: Sequence[Number]) -> int:
    return sum(x > 0 for x in v)


KINDS = (
    Kind("p = q", lambda p, q: p == q),
    Kind("two tokens", lambda p, q: len(p) == 2),
    Kind("no token that both p and q have", lambda p, q: not any(map(min, p, q))),
    Kind("q on one token", lambda p, q: tokens_of(q) == 1),
    Kind("p on one token", lambda p, q: tokens_of(p) == 1),
    Kind("a residual at one token only", lambda p, q: tokens_of(residual(p, q)) == 1),
    Kind("an excess at one token only", lambda p, q: tokens_of(residual(q, p)) == 1),
    Kind("a residual in the proportions of p", lambda p, q: p != q and proportional(residual(p, q), p)),
    Kind("a residual in the proportions of q", lambda p, q: p != q and proportional(residual(p, q), q)),
    Kind("a residual the same at every token", lambda p, q: p != q and len({*residual(p, q)}) == 1),
    Kind("p = 0 wherever q is larger", lambda p, q: all(not a or a >= b for a, b in zip(p, q, strict=True))),
    Kind("a total variation of 1/2", lambda p, q: 2 * sum(residual(p, q)) == 1),
    Kind("p the same at every token", lambda p, q: len({*p}) == 1),
    Kind("q the same at every token", lambda p, q: len({*q}) == 1),
)


@dataclass(frozen=True)
class Chance:
    """The small pairs on which a wrong rule is right.

    kinds: of those of `KINDS` on all of whose pairs it is right, as few as cover the most, with how many pairs there
    are of each (they may overlap).
    others: the right pairs of no such kind.
    """

    tried: int
    right: tuple[Pair, ...]
    kinds: dict[str, int]
    others: tuple[Pair, ...]


@cache
def chance(rule: Rule) -> Chance:
    """Where the rule is right, of all pairs with V <= 3 and common denominator <= 6.

    >>> from exact.rules import RULES
    >>> found = chance(RULES["accept-all"])
    >>> found.tried, len(found.right), found.kinds, found.others
    (1503, 69, {'p = q': 69}, ())
    """
    tried = list(all_pairs(TOKENS, DENOMINATOR))
    right = {i for i, pair in enumerate(tried) if is_right_on(rule, *pair)}
    members = {kind.name: {i for i, pair in enumerate(tried) if kind.includes(*pair)} for kind in KINDS}
    whole = {name: found for name, found in members.items() if found and found <= right}
    covering = cover(whole)
    others = sorted(right.difference(*covering.values()))
    kinds = {name: len(found) for name, found in covering.items()}
    return Chance(len(tried), tuple(tried[i] for i in sorted(right)), kinds, tuple(tried[i] for i in others))


def cover(kinds: dict[str, set[int]]) -> dict[str, set[int]]:
    """The kind with the most members first, then the one that adds the most, until none adds anything.

    >>> cover({"a": {1, 2}, "b": {2, 3}, "c": {1, 2, 4}})
    {'c': {1, 2, 4}, 'b': {2, 3}}
    """
    chosen: dict[str, set[int]] = {}
    covered: set[int] = set()
    while kinds and (name := max(kinds, key=lambda name: len(kinds[name] - covered))) and kinds[name] - covered:
        chosen[name] = kinds[name]
        covered |= kinds[name]
    return chosen


def reasons_to_be_right(rule: Rule, p: Numbers, q: Numbers) -> list[str]:
    """The kinds of pair on which it is right that this pair is of."""
    return [kind.name for kind in KINDS if kind.name in chance(rule).kinds and kind.includes(p, q)]
