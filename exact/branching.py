"""The law of a program: it is run once along every path of its random decisions.

The program gets a source of randomness (`exact/source.py`) that does not draw but forks: where a value is looked at,
the run takes one branch, and the others are put on a heap, to be run from the start, most probable first.  Each run
must meet the decisions of the run that it branched off from, and the first and the last run are repeated in full: a
program that keeps a state, or draws from somewhere else, is found out and not believed.

What cannot be followed exactly is a `Refusal`: no Exception, so that no `except` of the program hides it, and a
LawError with file and line once it is outside.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import prod
from pathlib import Path as File
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from exact.law import Law
from exact.races import Race
from exact.reading import LawError, Number, brief, ratio, show
from exact.spans import IDEAL, Reading

MAX_PATHS, SECONDS, MAX_DECISIONS = 100_000, 600.0, 2_000
OURS = ("exact.", "numeric.intercept.", "numeric.audit.", "numpy.", "random.", "copy.", "fractions.", "contextlib.")
STATE = (
    "it had gone on before, on the same path: it keeps a state between its runs, or draws from another random source; "
    "remove that"
)


class Refusal(BaseException):
    """The program does what cannot be followed exactly.  No Exception, so that no `except` of the program hides it."""

    def error(self) -> LawError:
        return LawError(str(self))


class FloatTaken(Refusal):
    """A float was made of a rational number: the program rounds, and only on floats it has a law of its own."""

    def error(self) -> LawError:
        return FloatsNeeded(str(self))


class FloatsNeeded(LawError):
    """The same outside: to be tried again on floats."""


class OutOfReach(BaseException):
    """The run is longer than what was asked for."""


class Raised(NamedTuple):
    """An outcome: the program raised."""

    kind: str
    message: str

    def __str__(self) -> str:
        return f"raises {self.kind}: {self.message}" if self.message else f"raises {self.kind}"


class Decision(NamedTuple):
    """What was decided, and the weight of each branch; they need not sum to 1."""

    what: str
    weights: tuple[Number, ...]

    def probability(self, branch: int) -> Fraction:
        return ratio(self.weights[branch], sum(self.weights))  # type: ignore[no-any-return]

    def others(self, branch: int) -> Iterator[int]:
        return (i for i, w in enumerate(self.weights) if w and i != branch)

    @property
    def likeliest(self) -> int:
        return max(range(len(self.weights)), key=self.weights.__getitem__)


@dataclass
class Path:
    """One run: the branches that it has to take first, the decisions that it has to meet there, and what it met."""

    reading: Reading = IDEAL
    forced: tuple[int, ...] = ()
    expected: tuple[Decision, ...] = ()
    ends: float = float("inf")  # by the monotonic clock
    taken: list[int] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    race: Race = field(default_factory=Race)  # what is known of its exponential numbers
    refusal: Refusal | None = None
    over: bool = False

    def fork(self, what: str, weights: Sequence[Number]) -> int:
        """The branch to take.  One without mass is never taken, and where only one has mass nothing is decided."""
        if self.over:
            refuse("a random number of an earlier run is used: the program keeps a state; remove that")
        if sum(map(bool, weights)) == 1:
            return next(i for i, w in enumerate(weights) if w)
        branch = self._branch(Decision(what, tuple(weights)))
        self.taken.append(branch)
        return branch

    def _branch(self, decision: Decision) -> int:
        i = len(self.decisions)
        if i < len(self.expected) and decision != self.expected[i]:
            refuse(f"decision {i + 1} is {decision.what}, not {self.expected[i].what} as where {STATE}")
        if i == MAX_DECISIONS:
            raise OutOfReach(f"{MAX_DECISIONS:,} decisions in one run: it may never end")
        if monotonic() > self.ends:
            raise OutOfReach("seconds: the time is up")
        self.decisions.append(decision)
        return self.forced[i] if i < len(self.forced) else decision.likeliest

    @property
    def probability(self) -> Fraction:
        each = (decision.probability(branch) for decision, branch in zip(self.decisions, self.taken, strict=True))
        return prod(each, start=Fraction(1))


RUNNING: list[Path] = []  # the run that goes on, last; a program may itself ask for the law of another


def refuse(why: str, kind: type[Refusal] = Refusal) -> NoReturn:
    """Ends the run, whatever the program catches."""
    refusal = kind(f"{where()}: {why}")
    if not RUNNING:
        raise refusal.error()
    RUNNING[-1].refusal = RUNNING[-1].refusal or refusal
    raise refusal


def where() -> str:
    """File and line of the program: of the nearest frame that is none of ours."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame):
        frame = frame.f_back
    return f"{File(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _is_ours(frame: FrameType) -> bool:
    of_module = frame.f_code.co_filename == frame.f_globals.get("__file__")  # and not of a doctest in it
    return of_module and f"{frame.f_globals.get('__name__')}.".startswith(OURS)


# ---- all paths


