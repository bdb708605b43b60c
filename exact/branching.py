"""The law of a program: it is run once along every path of its random decisions.

The program gets a source of randomness (`exact/source.py`) that does not draw but forks: where a value is looked at,
the run takes one branch, and the others are put on a heap, to be run from the start, most probable first.  Each run
must meet the decisions of the run that it branched off from, and its outcome is confirmed by two more runs, on ordinary
numbers (`exact/ordinary.py`): a program that keeps a state, or draws from somewhere else, is hardly ever believed.

What cannot be followed exactly is a `Refusal`: no Exception, so that no `except` of the program hides it, and a
LawError with file and line once it is outside.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from inspect import unwrap
from itertools import count
from math import isnan, nan, prod
from pathlib import Path as File
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from exact.law import Law
from exact.races import Race
from exact.reading import LawError, Number, brief, ratio, show
from exact.spans import IDEAL, Reading

MAX_PATHS, SECONDS, MAX_DECISIONS, MAX_LONG = 100_000, 600.0, 1_000, 10
OURS = ("exact.", "numeric.intercept.", "numeric.audit.", "numpy.")
PYTHON = f"{File(os.__file__).parent}{os.sep}"
OF_OUR_NUMBERS = TypeError, AttributeError  # what our numbers may raise where floats would not
STATE = (
    "it had gone on before, on the same path: it keeps a state between its runs, or draws from another random source; "
    "remove that"
)
STALE = "a random number of an earlier run is used: the program keeps a state; remove that"


class Stop(BaseException):
    """Ends a run.  No Exception, and kept by the Path, so that no `except` of the program hides it."""


class Refusal(Stop):
    """The program does what cannot be followed exactly."""

    def error(self) -> LawError:
        return LawError(str(self))


class FloatTaken(Refusal):
    """A float was made of a rational number: the program rounds, and only on floats it has a law of its own."""

    def error(self) -> LawError:
        return FloatsNeeded(str(self))


class FloatsNeeded(LawError):
    """The same outside: to be tried again on floats."""


class OutOfReach(Stop):
    """The time is up."""


class TooLong(Stop):
    """The run is too long, and may never end."""


class Raised(NamedTuple):
    """An outcome: the program raised."""

    kind: str
    message: str

    def __str__(self) -> str:
        return f"raises {self.kind}: {self.message}" if self.message else f"raises {self.kind}"


class CutOff(str):
    """An outcome: the run was ended from outside, and not at a place of its own."""

    __slots__ = ()


def is_cut_off(outcome: object) -> bool:
    """Python's limit of recursion is from outside too: where it is met depends on how deep our own calls are."""
    return isinstance(outcome, CutOff) or (isinstance(outcome, Raised) and outcome.kind == "RecursionError")


class Decision(NamedTuple):
    """What was decided, and the weight of each branch; they need not sum to 1."""

    what: str
    weights: tuple[Number, ...]

    def probability(self, branch: int) -> Fraction:
        return ratio(self.weights[branch], sum(self.weights))  # type: ignore[no-any-return]

    def others(self, branch: int) -> Iterator[int]:
        return (i for i, w in enumerate(self.weights) if w and i != branch)


def likeliest(weights: Sequence[Number]) -> int:
    """The first of the largest.

    >>> likeliest([1, 3, 3])
    1
    """
    return max(range(len(weights)), key=weights.__getitem__)


@dataclass
class Path:
    """One run: the branches that it has to take first, the decisions that it has to meet there, and what it met."""

    reading: Reading = IDEAL
    max_decisions: int = MAX_DECISIONS
    forced: tuple[int, ...] = ()
    expected: tuple[Decision, ...] = ()
    mass: Fraction = Fraction(1)  # of the forced branches together
    place: str = ""  # of the program
    ends: float = float("inf")  # by the monotonic clock
    settled: Callable[[Any], Any] | None = None  # the ordinary number in the place of one that is not drawn
    taken: list[int] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    draws: list[Any] = field(default_factory=list)
    race: Race = field(default_factory=Race)  # what is known of its exponential numbers
    on_reals: bool = False  # does it compute with rational numbers?
    stopped: Stop | None = None
    over: bool = False

    def fork(self, what: str, weights: Sequence[Number]) -> int:
        """The branch to take.  One without mass is never taken, and where only one has mass nothing is decided."""
        self._look()
        some = [i for i, w in enumerate(weights) if w]
        if len(some) == 1:
            return some[0]
        branch = self._branch(Decision(what, tuple(weights)))
        self.taken.append(branch)
        return branch

    def _look(self) -> None:
        """A run that goes on for ever looks at random numbers for ever, or it cannot be helped."""
        if self.stopped:
            raise self.stopped
        if self.over:
            refuse(STALE)
        if len(self.decisions) == self.max_decisions:
            self.stop(TooLong(f"{len(self.decisions):,} decisions in one run ({where()}): it may never end"))
        if monotonic() > self.ends:
            self.stop(OutOfReach("seconds: the time is up"))

    def _branch(self, decision: Decision) -> int:
        i = len(self.decisions)
        if i < len(self.expected) and decision != self.expected[i]:
            refuse(f"decision {i + 1} is {decision.what}, not {self.expected[i].what} as where {STATE}")
        self.decisions.append(decision)
        return self.forced[i] if i < len(self.forced) else likeliest(decision.weights)

    def draw(self, lazy: Any) -> Any:
        """A random number of the source: lazy itself, or the ordinary one in its place."""
        if self.settled:
            return self.settled(lazy)
        self.draws.append(lazy)
        return lazy

    def again(self, settled: Callable[[Any], Any] | None = None) -> Path:
        """To be run once more, on ordinary numbers if there are such."""
        return Path(self.reading, self.max_decisions, tuple(self.taken), tuple(self.decisions), settled=settled)

    def branches(self) -> Iterator[Path]:
        """The paths that branch off behind what was forced, each with its probability."""
        mass = self.mass
        for i in range(len(self.forced), len(self.decisions)):
            decision, expected = self.decisions[i], tuple(self.decisions[: i + 1])
            for other in decision.others(self.taken[i]):
                forced = (*self.taken[:i], other)
                yield Path(self.reading, self.max_decisions, forced, expected, mass * decision.probability(other))
            mass *= decision.probability(self.taken[i])

    def stop(self, why: Stop) -> NoReturn:
        self.stopped = self.stopped or why
        raise why

    @property
    def probability(self) -> Fraction:
        free = range(len(self.forced), len(self.decisions))
        return self.mass * prod((self.decisions[i].probability(self.taken[i]) for i in free), start=Fraction(1))


