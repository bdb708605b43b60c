"""Exercises 1 to 5: an answer is right if the lines of the derivation hold with it in the place of the letter.

Nothing is compared with a stored output.  On every pair a `World` gets the answer as the letter's value and evaluates
the lines with ==.  On floats there is nothing to round (`pairs.py`); on Fractions an answer that comes back in floats
has been rounded, and is not judged; nor is what raises there alone, as an array of Fractions cannot do all that one of
floats can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from exact.reading import LawError, Number
from exact.rules import WRONG, RULES, Rule, emission, normalised
from proof.drills.answers import Answer, Learner, Outcome
from proof.drills.exercises import Exercise, wanted
from proof.drills.pairs import CLOSE_GROUP, FINER_GROUP, SMALL_GROUP, Case, is_dyadic, laws, unlike
from proof.evaluate import Definitions, World
from proof.front.candidate import Trouble, Value
from proof.progress import Progress, silent
from proof.rejection import step, world_of
from proof.statement import Number as Constant

RUNS, FORM, UNFINISHED, ENDLESS = "runs", "form", "unfinished", "endless"
ITSELF, NOT_FINITE, CHANGED = "itself", "not-finite", "input"
HALF_ULP = Fraction(1, 2**53)  # of 1: what one operation on a probability can round by, at most
BY_PROGRAM = ("two-branches",)  # the line that holds of the program whatever p sums to


class Failure(NamedTuple):
    """What does not hold: a line of the derivation by its label, or ""; and which kind of fault it is, for the hint."""

    line: str
    kind: str
    text: str


@dataclass(frozen=True)
class Tried:
    """A pair, what came back, and what does not hold; judged: could it be decided here?"""

    case: Case
    outcome: Outcome
    failure: Failure | None = None
    judged: bool = True


@dataclass(frozen=True)
class Graded:
    """All that was tried, in order; fault: what kind of wrong answer it is; rules: those that give it on every pair."""

    exercise: Exercise
    rejected: Tried
    tried: tuple[Tried, ...]
    visible: tuple[Tried, ...]
    fault: str = ""
    rules: tuple[Rule, ...] = ()

    @property
    def first(self) -> Tried | None:
        """The smallest pair on which it fails."""
        return next((t for t in self.tried if t.failure), None)

    @property
    def passed(self) -> bool:
        """Nothing is wrong, and most of what had to be exact in floats was."""
        of_floats = [t.judged for t in self.tried if t.case.floats]
        return self.first is None and 2 * sum(of_floats) > len(of_floats)

    @property
    def failures(self) -> int:
        return sum(t.failure is not None for t in self.tried)

    @property
    def judged(self) -> tuple[Tried, ...]:
        return tuple(t for t in self.tried if t.judged)


def grade(exercise: Exercise, file: str, timeout: float, progress: Progress = silent) -> Graded:
    """The function in a file, on every pair; LawError where it cannot be imported, or the grader cannot reject."""
    rejected = self_check(exercise)
    with Learner(file, exercise.name, exercise.form, timeout) as learner:
        tried = tuple(try_all(exercise, hidden(exercise), learner, progress))
        visible = () if ended(tried[-1].outcome) else tuple(try_all(exercise, exercise.visible_cases, learner))
        found = Graded(exercise, rejected, tried, visible)
        if found.first is None:  # or none could be judged
            return found
        again = found.first.outcome if ended(found.first.outcome) else learner.answer(found.first.case)
    return Graded(exercise, rejected, tried, visible, fault(found, again), tuple(fitting(found)))


def self_check(exercise: Exercise) -> Tried:
    """A wrong rule as the answer: the first pair that rejects it; LawError where none does, and this proves nothing."""
    answer = answer_of(exercise, RULES[exercise.wrong])
    for case in hidden(exercise):
        tried = judge(exercise, case, answer(case))
        if tried.failure:
            return tried
    raise LawError(f"self-check: the rule {exercise.wrong} was not rejected, so this grader proves nothing; reinstall")


def hidden(exercise: Exercise) -> Iterator[Case]:
    """The pairs, smallest first; then those where p does not sum to 1."""
    yield from (case for case in laws() if exercise.equal or case.p != case.q)
    yield from unlike() if exercise.unlike else ()


def try_all(
    exercise: Exercise, cases: Iterable[Case], learner: Learner, progress: Progress = silent
) -> Iterator[Tried]:
    """One pair after the other, until the function does not come back."""
    cases = [*cases]
    for done, case in enumerate(cases, 1):
        progress("pairs", done, len(cases))
        tried = judge(exercise, case, learner.answer(case))
        yield tried
        if ended(tried.outcome):
            return


def ended(outcome: Outcome) -> bool:
    return isinstance(outcome, Trouble) and outcome.ended


# ---- one pair


def judge(exercise: Exercise, case: Case, outcome: Outcome) -> Tried:
    if isinstance(outcome, Trouble):
        failure = Failure("", kind_of(outcome), outcome.text)
        return Tried(case, outcome, failure) if case.floats or outcome.ended else Tried(case, outcome, judged=False)
    if not case.floats and not outcome.exact:
        return Tried(case, outcome, judged=False)
    fault = broken(exercise, case, outcome)
    if fault and case.group != CLOSE_GROUP and is_rounding(exercise, case, outcome):
        return Tried(case, outcome, judged=False)
    return Tried(case, outcome, fault)


def is_rounding(exercise: Exercise, case: Case, answer: Answer) -> bool:
    """Is no number farther off than one rounding?  So it is with p (1 - q/p), with logarithms, or float(x).

    It may be right then, or not, which cannot be seen here; on most pairs such a route is exact as well.
    """
    vector, number = wanted(exercise, world_of(case.p, case.q))
    right = vector if number is None or not case.law else [*vector, number]
    pairs = [(x, y) for x, y in zip(answer.values, right, strict=False) if not isinstance(x, float)]
    return len(pairs) == len(right) and all(x == y or rounds(x, y) for x, y in pairs)


def rounds(got: Fraction, right: Number) -> bool:
    """Is it so near, and a float?"""
    return abs(got - right) <= HALF_ULP and Fraction(float(got)) == got


def kind_of(trouble: Trouble) -> str:
    if trouble.ended:
        return ENDLESS
    if trouble.text.startswith("changes"):
        return CHANGED
    if trouble.text.startswith("raises"):
        return UNFINISHED if "NotImplementedError" in trouble.text else RUNS
    return FORM


def broken(exercise: Exercise, case: Case, answer: Answer) -> Failure | None:
    """The first thing that does not hold."""
    strange = [(i, x) for i, x in enumerate(answer.values) if isinstance(x, float)]
    if strange:
        i, x = strange[0]
        name = f"the number for token {i}" if i < len(answer.vector) else exercise.scalar
        return Failure("", NOT_FINITE, f"{name} is {x}")
    if not case.law and answer.vector == case.p:
        return Failure(
            BY_PROGRAM[0], ITSELF, "that is p itself, and not what the program emits: here p does not sum to 1"
        )
    world = world_with(exercise, case, answer)
    for label in exercise.lines if case.law else BY_PROGRAM:
        if all(map(world.holds, step(label).hypotheses)) and not world.holds(step(label).statement):
            return Failure(label, label, "")
    return None


def world_with(exercise: Exercise, case: Case, answer: Answer) -> World:
    """The pair, with the answer in the place of its letters."""
    plain = world_of(case.p, case.q)
    known = {**plain.definitions, **constant(exercise.scalar, answer.number)}
    primitives = {**plain.primitives, **({exercise.vector: answer.vector} if exercise.vector else {})}
    return World(primitives, known)


def constant(name: str, value: Number | None) -> Definitions:
    return {name: (None, Constant(value))} if name and value is not None else {}


# ---- what kind of wrong answer it is

CHANCE, COUNTED, SAME, VISIBLE_ALONE = "chance", "counted", "same", "visible"
FEW = 5  # answers that may agree by accident
MANY_DRAWS, MOST_DRAWS = 100, 1_000_000  # of an estimate that is recognised


def fault(found: Graded, again: Outcome) -> str:
    """The kind of the first failure, or what the answers have in common where that says more."""
    assert found.first is not None and found.first.failure is not None  # noqa: PT018 - for mypy
    kind = found.first.failure.kind
    if kind in (UNFINISHED, ITSELF, CHANGED, ENDLESS, NOT_FINITE):
        return kind
    if not same_outcome(again, found.first.outcome):
        return CHANCE
    if is_right_on_visible_alone(found):
        return VISIBLE_ALONE
    if is_the_same(found.tried):
        return SAME
    return COUNTED if is_estimate(found.tried) else kind


def same_outcome(a: Outcome, b: Outcome) -> bool:
    """A nan is not itself; the messages of two errors may hold an address."""
    if isinstance(a, Trouble) or isinstance(b, Trouble):
        return type(a) is type(b)
    return [*map(comparable, a.values)] == [*map(comparable, b.values)]


def comparable(x: Value) -> object:
    return str(x) if isinstance(x, float) else x


def is_the_same(tried: Iterable[Tried]) -> bool:
    """One answer for all pairs with so many tokens."""
    by_tokens: dict[int, list[Answer]] = {}
    for t in tried:
        if isinstance(t.outcome, Answer) and t.case.floats:
            by_tokens.setdefault(len(t.case.p), []).append(t.outcome)
    return any(len(answers) > FEW and len({*answers}) == 1 for answers in by_tokens.values())


def is_right_on_visible_alone(found: Graded) -> bool:
    """Right on all of the visible pairs, and wrong on three of four others of more than one token."""
    others = [t for t in found.judged if len(t.case.p) > 1]
    return not any(t.failure for t in found.visible) and 4 * found.failures > 3 * len(others)


def is_estimate(tried: Iterable[Tried]) -> bool:
    """Is every number on every float pair k/n, rounded, with one n for all, and n large already on a small pair?

    What a wrong formula gives on a pair has a denominator that is small there, and another one on another pair.
    """
    of_few_bits = [t for t in tried if t.case.floats and t.case.group not in (FINER_GROUP, CLOSE_GROUP)]
    counts = [(t, count_of(t.outcome)) for t in of_few_bits if isinstance(t.outcome, Answer)]
    largest = max((n for t, n in counts if t.case.group == SMALL_GROUP), default=0)
    return largest >= MANY_DRAWS and lcm(*(n for _, n in counts)) <= MOST_DRAWS


def count_of(answer: Answer) -> int:
    """The least n of which all its numbers are multiples of 1/n, rounded to a float; more than MOST_DRAWS for none.

    >>> count_of(Answer((Fraction(1 / 3), Fraction(0.25)), None, False))
    12
    """
    exact = [x for x in answer.values if isinstance(x, Fraction)]
    if any(abs(x) > MOST_DRAWS for x in exact):
        return MOST_DRAWS + 1
    near = [x.limit_denominator(MOST_DRAWS) for x in exact]
    if any(float(x) != float(y) for x, y in zip(exact, near, strict=True)):
        return MOST_DRAWS + 1
    return lcm(*(y.denominator for y in near))


# ---- which known rule it is


def answer_of(exercise: Exercise, rule: Rule) -> Callable[[Case], Answer]:
    """What a rule gives for the letters of an exercise, exactly."""

    def answer(case: Case) -> Answer:
        emitted = emission(rule, case.p, case.q)
        drafted = zip(rule.draft(case.p, case.q), rule.accept(case.p, case.q), strict=True)
        vector = {"": (), "m": [d * a for d, a in drafted], "r": rule.replace(case.p, case.q, 0), "D": emitted.dist}
        return Answer(tuple(vector[exercise.vector]), emitted.alpha if exercise.scalar else None, True)

    return answer


def fitting(found: Graded) -> Iterator[Rule]:
    """The rules that give the answer on every pair of laws on which it can be compared, on wrong ones among them."""
    of_law = [t for t in found.judged if t.case.law and len(t.case.p) > 1 and t.case.group != CLOSE_GROUP]
    tried = [t for t in of_law if isinstance(t.outcome, Answer)]
    if not tried or len(tried) < len(of_law):
        return
    for rule in (RULES["standard"], *WRONG.values()) if found.exercise.vector == "r" else WRONG.values():
        if fits(rule, found.exercise, tried):
            yield rule


def fits(rule: Rule, asked: Exercise, tried: Sequence[Tried]) -> bool:
    answer, shown = answer_of(asked, rule), False
    for t in tried:
        equal = same(asked, t, answer(t.case))
        if equal is False:
            return False
        shown = shown or bool(equal and t.failure)
    return shown


def same(exercise: Exercise, tried: Tried, by_rule: Answer) -> bool | None:
    """None where it cannot be compared: what the rule gives is no float, and the answer is one.

    A residual is compared over its sum, as a rule says only what is drawn from then; where q = p that is arbitrary.
    """
    assert isinstance(tried.outcome, Answer)
    got: Sequence[Number] = tried.outcome.values
    if any(isinstance(x, float) for x in got):
        return False
    if exercise.vector == "r":
        if tried.case.p == tried.case.q:
            return None
        if not sum(got) > 0:
            return False
        got = normalised(got)
    if tried.case.floats and not all(is_dyadic(Fraction(x)) for x in by_rule.values):
        return None
    return tuple(got) == by_rule.values
