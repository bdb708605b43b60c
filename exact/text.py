"""Lines for people: wrapped to the width of the terminal, and tables."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence


def width() -> int:
    """COLUMNS where it says a number, at least 40; otherwise 100."""
    columns = os.environ.get("COLUMNS", "")
    return max(40, int(columns)) if columns.isdecimal() else 100


def wrapped(text: str, indent: int = 0) -> list[str]:
    """The text in lines, all but the first indented.

    >>> wrapped("one line", 4)
    ['one line']
    """
    return textwrap.wrap(text, width(), subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """
    >>> aligned([["token", "got"], ["0", "1/2"]])
    ['token  got', '0      1/2']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
