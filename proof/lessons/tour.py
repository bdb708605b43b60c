"""The walk through the derivation: all of its pages in order, and those that lead straight to the theorem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from exact.reading import Numbers, show
from exact.rules import Rule, is_right_on, smallest_wrong
from proof.lessons import screens, story, wrong_text
from proof.lessons.bars import bars
from proof.lessons.floats import in_floats
from proof.lessons.lesson import Lesson, lesson, letters_of
from proof.lessons.wrong import chance, first_broken, lessons_of_rule
from proof.rejection import STEPS, THEOREM, step, world_of


@dataclass(frozen=True)
class Page:
    """One screen.  shown: the line that it shows, if it does; on_the_way: a reader in a hurry sees it; foot: bars."""

    lines: list[str]
    shown: Lesson | None = None
    on_the_way: bool = True
    foot: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.shown.number if self.shown else 0

    @property
    def chapter(self) -> str:
        return self.shown.chapter if self.shown else ""


NOT_NEEDED = "not about your pair, or not needed for the theorem"
SAME_NUMBERS = "with the same numbers as the right rule has"


@dataclass(frozen=True)
class Tour:
    """The pages, whether all is as it should be, and the same for a program."""

    pages: list[Page]
    holds: bool
    report: dict[str, Any]
    left_out: str  # why a page may not be on the way

    def everything(self, why: bool) -> Iterator[str]:
        """All pages as lines of text; why: with the reason why each line is allowed."""
        for i, page in enumerate(self.pages):
            yield from [""] if i else []
            yield from page.lines
            if why and page.shown:
                yield ""
                yield from screens.why_allowed(page.shown)


def tour(p: Numbers, q: Numbers, floats: bool = False) -> Tour:
    """The derivation on a pair of laws.

    >>> from exact.reading import read_laws
    >>> found = tour(*read_laws(["1/2", "1/2"], [1, 0]))
    >>> found.holds, len(found.pages), [page.number for page in found.pages if page.on_the_way][3:8]
    (True, 71, [1, 2, 3, 4, 5])
    """
    world = world_of(p, q)
    lessons = [lesson(s, world) for s in STEPS]
    failing, needed, foot = [shown.step.label for shown in lessons if shown.fails], to_the_theorem(), bars(world)
    pages = [
        Page(screens.screen(shown, p, q, floats), shown, shown.applies and shown.step.label in needed,
             foot if shown.applies else [])
        for shown in lessons
    ]  # fmt: skip
    setting, question, answer = story.opening(p, q)
    after = story.closing(p, q)
    if floats:
        answer += screens.float_opening(p, q)
        after = [*screens.float_closing(lessons, p, q), "", *after]
    if failing:
        after += ["", f"these lines do not hold: {', '.join(failing)}"]
    report = {**pair_json(p, q), "holds": not failing, "lines": [line_json(shown, p, q, floats) for shown in lessons]}
    before = [Page(setting), Page(question, foot=foot), Page(answer)]
    return Tour([*before, *pages, Page(after)], not failing, report, NOT_NEEDED)


def to_the_theorem() -> set[str]:
    """The labels of the lines that the theorem rests on, and of the definitions of their letters.

    >>> sorted({"emitted-law", "overlap", "alpha", "never-again", "accept-all-is-off"} & to_the_theorem())
    ['alpha', 'emitted-law', 'overlap']
    """
    needed: set[str] = set()
    waiting = list(THEOREM)
    while waiting:
        label = waiting.pop()
        if label not in needed:
            needed.add(label)
            waiting += [*step(label).cites, *letters_of(step(label))]
    return needed


def tour_of_rule(rule: Rule, p: Numbers, q: Numbers) -> Tour:
    """The same with a wrong rule, up to the first line that no longer holds; on the smallest pair, if it is right here.

    On the way are the lines with other numbers than those of the right rule.
    """
    smallest, lucky = smallest_wrong(rule), is_right_on(rule, p, q)
    at = smallest if lucky else (p, q)
    lessons, right = lessons_of_rule(rule, *at), world_of(*at)
    found, foot = first_broken(rule, lessons), bars(right)
    pages = [
        Page(page_of_rule(rule, shown, found, *at), shown,
             shown.applies and shown.rows != lesson(shown.step, right).rows, foot)
        for shown in lessons
    ]  # fmt: skip
    before = wrong_text.rule_opening(rule, p, q, smallest)
    after = joined(
        wrong_text.broken_text(rule, found), wrong_text.smallest_lines(rule, smallest), wrong_text.chance_lines(rule)
    )
    report = {
        "rule": rule.name, "sentence": rule.sentence, "breaks": rule.breaks, **pair_json(p, q),
        "right_on_your_pair": lucky, "first_line": found and found.as_json(),
        "smallest": pair_json(*smallest), "right_on": chance_json(rule),
    }  # fmt: skip
    return Tour([Page(before), *pages, Page(after)], found is not None, report, SAME_NUMBERS)


def page_of_rule(rule: Rule, shown: Lesson, found: Lesson | None, p: Numbers, q: Numbers) -> list[str]:
    fails = f"{rule.sentence}." if shown is found else ""
    return screens.screen(shown, p, q, own=wrong_text.own_text(rule, shown), fails=fails)


def joined(*parts: Sequence[str]) -> list[str]:
    """The parts with an empty line between."""
    return [line for i, part in enumerate(parts) for line in ([""] if i else []) + list(part)]


def pair_json(p: Numbers, q: Numbers) -> dict[str, list[str]]:
    return {"p": [*map(show, p)], "q": [*map(show, q)]}


def line_json(shown: Lesson, p: Numbers, q: Numbers, floats: bool) -> dict[str, Any]:
    rows = [row._asdict() for row in in_floats(shown.step, p, q)] if floats and shown.applies else []
    return shown.as_json() | ({"floats": rows} if floats else {})


def chance_json(rule: Rule) -> dict[str, Any]:
    found = chance(rule)
    return {"pairs": found.tried, "right": len(found.right), "kinds": found.kinds, "others": len(found.others)}
