"""One draw through the sampler as a tree: every way in which it can go, each with its exact probability.

The tree is not drawn from a formula: the program is run along every path of its random decisions (`exact.law_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exact import Law, law_of
from exact.reading import Numbers, show
from exact.rules import NOTHING, RULES, Rule, Way, one_draw
from exact.text import aligned, wrapped


def ways(p: Numbers, q: Numbers, rule: Rule = RULES["standard"]) -> Law:
    """The law of the way; a way of probability 0 is none.

    >>> half = Fraction(1, 2)
    >>> print(ways(Numbers([half, half]), Numbers([1, 0])))
    | outcome | probability |
    |---|---|
    | Way(draft=0, accepted=True, emitted=0) | 1/2 |
    | Way(draft=0, accepted=False, emitted=1) | 1/2 |
    """
    found = {Way(*way): pr for way, pr in law_of(one_draw, rule, p, q).items() if pr}
    return Law({way: found[way] for way in sorted(found, key=lambda way: (way.draft, not way.accepted, way.emitted))})


def emits(law: Law, p: Numbers) -> bool:
    """Whether what comes out has the law p."""
    emitted = law.map(lambda way: way.emitted)
    return all(emitted[x] == p[x] for x in range(len(p)))


def told(law: Law, p: Numbers, rule: Rule) -> list[str]:
    """The tree, the leaves added up, and conditional questions."""
    verdict = "Together they are p, exactly." if emits(law, p) else "Together they are NOT p."
    named = [] if rule.name == "standard" else [*wrapped(f"{rule.name}: {rule.sentence}."), ""]
    return [
        *named, "One draw, and every way in which it can go:", "", *tree(law), "",
        "The leaves of each token, added up:", "", *added_up(law, p), "",
        verdict, *reported(law, p, rule), "", *questions(law, rule),
    ]  # fmt: skip


def reported(law: Law, p: Numbers, rule: Rule) -> list[str]:
    """What a rule says that alpha is, where that is not how often it accepts."""
    if rule.reports is None:
        return []
    accepted = law.probability(lambda way: way.accepted)
    drafted = law.map(lambda way: way.draft)
    said = rule.reports(p, Numbers(drafted[x] for x in range(len(p))))
    return [f"It accepts with probability {show(accepted)}, and says that alpha is {show(said)}."]


def tree(law: Law) -> list[str]:
    """Draft, coin and redraw, each with its conditional probability, and the leaves with the products of these."""
    lines = []
    for x, drafted in law.map(lambda way: way.draft).items():
        lines.append(f"draft token {x}: {show(drafted)}")
        lines += branch(law, [way for way in law if way.draft == x])
    return lines


def branch(law: Law, of_draft: Sequence[Way]) -> list[str]:
    """The coin after a draft, and what comes of it."""
    drafted = sum((law[way] for way in of_draft), Fraction(0))
    rejected = [way for way in of_draft if not way.accepted]
    lost = sum((law[way] for way in rejected), Fraction(0))
    rows = [
        [f"    accept: {show(law[way] / drafted)}", leaf(way, (drafted, law[way] / drafted))]
        for way in of_draft
        if way.accepted
    ]
    if rejected:
        rows.append([f"    reject: {show(lost / drafted)}", ""])
    for way in rejected:
        steps = (drafted, lost / drafted, law[way] / lost)
        rows.append([f"        redraw {token_text(way.emitted)}: {show(steps[-1])}", leaf(way, steps)])
    return aligned(rows)


def leaf(way: Way, steps: Sequence[Fraction]) -> str:
    whole = Fraction(1)
    for pr in steps:
        whole *= pr
    return f"-> {token_text(way.emitted)} comes out: {' * '.join(map(show, steps))} = {show(whole)}"


def token_text(x: int) -> str:
    return "nothing" if x == NOTHING else f"token {x}"


def added_up(law: Law, p: Numbers) -> list[str]:
    """The leaves of each token, added up, beside p."""
    leaves = law.map(lambda way: (way.emitted, way.accepted))
    parts = [[leaves[y, accepted] for accepted in (True, False)] for y in range(len(p))]
    rows = [[str(y), *map(show, (*part, sum(part), p[y]))] for y, part in enumerate(parts)]
    return aligned([["token", "as the draft", "redrawn", "together", "p"], *rows])


def questions(law: Law, rule: Rule) -> list[str]:
    """Conditional questions and their answers, from the same law."""
    said = [whose(law, y) for y in sorted({way.emitted for way in law}) if y != NOTHING]
    said += of_rejected(law, rule) if any(not way.accepted for way in law) else [NEVER]
    return [line for text in said for line in wrapped(text, 4)]


NEVER_AGAIN = ": one that can be rejected has q above p, and one that is redrawn has p above q"
NEVER = "Is a draft ever rejected? No, on this pair it never is, and nothing is redrawn."


def whose(law: Law, y: int) -> str:
    came_out = law.given(lambda way: way.emitted == y)
    was_draft = came_out.probability(lambda way: way.accepted)
    return f"If token {y} came out, was it the draft's? With probability {show(was_draft)}."


def of_rejected(law: Law, rule: Rule) -> list[str]:
    rejected = law.given(lambda way: not way.accepted)
    again = law.probability(lambda way: not way.accepted and way.draft == way.emitted)
    standard = rule.name == "standard"
    residual = ": the residual, normalised, whichever draft was rejected" if standard else ""
    return [
        f"If the draft was rejected (probability {show(law.probability(lambda way: not way.accepted))}), which token "
        f"was it? {law_text(rejected.map(lambda way: way.draft))}.",
        f"And which was redrawn? {law_text(rejected.map(lambda way: way.emitted))}{residual}.",
        f"How likely is it that a token is rejected and then drawn again? {show(again)}{NEVER_AGAIN * standard}.",
    ]


def law_text(law: Law) -> str:
    return ", ".join(f"{token_text(x)} (probability {show(pr)})" for x, pr in sorted(law.items()))
