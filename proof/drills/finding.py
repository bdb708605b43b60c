"""Exercise 7: does the pair show the bug, and is there no smaller one?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from exact.law import total_variation
from exact.reading import LawError, Numbers, brief, read_laws, show
from exact.rules import RULES
from exact.search import Pair
from exact.text import wrapped
from proof.drills.answers import Learner
from proof.drills.bugs import RULES_OF, VERIFIERS, emitted, size, smallest_pair
from proof.drills.child import DATA
from proof.drills.exercises import Exercise
from proof.drills.report import passed

NONE, UNREADABLE, SHOWS, SMALLER = "none", "unreadable", "shows", "smaller"  # what is wrong with a pair
SEEN_THROUGH = Pair(Numbers([Fraction(1)]), Numbers([Fraction(1)]))  # no verifier can be wrong on one token


class Found(NamedTuple):
    """What became of the pair for one verifier: what is wrong, "" for nothing, and that in words."""

    name: str
    kind: str
    text: str


def grade(exercise: Exercise, file: str, timeout: float) -> list[Found]:
    """LawError where the file cannot be imported or has no such dict."""
    with Learner(file, exercise.name, DATA, timeout) as learner:
        given = learner.data()
    return [*judged(given)]


def judged(given: Mapping[str, Any]) -> Iterator[Found]:
    """Each verifier, and the names that there are no verifiers of."""
    yield from (judge(name, given.get(name)) for name in VERIFIERS)
    for name in given:
        if name not in VERIFIERS:
            yield Found(name, UNREADABLE, "there is no verifier of that name")


def judge(name: str, given: Any) -> Found:
    """The pair by the exact law of the verifier's own code."""
    if given is None:
        return Found(name, NONE, "no pair yet")
    try:
        pair = read_pair(given)
    except LawError as error:
        return Found(name, UNREADABLE, str(error))
    dist = emitted(name, *pair)
    if dist == pair.p:
        return Found(name, SHOWS, "it emits p there, and the pair does not show that it is wrong")
    off = f"it emits {', '.join(map(show, dist))}, in TV {show(total_variation(dist, pair.p))} from p"
    if size(pair) > size(smallest_pair(name)):
        return Found(name, SMALLER, f"{off}; but there is a smaller pair that shows it")
    return Found(name, "", f"{off}, and no smaller pair shows it. The bug: {RULES[RULES_OF[name]].sentence}")


def read_pair(given: Any) -> Pair:
    if not isinstance(given, list) or len(given) != 2:
        raise LawError(f"pair={brief(given)}: a pair is (p, q), two lists of numbers; write it so")
    return Pair(*read_laws(*given))


def self_check_text() -> str:
    """A pair that shows nothing, through the same judge; LawError where it is taken for an answer."""
    found = judge("verifier_a", [[*map(str, law)] for law in SEEN_THROUGH])
    if not found.kind:
        raise LawError(
            "self-check: a pair that shows nothing was not rejected, so this grader proves nothing; reinstall"
        )
    return f"self-check: this grader rejects p = 1, q = 1 for {found.name} ({found.text})."


def lines(exercise: Exercise, found: list[Found]) -> list[str]:
    each = [line for f in found for line in wrapped(f"{f.name}  {'NOT YET' if f.kind else 'right'}: {f.text}", 4)]
    kinds = [f.kind for f in found if f.kind]
    if not kinds:
        return [*passed(exercise), "", *each]
    hints = exercise.hint(next((kind for kind in kinds if kind in exercise.hints), ""))
    return [*each, "", *(line for hint in hints for line in wrapped(f"hint: {hint}", 2))]


def facts(found: list[Found]) -> dict[str, Any]:
    return {"verifiers": [{"name": f.name, "right": not f.kind, "text": f.text} for f in found]}
