"""Exercise 7: does the pair show the bug, and is there no smaller one?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from exact.law import total_variation
from exact.reading import LawError, Numbers, brief, read_laws, read_numbers, show
from exact.rules import RULES
from exact.search import Pair
from exact.text import wrapped
from proof.drills.answers import Learner
from proof.drills.bugs import RULES_OF, VERIFIERS, emitted, size, smallest_pair
from proof.drills.child import DATA
from proof.drills.exercises import Exercise
from proof.drills.hints import hint_lines, hints_of
from proof.drills.report import passed
from proof.front.candidate import cleaned
from proof.lessons.screens import laws_text

NONE, UNREADABLE, SHOWS, SMALLER = "none", "unreadable", "shows", "smaller"  # what is wrong with a pair
MOST_TOKENS = 8  # of a pair that a verifier is followed on; every smallest one has fewer
ROUNDING = Fraction(1, 10**6)  # a sum that is off by less was meant to be 1
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
            yield Found(cleaned(name), UNREADABLE, "there is no verifier of that name")


def judge(name: str, given: Any) -> Found:
    """The pair by the exact law of the verifier's own code."""
    if given is None:
        return Found(name, NONE, "no pair yet")
    try:
        pair = read_pair(given)
    except LawError as error:
        return Found(name, UNREADABLE, str(error))
    if len(pair.p) > MOST_TOKENS:
        return Found(name, SMALLER, f"the pair has {len(pair.p)} tokens; there is a smaller pair that shows it")
    dist = emitted(name, *pair)
    if dist == pair.p:
        return Found(name, SHOWS, "it emits p there, and the pair does not show that it is wrong")
    off = f"it emits {laws_text(dist)}, in TV {show(total_variation(dist, pair.p))} from p"
    if size(pair) > size(smallest_pair(name)):
        return Found(name, SMALLER, f"{off}; but there is a smaller pair that shows it")
    return Found(name, "", f"{off}, and no smaller pair shows it. The bug: {RULES[RULES_OF[name]].sentence}")


def read_pair(given: Any) -> Pair:
    """LawError where it is none; everything in it comes as lists and text."""
    if not isinstance(given, list) or len(given) != 2:
        raise LawError(f"pair={unquoted(given)}: a pair is (p, q), two lists of numbers; write it so")
    for name, law in zip("pq", given, strict=True):
        if not isinstance(law, list):
            raise LawError(f"{name}={unquoted(law)}: a law is a list of numbers; give a list")
    numbers = read_numbers(*given)
    for name, law in zip("pq", numbers, strict=True):
        if 0 < abs(sum(law) - 1) < ROUNDING:
            raise LawError(
                f'{name} sums to nearly 1: a law sums to exactly 1, and a float is rounded; write "1/3" as a string'
            )
    return Pair(*read_laws(*numbers))


def unquoted(given: Any) -> str:
    return brief(given).strip("'")


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
    if not any(f.kind for f in found):
        return [*passed(exercise), "", *each]
    return [*each, "", *hint_lines(hints(exercise, found))]


def hints(exercise: Exercise, found: list[Found]) -> list[str]:
    return hints_of(exercise, [(f.name, f.kind) for f in found if f.kind])


def facts(exercise: Exercise, found: list[Found]) -> dict[str, Any]:
    return {
        "verifiers": [{"name": f.name, "right": not f.kind, "text": f.text} for f in found],
        "hints": hints(exercise, found),
    }
