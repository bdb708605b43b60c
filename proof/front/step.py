"""`samelaw step`: the derivation as a lesson, one screen per line, with the learner's own numbers."""

from __future__ import annotations

import argparse
import json
import sys
from random import Random
from typing import Any

from exact.reading import LawError, Numbers, brief, read_laws, show
from exact.rules import RULES, WRONG, Rule
from exact.search import random_pair
from exact.text import wrapped
from proof.front import COUNTEREXAMPLE, HOLDS
from proof.front.files import read_text
from proof.front.keys import ask, go_through
from proof.front.keys import show as show_page
from proof.front.refusal import Report, or_refused
from proof.lessons import draw
from proof.lessons.tour import pair_json, tour, tour_of_rule
from proof.rejection import EXAMPLE

RANDOM_TOKENS, RANDOM_DENOMINATOR = (3, 4, 5), 12
MOST_TOKENS = 24  # a line in numbers has up to V^2 terms; a screen shows it in parts


def run(options: argparse.Namespace) -> Report:
    """Exit code, the lines that are still to be printed, and the same for a program."""
    return or_refused(options, lambda: run_step(options))


def run_step(options: argparse.Namespace) -> Report:
    require_together(options)
    if options.rule == "list":
        return HOLDS, rules_listed(), {"rules": {name: rule.sentence for name, rule in WRONG.items()}}
    p, q = pair_of(options)
    require_fits(p)
    if options.draw:
        code, lines, report = drawn(options, p, q)
        return code, [*seed_lines(options), *lines], report
    found = tour(p, q, options.floats) if options.rule is None else tour_of_rule(wrong_rule(options.rule), p, q)
    code = HOLDS if found.holds else COUNTEREXAMPLE
    if options.json or options.all or options.why or not interactive():
        return code, [*seed_lines(options), *found.everything(options.why)], found.report
    go_through(found, ask, show_page)
    return code, [], found.report


def require_together(options: argparse.Namespace) -> None:
    """What would be left aside is refused."""
    if options.draw and (options.floats or options.why):
        other = "--float" if options.floats else "--why"
        raise LawError(f"--draw and {other}: a draw is shown in fractions alone; leave out one of them")
    if options.json and options.why:
        raise LawError("--json and --why: the reasons are text for people; leave out one of them")
    if options.rule is not None and options.floats:
        raise LawError("--float and --break: a wrong rule is shown in fractions; leave out one of them")


def seed_lines(options: argparse.Namespace) -> list[str]:
    return [f"(the pair of seed {options.random})", ""] if options.random is not None else []


def interactive() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


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
    if options.p is None:
        return laws(*EXAMPLE)
    return laws(*([part.strip() for part in text.split(",")] for text in (options.p, options.q)))


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
        text = read_text(path).removeprefix("\ufeff")
        data = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, LawError):
            raise
        raise LawError(f"file={path}: a pair is JSON, this is not ({error}); mend it") from None
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    if not (isinstance(data, dict) and isinstance(data.get("p"), list) and isinstance(data.get("q"), list)):
        raise LawError(f'file={path}: one pair is {{"p": [...], "q": [...]}}, this is {brief(data)}; write one so')
    return laws(data["p"], data["q"])


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, where no name stands twice in it."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice in it")
    return dict(pairs)


def require_fits(p: Numbers) -> None:
    if len(p) > MOST_TOKENS:
        raise LawError(f"p has {len(p)} tokens: a lesson shows at most {MOST_TOKENS} of them; give a shorter pair")


def rules_listed() -> list[str]:
    """Every wrong rule of the table with its sentence."""
    longest = max(map(len, WRONG))
    return [line for name, rule in WRONG.items() for line in wrapped(f"{name:{longest}}  {rule.sentence}", longest + 2)]


def wrong_rule(name: str) -> Rule:
    if name not in WRONG:
        raise LawError(f"rule={name}: it is no wrong rule of the table; take one of {', '.join(WRONG)}")
    return WRONG[name]


# ---- one draw


def drawn(options: argparse.Namespace, p: Numbers, q: Numbers) -> Report:
    """The tree of one draw, with the right rule or a wrong one; with the right one p has to come out."""
    rule = RULES["standard"] if options.rule is None else wrong_rule(options.rule)
    law = draw.ways(p, q, rule)
    same = draw.emits(law, p)
    ways = [{**way._asdict(), "probability": show(pr)} for way, pr in law.items()]
    report = {**pair_json(p, q), "rule": rule.name, "ways": ways, "emits_p": same}
    return HOLDS if same or not rule.lossless else COUNTEREXAMPLE, draw.told(law, p, rule), report