RUNNING: list[Path] = []  # the run that goes on, last; a program may itself ask for the law of another


def refuse(why: str, kind: type[Refusal] = Refusal) -> NoReturn:
    """Ends the run, whatever the program catches."""
    refusal = kind(f"{where()}: {why}")
    if not RUNNING:
        raise refusal.error()
    RUNNING[-1].stop(refusal)


def where() -> str:
    """File and line of the program: of the nearest frame that is none of ours."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame):
        if frame.f_code is explore.__code__ and RUNNING:  # the program has returned
            return RUNNING[-1].place
        frame = frame.f_back
    return _place(frame, frame.f_lineno)


def _place_of(error: BaseException) -> str:
    """The same of an exception."""
    trace, place = error.__traceback__, ""
    while trace:
        if not _is_ours(trace.tb_frame):
            place = _place(trace.tb_frame, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _place(frame: FrameType, line: int) -> str:
    return f"{File(frame.f_code.co_filename).name}:{line}"


def _is_ours(frame: FrameType) -> bool:
    """Of this package, of NumPy or of Python's own library, and so not where the audited code is."""
    file, name = frame.f_code.co_filename, f"{frame.f_globals.get('__name__')}."
    if file == frame.f_globals.get("__file__") and name.startswith(OURS):  # and not of a doctest in it
        return True
    return file.endswith(".pyx") or (file.startswith(PYTHON) and "site-packages" not in file)


# ---- all paths


class Explored(NamedTuple):
    """The law of a program, and the number of its paths."""

    law: Law
    paths: int


