"""What a line assumes, and for each assumption the smallest pair that breaks the line without it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import NamedTuple

from exact.reading import Numbers
from exact.search import Pair
from proof.evaluate import World
from proof.lessons.lesson import Row, rows
from proof.notation import plain
from proof.rejection import world_of
from proof.statement import Statement, Step

ENTRIES = tuple(Fraction(n, 2) for n in range(-2, 4))  # -1 to 3/2
TOKENS = 2


class Without(NamedTuple):
    """A hypothesis, and the smallest pair where all the others hold and the line does not; None where none was found.

    row: where it fails there; None where it has no value, as it would divide by 0.
    """

    hypothesis: str
    pair: Pair | None
    row: Row | None


def without_each(step: Step) -> list[Without]:
    """For each hypothesis of the step in turn, what becomes of the line without it alone.

    >>> from proof.rejection import step
    >>> lost = without_each(step("residual-mass"))
    >>> [(w.hypothesis, w.pair, w.row.sides) for w in lost if w.pair]
    [('sum_x p(x) = 1', Pair(p=(Fraction(0, 1),), q=(Fraction(0, 1),)), '0 is not 1')]
    """
    return [without(step, h) for h in step.hypotheses if step.rule != "hypothesis"]


def without(step: Step, hypothesis: Statement) -> Without:
    others = [h for h in step.hypotheses if h != hypothesis]
    for pair in candidates():
        world = world_of(*pair)
        if not all(said(world, h) for h in others) or said(world, hypothesis):
            continue
        if not said(world, step.statement):
            return Without(plain(hypothesis), pair, failing_row(step, world))
    return Without(plain(hypothesis), None, None)


def said(world: World, statement: Statement) -> bool:
    """Whether it holds; a line that divides by 0 says nothing."""
    try:
        return world.holds(statement)
    except ZeroDivisionError:
        return False


def failing_row(step: Step, world: World) -> Row | None:
    try:
        return next((row for row in rows(step, world) if not row.holds), None)
    except ZeroDivisionError:
        return None


@cache
def candidates() -> tuple[Pair, ...]:
    """Every pair of vectors with few tokens and entries of `ENTRIES`, of any sum: simple ones first."""
    found = (Pair(Numbers(v[:V]), Numbers(v[V:])) for V in range(1, TOKENS + 1) for v in product(ENTRIES, repeat=2 * V))
    return tuple(sorted(found, key=simplicity))


def simplicity(pair: Pair) -> tuple[object, ...]:
    """Few tokens, few numbers below 0, whole numbers, small ones."""
    entries = [*pair.p, *pair.q]
    return (
        len(pair.p),
        sum(x < 0 for x in entries),
        lcm(*(x.denominator for x in entries)),
        sum(map(abs, entries)),
        pair,
    )
