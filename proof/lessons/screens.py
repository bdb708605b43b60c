"""The lesson in text: the question before coding, one screen per line of the derivation, and what to take away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exact import total_variation
from exact.reading import Numbers, figure, show
from exact.rules import RULES, Rule, emission, from_q
from exact.text import aligned, spans, width, wrapped
from proof.floating import NUMBER
from proof.lessons.bars import bars
from proof.lessons.floats import CAN_ROUND, FloatRow, can_round, in_floats
from proof.lessons.lesson import Lesson, Row, lesson, letters, uses
from proof.lessons.without import Without, candidates, without_each
from proof.lessons.wrong import DENOMINATOR, OWN, TOKENS, Chance, chance, own_definitions
from proof.rejection import STEPS, D, alpha, m, r, world_of
from proof.rejection import p as target

Pair = tuple[Numbers, Numbers]

SETTING = """\
A large language model writes a text token by token: at each place it has a law p over its V tokens (a probability for
each of them), and draws one. That is slow. A small, fast model has a law q of its own, which is similar. Speculative
decoding lets the small one draw a token, the draft, and asks the large one only whether to keep it. p is called the
target law, q the draft law.

The program at one place: draw x from q. Flip a coin that says yes with probability min(1, p(x)/q(x)); if it says yes,
x is accepted and comes out. If it says no, another token is drawn, from what is left over of p where q has too
little, and that one comes out."""

NOTATION = """\
How to read a line: x is any token, 0 to V-1; sum_x adds up over all tokens; (p(x) - q(x))^+ is the difference where
it is positive and 0 where it is not; delta(y, x) is 1 if y is x and 0 if it is not. A line with x in it is meant for
every token."""


def opening(p: Numbers, q: Numbers) -> list[str]:
    """What it is about, the pair, and the question before coding with its answer on that pair."""
    return [
        *paragraphs(SETTING), "",
        "Your pair, one bar for each token:", "", *bars(world_of(p, q)), "",
        *wrapped("Before any code: would it do to accept every draft? What must the sampler preserve?"), "",
        *wrapped(accept_all_text(p, q)), "",
        *wrapped(f"The next {len(STEPS)} screens prove, line by line, that the program above does just that, for these "
                 "and for any p and q. Every line is shown with your numbers in it."), "",
        *paragraphs(NOTATION),
    ]  # fmt: skip


def accept_all_text(p: Numbers, q: Numbers) -> str:
    dist = emission(RULES["accept-all"], p, q).dist
    off = total_variation(dist, p)
    if not off:
        return (
            "On your pair it would: q is p, so every draft has the right law already. It is the one case in which it "
            "does; with any other q what comes out has the law q, and not p."
        )
    return (
        f"No: what comes out then has the law q. On your pair that is {laws_text(dist)} instead of {laws_text(p)}: "
        f"off by {show(off)}, the total variation between p and q (half the sum of what they differ by, token by "
        "token). What must be preserved is the law of the token that comes out: it has to be p, as if the large model "
        "had drawn it itself. So where q has too much, some drafts must be turned down, and where it has too little "
        "the same mass must be put back."
    )


WHY_RESIDUAL = (
    "The accepted drafts already give every token the overlap. What it still lacks of p is its residual, and a "
    "rejection happens exactly as often as the residual has mass in all: so what is redrawn must have the law of the "
    "residual. "
    "Redrawn from p, the tokens that have all they need would get more, and those that lack some too little."
)


def closing(p: Numbers, q: Numbers) -> list[str]:
    """Why the residual is redrawn and not p, on the pair."""
    wrong, world = emission(RULES["redraw-from-p"], p, q).dist, world_of(p, q)
    letters = [[world.value(f("x"), {"x": x}) for f in (target, m, r, D)] for x in range(len(p))]
    return [
        "Why the residual, and not p?", "",
        *wrapped(WHY_RESIDUAL), "",
        *aligned([["token", "p", "accepted", "lacking", "redrawn from the residual", "redrawn from p"],
                  *([str(x), *map(show, values), show(wrong[x])] for x, values in enumerate(letters))]), "",
        *(["On your pair both give p, by chance; on most pairs they do not."] if wrong == tuple(p) and p != q else []),
        *(["With q = p nothing is ever redrawn."] if p == q else []),
        "Next: samelaw step --break redraw-from-p, samelaw step --draw, samelaw drill",
    ]  # fmt: skip


# ---- one line of the derivation


def screen(shown: Lesson, p: Numbers, q: Numbers, floats: bool = False, own: str = "") -> list[str]:
    """The statement, the numbers, why it holds, and what it uses.  own: what a wrong rule puts in its place."""
    return [
        *head(shown), "",
        *wrapped(f"    {shown.statement}", 8), "",
        *(number_lines(shown, own) if shown.applies else elsewhere(shown, p)),
        *(float_lines(shown, p, q) if floats and shown.applies else []), "",
        *wrapped(f"Why: {shown.why}", 5),
        *use_lines(shown),
    ]  # fmt: skip


def head(shown: Lesson) -> list[str]:
    """Number and label on the left, the chapter on the right, or below where that does not fit."""
    name, place = f"({shown.number}) {shown.step.label}", f"{shown.chapter}, line {shown.number} of {len(STEPS)}"
    room = width() - len(name)
    return [name + place.rjust(room)] if len(place) + 2 <= room else [name, place]


def number_lines(shown: Lesson, own: str) -> list[str]:
    """The line with the numbers in it, token by token, and both sides evaluated."""
    whole = shown.rows[0]
    lines = table(shown, own) if whole.at else [*wrapped(f"    {whole.line}", 8), *sides_lines(whole, own)]
    either = wrapped(f"    {EITHER}", 4) if any(row.either for row in shown.rows) else []
    return [*lines, *either, *(wrapped(f"    {own}", 4) if own else [])]


EITHER = "(some number stands where any may: it never matters)"


def sides_lines(row: Row, own: str) -> list[str]:
    """Nothing where the line has its sides in it already."""
    return [] if row.line == row.sides else [f"    {sides_text(row, own)}"]


def sides_text(row: Row, own: str) -> str:
    return row.sides + ("" if row.holds else "   its own" if own else "   FAILS")


def table(shown: Lesson, own: str) -> list[str]:
    """One row for each token; the sides go below the line where both do not fit beside each other."""
    rows = [[f"    {row.at}", row.line, sides_text(row, own)] for row in shown.rows]
    if all(line == sides for _, line, sides in rows):
        return aligned([["    x", "with your numbers"], *(row[:2] for row in rows)])
    lines = aligned([["    x", "with your numbers", "both sides"], *rows])
    if max(map(len, lines)) <= width():
        return lines
    return [text for at, line, sides in rows for text in (*wrapped(f"{at}  {line}", 8), f"       {sides}")]


def elsewhere(shown: Lesson, p: Numbers) -> list[str]:
    """A line of a case that the pair is not: the same with q = p, where that is the case."""
    said = f"    Not on your pair: this line is for the case {' and '.join(shown.needs)}."
    other = lesson(shown.step, world_of(p, p))
    if not other.applies:
        return wrapped(said, 4)
    return [*wrapped(f"{said} With q = p it is:", 4), *number_lines(other, "")]


def use_lines(shown: Lesson) -> list[str]:
    """The lines that it cites, then the definitions of its letters."""
    return [*listed("Uses: ", uses(shown.step)), *listed("With: ", letters(shown.step))]


def listed(word: str, found: Sequence[str]) -> list[str]:
    texts = [f"{' ' * len(word) if i else word}{text}" for i, text in enumerate(found)]
    return [line for text in texts for line in wrapped(text, 10)]


# ---- in floats


def float_lines(shown: Lesson, p: Numbers, q: Numbers) -> list[str]:
    """Both sides in float64, how far they are from the exact ones, and what rounded in this line."""
    found = in_floats(shown.step, p, q)
    if not found:
        return []
    rows = [[f"    {row.at}", repr(row.left), repr(row.right), ulps(row), verdict(row)] for row in found]
    head = ["    x" if found[0].at else "   ", "left in float64", "right", "off, in ulps", "as floats"]
    return ["", *aligned([head, *rows]), *(line for text in rounded_texts(found) for line in wrapped(f"    {text}", 4))]


def ulps(row: FloatRow) -> str:
    return ", ".join("0" if not off else figure(off) for off in row.off)


def verdict(row: FloatRow) -> str:
    words = ("the same", "not the same") if row.sign == "=" else ("holds", "does not hold")
    return words[0] if row.holds else words[1]


def rounded_texts(found: Sequence[FloatRow]) -> Iterator[str]:
    rounded = list(dict.fromkeys(entry for row in found for entry in row.rounded))
    if not rounded:
        off = any(any(row.off) for row in found)
        yield "Nothing rounds in this line itself" + (": what is off came in with its letters." if off else ".")
    for entry in rounded:
        yield f"rounds: {entry.operation}, by {figure(entry.ulps)} ulp"


def float_opening(p: Numbers, q: Numbers) -> list[str]:
    """What is rounded before the first line: the numbers that are no floats."""
    numbers = [(f"{name}({x}) = {show(value)}", value) for name, v in (("p", p), ("q", q)) for x, value in enumerate(v)]
    said = [text for text, value in numbers if float(value) != value]
    converted = (
        f"No floats, and so rounded before anything is computed: {', '.join(said)}."
        if said
        else "All your numbers are floats."
    )
    return ["", *wrapped(f"In float64: {CAN_ROUND}. {converted}")]


def float_closing(lessons: Sequence[Lesson], p: Numbers, q: Numbers) -> list[str]:
    """Over all lines that apply: where rounding can enter, where it did, and where it shows."""
    found = {shown.number: in_floats(shown.step, p, q) for shown in lessons if shown.applies}
    never = [shown.number for shown in lessons if shown.applies and not can_round(shown.step)]
    did = [n for n, rows in found.items() if any(row.rounded for row in rows)]
    unlike = [n for n, rows in found.items() if not all(row.holds for row in rows)]
    text = (
        f"Rounding cannot enter in lines {spans(never)}: they have no operation that rounds. On your pair it did enter "
        f"in {spans(did) or 'none'}, and as floats {f'{spans(unlike)} do not hold' if unlike else 'all lines hold'}. "
        "The exact lines hold in any case: what differs is rounding alone."
    )
    return [*wrapped(text), ""]


# ---- why is this allowed


def why_allowed(shown: Lesson) -> list[str]:
    """The rule of the checker, the hypotheses, and for each a pair that breaks the line without it."""
    from proof.kernel import RULES as KERNEL_RULES

    rule = (KERNEL_RULES[shown.step.rule].__doc__ or "").strip().splitlines()[0]
    return [
        f"Why is ({shown.number}) {shown.step.label} allowed?", "",
        *wrapped(f"By the rule {shown.step.rule.replace('_', ' ')}: {rule}", 4),
        *(line for lost in without_each(shown.step) for line in wrapped(without_text(lost), 4)),
        *([] if shown.step.hypotheses else ["It assumes nothing about p and q."]),
    ]  # fmt: skip


def without_text(lost: Without) -> str:
    if lost.pair is None:
        return (
            f"Assumes {lost.hypothesis}. No pair of {len(candidates()):,} tried breaks the line without it: its proof "
            "here uses it, the line alone may not need it."
        )
    p, q = map(laws_text, lost.pair)
    how = f"{lost.row.sides}" + (f" at x = {lost.row.at}" if lost.row.at else "") if lost.row else "it divides by 0"
    return f"Assumes {lost.hypothesis}. Without it, at p = {p} and q = {q}: {how}."


# ---- with a wrong rule


def rule_opening(rule: Rule) -> list[str]:
    return [*wrapped(f"{rule.name}: {rule.sentence}."), ""]


def rule_pair(rule: Rule, p: Numbers, q: Numbers, lucky: bool, smallest: Pair) -> list[str]:
    """What the rule emits on the pair; where that is right by chance, the pair on which the walk goes on."""
    got = emission(rule, p, q)
    said = f"On p = {laws_text(p)} and q = {laws_text(q)} it emits {laws_text(got.dist)}"
    if rule.reports:
        said += f" and reports alpha = {show(got.alpha)}"
    if not lucky:
        return wrapped(f"{said}. The walk below has the rule in it.")
    other_p, other_q = map(laws_text, smallest)
    return wrapped(f"{said}, which is right, by chance. So the walk goes on at p = {other_p} and q = {other_q}.")


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


def broken_text(rule: Rule, last: Lesson) -> list[str]:
    """Where the walk stops, and the line that the table of rules names for it."""
    named = NUMBER[rule.breaks]
    other = f" The table of rules names ({named}), {rule.breaks}, which falls with it." if named != last.number else ""
    return wrapped(f"({last.number}) {last.step.label} no longer holds with {rule.name}: here the proof breaks.{other}")


def chance_lines(rule: Rule) -> list[str]:
    """On which small pairs the wrong rule is right."""
    found = chance(rule)
    lines = wrapped(
        f"{rule.name} is right on {len(found.right):,} of the {found.tried:,} pairs with at most {TOKENS} tokens and a "
        f"common denominator of at most {DENOMINATOR}{': all pairs with' if found.kinds else '.'}"
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


# ---- text


def paragraphs(text: str) -> list[str]:
    whole = [wrapped(" ".join(part.split())) for part in text.split("\n\n")]
    return [line for i, lines in enumerate(whole) for line in ([""] if i else []) + lines]


def laws_text(law: Sequence[object]) -> str:
    return ", ".join(show(x) for x in law)  # type: ignore[arg-type]
