"""Exercise 6 in a process of its own: the sampler may print, exit or never come back, and we go on.

Run as a script, `python -P apart.py N FILE SECONDS`, it grades and says one JSON object: the grade, or {"error": why it
could not be graded}.  SECONDS is for one run of the sampler.  What it prints leads nowhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

sys.path.append(str(Path(__file__).resolve().parents[2]))  # -P: nothing else says where `proof` is

from exact.reading import LawError
from exact.text import width
from proof.drills.exercises import Exercise, exercise
from proof.drills.hints import hint_lines

AT_LEAST, TIMES = 30.0, 6  # seconds for all of it, and how many times those of one call


def grade_apart(asked: Exercise, file: str, timeout: float) -> tuple[bool, list[str], dict[str, Any]]:
    """Whether it has passed, the report, and the same for a program; LawError where it cannot be graded."""
    from proof.front.candidate import Process

    limit = max(AT_LEAST, TIMES * timeout)
    process = Process([__file__, str(asked.number), os.path.abspath(file), str(timeout)], {"COLUMNS": str(width())})
    try:
        found = process.receive(limit)
    except TimeoutError:
        return not_graded(asked, f"it is not through within {limit:g} s")
    except EOFError:
        return not_graded(asked, f"it ends the program ({process.end()})")
    finally:
        process.end()
    if "error" in found:
        raise LawError(found["error"].replace(os.path.abspath(file), file))
    return found["passed"], found["lines"], found["facts"]


def not_graded(asked: Exercise, why: str) -> tuple[bool, list[str], dict[str, Any]]:
    hints = asked.hint("endless")
    return False, [f"NOT YET: {why}", "", *hint_lines(hints)], {"reason": why, "hints": hints}


def main(number: str, file: str, timeout: str) -> NoReturn:
    from numeric.audit import following
    from proof.drills import sampling
    from proof.front import child

    _, say = child.private_channel()
    following.RUN_SECONDS = float(timeout)
    try:
        asked = exercise(number)
        found = sampling.grade(asked, file)
        lines, facts = sampling.lines(asked, found), sampling.facts(asked, found)
        say({"passed": found.passed, "lines": lines, "facts": facts})
    except LawError as error:
        say({"error": str(error)})
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
