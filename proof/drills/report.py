"""What a grader says of exercises 1 to 5: what fails first, where, which kind of wrong answer it is, and a hint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from exact.reading import Number, figure
from exact.text import aligned, wrapped
from proof.drills.answers import Answer
from proof.drills.exercises import EXERCISES, Exercise, wanted
from proof.drills.hints import hint_lines
from proof.drills.grading import CHANCE, CHANGED, COUNTED, ENDLESS, FORM, ITSELF, NOT_FINITE, RUNS, SAME, UNFINISHED
from proof.drills.grading import VISIBLE_ALONE, Failure, Graded, Tried, world_with
from proof.floating import NUMBER
from proof.front.verdict import number_text
from proof.evaluate import World
from proof.front.candidate import Trouble
from proof.front.broken import first_sentence
from proof.lessons.lesson import line_text, why_text
from proof.notation import plain, plain_prose
from proof.rejection import defining, letter_of, step, world_of
from proof.statement import Iff, Statement, free_tokens, relations, walk

WORDS = {
    RUNS: "it does not run",
    ENDLESS: "it does not come back",
    FORM: "it returns something else than is asked for",
    UNFINISHED: "it is not filled in",
    NOT_FINITE: "it returns no number",
    CHANGED: "it does not leave p and q alone",
}
MOST_RULES = 2  # more of them tell nothing
FAULTS = {
    CHANCE: "Another answer comes for the same p and q: it draws something.",
    COUNTED: "All its numbers are multiples of one small fraction: are they counts over many draws?",
    SAME: "The same numbers come back whatever p and q are.",
    VISIBLE_ALONE: "It is right on the pairs of the visible tests, and on almost no other: are these written into it?",
}


def lines(found: Graded) -> list[str]:
    """The report, without its head."""
    if found.passed:
        return [*passed(found.exercise), "", *coverage(found)]
    if found.first is None:
        return [
            *wrapped(
                "NOT YET: it is off by a rounding on most pairs on which nothing has to round, and cannot be judged.", 2
            ),
            "",
            *coverage(found),
        ]
    said = failed(found, found.first)
    return said if found.fault == UNFINISHED else [*said, "", *coverage(found)]


def self_check_text(exercise: Exercise, found: Graded) -> str:
    p, q = (texts(law) for law in found.rejected.case[:2])
    return f"self-check: this grader rejects what {exercise.wrong} would answer, at p = {p} and q = {q}."


def passed(exercise: Exercise) -> list[str]:
    """The lines of the derivation that one should now be able to say why they hold."""
    text = [f"PASSED: exercise {exercise.number}, {exercise.name}.", *(["", "why"] if exercise.told else [])]
    text += [
        line for label in exercise.told for line in (f"  {line_text(label)}", *wrapped(f"      {why_text(label)}", 6))
    ]
    after = exercise.number + 1
    return [*text, *(["", f"next: samelaw drill start {after} DIR"] if after <= len(EXERCISES) else [])]


def failed(found: Graded, first: Tried) -> list[str]:
    assert first.failure is not None  # it is the first that has one
    head = wrapped(
        f"NOT YET: {claim(first.failure, found.exercise.secret)}{': ' * bool(first.failure.text)}{first.failure.text}",
        2,
    )
    head += [*wrapped(f"p = {texts(first.case.p)}", 4), *wrapped(f"q = {texts(first.case.q)}", 4)]
    blocks = [head, table(found.exercise, first), [*sides(found.exercise, first)]]
    blocks.append(wrapped(FAULTS[found.fault]) if found.fault in FAULTS else [*rule_lines(found)])
    blocks.append(hint_lines(hints(found, first)))
    return [line for block in blocks if block for line in ("", *block)][1:]


def claim(failure: Failure, secret: bool = False) -> str:
    """The line of the derivation, or in words what is asked of every answer; secret: without what the line says.

    >>> claim(Failure("residual-sign", "residual-sign", ""))
    'r(x) >= 0 does not hold: line (18) of samelaw step, residual-sign'
    """
    if not failure.line:
        return WORDS[failure.kind]
    where = f"line ({NUMBER[failure.line]}) of samelaw step, {failure.line}"
    return f"{where}, does not hold" if secret else f"{plain(step(failure.line).statement)} does not hold: {where}"


def hints(found: Graded, first: Tried) -> list[str]:
    """For a wrong number of a token, what is special there."""
    case, token = first.case, wrong_token(found.exercise, first)
    kind = found.fault
    at = "zero" if not case.q[token] else "above" if case.q[token] > case.p[token] else "below"
    return found.exercise.hint(at if kind in found.exercise.lines and at in found.exercise.hints else kind, token)


def wrong_token(exercise: Exercise, tried: Tried) -> int:
    """The first whose number is not what is wanted; 0 where there is no such thing."""
    if not isinstance(tried.outcome, Answer):
        return 0
    right = wanted(exercise, world_of(tried.case.p, tried.case.q))[0]
    pairs = enumerate(zip(tried.outcome.vector, right, strict=True))
    return next((x for x, (got, want) in pairs if got != want), 0)


# ---- numbers


def text_of(x: Number) -> str:
    """
    >>> text_of(Fraction(1, 3)), text_of(float("nan"))
    ('1/3', 'nan')
    """
    return str(x) if isinstance(x, float) else number_text(Fraction(x))


def texts(law: Sequence[Number]) -> str:
    return ", ".join(map(text_of, law))


def table(exercise: Exercise, tried: Tried) -> list[str]:
    return aligned(rows(exercise, tried)) if isinstance(tried.outcome, Answer) else []


def rows(exercise: Exercise, tried: Tried) -> list[list[str]]:
    """Wanted is what the derivation defines; alpha is not asked for where p is no law."""
    answer = tried.outcome
    assert isinstance(answer, Answer)
    vector, alpha = wanted(exercise, world_of(tried.case.p, tried.case.q))
    numbers = [(str(x), want, answer.vector[x]) for x, want in enumerate(vector)]
    if answer.number is not None and tried.case.law:
        numbers.append((exercise.scalar, alpha, answer.number))
    return [["token" if exercise.vector else "", "wanted", "got", "off by"], *map(row, numbers)]


def row(numbers: tuple[str, Number, Number]) -> list[str]:
    name, want, got = numbers
    return [name, text_of(want), text_of(got), "-" if isinstance(got, float) else gap_text(got - want)]


def gap_text(gap: Fraction) -> str:
    text = text_of(gap)
    return text if "." not in text and "e" not in text else figure(gap)


def sides(exercise: Exercise, tried: Tried) -> Iterator[str]:
    """Both sides of the line that fails, with the answer in the place of its letter, and what other letters mean."""
    if not (tried.failure and tried.failure.line and isinstance(tried.outcome, Answer)) or exercise.secret:
        return
    statement = step(tried.failure.line).statement
    if tried.failure.kind == ITSELF:
        yield "The program has there:"
        world = world_of(tried.case.p, tried.case.q)
    else:
        yield f"Both sides, where {yours(exercise)}:"
        world = world_with(exercise, tried.case, tried.outcome)
    yield from (line for text in side_texts(world, statement) for line in wrapped(f"  {text}", 4))
    yield from (line for text in meanings(exercise, statement) for line in wrapped(f"  {text}", 4))


def yours(exercise: Exercise) -> str:
    names = ("dist", "alpha") if exercise.vector and exercise.scalar else ("result", "result")
    letters = (exercise.vector and f"{exercise.vector}(x)", exercise.scalar)
    return " and ".join(f"your {name} is {letter}" for name, letter in zip(names, letters, strict=True) if letter)


def side_texts(world: World, statement: Statement) -> Iterator[str]:
    if isinstance(statement, Iff):
        for part in relations(statement):
            yield f"{plain(part)}{' for every x' if free_tokens(part) else ''}: {'yes' if world.holds(part) else 'no'}"
        return
    pairs = world.sides(statement)  # one for each token; of numbers without a token, one
    yield f"{plain(statement.a)} = {texts([left for left, _ in pairs])}"
    yield f"{plain(statement.b)} = {texts([right for _, right in pairs])}"


def meanings(exercise: Exercise, statement: Statement) -> Iterator[str]:
    """In words, as the formula may be what is asked for."""
    known = defining()
    named = dict.fromkeys(filter(known.__contains__, map(letter_of, walk(statement))))
    for name in named:
        if name not in (exercise.vector, exercise.scalar):
            yield f"{name}: {first_sentence(plain_prose(known[name].prose))}"


# ---- rules and coverage


def rule_lines(found: Graded) -> Iterator[str]:
    """Of exercise 2 the name alone, as the sentence of a rule would be the answer."""
    if found.first is None or not isinstance(found.first.outcome, Answer) or found.fault in (ITSELF, NOT_FINITE):
        return
    if not found.rules:
        yield from wrapped("no known rule: none of the table gives this on every pair tried.")
    elif "standard" in [rule.name for rule in found.rules]:
        yield from wrapped("rule: it has the proportions of the right one on every pair tried, and not its size.")
    elif len(found.rules) <= MOST_RULES:
        sentences = found.exercise.vector != "r"
        names = " or ".join(f"{rule.name}{f' ({rule.sentence})' * sentences}" for rule in found.rules)
        yield from wrapped(f"rule: on every pair tried it is what comes of {names}.", 2)


def coverage(found: Graded) -> list[str]:
    """How many pairs were judged, in which numbers."""
    groups = dict.fromkeys(t.case.group for t in found.tried)
    parts = [[str(sum(t.case.group == group and t.judged for t in found.tried)), group] for group in groups]
    floats = sum(t.case.floats for t in found.judged)
    text = (
        f"compared with ==: {floats} in floats, where nothing has to round, {len(found.judged) - floats} in Fractions"
    )
    return [
        *aligned([["run", "pairs"], *parts]),
        *wrapped(text),
        *(line for said in unjudged(found) for line in wrapped(said, 2)),
    ]


def unjudged(found: Graded) -> Iterator[str]:
    """What could not be decided, by its reason."""
    left = [(t.case, t.outcome) for t in found.tried if not t.judged]
    raised = [(case, outcome) for case, outcome in left if isinstance(outcome, Trouble)]
    rounded = sum(isinstance(outcome, Answer) and (case.floats or outcome.exact) for case, outcome in left)
    in_floats = len(left) - len(raised) - rounded
    if in_floats:
        yield f"not judged: {in_floats} pairs in Fractions for which floats came back"
    if rounded:
        yield f"not judged: {rounded} pairs on which it is off by a single rounding"
    if raised:
        (p, q, *_), trouble = raised[0]
        yield (
            f"not judged: {len(raised)} pairs in Fractions on which it {trouble.text}, first at p = {texts(p)}, "
            f"q = {texts(q)}: floats do not stop there, and an array of Fractions does"
        )


def facts(found: Graded) -> dict[str, Any]:
    """The same for a program; numbers are strings."""
    first = found.first
    return {
        "self_check": {
            "rule": found.exercise.wrong,
            "p": listed(found.rejected.case.p),
            "q": listed(found.rejected.case.q),
        },
        "failures": found.failures,
        "counterexample": first and counterexample(found, first),
        "rules": [rule.name for rule in found.rules],
        "judged": len(found.judged),
        "tried": len(found.tried),
    }


def counterexample(found: Graded, first: Tried) -> dict[str, Any]:
    assert first.failure is not None  # it is the first that has one
    head, *body = rows(found.exercise, first) if isinstance(first.outcome, Answer) else [[]]
    return {
        "line": first.failure.line or None,
        "claim": claim(first.failure, found.exercise.secret),
        "reason": first.failure.text or None,
        "kind": found.fault,
        "p": listed(first.case.p),
        "q": listed(first.case.q),
        "table": [dict(zip(["token", *head[1:]], cells, strict=True)) for cells in body],
        "hints": hints(found, first),
    }


def listed(law: Sequence[Number]) -> list[str]:
    return [text_of(x) for x in law]