def law_of(program: Callable[..., object], *args: object, **options: Any) -> Law:
    """The exact law of what `program(*args, rng)` returns.

    rng answers like numpy.random.Generator and like random.Random; the arguments are copied for every run.  Options
    and errors are those of `explore`.  An exception is an outcome, `Raised`; lists, arrays and generators become
    tuples.

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
    max_decisions: int = MAX_DECISIONS,
    source: Any = None,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
    progress: Callable[[str, int, int], object] = lambda what, done, of: None,
) -> Explored:
    """`law_of`, with the number of paths.

    reading: what a uniform number is (`exact.spans`).  max_paths, seconds, max_decisions (of
    one run): limits.  source, around: the source, where
    somebody else holds it as well, and what surrounds every run.  progress is called after every path with "paths",
    their number so far, and max_paths.

    Raises LawError where the program cannot be followed, keeps a state between its runs, or goes over a limit; then
    the text says what was covered.
    """
    from exact.source import Source

    runs = _Runs(program, args, source or Source(), around, monotonic() + seconds)
    order = count()
    waiting = [(Fraction(-1), next(order), Path(reading, max_decisions))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while waiting:
            if len(runs.ended) == max_paths:
                raise LawError(runs.covered(f"max_paths={max_paths:,}: there are more paths"))
            for other in runs.run(heappop(waiting)[2]):
                heappush(waiting, (-other.mass, next(order), other))
            progress("paths", len(runs.ended), max_paths)
    if runs.too_long:
        raise LawError(runs.covered(runs.too_long[0]))
    return Explored(Law(runs.ended), len(runs.ended))


@dataclass
class _Runs:
    """The runs of one program so far."""

    program: Callable[..., object]
    args: tuple[object, ...]
    source: Any
    around: Callable[[], AbstractContextManager[object]]
    ends: float
    ended: list[tuple[Hashable, Fraction]] = field(default_factory=list)  # outcome, probability
    too_long: list[str] = field(default_factory=list)

    @cached_property
    def place(self) -> str:
        return _definition(self.program)

    def run(self, path: Path) -> list[Path]:
        """Runs it to its end, and confirms that; the paths that branch off from it, also where it has no end."""
        try:
            outcome, error = self.outcome(path)
            self.confirm(path, outcome, error)
            self.ended.append((outcome, path.probability))
        except TooLong as why:
            self.too_long.append(str(why))
            if len(self.too_long) == MAX_LONG:
                raise LawError(self.covered(str(why))) from None
        return list(path.branches())

    def outcome(self, path: Path) -> tuple[Hashable, BaseException | None]:
        """What one run comes to; also an exception is something that the program does."""
        self.source.path, path.ends, path.place = path, self.ends, self.place
        RUNNING.append(path)
        try:
            with self.around():
                result, raised = plain(self.program(*_fresh(self.args), self.source)), None
        except (Exception, SystemExit) as error:
            result, raised = Raised(type(error).__name__, " ".join(str(error).split())), error
        except Stop as stop:
            path.stopped = path.stopped or stop
        finally:
            RUNNING.pop()
            path.over = True
        if isinstance(path.stopped, OutOfReach):
            raise LawError(self.covered(str(path.stopped)))
        if isinstance(path.stopped, TooLong):
            raise path.stopped
        if isinstance(path.stopped, Refusal):
            raise path.stopped.error()
        return result, raised

    def confirm(self, path: Path, outcome: Hashable, error: BaseException | None) -> None:
        """The same path again, on ordinary numbers where there are such; LawError where it comes to something else."""
        if len(path.decisions) < len(path.expected):
            raise LawError(f"the program ended after {len(path.decisions)} decisions where {STATE}")
        from exact.ordinary import ordinary

        if error and "exact." in str(error):
            raise LawError(f"{_place_of(error)}: it {outcome}: that is about an object of ours; it is not followed")
        for end, numbers in enumerate((ordinary(path, 0), ordinary(path, 1))):
            again = path.again(numbers)
            got, _ = self.outcome(again)
            drawn = numbers.count if numbers else len(again.draws)
            if drawn != len(path.draws) and not is_cut_off(outcome):
                raise LawError(f"{path.place}: another number of random numbers is drawn than where {STATE}")
            if not _same(got, outcome):
                self.doubt(path, outcome, got, _place_of(error) if error else path.place, end)
        if isinstance(error, OF_OUR_NUMBERS) and (not numbers or not numbers.floats or "dtype('O')" in str(error)):
            raise FloatsNeeded(f"{_place_of(error)}: it {outcome}: only on floats it is known whose fault that is")

    def doubt(self, path: Path, outcome: Hashable, got: Hashable, place: str, end: int) -> None:
        """LawError unless it comes to the same outcome whenever it is run, and on other ordinary numbers."""
        from exact.ordinary import ATTEMPTS, ordinary

        for again in (self.outcome(path.again())[0] for _ in range(2)):
            if not _same(again, outcome):
                raise LawError(f"the same path gave {brief(again)} where it had given {brief(outcome)} and {STATE}")
        if not any(_same(self.outcome(path.again(ordinary(path, i)))[0], outcome) for i in range(end + 2, ATTEMPTS, 2)):
            raise LawError(
                f"{place}: with ordinary numbers in place of the random ones this gives {brief(got)}, not "
                f"{brief(outcome)}: it does with a random number what is not followed, or keeps a state"
            )

    def covered(self, limit: str) -> str:
        left = 1 - sum((probability for _, probability in self.ended), Fraction(0))
        return (
            f"{limit}; {len(self.ended):,} paths were run to their end, and {show(left)} of the probability is left; "
            "raise the limit, give fewer tokens, or let a loop that waits for something random end after some rounds"
        )


def _fresh(args: tuple[object, ...]) -> tuple[object, ...]:
    """A copy, with the arrays of objects as ours."""
    copied = deepcopy(args)
    if "numpy" not in sys.modules:
        return copied
    from exact.arrays import exact_array

    return tuple(map(exact_array, copied))


def _same(a: Hashable, b: Hashable) -> bool:
    """An exception is the same whatever numbers its message shows."""
    return a.kind == b.kind if isinstance(a, Raised) and isinstance(b, Raised) else (a,) == (b,)  # nan is itself


def _definition(program: Any) -> str:
    """Where it is defined; of an object that is called, its class."""
    function = unwrap(program)
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return f"{File(code.co_filename).name}:{code.co_firstlineno}" if code else type(function).__name__


def plain(value: Any) -> Hashable:
    """An outcome as Python has it: arrays and lists are tuples, NumPy's numbers and lazy ones plain ones.

    >>> plain([1, (2, [])]), plain({"tokens": [1]}), plain(iter([1, 2]))
    ((1, (2, ())), (('tokens', (1,)),), (1, 2))
    """
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple | Iterator) and type(value) is not Raised:
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return plain(list(value.items()))
    if isinstance(value, set):
        return frozenset(map(plain, value))
    if isinstance(value, float) and isnan(value):
        return nan  # always the same one, which is equal to itself in a tuple
    return _hashable(value)


def _hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        refuse(f"outcome={brief(value)}: an outcome is hashable; return a token, or a tuple")
    return value  # type: ignore[no-any-return]
