"""The missing reasons of exercise 8: the lines that may be cited, how a reason is read, and what the kernel says of it.

A reason is a combination of earlier lines (the rule `ring` of the kernel).  Statement, hypotheses and rule are those of
the derivation; only what is cited, and with which coefficients, is the learner's.  A line that proves itself, or is
proved by what comes later, the kernel sees: it knows no fact but those of earlier steps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from exact.reading import LawError, brief, read_number
from exact.text import wrapped
from proof.drills.answers import Learner
from proof.drills.child import DATA
from proof.drills.exercises import Exercise
from proof.drills.hints import hint_lines, hints_of
from proof.drills.leftover import polynomial_text
from proof.drills.report import passed
from proof.evaluate import Definitions
from proof.front.candidate import cleaned
from proof.lessons.lesson import line_text
from proof.notation import plain
from proof.rejection import EQUAL, STEPS, Z, definitions, step
from proof.statement import (
    ZERO,
    Add,
    At,
    Div,
    Mul,
    Name,
    Node,
    Number,
    Relation,
    Statement,
    Step,
    Sub,
    Sum,
    children,
    eq,
    gt,
)
from proof.wellformed import PRIMITIVES

PROVED = ("redrawn-if-mass", "emitted-law")  # the lines whose reasons are asked for
CASES: dict[Statement, str] = {gt(Z, 0): "Z > 0", eq(Z, 0): "Z = 0", EQUAL: "p = q"}
NONE, MISSING, HYPOTHESIS, ADDS, UNREADABLE = (
    "none",
    "missing",
    "hypothesis",
    "adds",
    "unreadable",
)  # why a reason is not accepted
LONGEST = 300  # characters of a coefficient
MOST_TERMS = 300  # of one that is multiplied out
MOST_BITS = 256  # of a number that comes about in it, above and below the line together


class Refused(NamedTuple):
    """In plain words, and which kind of fault it is."""

    kind: str
    text: str


def listed() -> Iterator[str]:
    """The lines that come before the last of those asked for; equations alone, as nothing else is a reason here."""
    for s in STEPS[: position(PROVED[-1]) + 1]:
        if isinstance(s.statement, Relation) and s.statement.sign == "=":
            case = "".join(f"   [{CASES[h]}]" for h in s.hypotheses if h in CASES)
            yield f"{s.label}: {plain(s.statement)}{case}{'   TO BE PROVED' if s.label in PROVED else ''}"


def position(label: str) -> int:
    return next(i for i, s in enumerate(STEPS) if s.label == label)


# ---- a reason is read


def read_reason(label: str, reason: object) -> dict[str, Node]:
    """Coefficients by the label of the line; LawError where it cannot be read.

    >>> sorted(map(plain, read_reason("emitted-law", {"two-branches": 1, "split-p": "-rho(x) / 2"}).values()))
    ['(0 - rho(x))/2', '1']
    """
    if not isinstance(reason, Mapping):
        raise LawError(f"{label}={brief(reason)}: a reason is a dict of lines and coefficients; write one")
    return {cited: read_coefficient(cleaned(f"{label}[{cited}]"), text) for cited, text in reason.items()}


def read_coefficient(name: str, given: object) -> Node:
    text = str(given).strip()
    if len(text) > LONGEST:
        raise LawError(f"{name}={brief(given)}: a coefficient has at most {LONGEST} characters; shorten it")
    try:
        tree = expression(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = str(error) if isinstance(error, LawError) else "it cannot be read"
        raise LawError(
            f"{name}={brief(given)}: a coefficient is a number, or an expression such as 'Z' or '2 * rho(x)', "
            f"and {said}"
        ) from None
    terms, bits = size(tree)
    if terms > MOST_TERMS:
        raise LawError(
            f"{name}={brief(given)}: multiplied out a coefficient has at most {MOST_TERMS} terms, and this one may "
            f"have {terms if terms < 10**6 else 'more than a million'}; write a shorter one"
        )
    if bits > MOST_BITS:
        raise LawError(f"{name}={brief(given)}: the numbers in it grow too long; write shorter ones")
    return tree


def expression(tree: ast.expr) -> Node:
    """Python's tree as one of ours; a letter that there is not is the kernel's to refuse."""
    match tree:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return Number(Fraction(value))
        case ast.Constant(float() | str() as value):
            return Number(read_number(value))
        case ast.UnaryOp(ast.USub(), operand):
            return _negative(expression(operand))
        case ast.UnaryOp(ast.UAdd(), operand):
            return expression(operand)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            return OPERATORS[type(operator)](expression(left), expression(right))
        case ast.Name(name) if name in NUMBERS:
            return Name(name)
        case ast.Call(ast.Name("sum"), [body], []):
            return Sum("x", expression(body))
        case ast.Call(ast.Name(name), [ast.Name(token)], []) if name in FUNCTIONS:
            return At(name, token)
    raise LawError(f"{ast.unparse(tree)} is none of the letters, {', '.join(NUMBERS)} and {'(x), '.join(FUNCTIONS)}(x)")


def size(tree: Node) -> tuple[int, int]:
    """Bounds of what it is multiplied out: terms, anywhere in it, and bits of a number.

    >>> Z = Name("Z")
    >>> size((Z + 1) * (Z - 1) * (Z + 2)), size(Z / ((Z + 1) * (Z + 2) * (Z + 3)))
    ((8, 4), (8, 5))
    """
    if isinstance(tree, Number):
        return 1, tree.value.numerator.bit_length() + tree.value.denominator.bit_length() - 1
    parts = [*map(size, children(tree))]
    terms, bits = [n for n, _ in parts], sum(b for _, b in parts)
    if isinstance(tree, Mul):
        return prod(terms), bits
    return (sum(terms) if isinstance(tree, Add | Sub) else max(terms, default=1)), bits


def _negative(tree: Node) -> Node:
    match tree:
        case Number(c):
            return Number(-c)
        case Sub(a, b) if a == ZERO:
            return b
    return 0 - tree


def _letters(known: Definitions, of_a_token: bool) -> list[str]:
    """Those that a line before the last one asked for defines."""
    return [name for name, (token, _) in known.items() if (token is not None) is of_a_token]


OPERATORS: dict[type[ast.operator], type[Add | Sub | Mul | Div]] = {
    ast.Add: Add, ast.Sub: Sub, ast.Mult: Mul, ast.Div: Div,
}  # fmt: skip
KNOWN = definitions(STEPS[: position(PROVED[-1])])
NUMBERS, FUNCTIONS = _letters(KNOWN, False), [*sorted(PRIMITIVES), *_letters(KNOWN, True)]


# ---- and checked


def refused(label: str, reason: Mapping[str, Node]) -> Refused | None:
    """None where the kernel accepts the line with this reason; otherwise why it does not."""
    from proof.kernel import Rejected, check

    mine = replace(step(label), cites=tuple(reason), coefficients=tuple(reason.values()))
    try:
        check([*STEPS[: position(label)], mine])
    except Rejected as rejected:
        return in_words(mine, rejected.reason)
    return None


def in_words(mine: Step, said: str) -> Refused:
    """What the kernel says, for somebody who does not know it."""
    before = {s.label: s for s in STEPS[: position(mine.label)]}
    missing = [label for label in mine.cites if label not in before]
    if missing:
        return Refused(MISSING, f"{named(missing)}: no line before {mine.label} has that name")
    strange = [label for label in mine.cites if not is_equation(before[label])]
    if strange:
        return Refused(MISSING, f"{named(strange)} is no equation, and cannot be multiplied and added")
    loose = {h for label in mine.cites for h in before[label].hypotheses} - {*mine.hypotheses}
    if loose:
        where = " and ".join(sorted(map(plain, loose)))
        return Refused(HYPOTHESIS, f"what is cited holds only where {where}, and the line is to hold without that")
    if "add up" in said:
        return Refused(ADDS, f"the lines do not add up to it; {left_over(mine, [before[c] for c in mine.cites])}")
    return Refused(ADDS, f"the proof checker says: {cleaned(said)}")


def named(labels: Sequence[str]) -> str:
    more = [f"{len(labels) - 3} more"] if len(labels) > 3 else []
    return " and ".join([*map(cleaned, labels[:3]), *more])


def is_equation(line: Step) -> bool:
    return isinstance(line.statement, Relation) and line.statement.sign == "="


def left_over(mine: Step, cited: Sequence[Step]) -> str:
    """Left minus right of the line, less that of the combination, with like terms together."""
    from proof.normal import normal

    rest = difference(mine)
    for line, coefficient in zip(cited, mine.coefficients, strict=True):
        rest = rest - coefficient * difference(line)
    return f"left over is {polynomial_text(normal(rest, frozenset(mine.hypotheses)))}"


def difference(line: Step) -> Node:
    assert isinstance(line.statement, Relation)  # `is_equation` has been asked
    return line.statement.a - line.statement.b


# ---- the grade of a file

SELF_CHECK = {"emitted-law": 1}  # the line itself, as its own reason


def grade(exercise: Exercise, file: str, timeout: float) -> dict[str, Refused | None]:
    """For each line None or why it is refused; LawError where the file cannot be imported or has no such dict."""
    with Learner(file, exercise.name, DATA, timeout) as learner:
        given = learner.data()
    return judged(given)


def judged(given: Mapping[str, Any]) -> dict[str, Refused | None]:
    """The lines asked for, and the names that nothing is asked for."""
    nameless = Refused(UNREADABLE, "no line of that name is to be proved here")
    asked = {label: judge(label, given.get(label)) for label in PROVED}
    return {**asked, **{cleaned(label): nameless for label in given if label not in PROVED}}


def judge(label: str, reason: object) -> Refused | None:
    if reason is None:
        return Refused(NONE, "no reason yet")
    try:
        return refused(label, read_reason(label, reason))
    except LawError as error:
        return Refused(UNREADABLE, str(error))


def self_check_text() -> str:
    """A line as its own reason, through the same judge; LawError where that is accepted."""
    found = judge("emitted-law", SELF_CHECK)
    if found is None:
        raise LawError("self-check: a line was accepted as its own reason, so this grader proves nothing; reinstall")
    return f"self-check: this grader rejects emitted-law as its own reason ({found.text})."


def lines(exercise: Exercise, found: Mapping[str, Refused | None]) -> list[str]:
    each = [line for x, fault in found.items() for line in wrapped(f"{', '.join(heading(x))}: {said(fault)}", 4)]
    if not any(found.values()):
        return [*passed(exercise), "", *each]
    return [*each, "", *hint_lines(hints(exercise, found))]


def heading(label: str) -> list[str]:
    return [label, line_text(label)] if label in PROVED else [label]


def said(fault: Refused | None) -> str:
    return f"NOT YET: {fault.text}" if fault else "proved, for every vocabulary and every p and q"


def hints(exercise: Exercise, found: Mapping[str, Refused | None]) -> list[str]:
    return hints_of(exercise, [(label, fault.kind) for label, fault in found.items() if fault])


def facts(exercise: Exercise, found: Mapping[str, Refused | None]) -> dict[str, Any]:
    return {
        "lines": [{"label": x, "proved": fault is None, "reason": fault and fault.text} for x, fault in found.items()],
        "hints": hints(exercise, found),
    }
