"""One pair through the derivation: every line with the numbers of that pair on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exact import emitted_distribution, joint
from exact.reading import Numbers, show, vector
from exact.rules import SELF_CHECK_RULE, law_of
from exact.search import Pair, smallest
from proof.evaluate import World
from proof.lessons.lesson import Lesson, lesson, side_text
from proof.notation import plain
from proof.rejection import Z, CHAPTERS, PER_TOKEN, derived_law, world_of
from proof.statement import Step


@dataclass(frozen=True)
class Line:
    """A step on this pair: does it apply (its hypotheses hold here), does it hold, and both sides."""

    label: str
    statement: str
    values: str
    applies: bool
    holds: bool


@dataclass(frozen=True)
class Walk:
    """The parts per token, and every line of the derivation, chapter by chapter."""

    table: tuple[tuple[str, ...], ...]
    chapters: dict[str, tuple[Line, ...]]
    agrees: bool  # the program gives the law that the derivation gives
    arbitrary: bool  # u or f stands in the table

    @property
    def holds(self) -> bool:
        return self.agrees and not self.failing

    @property
    def failing(self) -> list[str]:
        """The labels of the lines that apply here and do not hold."""
        return [line.label for lines in self.chapters.values() for line in lines if line.applies and not line.holds]

    def verdict(self) -> str:
        if self.failing:
            return f"on this pair these lines do not hold: {', '.join(self.failing)}"
        return "every line holds on this pair" + ("" if self.agrees else ", but the program gives another law")

    def lines(self) -> list[str]:
        said = "the same" if self.agrees else "NOT the same"
        text = [
            *aligned(self.table),
            "",
            f"exact.emitted_distribution gives {said} law and acceptance probability.",
            "",
        ]
        if self.arbitrary:
            text += ["a(x) where q(x) = 0, and rho(x) where Z = 0, are arbitrary numbers: they do not matter.", ""]
        for title, lines in self.chapters.items():
            text += [title, *(f"  {line.label:26} {line.statement}\n{'':29}{line.values}" for line in lines), ""]
        return [*text, self.verdict()]

    def as_json(self) -> dict[str, Any]:
        return {"table": self.table, "agrees": self.agrees, "holds": self.holds,
                "lines": [vars(line) for lines in self.chapters.values() for line in lines]}  # fmt: skip


def self_check(wrong: str = SELF_CHECK_RULE) -> tuple[Pair, str] | None:
    """The smallest pair on which the law of a wrong rule is not that of the derivation, and what the derivation gives.

    >>> self_check()[1]
    'the derivation gives (1/2, 1/2), that rule (1/4, 3/4)'
    """

    def reason(target: Numbers, draft: Numbers) -> str | None:
        got, (derived, rate) = law_of(wrong)(target, draft), derived_law(world_of(target, draft))
        if got == (derived, rate):
            return None
        return f"the derivation gives {vector(derived)}, that rule {vector(got[0])}"

    return smallest(reason)


def walk_through(target: Numbers, draft: Numbers) -> Walk:
    """Evaluate the derivation on a pair of laws, [V] each; a line whose hypotheses fail here does not apply.

    >>> walk = walk_through(Numbers([1, 0]), Numbers([0, 1]))
    >>> walk.holds, walk.chapters["The acceptance probability"][-1].values
    (True, 'false if and only if false: holds')
    """
    world = world_of(target, draft)
    chapters = {title: tuple(line_of(step, world) for step in steps) for title, steps in CHAPTERS.items()}
    dist, rate = emitted_distribution(target, draft)
    agrees = (tuple(dist), rate) == derived_law(world) and pair_law_agrees(target, draft, dist)
    return Walk(parts(world), chapters, agrees, 0 in draft or not world.value(Z))


def pair_law_agrees(target: Numbers, draft: Numbers, dist: Any) -> bool:
    """The second coordinate of the joint law of (draft, emitted) has the same law: a third way to it."""
    emitted = joint(target, draft).map(lambda pair: pair[1])
    return all(emitted[y] == mass for y, mass in enumerate(dist))


def parts(world: World) -> tuple[tuple[str, ...], ...]:
    head = ("x", *(plain(f("x")) for f in PER_TOKEN))
    rows = ((str(x), *(show(world.value(f("x"), {"x": x})) for f in PER_TOKEN)) for x in range(world.V))
    return (head, *rows)


def line_of(step: Step, world: World) -> Line:
    shown = lesson(step, world)
    return Line(step.label, shown.statement, values_of(shown), shown.applies, shown.applies and shown.holds)


def values_of(shown: Lesson) -> str:
    """Both sides in one line, a vector where the line is for every token."""
    if not shown.applies:
        return f"does not apply here: it needs {' and '.join(shown.needs)}"
    sides = [row.left for row in shown.rows], [row.right for row in shown.rows]
    left, right = (vector(side) if shown.rows[0].at else side_text(side[0]) for side in sides)
    said = ": holds" if shown.holds and isinstance(shown.rows[0].left, bool) else "" if shown.holds else ": FAILS"
    return f"{left} {shown.rows[0].sign} {right}{said}"


def aligned(table: tuple[tuple[str, ...], ...]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
