"""`samelaw step`: the derivation as a lesson, one screen per line, with the learner's own numbers."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from exact.reading import LawError, Numbers, brief, read_laws, show
from exact.rules import WRONG, Rule, is_right_on
from exact.search import random_pair
from proof.front import COUNTEREXAMPLE, HOLDS
from proof.front.files import read_text
from proof.lessons import screens
from proof.lessons.bars import bars
from proof.lessons.lesson import Lesson, lesson
from proof.lessons.wrong import broken, chance, lessons_of_rule, smallest_broken
from proof.rejection import STEPS, world_of

DEFAULT = ("1/2,1/3,1/6", "1/6,1/3,1/2")
RANDOM_TOKENS, RANDOM_DENOMINATOR = (3, 4, 5), 12
OTHER_LINES = 14  # of a screen, beside one for each token
KEYS = "Enter: on   b: back   j N: to line N   n: next chapter   ?: why is this allowed   q: end"
CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def run(options: argparse.Namespace) -> tuple[int, list[str], dict[str, Any]]:
    """Exit code, the lines that are still to be printed, and the same for a program."""
    p, q = pair_of(options)
    require_fits(p)
    if options.draw:
        return drawn(options, p, q)
    walk = walk_of_rule(options, p, q) if options.rule is not None else walk_of(options, p, q)
    if options.json or options.all or options.why or not interactive():
        return walk.code, list(walk.everything(options.why)), walk.report
    go_through(walk, ask, show_screen)
    return walk.code, [], walk.report


def interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


# ---- the pair


def pair_of(options: argparse.Namespace) -> tuple[Numbers, Numbers]:
    """The pair that the options say, read exactly."""
    given = [name for name in ("p", "random", "file") if getattr(options, name) is not None]
    if len(given) > 1:
        raise LawError(f"--{given[0]} and --{given[1]}: one pair at a time; give one of them")
    if options.random is not None:
        return seeded_pair(options.random)
    if options.file is not None:
        return pair_in_file(options.file)
    texts = (options.p, options.q) if options.p is not None else DEFAULT
    return laws(*([part.strip() for part in text.split(",")] for text in texts))


def laws(p: object, q: object) -> tuple[Numbers, Numbers]:
    target, draft = read_laws(p, q)
    return target, draft


def seeded_pair(seed: int) -> tuple[Numbers, Numbers]:
    """A pair of 3 to 5 tokens with at least two in each law, which share something and differ somewhere."""
    random = Random(seed)
    while True:
        p, q = random_pair(random.choice(RANDOM_TOKENS), RANDOM_DENOMINATOR, random)
        if p != q and any(map(min, p, q)) and all(sum(map(bool, law)) > 1 for law in (p, q)):
            return p, q


def pair_in_file(path: str) -> tuple[Numbers, Numbers]:
    """{"p": [...], "q": [...]}; decimals are what they say, and no floats."""
    try:
        data = json.loads(read_text(path), parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        if isinstance(error, LawError):
            raise
        raise LawError(f"file={path}: a pair is JSON, this is not ({error}); mend it") from None
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    if not (isinstance(data, dict) and isinstance(data.get("p"), list) and isinstance(data.get("q"), list)):
        raise LawError(f'file={path}: one pair is {{"p": [...], "q": [...]}}, this is {brief(data)}; write one so')
    return laws(data["p"], data["q"])


def require_fits(p: Numbers) -> None:
    lines = shutil.get_terminal_size().lines
    most = max(3, lines - OTHER_LINES)
    if len(p) > most:
        raise LawError(
            f"p has {len(p)} tokens: a screen of {lines} lines holds {most}; give fewer, or a taller screen "
            f"(LINES={len(p) + OTHER_LINES})"
        )


# ---- what there is to see


@dataclass(frozen=True)
class Walk:
    """The screens in order: what comes before the first line, the lines, and what comes after the last."""

    before: list[str]
    lessons: list[Lesson]
    pages: list[list[str]]
    after: list[str]
    foot: list[str]  # the bars, where a screen has room for them
    code: int
    report: dict[str, Any]

    def everything(self, why: bool) -> Iterator[str]:
        yield from self.before
        for shown, page in zip(self.lessons, self.pages, strict=True):
            yield ""
            yield from page
            if why:
                yield ""
                yield from screens.why_allowed(shown)
        yield ""
        yield from self.after

    def screens(self) -> list[list[str]]:
        return [self.before, *self.pages, self.after]


def walk_of(options: argparse.Namespace, p: Numbers, q: Numbers) -> Walk:
    world = world_of(p, q)
    lessons = [lesson(s, world) for s in STEPS]
    before = [*seed_lines(options), *screens.opening(p, q), *(screens.float_opening(p, q) if options.floats else [])]
    failing = [shown.step.label for shown in lessons if shown.fails]
    floats = screens.float_closing(lessons, p, q) if options.floats else []
    after = [*floats, *screens.closing(p, q), *([f"these lines do not hold: {', '.join(failing)}"] if failing else [])]
    report = {**pair_json(p, q), "holds": not failing, "lines": [shown.as_json() for shown in lessons]}
    pages = [screens.screen(shown, p, q, options.floats) for shown in lessons]
    return Walk(before, lessons, pages, after, bars(world), COUNTEREXAMPLE if failing else HOLDS, report)


def walk_of_rule(options: argparse.Namespace, p: Numbers, q: Numbers) -> Walk:
    """The same with a wrong rule, up to the first line that no longer holds; on the smallest pair, if all hold here."""
    if options.floats:
        raise LawError("--float and --break: a wrong rule is shown in fractions; leave out one of them")
    rule = wrong_rule(options.rule)
    smallest = smallest_broken(rule)
    lucky = is_right_on(rule, p, q)
    at = smallest if lucky else (p, q)
    lessons = lessons_of_rule(rule, *at)
    before = [*seed_lines(options), *screens.rule_opening(rule), *screens.rule_pair(rule, p, q, lucky, smallest)]
    after = [
        *screens.broken_text(rule, lessons[-1]),
        "",
        *screens.smallest_lines(rule, smallest),
        "",
        *screens.chance_lines(rule),
    ]
    found = broken(rule, *at)
    report = {
        "rule": rule.name, "sentence": rule.sentence, "breaks": rule.breaks, **pair_json(p, q),
        "right_on_your_pair": lucky, "first_line": found and found.as_json(),
        "smallest": pair_json(*smallest), "right_on": chance_json(rule),
    }  # fmt: skip
    pages = [screens.screen(shown, *at, own=screens.own_text(rule, shown)) for shown in lessons]
    return Walk(before, lessons, pages, after, bars(world_of(*at)), HOLDS if found else COUNTEREXAMPLE, report)


def wrong_rule(name: str) -> Rule:
    if name not in WRONG:
        raise LawError(f"rule={name}: it is no wrong rule of the table; take one of {', '.join(WRONG)}")
    return WRONG[name]


def drawn(options: argparse.Namespace, p: Numbers, q: Numbers) -> tuple[int, list[str], dict[str, Any]]:
    from proof.lessons import draw

    for name in ("rule", "floats", "why"):
        if getattr(options, name):
            raise LawError(
                f"--draw and --{'break' if name == 'rule' else name.rstrip('s')}: one view at a time; leave out one"
            )
    law = draw.ways(p, q)
    emitted = law.map(lambda way: way.emitted)
    same = all(emitted[x] == p[x] for x in range(len(p)))
    lines = [
        *seed_lines(options), "One draw, and every way in which it can go:", "", *draw.tree(law), "",
        "The leaves of each token, added up:", "", *draw.added_up(law, p), "",
        "together == p" if same else "together is NOT p", "", *draw.questions(law),
    ]  # fmt: skip
    ways = [{**way._asdict(), "probability": show(pr)} for way, pr in law.items()]
    return HOLDS if same else COUNTEREXAMPLE, lines, {**pair_json(p, q), "ways": ways, "holds": same}


def seed_lines(options: argparse.Namespace) -> list[str]:
    return [f"(the pair of seed {options.random})", ""] if options.random is not None else []


def pair_json(p: Numbers, q: Numbers) -> dict[str, list[str]]:
    return {"p": [*map(show, p)], "q": [*map(show, q)]}


def chance_json(rule: Rule) -> dict[str, Any]:
    found = chance(rule)
    return {"pairs": found.tried, "right": len(found.right), "kinds": found.kinds, "others": len(found.others)}


# ---- going through it


def go_through(walk: Walk, ask: Callable[[], str], show_screen: Callable[[Sequence[str]], object]) -> None:
    """Show a screen, ask for a key, and go where it says, until the end."""
    at, said = 0, ""
    while True:
        page = walk.screens()[at]
        show_screen([*page, *footed(page, walk.foot if 0 < at <= len(walk.pages) else []), *([said] if said else [])])
        said, key = "", ask().strip()
        if key == "q" or (key == "" and at == len(walk.pages) + 1):
            return
        if key == "?":
            show_screen(why_lines(walk, at))
            ask()
        else:
            at, said = moved(walk, at, key)


def footed(page: Sequence[str], foot: Sequence[str]) -> list[str]:
    """The bars below a screen, where there is room for them."""
    room = shutil.get_terminal_size().lines - len(page) - 3
    return ["", *foot] if foot and len(foot) <= room else []


def why_lines(walk: Walk, at: int) -> list[str]:
    if not 0 < at <= len(walk.lessons):
        return ["Here is nothing to prove; Enter goes on."]
    return [*screens.why_allowed(walk.lessons[at - 1]), "", "Enter: back to the line"]


def moved(walk: Walk, at: int, key: str) -> tuple[int, str]:
    """The screen that a key leads to, and what there is to say of it."""
    last = len(walk.pages) + 1
    word, _, number = key.partition(" ")
    if key in ("", "b"):
        return max(0, min(last, at + (1 if key == "" else -1))), ""
    if key == "n":
        return next_chapter(walk, at), ""
    if word == "j" and number.strip().isdecimal() and 1 <= int(number) <= len(walk.pages):
        return int(number), ""
    return at, f"{brief(key)} is no key here{f'; lines are 1 to {len(walk.pages)}' if word == 'j' else ''}"


def next_chapter(walk: Walk, at: int) -> int:
    """The first line of another chapter than that of this line; the last screen where there is none."""
    here = walk.lessons[at - 1].chapter if 0 < at <= len(walk.lessons) else ""
    later = (i for i, shown in enumerate(walk.lessons, 1) if i > at and shown.chapter != here)
    return next(later, len(walk.pages) + 1)


def ask() -> str:
    """What was typed; the end of the input ends the walk."""
    try:
        return input(f"{KEYS} > ")
    except EOFError:
        print()
        return "q"


def show_screen(lines: Sequence[str]) -> None:
    if os.environ.get("TERM", "dumb") != "dumb":
        print(CLEAR, end="")
    print(*lines, "", sep="\n", flush=True)
