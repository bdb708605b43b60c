"""The hints of exercises 7 and 8, whose answers have several parts, and how any hint is printed."""

from __future__ import annotations

from collections.abc import Iterable

from exact.text import wrapped
from proof.drills.exercises import Exercise


def hints_of(exercise: Exercise, faults: Iterable[tuple[str, str]]) -> list[str]:
    """From (name of the part, kind of fault): the general hint, and one for the first part that there is one for.

    >>> from proof.drills.exercises import exercise
    >>> [hint[:14] for hint in hints_of(exercise(7), [("verifier_a", "none"), ("verifier_b", "shows")])]
    ['First say in w', 'verifier_b: On']
    """
    faults = list(faults)
    if not faults:
        return []
    name, kind = next(((name, kind) for name, kind in faults if kind in exercise.hints), ("", ""))
    general, *particular = exercise.hint(kind)
    return [general, *(f"{name}: {hint}" for hint in particular)]


def hint_lines(hints: Iterable[str]) -> list[str]:
    return [line for hint in hints for line in wrapped(f"hint: {hint}", 2)]
