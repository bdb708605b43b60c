"""A program along all of its paths, wherever it draws from, with an end to every run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, NoReturn, TypeAlias

from exact.branching import CutOff, Explored, explore, plain
from exact.reading import LawError, brief
from exact.source import Source
from exact.spans import Reading
from numeric.intercept import intercept

MAX_PATHS, MAX_PATHS_OF_STEPS, SECONDS = 5_000, 50_000, 60.0  # of one pair, by default
RUN_SECONDS, LATER_SECONDS = 10.0, 1.0  # for one run; and for one after another that did not end
MOST_DECISIONS, PER_TOKEN = 200, 8  # in one run; per token of the vocabulary and position

Follow: TypeAlias = Callable[..., Explored]


@contextmanager
def following(max_paths: int = MAX_PATHS, seconds: float = SECONDS) -> Iterator[Follow]:
    """`explore`, with the module-level random functions going to the same source, and an end to every run.

    follow(program, *args, reading=..., size=...): size is V times the number of positions.
    """
    require_whole(max_paths=max_paths)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        raise LawError(f"seconds={brief(seconds)}: it is a positive number; give one such as 60")
    source = Source()
    with intercept(source) as watched, alarm() as set_alarm:

        def follow(program: Callable[..., object], *args: object, reading: Reading, size: int) -> Explored:
            ending = Ending(program, set_alarm, min(RUN_SECONDS, seconds))
            return explore(
                ending, *args, reading=reading, source=source, around=watched.run, max_paths=max_paths,
                seconds=seconds, max_decisions=MOST_DECISIONS + PER_TOKEN * size,
            )  # fmt: skip

        yield follow


def require_whole(least: int = 1, **counts: object) -> None:
    for name, value in counts.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise LawError(f"{name}={brief(value)}: it is a whole number from {least} on; give one")


class Endless(CutOff):
    """An outcome: the program does not return."""

    __slots__ = ()


class Overtime(BaseException):
    """A run has had its time.  No Exception, so that the program is less likely to go on."""


@dataclass
class Ending:
    """A program of which every run ends: one that does not, and asks for nothing random, has that as its outcome."""

    program: Callable[..., object]
    set_alarm: Callable[[float], object]
    seconds: float
    endless: Endless | None = None  # the same for all runs of one exploration

    @property
    def __wrapped__(self) -> Callable[..., object]:
        """By this, as inspect.unwrap knows it, a refusal says file and line of the verifier."""
        return self.program

    def __call__(self, *args: Any) -> object:
        try:
            try:
                self.set_alarm(self.seconds)
                result = self.program(*args)
                result = plain(result) if isinstance(result, Iterator) else result  # a generator runs when it is read
            finally:
                self.set_alarm(0)
        except Overtime:
            self.set_alarm(0)
            self.endless = self.endless or Endless(f"does not return within {self.seconds:g} s")
            self.seconds = min(self.seconds, LATER_SECONDS)
            return self.endless
        return result


@contextmanager
def alarm() -> Iterator[Callable[[float], object]]:
    """set_alarm(seconds) raises Overtime after that time, and again until set_alarm(0).

    It does nothing where there is no such signal, or in another thread.  A timer of somebody else goes on afterwards.
    """

    def ring(_signal: int, _frame: object) -> NoReturn:
        raise Overtime

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield lambda _seconds: None
        return
    started, theirs, handler = monotonic(), signal.setitimer(signal.ITIMER_REAL, 0), signal.signal(signal.SIGALRM, ring)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds, seconds and 0.1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if theirs[0]:
            signal.setitimer(signal.ITIMER_REAL, max(theirs[0] - (monotonic() - started), 0.001), theirs[1])
