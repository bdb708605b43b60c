"""Lines for people: wrapped to the width of the terminal, tables, and runs of numbers."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence


HELD = "\u00a0*\u00a0"  # no-break spaces, at which textwrap does not break


def width() -> int:
    """COLUMNS, or what the terminal has, or 100 where there is none; at least 40, and at most 400."""
    return max(40, min(400, shutil.get_terminal_size((100, 24)).columns))


def wrapped(text: str, indent: int = 0) -> list[str]:
    """The text in lines, all but the first indented; a product stays together.

    >>> wrapped("one line", 4), [len(line) for line in wrapped("a + " * 30 + "2 * 3")]
    (['one line'], [99, 25])
    """
    held = text.replace(" * ", HELD)
    lines = textwrap.wrap(held, width(), subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(HELD, " * ") for line in lines]


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
