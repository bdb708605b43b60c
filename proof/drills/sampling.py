"""Exercise 6: the learner's sampler, followed along every path of its random decisions.

Two things are asked for.  What comes out has the law p, which is the audit.  And each of the two ways to a token is
taken as often as the derivation says: accepted, q(x) a(x); redrawn, beta rho(x).  The second catches a program that
draws from p and leaves the draft aside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exact.branching import Raised
from exact.law import Law
from exact.reading import LawError, Numbers, show
from exact.rules import SELF_CHECK_RULE
from exact.search import Pair, all_pairs
from exact.spans import IDEAL
from exact.text import aligned, wrapped
from numeric.audit.following import Follow, following
from numeric.audit.pair import FRACTION, NUMPY, Audit, accepted, distance, exactly, in_arrays, token_of, ball_of
from numeric.audit.program import Program
from numeric.audit.report import claim_that_fails, coverage_lines, pair_lines, rule_lines, verdict_lines
from numeric.audit.search import Search, audit_search, self_check
from proof.drills.exercises import Exercise, left_side
from proof.drills.report import passed
from proof.floating import NUMBER
from proof.front.candidate import cleaned, read_target
from proof.notation import plain
from proof.progress import Progress
from proof.rejection import step, world_of

TOKENS, DENOMINATOR = 3, 3
LAW, RUNS, UNFINISHED, FLAG = "law", "runs", "unfinished", "flag"


@dataclass(frozen=True)
class Way:
    """A pair on which a way to a token is not taken as often as a line of the derivation says."""

    label: str
    pair: Pair
    wanted: Numbers
    got: Numbers


@dataclass(frozen=True)
class Sampled:
    """The audit of a sampler and, where it is lossless, the first pair on which a way is off."""

    rejected: Audit
    search: Search
    way: Way | None = None

    @property
    def passed(self) -> bool:
        return self.search.holds and self.way is None

    @property
    def kind(self) -> str:
        """Of the fault, for the hint."""
        worst = self.search.smallest
        if worst is None:
            return FLAG
        claim = claim_that_fails(worst)[1]
        return (
            UNFINISHED
            if "NotImplementedError" in claim
            else RUNS
            if any(isinstance(x, Raised) for x in worst.others)
            else LAW
        )


def grade(exercise: Exercise, file: str, progress: Progress) -> Sampled:
    """LawError where it cannot be imported or followed; what it prints goes to stderr."""
    from proof.front import child

    rejected = self_check()
    with redirect_stdout(sys.stderr):
        target = read_target(f"{file}:{exercise.name}")
        place, home = child.located(target.kind, target.place)
        try:
            emit = child.load(target.kind, place, target.name, home)
        except (Exception, SystemExit) as error:
            said = cleaned(child.why_not_loaded(error, home))
            raise LawError(f"target={file}:{exercise.name}: {said}; mend it, or install what it needs") from None
        search = audit_search(emit, tokens=TOKENS, denominator=DENOMINATOR, progress=progress)
        way = first_way_off(emit, search) if search.holds else None
    return Sampled(rejected, search, way)


def first_way_off(emit: Callable[..., object], search: Search) -> Way | None:
    """On the numbers that the audit could follow: Fractions, or else floats."""
    kind = FRACTION if FRACTION not in search.dropped else NUMPY
    program, pairs = Program(emit), all_pairs(TOKENS, DENOMINATOR)
    with following() as follow:
        return next((way for pair in pairs for way in ways_off(program, pair, kind, follow)), None)


def ways_off(program: Program, pair: Pair, kind: str, follow: Follow) -> Iterator[Way]:
    p, q = (in_arrays(law, kind) for law in pair)
    law = follow(program, p, q, reading=IDEAL, size=len(pair.p)).law
    ball = ball_of(exactly(p), exactly(q)) if kind == NUMPY else Fraction(0)
    world = world_of(*pair)
    for label, flag in (("accepted-mass", True), ("redrawn-mass", False)):
        left = left_side(label)
        wanted = Numbers(world.value(left, {"x": x}) for x in range(len(pair.p)))
        got = Numbers(probability(law, x, flag) for x in range(len(pair.p)))
        if distance(wanted, got) > ball:
            yield Way(label, pair, wanted, got)


def probability(law: Law, x: int, flag: bool) -> Fraction:
    """That the token is x, and the second part of what is returned says so."""
    return law.probability(lambda outcome: accepted(outcome) is flag and token_of(outcome[0]) == x)


# ---- what is said


def lines(exercise: Exercise, found: Sampled) -> list[str]:
    if found.passed:
        return [*passed(exercise), "", *verdict_lines(found.search), "", *coverage_lines(found.search)]
    hints = [line for hint in exercise.hint(found.kind) for line in wrapped(f"hint: {hint}", 2)]
    if found.kind == UNFINISHED:
        return ["NOT YET: it is not filled in", "", *hints]
    said = way_lines(found.way) if found.way else audit_lines(found.search)
    return [*said, "", *hints, "", *verdict_lines(found.search), "", *coverage_lines(found.search)]


def audit_lines(search: Search) -> list[str]:
    """Of the report of an audit what concerns the learner."""
    assert search.smallest is not None  # it is not lossless
    head = wrapped(f"NOT YET: {': '.join(claim_that_fails(search.smallest))}", 2)
    return [*head, *pair_lines(search.smallest), "", *rule_lines(search, [])]


def self_check_text(found: Sampled) -> str:
    claim, reason = claim_that_fails(found.rejected)
    p, q = (shown(law) for law in (found.rejected.p, found.rejected.q))
    return f"self-check: this grader rejects {SELF_CHECK_RULE} at p = {p} and q = {q} ({claim}: {reason})."


def way_lines(way: Way) -> list[str]:
    what = "accepted drafts" if way.label == "accepted-mass" else "redrawn tokens"
    text = (
        f"NOT YET: what comes out has the law p, but not in the way of the program. The {what} are not as line "
        f"({NUMBER[way.label]}) of paper.md has them, {way.label}: {plain(step(way.label).statement)}"
    )
    laws = [line for name, law in zip("pq", way.pair, strict=True) for line in wrapped(f"{name} = {shown(law)}", 4)]
    rows = [[str(x), show(w), show(g), show(g - w)] for x, (w, g) in enumerate(zip(way.wanted, way.got, strict=True))]
    return [*wrapped(text, 2), *laws, "", *aligned([["token", "wanted", "got", "off by"], *rows])]


def shown(law: Iterable[Fraction]) -> str:
    return ", ".join(map(show, law))


def facts(found: Sampled) -> dict[str, Any]:
    from proof.front.audit import search_json

    way = found.way
    return {
        "audit": search_json(found.search),
        "way": way and {
            "line": way.label, "p": [*map(str, way.pair.p)], "q": [*map(str, way.pair.q)],
            "wanted": [*map(str, way.wanted)], "got": [*map(str, way.got)],
        },
    }  # fmt: skip
