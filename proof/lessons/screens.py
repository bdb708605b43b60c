"""One line of the derivation as a screen of text; why it is allowed; and what is said of floats and of wrong rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exact.reading import Numbers, figure, show
from exact.text import aligned, spans, width, wrapped
from proof.lessons.floats import CAN_ROUND, FloatRow, can_round, in_floats
from proof.lessons.lesson import IFF, Lesson, Row, lesson, letters, side_text, uses
from proof.lessons.without import Without, candidates, without_each
from proof.rejection import EXAMPLE, STEPS, THEOREM, world_of

# ---- one line of the derivation


def screen(shown: Lesson, p: Numbers, q: Numbers, floats: bool = False, own: str = "", fails: str = "") -> list[str]:
    """The statement, the numbers, why it holds, and what it uses.

    own: what a wrong rule puts in its place; fails: why the line fails, where it does.
    """
    return [
        *head(shown), "",
        *wrapped(f"    {shown.statement}{shown.case}", 8), "",
        *(number_lines(shown, own) if shown.applies else elsewhere(shown, p)),
        *(float_lines(shown, p, q) if floats and shown.applies else []), "",
        *why_lines(shown, fails),
        *use_lines(shown),
    ]  # fmt: skip


THE_THEOREM = " This is the theorem."


def why_lines(shown: Lesson, fails: str) -> list[str]:
    if fails:
        return [*wrapped(f"It fails: {fails}", 4), *wrapped(f"With the right rule: {shown.why}", 5)]
    return wrapped(f"Why: {shown.why}{THE_THEOREM * (shown.step.label in THEOREM)}", 5)


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
        return aligned([["    x", "in numbers"], *(row[:2] for row in rows)])
    lines = aligned([["    x", "in numbers", "both sides"], *rows])
    if max(map(len, lines)) <= width():
        return lines
    return [text for at, line, sides in rows for text in (*wrapped(f"{at}  {line}", 8), f"       {sides}")]


def elsewhere(shown: Lesson, p: Numbers) -> list[str]:
    """A line of a case that the pair is not: the same with q = p, or on a pair of that case."""
    said = f"    Not on your pair: this line is for the case {' and '.join(shown.needs)}."
    for name, pair in (("q = p", (p, p)), (f"p = {laws_text(EXAMPLE[0])} and q = {laws_text(EXAMPLE[1])}", EXAMPLE)):
        other = lesson(shown.step, world_of(*pair))
        if other.applies:
            return [*wrapped(f"{said} With {name} it is:", 4), *number_lines(other, "")]
    return wrapped(said, 4)


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
    rows = [[f"    {row.at}", *float_cells(row)] for row in found]
    head = ["    x" if found[0].at else "   ", "left in float64", "right", "off, in ulps", "as floats"]
    return ["", *aligned([head, *rows]), *(line for text in rounded_texts(found) for line in wrapped(f"    {text}", 4))]


def float_cells(row: FloatRow) -> list[str]:
    if row.trouble:
        return ["-", "-", "-", row.trouble]
    return [repr(row.left), repr(row.right), ulps(row), verdict(row)]


def ulps(row: FloatRow) -> str:
    return ", ".join("0" if not off else figure(off) for off in row.off)


def verdict(row: FloatRow) -> str:
    words = ("the same", "not the same") if row.sign == "=" else ("holds", "does not hold")
    return words[0] if row.holds else words[1]


def rounded_texts(found: Sequence[FloatRow]) -> Iterator[str]:
    rounded = list(dict.fromkeys(entry for row in found for entry in row.rounded))
    if not rounded:
        if all(row.trouble for row in found):
            return
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
    return ["", *wrapped(f"In float64 (an ulp is the distance from a float to the next one): {CAN_ROUND}. {converted}")]


def float_closing(lessons: Sequence[Lesson], p: Numbers, q: Numbers) -> list[str]:
    """Over all lines that apply: where rounding can enter, where it did, and where it shows."""
    found = {shown.number: in_floats(shown.step, p, q) for shown in lessons if shown.applies}
    never = [shown.number for shown in lessons if shown.applies and not can_round(shown.step)]
    did = [n for n, rows in found.items() if any(row.rounded for row in rows)]
    unlike = [n for n, rows in found.items() if not all(row.holds for row in rows)]
    seen = f"{spans(unlike)} do not hold" if unlike else "all lines hold"
    return wrapped(
        f"Of the lines that apply, rounding cannot enter in {spans(never)}: they have no operation that rounds. It did "
        f"enter in {spans(did) or 'none'}, and as floats {seen}. The exact lines hold in any case: what differs is "
        "rounding alone."
    )


# ---- why is this allowed


BY_RULE = {  # the rules of the kernel, for somebody who reads a proof and does not check one
    "hypothesis": "it is assumed, and every line that uses it says so",
    "definition": "it only gives a name to what stands on the right",
    "regions": "p(x) and q(x) can stand to each other in six ways (both 0, only q 0, only p 0, p smaller, equal, or "
    "larger), and the line was worked out in each",
    "summation": "what holds for every token may be added up over all tokens",
    "ring": "take the lines under Uses, each times what stands before it, and add them up: everything else cancels",
    "zero_sum": "numbers that are not below 0 add up to 0 only if each of them is 0",
    "substitution": "equals are put for equals",
    "cut": "what one of the lines used assumes is what the other one says",
    "cases": "it was shown in both cases, and there is no third",
    "equivalence": "one of the lines used shows the one direction, the other one the other",
}


def why_allowed(shown: Lesson) -> list[str]:
    """The rule of the checker in words, the hypotheses, and for each a pair that breaks the line without it."""
    lost = without_each(shown.step)
    unbroken = [each.hypothesis for each in lost if each.pair is None]
    return [
        f"Why is ({shown.number}) {shown.step.label} allowed?", "",
        *wrapped(f"By {shown.step.rule.replace('_', ' ')}: {BY_RULE[shown.step.rule]}.", 4),
        *(line for each in lost if each.pair for line in wrapped(without_text(each), 4)),
        *(wrapped(unbroken_text(unbroken), 4) if unbroken else []),
        *([] if shown.step.hypotheses else ["It assumes nothing about p and q."]),
    ]  # fmt: skip


def without_text(lost: Without) -> str:
    assert lost.pair is not None
    p, q = map(laws_text, lost.pair)
    return f"It assumes {lost.hypothesis}. Without that, at p = {p} and q = {q}: {failing_text(lost.row)}."


def failing_text(row: Row | None) -> str:
    """How a line fails, in words."""
    if row is None:
        return "it divides by 0"
    if row.sign == IFF:
        return f"one side of the line is {side_text(row.left)}, and the other {side_text(row.right)}"
    return row.sides + (f" at x = {row.at}" if row.at else "")


def unbroken_text(hypotheses: Sequence[str]) -> str:
    return (
        f"It also assumes {' and '.join(hypotheses)}: the proof here uses that, though none of {len(candidates()):,} "
        f"pairs tried, of one or two tokens, breaks the line without {'it' if len(hypotheses) == 1 else 'one of them'}."
    )


# ---- text


def laws_text(law: Sequence[object]) -> str:
    return ", ".join(show(x) for x in law)  # type: ignore[arg-type]
