"""`samelaw drill`: lists the exercises, writes the file to start from, and grades."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exact.reading import LawError
from exact.text import wrapped
from proof.drills.exercises import BUGS, EXERCISES, FUNCTION, PROOF, SAMPLER, Exercise, exercise
from proof.front import COUNTEREXAMPLE, HOLDS
from proof.front.files import reason, write_whole
from proof.front.refusal import Report, or_refused
from proof.progress import Progress


def run(options: argparse.Namespace, progress: Progress) -> Report:
    """Exit code, lines, and the same for a program; LawError where it cannot be run.

    With --json that is an object as well, and the exit code 2.
    """
    return or_refused(options, lambda: run_drill(options, progress))


def run_drill(options: argparse.Namespace, progress: Progress) -> Report:
    require_together(options)
    if options.action == "list":
        return listing()
    asked = exercise(options.exercise)
    if options.action == "start":
        return print_solution(asked) if options.solution else start(asked, options.place)
    if not options.solution:
        require_file(options.place)
        return graded(asked, options.place, options.timeout, progress)
    with reference(asked) as file:
        return graded(asked, file, options.timeout, progress)


def require_together(options: argparse.Namespace) -> None:
    """What is missing is asked for, and what would be left aside is refused."""
    if options.action not in ("list", "start", "test"):
        number = options.action if options.action.isdecimal() else "N"
        raise LawError(
            f"drill={options.action}: it is list, start or test; `samelaw drill start {number} DIR` writes an exercise"
        )
    what = {"start": "DIR", "test": "FILE"}.get(options.action)
    if what is None:
        if options.exercise is not None or options.solution:
            raise LawError(
                "list: it takes nothing more; write `samelaw drill start N DIR` or `samelaw drill test N FILE`"
            )
    elif options.exercise is None:
        raise LawError(f"{options.action}: it takes the number of an exercise and {what}; `samelaw drill` lists them")
    elif options.solution and options.place is not None:
        raise LawError(f"--solution: it stands in the place of {what}; leave one of them out")
    elif not options.solution and options.place is None:
        raise LawError(f"{options.action} {options.exercise}: {what} is missing; give it, or --solution")


def require_file(place: str) -> None:
    if not os.path.isfile(place):
        what = "this is a folder" if os.path.isdir(place) else "there is no such file"
        raise LawError(f"file={place}: it is the file that you filled in, and {what}; mend the path")


# ---- list and start


def listing() -> Report:
    lines = [f"{x.number}  {x.name:22}{x.about}" for x in EXERCISES]
    rows = [{"number": x.number, "name": x.name, "about": x.about, "file": x.file} for x in EXERCISES]
    return HOLDS, [*lines, "", "begin with: samelaw drill start 1 DIR"], {"exit_code": HOLDS, "exercises": rows}


def start(asked: Exercise, folder: str) -> Report:
    """Writes the starter file; LawError where there is a file of its name, or the folder cannot be had."""
    from proof.drills.files import starter

    path = os.path.join(folder, asked.file)
    if os.path.lexists(path):
        raise LawError(f"file={path}: it exists, and is not overwritten; name another folder")
    text = starter(asked)
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise LawError(f"folder={folder}: it cannot be made ({reason(error)}); name another one") from None
    write_whole(path, text)
    lines = [
        f"wrote {path}",
        "",
        "read it, fill it in, and then",
        f"  python {shlex.quote(path)}",
        f"  samelaw drill test {asked.number} {shlex.quote(path)}",
    ]
    return HOLDS, lines, {"exit_code": HOLDS, "exercise": asked.number, "wrote": path}


def print_solution(asked: Exercise) -> Report:
    from proof.drills.files import solution

    text = solution(asked)
    return HOLDS, text.splitlines(), {"exit_code": HOLDS, "exercise": asked.number, "solution": text}


@contextmanager
def reference(asked: Exercise) -> Iterator[str]:
    """The reference in a file, as long as it is graded."""
    from proof.drills.files import solution

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, asked.file)
        file.write_text(solution(asked), encoding="utf-8")
        yield str(file)


# ---- test


def graded(asked: Exercise, file: str, timeout: float, progress: Progress) -> Report:
    passed, check, lines, facts = GRADERS[asked.kind](asked, file, timeout, progress)
    code = HOLDS if passed else COUNTEREXAMPLE
    head = [f"samelaw drill test {asked.number}: {asked.name}, {asked.about}", *wrapped(check, 2), ""]
    return code, [*head, *lines], {"exercise": asked.number, "name": asked.name, "exit_code": code, **facts}


Grade = tuple[bool, str, list[str], dict[str, Any]]  # passed; what the self-check rejected; lines; the same as data


def of_function(asked: Exercise, file: str, timeout: float, progress: Progress) -> Grade:
    from proof.drills import grading, report

    found = grading.grade(asked, file, timeout, progress)
    return found.passed, report.self_check_text(asked, found), report.lines(found), report.facts(found)


def of_sampler(asked: Exercise, file: str, timeout: float, _progress: Progress) -> Grade:
    from proof.drills import apart, sampling

    check = sampling.self_check_text()
    passed, lines, facts = apart.grade_apart(asked, file, timeout)
    return passed, check, lines, {"self_check": check, **facts}


def of_pairs(asked: Exercise, file: str, timeout: float, _progress: Progress) -> Grade:
    from proof.drills import finding

    check, found = finding.self_check_text(), finding.grade(asked, file, timeout)
    facts = {"self_check": check, **finding.facts(asked, found)}
    return not any(f.kind for f in found), check, finding.lines(asked, found), facts


def of_reasons(asked: Exercise, file: str, timeout: float, _progress: Progress) -> Grade:
    from proof.drills import reasons

    check, found = reasons.self_check_text(), reasons.grade(asked, file, timeout)
    facts = {"self_check": check, **reasons.facts(asked, found)}
    return not any(found.values()), check, reasons.lines(asked, found), facts


GRADERS = {FUNCTION: of_function, SAMPLER: of_sampler, BUGS: of_pairs, PROOF: of_reasons}
