"""The attack on the kernel: wrong statements made by operators over the tree, each to be rejected.

Every operator is applied at every place of every statement, and every hypothesis is dropped once.  A mutant that
fails on some enumerated pair has changed the meaning: the kernel must reject the derivation that holds it.  A mutant
that the kernel accepts must hold on the whole enumeration; otherwise the kernel is unsound and the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from exact.search import pairs
from proof.evaluate import Definitions, World
from proof.kernel import Rejected, check
from proof.rejection import STEPS, definitions
from proof.statement import (
    ONE,
    Abs,
    Add,
    At,
    Delta,
    Div,
    Iff,
    Max,
    Min,
    Mul,
    Node,
    Number,
    Relation,
    Statement,
    Step,
    Sub,
    Sum,
    Where,
    children,
    rebuild,
)

EXCHANGED = {"p": "q", "q": "p", "r": "e", "e": "r", "m": "p", "a": "u", "rho": "f", "D": "E", "E": "D"}


def local_mutants(tree: Node) -> Iterator[tuple[str, Node]]:
    """(operator, what it makes of this node)."""
    match tree:
        case Number(c):
            yield "scale a constant", Number(2 * c if c else Fraction(1))
        case At(function, token) if function in EXCHANGED:
            yield f"{EXCHANGED[function]} for {function}", At(EXCHANGED[function], token)
        case Delta():
            yield "drop the delta", ONE
        case Min(a, b):
            yield from (("min to max", Max(a, b)), ("drop a side of min", a), ("drop a side of min", b))
        case Max(a, b):
            yield from (("max to min", Min(a, b)), ("drop a side of max", a))
        case Abs(a):
            yield "drop an absolute value", a
        case Add(a, b):
            yield from (("drop a term", a), ("drop a term", b), ("plus to minus", Sub(a, b)))
        case Sub(a, b):
            yield from (("drop a term", a), ("minus to plus", Add(a, b)), ("turn a difference", Sub(b, a)))
        case Mul(a, b):
            yield from (("drop a factor", a), ("drop a factor", b))
        case Div(a, b):
            yield from (("drop a normalisation", a), ("turn a quotient", Div(b, a)))
        case Sum(token, body, start):
            yield from (("shift a summation range", Sum(token, body, start + 1)), ("double a sum", tree + tree))
        case Where(condition, then, otherwise):
            yield from (("exchange the cases", Where(condition, otherwise, then)), ("drop a case", then))
        case Relation(sign, a, b):
            yield from (
                ("make strict", Relation(">", a, b)),
                ("turn round", Relation(">" if sign == "=" else sign, b, a)),
            )


def mutants_of(tree: Node) -> Iterator[tuple[str, Node]]:
    """Every tree with one node mutated."""
    yield from local_mutants(tree)
    parts = children(tree)
    for i, part in enumerate(parts):
        for operator, mutated in mutants_of(part):
            yield operator, rebuild(tree, [*parts[:i], mutated, *parts[i + 1 :]])


def step_mutants(step: Step) -> Iterator[tuple[str, Step]]:
    """A claim with another statement or one hypothesis fewer; a definition with another body."""
    match step.statement:
        case _ if step.rule == "hypothesis":
            return
        case Relation(sign, name, body) if step.rule == "definition":
            yield from ((op, replace(step, statement=Relation(sign, name, new))) for op, new in mutants_of(body))
        case Relation() | Iff():
            yield from ((op, replace(step, statement=new)) for op, new in mutants_of(step.statement))  # type: ignore[arg-type]
            for dropped in step.hypotheses:
                kept = tuple(h for h in step.hypotheses if h != dropped)
                yield "drop a hypothesis", replace(step, hypotheses=kept)


# ---- exact counterexamples

Point = dict[str, Sequence[Fraction]]


def points() -> Iterator[Point]:
    """Laws first, smallest first; then vectors that are no laws, for statements that have lost a hypothesis."""
    arbitrary = {
        "u": [Fraction(1, 3), Fraction(2, 5), Fraction(1, 7)],
        "f": [Fraction(1, 4), Fraction(1, 6), Fraction(7, 12)],
    }
    for V in (2, 3):
        for p, q in pairs(V, 4):
            yield {"p": p, "q": q, "u": arbitrary["u"][:V], "f": arbitrary["f"][:V]}
    grid = [Fraction(n, 2) for n in (-1, 0, 1, 2)]
    for p_0, p_1, q_0, q_1 in product(grid, repeat=4):
        yield {"p": (p_0, p_1), "q": (q_0, q_1), "u": arbitrary["u"][:2], "f": arbitrary["f"][:2]}


def fails(world: World, step: Step) -> bool:
    """Whether the hypotheses of a step hold here and its statement does not, or says nothing."""
    try:
        if not all(map(world.holds, step.hypotheses)):
            return False
    except ZeroDivisionError:
        return False
    try:
        return not world.holds(step.statement)
    except ZeroDivisionError:
        return True


def counterexample(steps: Sequence[Step], worlds: Callable[[], Iterator[World]]) -> tuple[Step, World] | None:
    """The first of the worlds where one of the steps fails."""
    claims = [step for step in steps if step.rule not in ("definition", "hypothesis")]
    return next(((step, world) for world in worlds() for step in claims if fails(world, step)), None)


# ---- the attack


@dataclass(frozen=True)
class Mutant:
    """What became of one mutant: the step the kernel rejected ("" for none), and where it fails (None for nowhere)."""

    label: str
    operator: str
    statement: Statement
    rejected_at: str
    failing: tuple[str, Point] | None

    @property
    def unsound(self) -> bool:
        return not self.rejected_at and self.failing is not None


def attack(
    steps: Sequence[Step] = STEPS,
    judge: Callable[[Sequence[Step]], object] = check,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> list[Mutant]:
    """Every distinct mutant of a derivation, judged by the kernel and by enumeration."""
    shared = [World(point, definitions(steps)) for point in points()]
    results = []
    for i, step in enumerate(steps):
        progress(i + 1, len(steps))
        distinct = {mutated: operator for operator, mutated in step_mutants(step) if mutated != step}
        for mutated, operator in distinct.items():
            derivation = [*steps[:i], mutated, *steps[i + 1 :]]
            results.append(_judged(operator, mutated, derivation, shared, judge))
    return results


def _judged(
    operator: str,
    mutated: Step,
    derivation: list[Step],
    shared: list[World],
    judge: Callable[[Sequence[Step]], object],
) -> Mutant:
    rejected_at = ""
    try:
        judge(derivation)
    except Rejected as verdict:
        rejected_at = verdict.label
    if mutated.rule == "definition":
        meaning: Definitions = definitions(derivation)
        found = counterexample(derivation, lambda: (World(point, meaning) for point in points()))
    else:
        found = counterexample([mutated], lambda: iter(shared))
    failing = (found[0].label, found[1].primitives) if found else None
    return Mutant(mutated.label, operator, mutated.statement, rejected_at, failing)  # type: ignore[arg-type]
