"""p and q as bars of text, one line per token: what they share, and what sticks out on either side."""

from __future__ import annotations

from fractions import Fraction

from exact.reading import Number, show
from exact.text import width, wrapped
from proof.evaluate import World
from proof.rejection import e, m, p, q, r

LETTERS = {"p": p, "q": q, "overlap": m, "residual": r, "excess": e}
MARKS = {"overlap": "#", "residual": "+", "excess": "-"}
LEGEND = "# overlap   + residual: p sticks out   - excess: q sticks out"


def bars(world: World) -> list[str]:
    """A table of the five letters, each token with its bar; all bars are on one scale.

    >>> from exact.reading import Numbers
    >>> from proof.rejection import world_of
    >>> print(*bars(world_of(Numbers([Fraction(1, 4), Fraction(3, 4)]), Numbers([1, 0]))), sep="\\n")
    x    p  q  overlap  residual  excess
    0  1/4  1      1/4         0     3/4  ########------------------------
    1  3/4  0        0       3/4       0  ++++++++++++++++++++++++
       # overlap   + residual: p sticks out   - excess: q sticks out
    """
    values = [{name: world.value(f("x"), {"x": x}) for name, f in LETTERS.items()} for x in range(world.V)]
    rows = [["x", *LETTERS], *([str(x), *map(show, row.values())] for x, row in enumerate(values))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    room = max(8, min(32, width() - len(head) - 2))
    longest = max(max(row["p"], row["q"]) for row in values)
    drawn = [f"{line}  {bar(row, longest, room)}".rstrip() for line, row in zip(lines, values, strict=True)]
    return [head, *drawn, *wrapped(f"   {LEGEND}", 3)]


def bar(row: dict[str, Number], longest: Number, room: int) -> str:
    """The overlap, then what sticks out; each rounded to whole marks, and never to none where there is some."""
    return "".join(mark * marks(Fraction(row[name]), longest, room) for name, mark in MARKS.items())


def marks(mass: Fraction, longest: Number, room: int) -> int:
    """
    >>> marks(Fraction(1, 1000), 1, 32), marks(Fraction(0), 1, 32), marks(Fraction(1, 2), 1, 32)
    (1, 0, 16)
    """
    return max(1, int(mass / longest * room + Fraction(1, 2))) if mass else 0
