"""paper.md and the figures that it shows, as files: whether they can be written, written, and compared."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path

from proof.front import files
from proof.paper import pictures


def figures_beside(path: str) -> dict[str, str]:
    """The files that a paper at this path shows, and what they hold; none where it goes to a device."""
    if files.is_device(path):
        return {}
    return {str(Path(path).parent / shown.path): shown.svg for shown in pictures()}


def require_room(path: str) -> None:
    """LawError, before long work, where the paper or a figure could not be written; no folder is made yet."""
    files.require_writable(path)
    for figure in figures_beside(path):
        files.require_writable(str(first_new(Path(figure))))


def first_new(path: Path) -> Path:
    """The file, or the folder that has to be made for it, whose own folder is there."""
    return path if path.parent.exists() else first_new(path.parent)


def write_paper(path: str, text: str) -> list[str]:
    """The figures first, so that no paper shows what is not there; each whole or not at all.  Returns their paths."""
    figures = figures_beside(path)
    for figure, svg in figures.items():
        os.makedirs(os.path.dirname(figure), exist_ok=True)
        files.write_whole(figure, svg)
    files.write_whole(path, text)
    return list(figures)


def read_paper(path: str) -> dict[str, str | None]:
    """What paper and figures hold now, None where a figure is missing; what is no text differs from every figure."""
    held: dict[str, str | None] = {path: files.read_text(path)}
    for figure in figures_beside(path):
        held[figure] = Path(figure).read_bytes().decode("utf-8", "replace") if os.path.isfile(figure) else None
    return held


def differences(old: Mapping[str, str | None], new: Mapping[str, str]) -> list[str]:
    r"""Lines for people, none where all is the same.

    >>> differences({"a.md": "one\n", "b.svg": None}, {"a.md": "one", "b.svg": "two"})
    ['a.md differs only in how its lines end', 'b.svg is missing; samelaw prove writes it']
    """
    return [line for path in new if old[path] != new[path] for line in difference(path, old[path], new[path])]


def difference(path: str, old: str | None, new: str) -> list[str]:
    if old is None:
        return [f"{path} is missing; samelaw prove writes it"]
    lines = [*unified_diff(old.splitlines(), new.splitlines(), path, "this run", lineterm="")]
    return lines or [f"{path} differs only in how its lines end"]
