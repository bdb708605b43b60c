"""Exercise 6: the learner's sampler, followed along every path of its random decisions.

Two things are asked for.  What comes out has the law p, which is the audit.  And each of the two ways to a token is
taken as often as the derivation says: accepted, q(x) a(x); redrawn, beta rho(x).  The second catches a program that
draws from p and leaves the draft aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from exact.branching import Raised, is_cut_off
from exact.law import Law
from exact.reading import LawError, Numbers, show
from exact.rules import SELF_CHECK_RULE
from exact.search import Pair
from exact.spans import IDEAL
from exact.text import aligned, wrapped
from numeric.audit.following import Follow, following
from numeric.audit.pair import FRACTION, NUMPY, accepted, ball_of, distance, exactly, in_arrays, token_of
from numeric.audit.program import Program
from numeric.audit.report import claim_that_fails, coverage_lines, pair_lines, rule_lines, verdict_lines
from numeric.audit.search import Search, audit_search, pair_groups, self_check
from proof.drills.exercises import Exercise, sides
from proof.drills.hints import hint_lines
from proof.drills.pairs import nearly_equal
from proof.drills.report import passed
from proof.floating import NUMBER
from proof.front import child
from proof.front.audit import search_json
from proof.front.candidate import cleaned, read_target
from proof.lessons.screens import laws_text
from proof.notation import plain
from proof.rejection import step, world_of

TOKENS, DENOMINATOR = 3, 3
MOST_PATHS = 2000  # on one pair: a right sampler has some ten
RUNS_OF_A_COIN = 64
LAW, RUNS, UNFINISHED, FLAG, ENDLESS, FORM = "law", "runs", "unfinished", "flag", "endless", "form"
INPUT, SEED = "input", "seed"


@dataclass(frozen=True)
class Way:
    """A pair on which a way to a token is not taken as often as a line of the derivation says."""

    label: str
    pair: Pair
    wanted: Numbers
    got: Numbers


@dataclass(frozen=True)
class Sampled:
    """The audit of a sampler and, where it is lossless, the first pair on which a way is off, or what else is wrong.

    own_seed: does it emit one token for ever, of two that are equally likely?
    """

    search: Search
    way: Way | None = None
    own_seed: bool = False

    @property
    def formula_holds(self) -> bool:
        """A program that is right but for the last bit of its floats has passed."""
        return self.search.holds or self.search.floats_alone_fail

    @property
    def changed(self) -> list[str]:
        return sorted(self.search.program.changed)

    @property
    def passed(self) -> bool:
        return self.formula_holds and not (self.way or self.own_seed or self.changed)

    @property
    def kind(self) -> str:
        """Of the fault, for the hint."""
        if self.formula_holds:
            return INPUT if self.changed else SEED if self.own_seed else FLAG
        worst = self.search.smallest
        assert worst is not None  # it is not lossless
        if "NotImplementedError" in claim_that_fails(worst)[1]:
            return UNFINISHED
        return next((kind for kind, is_it in KINDS.items() if any(map(is_it, worst.others))), LAW)


KINDS: dict[str, Callable[[object], bool]] = {  # what comes out in the place of a token, with some probability
    ENDLESS: lambda x: is_cut_off(x) or "SystemExit" in str(x) or "ends the process" in str(x),
    RUNS: lambda x: isinstance(x, Raised),
    FORM: lambda x: True,
}


def grade(exercise: Exercise, file: str) -> Sampled:
    """LawError where it cannot be imported or followed."""
    target = read_target(f"{file}:{exercise.name}")
    place, home = child.located(target.kind, target.place)
    try:
        emit = child.load(target.kind, place, target.name, home)
    except (Exception, SystemExit) as error:
        said = cleaned(child.why_not_loaded(error, home))
        raise LawError(f"target={file}:{exercise.name}: {said}; mend it, or install what it needs") from None
    search = audit_search(emit, tokens=TOKENS, denominator=DENOMINATOR, max_paths=MOST_PATHS)
    found = Sampled(search)
    return Sampled(search, first_way_off(emit, search), has_own_seed(emit)) if found.formula_holds else found


def has_own_seed(emit: Callable[..., object]) -> bool:
    """Run with a real generator: by chance alone a right program does that with probability 2^-63."""
    half, rng = np.array([0.5, 0.5]), np.random.default_rng(0)
    return len({str(emit(half, half, rng)) for _ in range(RUNS_OF_A_COIN)}) == 1


def first_way_off(emit: Callable[..., object], search: Search) -> Way | None:
    """The first pair on which a way is off on every kind of numbers that the audit could follow."""
    kinds = [kind for kind in (FRACTION, NUMPY) if kind not in search.dropped]
    groups = pair_groups(TOKENS, DENOMINATOR, search.seed).values()
    pairs = chain(*groups, (Pair(case.p, case.q) for case in nearly_equal()))
    with following() as follow:
        return next((way for pair in pairs for way in ways_off(Program(emit), pair, kinds, follow)), None)


def ways_off(program: Program, pair: Pair, kinds: Sequence[str], follow: Follow) -> Iterator[Way]:
    """A program may round by itself also where it gets Fractions: so it is off where it is so on all kinds."""
    world = world_of(*pair)
    for label, flag in (("accepted-mass", True), ("redrawn-mass", False)):
        left = sides(label)[0]
        wanted = Numbers(world.value(left, {"x": x}) for x in range(len(pair.p)))
        got = [way_taken(program, pair, kind, flag, follow) for kind in kinds]
        if all(distance(wanted, numbers) > ball for numbers, ball in got):
            yield Way(label, pair, wanted, got[0][0])


def way_taken(program: Program, pair: Pair, kind: str, flag: bool, follow: Follow) -> tuple[Numbers, Fraction]:
    """How often each token comes out with that flag, and how far a right program can be off."""
    p, q = (in_arrays(law, kind) for law in pair)
    law = follow(program, p, q, reading=IDEAL, size=len(pair.p)).law
    got = Numbers(probability(law, x, flag) for x in range(len(pair.p)))
    return got, ball_of(exactly(p), exactly(q)) if kind == NUMPY else Fraction(0)


def probability(law: Law, x: int, flag: bool) -> Fraction:
    """That the token is x, and the second part of what is returned says so."""
    return law.probability(lambda outcome: accepted(outcome) is flag and token_of(outcome[0]) == x)


# ---- what is said


def lines(exercise: Exercise, found: Sampled) -> list[str]:
    if found.passed:
        note = [*wrapped(" ".join(FLOATS_ALONE.split())), ""] if found.search.floats_alone_fail else []
        return [*passed(exercise), "", *note, *verdict_lines(found.search), "", *coverage_lines(found.search)]
    hints = hint_lines(exercise.hint(found.kind))
    if found.kind == UNFINISHED:
        return ["NOT YET: it is not filled in", "", *hints]
    said = ways_lines(found) if found.formula_holds else audit_lines(found.search)
    return [*said, "", *hints, "", *verdict_lines(found.search), "", *coverage_lines(found.search)]


FLOATS_ALONE = """\
On Fractions the law is p on every pair. On floats it is not, because a sum of floats may end below 1: an audit calls
that a fault of the program, and here it is none of the exercise."""


def audit_lines(search: Search) -> list[str]:
    """Of the report of an audit what concerns the learner."""
    assert search.smallest is not None  # it is not lossless
    head = wrapped(f"NOT YET: {': '.join(claim_that_fails(search.smallest))}", 2)
    return [*head, *pair_lines(search.smallest), "", *rule_lines(search, [])]


def self_check_text() -> str:
    """A wrong rule through the same audit; LawError where it is not rejected."""
    rejected = self_check()
    p, q = (laws_text(law) for law in (rejected.p, rejected.q))
    return f"self-check: this grader rejects {SELF_CHECK_RULE} at p = {p} and q = {q}."


def ways_lines(found: Sampled) -> list[str]:
    """What is wrong though the law is p."""
    if found.changed:
        return wrapped(f"NOT YET: it changes its argument {' and '.join(found.changed)} in place", 2)
    if found.own_seed:
        return wrapped("NOT YET: with p = q = 1/2, 1/2 it emits the same token for ever, run after run", 2)
    if not found.search.reports_acceptance:
        return wrapped("NOT YET: it returns a token and nothing else; return the pair (token, accepted)", 2)
    assert found.way is not None  # it has not passed
    return way_lines(found.way)


def way_lines(way: Way) -> list[str]:
    what = "accepted drafts" if way.label == "accepted-mass" else "redrawn tokens"
    text = (
        f"NOT YET: what comes out has the law p, but not in the way of the program. The {what} are not as line "
        f"({NUMBER[way.label]}) of samelaw step has them, {way.label}: {plain(step(way.label).statement)}"
    )
    laws = [line for name, law in zip("pq", way.pair, strict=True) for line in wrapped(f"{name} = {laws_text(law)}", 4)]
    rows = [[str(x), show(w), show(g), show(g - w)] for x, (w, g) in enumerate(zip(way.wanted, way.got, strict=True))]
    return [*wrapped(text, 2), *laws, "", *aligned([["token", "wanted", "got", "off by"], *rows])]


def facts(exercise: Exercise, found: Sampled) -> dict[str, Any]:
    way = found.way
    return {
        "audit": search_json(found.search),
        "way": way and {
            "line": way.label, "p": [*map(str, way.pair.p)], "q": [*map(str, way.pair.q)],
            "wanted": [*map(str, way.wanted)], "got": [*map(str, way.got)],
        },
        "own_seed": found.own_seed,
        "hints": [] if found.passed else exercise.hint(found.kind),
    }  # fmt: skip
