"""The attack on the kernel: wrong statements made by operators over the tree, each to be rejected.

Every operator is applied at every place of every statement, and every hypothesis is dropped once.  A mutant that
fails on some enumerated pair has changed the meaning: the kernel must reject the derivation that holds it.  A mutant
that the kernel accepts must hold on the whole enumeration; otherwise the kernel is unsound and the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product

from exact.search import pairs
from proof.evaluate import World
from proof.kernel import Rejected, check
from proof.rejection import STEPS, definitions, letter_of
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
    Name,
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
    walk,
)

EXCHANGED = {
    "p": "q", "q": "p", "r": "e", "e": "r", "m": "p", "a": "u", "rho": "f", "D": "E", "E": "D",
    "F": "P", "P": "f", "G": "P", "H": "G",
    "S_p": "S_q", "S_q": "S_p", "R": "Q", "Q": "R", "A": "R", "TV(F,P)": "TV(G,H)", "TV(G,H)": "TV(F,P)",
}  # fmt: skip


def local_mutants(tree: Node) -> Iterator[tuple[str, Node]]:
    """(operator, what it makes of this node)."""
    match tree:
        case Number(c):
            yield "scale a constant", Number(2 * c if c else Fraction(1))
        case At(function, token) if function in EXCHANGED:
            yield f"{EXCHANGED[function]} for {function}", At(EXCHANGED[function], token)
        case Name(name) if name in EXCHANGED:
            yield f"{EXCHANGED[name]} for {name}", Name(EXCHANGED[name])
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


OPEN = {
    "u": [Fraction(1, 3), Fraction(2, 5), Fraction(1, 7), Fraction(1, 2)],
    "f": [Fraction(1, 4), Fraction(1, 6), Fraction(7, 12), Fraction(1, 5)],
}


def point(p: Sequence[Fraction], q: Sequence[Fraction]) -> Point:
    return {"p": p, "q": q, **{name: values[: len(p)] for name, values in OPEN.items()}}


def laws() -> Iterator[Point]:
    """Pairs of laws, smallest first."""
    return (point(p, q) for V in (2, 3) for p, q in pairs(V, 4))


def vectors() -> Iterator[Point]:
    """Vectors that may sum to anything and have negative entries, for statements that have lost a hypothesis."""
    grid = [Fraction(n, 2) for n in (-1, 0, 1, 2)]
    return (point((p_0, p_1), (q_0, q_1)) for p_0, p_1, q_0, q_1 in product(grid, repeat=4))


def points() -> Iterator[Point]:
    """Laws first, for statements about laws."""
    return chain(laws(), vectors())


ROWS = [  # in 24ths: small and large, alike and not, with zeros in different places
    (3, 6, 0), (8, 12, 16), (0, 0, 4), (2, 1, 3), (18, 6, 3), (48, 36, 0), (0, 36, 48),
]  # fmt: skip
FOUR = ((24, 24, 24, 0), (24, 24, 12, 12))


def as_given() -> Iterator[Point]:
    """Vectors that may sum to anything, for statements that ask for no sum of 1: smallest first."""
    few, signed = [Fraction(n, 2) for n in (0, 1, 2)], [Fraction(n, 2) for n in (-1, 1, 2)]
    for p_0, p_1, q_0, q_1 in chain(product(few, repeat=4), product(signed, repeat=4)):
        yield point((p_0, p_1), (q_0, q_1))
    for p, q in chain(product(ROWS, repeat=2), product(FOUR, repeat=2)):
        yield point([Fraction(n, 24) for n in p], [Fraction(n, 24) for n in q])


def holds(world: World, statement: Statement) -> bool:
    """Whether a statement holds here; one that divides by zero says nothing, and does not."""
    try:
        return world.holds(statement)
    except ZeroDivisionError:
        return False


def failing(world: World, steps: Iterable[Step]) -> Iterator[Step]:
    """The steps whose hypotheses hold here and whose statement does not; each hypothesis is looked at once."""
    met = cache(partial(holds, world))
    return (step for step in steps if all(map(met, step.hypotheses)) and not holds(world, step.statement))


def fails(world: World, step: Step) -> bool:
    """Whether the hypotheses of a step hold here and its statement does not, or says nothing."""
    return any(failing(world, [step]))


def counterexample(steps: Sequence[Step], worlds: Iterable[World]) -> tuple[Step, World] | None:
    """The first of the worlds where one of the steps fails."""
    claims = [step for step in steps if step.rule not in ("definition", "hypothesis")]
    return next(((step, world) for world in worlds for step in failing(world, claims)), None)


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
    points: Callable[[], Iterator[Point]] = points,
    shared: Sequence[Step] = (),
) -> list[Mutant]:
    """Every distinct mutant of a derivation, judged by the kernel and by enumeration; `shared` steps are left alone."""
    worlds = [World(point, definitions(steps)) for point in points()]
    results = []
    for i, step in enumerate(steps):
        progress(i + 1, len(steps))
        if step in shared:
            continue
        here = [world for world in worlds if all(holds(world, hypothesis) for hypothesis in step.hypotheses)]
        distinct = {mutated: operator for operator, mutated in step_mutants(step) if mutated != step}
        for mutated, operator in distinct.items():
            derivation = [*steps[:i], mutated, *steps[i + 1 :]]
            if mutated.rule == "definition":
                meaning = definitions(derivation)
                found = counterexample([*concerned(derivation[i:])], (World(point, meaning) for point in points()))
            elif mutated.hypotheses == step.hypotheses:
                found = next(((mutated, world) for world in here if not holds(world, mutated.statement)), None)
            else:
                found = counterexample([mutated], worlds)
            failing = (found[0].label, found[1].primitives) if found else None
            rejected_at = rejection(derivation, mutated, judge)
            results.append(Mutant(mutated.label, operator, mutated.statement, rejected_at, failing))  # type: ignore[arg-type]
    return results


def letters(step: Step) -> set[str]:
    """The names of numbers and functions that a step mentions."""
    return {letter_of(part) for tree in (step.statement, *step.hypotheses, *step.coefficients) for part in walk(tree)}


def concerned(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps after a definition that its name is in, or a name defined by it; no other can have changed."""
    names = {letter_of(steps[0].statement.a)}
    for step in steps[1:]:
        if names & letters(step):
            yield step
            names |= {letter_of(step.statement.a)} if step.rule == "definition" else set()


def rejection(derivation: Sequence[Step], mutated: Step, judge: Callable[[Sequence[Step]], object]) -> str:
    """Where a derivation is rejected, "" if nowhere; tried first without the lines that the mutant does not need."""
    try:
        judge(resting_on(derivation, mutated))
        judge(derivation)
    except Rejected as verdict:
        return verdict.label
    return ""


def resting_on(derivation: Sequence[Step], last: Step) -> list[Step]:
    """The steps that a step rests on, the definitions of the names in them, and the step itself."""
    wanted, names, needed = {last.label}, set[str](), list[Step]()
    for step in reversed(derivation[: derivation.index(last) + 1]):
        if step.label in wanted or (step.rule == "definition" and letter_of(step.statement.a) in names):
            wanted |= {*step.cites}
            names |= letters(step)
            needed.append(step)
    return needed[::-1]
