"""Somebody's function in a process of its own: it may print, exit, crash or never return, and we go on.

`Candidate("FILE.py:name")` starts `child.py`, which imports the function, and `call(p, q)` gives an `Answer`, or
the `Trouble` that came instead.  After a call that ended the process, or that was still running at the timeout and was
killed with all its own processes, the next call starts a new one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import MappingProxyType, TracebackType
from typing import IO, Any, NamedTuple, Self, TypeAlias, TypeVar

from exact.reading import LawError

CHILD = Path(__file__).with_name("child.py")
IMPORT_AT_LEAST = 30.0  # seconds; importing torch takes that long on a cold disk
LONGEST = 240  # characters of somebody else's message

Value: TypeAlias = "Fraction | float"  # a float only where it is nan or infinite


class Answer(NamedTuple):
    """What the function returned: dist [V] and alpha as exact numbers, and the dtype of each, "" where it has none."""

    dist: tuple[Value, ...]
    alpha: Value
    dtype: str = "float64"
    alpha_dtype: str = "float64"


class Trouble(NamedTuple):
    """Why there is no answer; ended: the process is gone with it."""

    text: str
    ended: bool = False


Outcome: TypeAlias = "Answer | Trouble"
Read = TypeVar("Read")


class Target(NamedTuple):
    """FILE.py:name or module:name, taken apart; kind is "file" or "module"."""

    kind: str
    place: str
    name: str


def read_target(target: str) -> Target:
    """Split at the last colon; LawError where that gives no file or module and name.

    >>> read_target("numeric.rejection:emitted_distribution")
    Target(kind='module', place='numeric.rejection', name='emitted_distribution')
    """
    place, _, name = target.rpartition(":")
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise LawError(f"target={target}: a target is FILE.py:name or module:name; add the name of the function")
    if not place.endswith(".py") and not os.path.exists(place) and is_module(place):
        return Target("module", place, name)
    if not os.path.isfile(place):
        what = "this is a folder" if os.path.isdir(place) else "there is no such file"
        raise LawError(f"target={target}: a target is in a file that can be read, and {what}; mend the path")
    return Target("file", place, name)


def is_module(place: str) -> bool:
    return all(part.isidentifier() for part in place.split("."))


class Candidate:
    """The function `target` names, to be called in another process; a context manager, which leaves no process behind.

    timeout: seconds for one call; an import has the same, but at least 30.  LawError, when it is entered, where the
    function cannot be had: no such file or name, or an import that raises, exits or never ends.
    """

    script = CHILD  # what runs in the other process
    options: tuple[str, ...] = ()  # and what it is told beside the target

    def __init__(self, target: str, timeout: float = 10.0) -> None:
        self.target, self.timeout = target, timeout
        self._where = read_target(target)
        self._process: Process | None = None

    def __enter__(self) -> Self:
        self._running()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def call(self, p: Iterable[Any], q: Iterable[Any]) -> Outcome:
        """The function at p, q, given as float64 arrays [V] made for this call."""
        return self.ask({"p": [float(x).hex() for x in p], "q": [float(x).hex() for x in q]}, decoded)

    def ask(self, request: object, read: Callable[[dict[str, Any]], Read]) -> Read | Trouble:
        """Send a request, and read what comes back; `read` raises EOFError where that is not from our program."""
        process = self._running()
        try:
            process.send(request)
            return read(process.receive(self.timeout))
        except TimeoutError:
            self._end()
            return Trouble(f"does not return within {self.timeout:g} s", ended=True)
        except EOFError:
            return Trouble(f"ends the process ({self._end()})", ended=True)

    def _running(self) -> Process:
        if self._process is None:
            self._process = Process([str(self.script), *self._where, *self.options])
            try:
                self._await_import(self._process)
            except BaseException:  # KeyboardInterrupt as well: nobody else knows of the process yet
                self._end()
                raise
        return self._process

    def _await_import(self, process: Process) -> None:
        limit = max(self.timeout, IMPORT_AT_LEAST)
        try:
            failed = process.receive(limit).get("failed")
        except TimeoutError:
            failed = f"importing it does not end within {limit:g} s"
        except EOFError:
            failed = f"importing it ends the process ({self._end()})"
        if failed:
            advice = "mend the name" if failed.startswith(("there is no", "'")) else "mend it, or install what it needs"
            raise LawError(f"target={self.target}: {cleaned(failed)}; {advice}")

    def _end(self) -> str:
        process, self._process = self._process, None
        return process.end() if process else "it had ended"


def decoded(message: dict[str, Any]) -> Outcome:
    """What came back from a call; EOFError where it is not from our program: the function wrote on the pipe itself."""
    try:
        if "failed" in message:
            return Trouble(cleaned(message["failed"]))
        dist = tuple(map(number, message["dist"]))
        return Answer(dist, number(message["alpha"]), message["dtype"], message["alpha_dtype"])
    except (AttributeError, LookupError, TypeError, ValueError, ZeroDivisionError):
        raise EOFError from None


def number(text: str) -> Value:
    """
    >>> number("1/a"), number("-inf")
    (Fraction(1, 10), -inf)
    """
    n, slash, d = text.partition("/")
    return Fraction(int(n, 16), int(d, 16)) if slash else float(text)


def cleaned(text: str) -> str:
    """Somebody else's message on one line, without addresses, which differ from run to run.

    >>> cleaned("ValueError: <object at 0x7f2a>\\n  is bad")
    'ValueError: <object at 0x...> is bad'
    """
    text = re.sub(r"\b0x[0-9a-fA-F]+", "0x...", " ".join(text.split()))
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


class Process:
    """One child, and a thread that reads its answers, so that waiting for one can time out on every system."""

    def __init__(self, script: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> None:
        # -P: our own folder is not on its path; -B: nothing is written beside somebody's file; the fixed seed of
        # hash(): the same function gives the same report
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-B", *script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="ascii", errors="replace", start_new_session=True,
            env={"PYTHONHASHSEED": "0", **os.environ, **environment},
        )  # fmt: skip
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=_read, args=(self._child.stdout, self._lines), daemon=True)
        self._reader.start()

    def send(self, message: object) -> None:
        assert self._child.stdin is not None
        try:
            print(json.dumps(message), file=self._child.stdin, flush=True)
        except OSError:  # a broken pipe: it has ended
            raise EOFError from None

    def receive(self, timeout: float) -> dict[str, Any]:
        """The next message; TimeoutError if there is none in time, EOFError if there will be none."""
        try:
            message = json.loads(self._lines.get(timeout=timeout))
        except Empty:
            raise TimeoutError from None
        except ValueError:  # the empty line of the end, or something that is not from our program
            raise EOFError from None
        return message if isinstance(message, dict) else {}

    def end(self) -> str:
        """Kills it with all its descendants, waits for it, and says how it ended, of itself if it had."""
        with suppress(OSError):  # before waiting: then its number, which is that of the group, cannot be another's yet
            self._kill_all()
        status = self._child.wait()
        self._close()
        if status >= 0:
            return f"exit status {status}"
        return signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"

    def _kill_all(self) -> None:
        if hasattr(os, "killpg"):
            os.killpg(self._child.pid, signal.SIGKILL)
        else:
            self._child.kill()

    def _close(self) -> None:
        self._reader.join(1)
        if self._reader.is_alive():  # a process that left the group holds the pipe; to close it would block
            return
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):  # what a dead process did not read is of no use any more
                    pipe.close()


def _read(answers: IO[str], lines: SimpleQueue[str]) -> None:
    with suppress(ValueError, OSError):  # the file was closed by `end`
        for line in answers:
            lines.put(line)
    lines.put("")
