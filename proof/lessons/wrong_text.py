"""What is said of a wrong rule: where it is right, its own numbers, the line that breaks, and the smallest pair."""

from __future__ import annotations

from exact.reading import Numbers, show
from exact.rules import Rule, emission, from_q, is_right_on
from exact.search import Pair
from exact.text import aligned, wrapped
from proof.floating import NUMBER
from proof.lessons.lesson import Lesson
from proof.lessons.screens import laws_text
from proof.lessons.wrong import DENOMINATOR, OWN, TOKENS, Chance, chance, own_definitions, reasons_to_be_right
from proof.rejection import alpha, world_of


def rule_opening(rule: Rule, p: Numbers, q: Numbers, smallest: Pair) -> list[str]:
    """The rule, and what it emits on the pair; where that is right, the pair on which the walk goes on."""
    got = emission(rule, p, q)
    said = f"On p = {laws_text(p)} and q = {laws_text(q)} it emits {laws_text(got.dist)}"
    if got.stuck:
        said += f", and nothing with probability {show(got.stuck)}"
    if rule.reports:
        said += f", and says that alpha is {show(got.alpha)}"
    return [*wrapped(f"{rule.name}: {rule.sentence}."), "", *wrapped(f"{said}{goes_on(rule, p, q, smallest)}")]


def goes_on(rule: Rule, p: Numbers, q: Numbers, smallest: Pair) -> str:
    if not is_right_on(rule, p, q):
        return ". What follows is the derivation with this rule in it."
    kinds, (other_p, other_q) = reasons_to_be_right(rule, p, q), map(laws_text, smallest)
    why = f"as on every small pair with {' or '.join(kinds)}" if kinds else "by chance"
    return f", which is right, {why}. So what follows is at p = {other_p} and q = {other_q}."


def smallest_lines(rule: Rule, smallest: Pair) -> list[str]:
    """The smallest pair on which one sees that the rule is wrong: what it emits, token by token."""
    p, q = smallest
    got = emission(rule, p, q)
    rows = [[str(x), show(wanted), show(out)] for x, (wanted, out) in enumerate(zip(p, got.dist, strict=True))]
    rate = [["alpha", show(world_of(p, q).value(alpha)), show(got.alpha)]]
    head = wrapped(f"The smallest pair where one sees it: p = {laws_text(p)} and q = {laws_text(q)}.")
    stuck = [f"with probability {show(got.stuck)} nothing comes out"] if got.stuck else []
    return [*head, *aligned([["token", "wanted", rule.name], *rows, *rate]), *stuck]


def own_text(rule: Rule, shown: Lesson) -> str:
    """What is said where a rule has its own numbers, "" where the line is not such a one or they are the right ones."""
    if shown.step.label not in own_definitions(rule) or shown.holds:
        return ""
    said = f"Here {rule.name} has its own numbers, those on the left. The first line that breaks comes later."
    elsewhere = rule.draft is not from_q and shown.step.label == OWN["a"]
    return f"{said} As its draft is not from q, a(x) is what it accepts of x over q(x)." if elsewhere else said


def broken_text(rule: Rule, found: Lesson | None) -> list[str]:
    """Where the walk stops, and the line that the table of rules names, if that is another one."""
    if found is None:
        return wrapped(f"Every line holds with {rule.name}: nothing here shows that it is wrong.")
    named = NUMBER[rule.breaks]
    other = f" The table of rules names ({named}), {rule.breaks}, which falls with it." if named != found.number else ""
    return wrapped(
        f"({found.number}) {found.step.label} no longer holds with {rule.name}: here the proof breaks.{other}"
    )


def chance_lines(rule: Rule) -> list[str]:
    """On which small pairs the wrong rule is right."""
    found = chance(rule)
    lines = wrapped(
        f"{rule.name} is right on {len(found.right):,} of the {found.tried:,} pairs with at most {TOKENS} tokens and a "
        f"common denominator of at most {DENOMINATOR}{': all pairs with (these may overlap)' if found.kinds else '.'}"
    )
    lines += [f"    {name} ({count:,})" for name, count in found.kinds.items()]
    return lines + other_lines(found)


def other_lines(found: Chance) -> list[str]:
    if not found.others:
        return ["and on no other."] if found.kinds else []
    many, example = len(found.others), "p = {}, q = {}".format(*map(laws_text, found.others[0]))
    return wrapped(
        f"and on {many:,} more, such as {example}." if found.kinds else f"The smallest of these is {example}."
    )
