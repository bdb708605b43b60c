"""A learner's function in a process of its own, as `proof/front/candidate.py` does it, for answers of other forms."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from exact.reading import LawError
from proof.drills.pairs import Case
from proof.front.candidate import Candidate, Target, Trouble, Value, _Process, _read, cleaned, number

CHILD = Path(__file__).with_name("child.py")


class Answer(NamedTuple):
    """What was returned: a vector [V], a number, or both; a float here is nan or infinite.  exact: no floats in it."""

    vector: tuple[Value, ...]
    number: Value | None
    exact: bool

    @property
    def values(self) -> tuple[Value, ...]:
        return self.vector if self.number is None else (*self.vector, self.number)


Outcome: TypeAlias = "Answer | Trouble"
Read = TypeVar("Read")


class Learner(Candidate):
    """The function of that name in a file; a context manager.  LawError where it cannot be imported."""

    def __init__(self, file: str, name: str, form: str, timeout: float) -> None:
        super().__init__(f"{file}:{name}", timeout)
        self.form = form

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def answer(self, case: Case) -> Outcome:
        """What it returns on a pair."""
        vectors = {name: [f"{x.numerator:x}/{x.denominator:x}" for x in getattr(case, name)] for name in "pq"}
        return self._asked({**vectors, "floats": case.floats}, decoded)

    def data(self) -> dict[str, Any]:
        """The dict that NAME is, where the form is `data`."""
        found: dict[str, Any] | Trouble = self._asked({}, itemgetter("data"))
        if isinstance(found, Trouble):
            raise LawError(f"target={self.target}: the file {found.text}; mend it")
        return found

    def _asked(self, message: object, read: Callable[[dict[str, Any]], Read]) -> Read | Trouble:
        process = self._running()
        try:
            process.send(message)
            return read(process.receive(self.timeout))
        except TimeoutError:
            self._end()
            return Trouble(f"does not return within {self.timeout:g} s", ended=True)
        except EOFError:
            return Trouble(f"ends the process ({self._end()})", ended=True)

    def _running(self) -> _Process:
        if self._process is None:
            self._process = _Started(self._where, self.form)
            try:
                self._await_import(self._process)
            except BaseException:
                self._end()
                raise
        return self._process


def decoded(message: dict[str, Any]) -> Outcome:
    """What came back from a call; EOFError where it is not from our program: the function wrote on the pipe itself."""
    try:
        if "failed" in message:
            return Trouble(cleaned(message["failed"]))
        alone = message["number"]
        return Answer(
            tuple(map(number, message["vector"])), None if alone is None else number(alone), message["exact"] is True
        )
    except (AttributeError, LookupError, TypeError, ValueError, ZeroDivisionError):
        raise EOFError from None


class _Started(_Process):
    """The process of `candidate.py`, of our own script."""

    def __init__(self, target: Target, form: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-B", str(CHILD), *target, form],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="ascii", errors="replace", start_new_session=True, env={"PYTHONHASHSEED": "0", **os.environ},
        )  # fmt: skip
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=_read, args=(self._child.stdout, self._lines), daemon=True)
        self._reader.start()
