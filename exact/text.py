"""Lines for people: wrapped to the width of the terminal, tables, and runs of numbers."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence


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


def spans(numbers: Iterable[int]) -> str:
    """Numbers in ascending order, each once; three and more in a row by the first and the last.

    >>> spans([9, 3, 1, 2, 3, 5, 6])
    '1-3, 5, 6, 9'
    """
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