class Explored(NamedTuple):
    """The law of a program, and the number of its paths."""

    law: Law
    paths: int


def law_of(program: Callable[..., object], *args: object, **options: Any) -> Law:
    """The exact law of what `program(*args, rng)` returns.

    rng answers like numpy.random.Generator and like random.Random; the arguments are copied for every run.  Options
    and errors are those of `explore`.  An exception is an outcome, `Raised`; lists and arrays become tuples.

    >>> law_of(lambda p, rng: rng.random() < p, Fraction(1, 3))
    Law({False: '2/3', True: '1/3'})
    >>> law_of(lambda rng: float(rng.random()))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    exact.reading.LawError: <doctest ...>:1: a float is taken out of a uniform number (by ...
    """
    return explore(program, *args, **options).law


def explore(
    program: Callable[..., object],
    *args: object,
    reading: Reading = IDEAL,
    max_paths: int = MAX_PATHS,
    seconds: float = SECONDS,
    source: Any = None,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Explored:
    """`law_of`, with the number of paths.

    reading: what a uniform number is (`exact.spans`).  max_paths, seconds: limits.  source, around: the source, where
    somebody else holds it as well, and what surrounds every run.

    Raises LawError where the program cannot be followed, keeps a state between its runs, or goes over a limit; then
    the text says what was covered.
    """
    from exact.source import Source

    runs = _Runs(program, args, source or Source(), around, reading, monotonic() + seconds)
    order = count()
    waiting = [(Fraction(-1), next(order), Path(reading))]
    while waiting:
        if len(runs.ended) == max_paths:
            raise LawError(runs.covered(f"max_paths={max_paths:,}: there are more paths"))
        for mass, other in runs.run(heappop(waiting)[2]):
            heappush(waiting, (-mass, next(order), other))
    runs.repeat(0)
    runs.repeat(-1)
    return Explored(runs.law(), len(runs.ended))


@dataclass
class _Runs:
    """The runs of one program so far."""

    program: Callable[..., object]
    args: tuple[object, ...]
    source: Any
    around: Callable[[], AbstractContextManager[object]]
    reading: Reading
    ends: float
    ended: list[tuple[Path, Hashable]] = field(default_factory=list)

    def run(self, path: Path) -> Iterator[tuple[Fraction, Path]]:
        """Runs it to its end; yields the paths that branch off from it, with the probability of each."""
        self.ended.append((path, self.outcome(path)))
        mass = Fraction(1)
        for i, (decision, branch) in enumerate(zip(path.decisions, path.taken, strict=True)):
            if i >= len(path.forced):
                for other in decision.others(branch):
                    forced = (*path.taken[:i], other)
                    yield mass * decision.probability(other), Path(self.reading, forced, tuple(path.decisions[: i + 1]))
            mass *= decision.probability(branch)

    def outcome(self, path: Path) -> Hashable:
        self.source.path, path.ends = path, self.ends
        RUNNING.append(path)
        try:
            with self.around(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = _result(self.program, deepcopy(self.args), self.source)
        except OutOfReach as limit:
            raise LawError(self.covered(str(limit))) from None
        except Refusal as refusal:
            path.refusal = refusal
        finally:
            RUNNING.pop()
            path.over = True
        if path.refusal:
            raise path.refusal.error()
        if len(path.decisions) < len(path.expected):
            raise LawError(f"the program ended after {len(path.decisions)} decisions where {STATE}")
        return result

    def repeat(self, i: int) -> None:
        """The same path again, to its end; LawError where it is another one."""
        path, outcome = self.ended[i]
        again = Path(self.reading, tuple(path.taken), tuple(path.decisions))
        got = self.outcome(again)
        if (got, len(again.decisions)) != (outcome, len(path.decisions)):
            raise LawError(f"the same path gave {brief(got)} where it had given {brief(outcome)} and {STATE}")

    def law(self) -> Law:
        return Law((outcome, path.probability) for path, outcome in self.ended)

    def covered(self, limit: str) -> str:
        mass = sum((path.probability for path, _ in self.ended), Fraction(0))
        return (
            f"{limit}; {len(self.ended):,} paths were run to their end, with {show(mass)} of the probability; "
            "raise the limit, or give fewer tokens"
        )


def _result(program: Callable[..., object], args: tuple[Any, ...], source: object) -> Hashable:
    """What one run comes to; also an exception is something that the program does."""
    try:
        return plain(program(*args, source))
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        if isinstance(error, TypeError) and ("ufunc" in text or "dtype('O')" in text):
            refuse(f"numpy does this on floats only ({text})", FloatTaken)
        return Raised(type(error).__name__, text)


def plain(value: Any) -> Hashable:
    """An outcome as Python has it: arrays and lists are tuples, NumPy's numbers and lazy ones plain ones.

    >>> plain([1, (2, [])])
    (1, (2, ()))
    """
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple) and type(value) is not Raised:
        return tuple(map(plain, value))
    hash(value)
    return value  # type: ignore[no-any-return]
