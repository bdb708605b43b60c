"""One line of the derivation on one pair: with its numbers, both sides, why it holds and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from exact.reading import Number, show
from proof.evaluate import World
from proof.floating import NUMBER
from proof.lessons.numbers import defined, with_numbers
from proof.notation import in_numbers, plain, plain_prose
from proof.rejection import CHAPTERS, LAWS, defining, letter_of, step
from proof.statement import Iff, Relation, Step, walk

CHAPTER_OF = {s.label: title for title, steps in CHAPTERS.items() for s in steps}
LONG = 120  # characters of a line in numbers
IFF = "if and only if"
FAILING = {"=": "is not", ">=": "is below", ">": "is not above", IFF: "but"}


class Row(NamedTuple):
    """A line at one token ("" where no token is free): in numbers, both sides, and whether it holds.

    either: some number of u or f stands in it, where any may.
    """

    at: str
    line: str
    left: Number | bool
    right: Number | bool
    sign: str
    holds: bool
    either: bool = False

    @property
    def sides(self) -> str:
        """
        >>> Row("0", "", Fraction(1, 4), Fraction(1, 2), "=", False).sides
        '1/4 is not 1/2'
        """
        if self.sign == IFF and self.holds:
            return f"both {side_text(self.left)}"
        return f"{side_text(self.left)} {self.sign if self.holds else FAILING[self.sign]} {side_text(self.right)}"

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "left": side_text(self.left), "right": side_text(self.right)}


@dataclass(frozen=True)
class Lesson:
    """A step on a pair.  needs: the hypotheses that fail there; where there are any the line says nothing of it."""

    step: Step
    rows: tuple[Row, ...]
    needs: tuple[str, ...]

    @property
    def number(self) -> int:
        return NUMBER[self.step.label]

    @property
    def chapter(self) -> str:
        return CHAPTER_OF[self.step.label]

    @property
    def statement(self) -> str:
        return plain(self.step.statement)

    @property
    def case(self) -> str:
        """What it is true under beside p and q being laws, "" where there is nothing else."""
        return case_text(self.step)

    @property
    def why(self) -> str:
        return plain_prose(self.step.prose)

    @property
    def applies(self) -> bool:
        return not self.needs

    @property
    def holds(self) -> bool:
        return all(row.holds for row in self.rows)

    @property
    def fails(self) -> bool:
        """It applies here, and does not hold."""
        return self.applies and not self.holds

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number, "label": self.step.label, "chapter": self.chapter, "statement": self.statement,
            "why": self.why, "rule": self.step.rule, "cites": list(self.step.cites),
            "assumes": [plain(h) for h in self.step.hypotheses], "needs": list(self.needs),
            "applies": self.applies, "holds": self.holds if self.applies else None,
            "rows": [row.as_json() for row in self.rows],
        }  # fmt: skip


def lesson(step: Step, world: World) -> Lesson:
    """The step in that world; no rows where it does not apply.

    >>> from exact.reading import Numbers
    >>> from proof.rejection import step, world_of
    >>> world = world_of(Numbers([Fraction(1, 2), Fraction(1, 2)]), Numbers([1, 0]))
    >>> lesson(step("split-p"), world).rows[0].line
    '1/2 = 1/2 + 0'
    >>> lesson(step("no-mass"), world).needs
    ('Z = 0',)
    """
    needs = tuple(plain(h) for h in step.hypotheses if not world.holds(h))
    return Lesson(step, () if needs else rows(step, world), needs)


def rows(step: Step, world: World) -> tuple[Row, ...]:
    """The statement at every token where one is free; an equivalence is one row."""
    if isinstance(step.statement, Iff):
        a, b = world.holds(step.statement.a), world.holds(step.statement.b)
        return (Row("", plain(step.statement), a, b, IFF, a == b),)
    other = World({**world.primitives, **dict.fromkeys("uf", [Fraction(0)] * world.V)}, world.definitions)
    return tuple(row(step, step.statement, world, other, at) for at in world.assignments(step.statement))


def row(step: Step, relation: Relation, world: World, other: World, at: Mapping[str, int]) -> Row:
    line, left, right = line_in(world, step, relation, at), world.value(relation.a, at), world.value(relation.b, at)
    holds = world.at_tokens(relation, at)
    return Row(place(at), line, left, right, relation.sign, holds, line != line_in(other, step, relation, at))


def place(at: Mapping[str, int]) -> str:
    return ", ".join(map(str, at.values()))


def line_in(world: World, step: Step, relation: Relation, at: Mapping[str, int]) -> str:
    """The line in numbers; a definition keeps the name that it defines, and a long one leaves out what is 0."""
    whole = line_text_in(world, step, relation, at)
    return whole if len(whole) <= LONG else line_text_in(world, step, relation, at, without_zeros=True)


def line_text_in(
    world: World, step: Step, relation: Relation, at: Mapping[str, int], without_zeros: bool = False
) -> str:
    if step.rule == "definition":
        right = in_numbers(with_numbers(relation.b, world, at, without_zeros))
        return f"{defined(relation.a, at)} = {right}"
    return in_numbers(with_numbers(relation, world, at, without_zeros))


def side_text(value: Number | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else show(value)


# ---- what a line rests on


def uses(step: Step) -> list[str]:
    """The lines that it cites, each with what it is multiplied by.

    >>> from proof.rejection import step
    >>> uses(step("residual-mass"))[1:]
    ['-1 times (11) sum_x p(x) = sum_x m(x) + sum_x r(x)', '(1) sum_x p(x) = 1']
    """
    times = [plain(c) for c in step.coefficients] or ["1"] * len(step.cites)
    pairs = zip(times, map(line_text, step.cites), strict=True)
    return [text if c == "1" else f"{c} times {text}" for c, text in pairs]


def letters(step: Step) -> list[str]:
    """The definitions of its letters that it does not cite.

    >>> from proof.rejection import step
    >>> letters(step("residual-mass"))
    ['(3) m(x) = min(p(x), q(x))']
    """
    return [line_text(label) for label in letters_of(step) if label not in (*step.cites, step.label)]


def letters_of(step: Step) -> list[str]:
    """The labels of the definitions of the letters that stand in it, in the order of the derivation."""
    standing = {letter_of(tree) for tree in walk(step.statement)}
    return [s.label for letter, s in defining().items() if letter in standing]


def line_text(label: str) -> str:
    return f"({NUMBER[label]}) {plain(step(label).statement)}{case_text(step(label))}"


def why_text(label: str) -> str:
    """Why a line holds, in words."""
    return plain_prose(step(label).prose)


def case_text(step: Step) -> str:
    """
    >>> from proof.rejection import step
    >>> case_text(step("redrawn-if-mass")), case_text(step("redrawn-mass"))
    (', where Z > 0', '')
    """
    beyond = [plain(h) for h in step.hypotheses if h not in LAWS and h != step.statement]
    return f", where {' and '.join(beyond)}" if beyond else ""
