"""Interception: a program that draws from `np.random`, or from `random`, draws from the forking source instead.

While `intercept(source)` holds, and a run of `explore` goes on, the functions of the two modules answer as the source
does, by the signatures and rules of their own module, and their classes make no generators but give the source.  Names
that another module has bound (`from random import random`) are replaced as well.  At any other time, and in any other
thread, they do what they always do.  On exit everything is as it was: the same objects.

What was made before, and is held where no name of a module leads (in an instance, a closure, a default argument),
cannot be replaced.  Such generators are watched: their states are compared before and after each run, and where one has
moved the audit ends, for the program got a real number there and its law would be wrong.  One is not seen to move where
the program sets it back to the very state in which it was: there it gives the same numbers in every run.

Seeding is accepted and does nothing: the law is that over all that the generator may give, not that of one seed.  Only
the same seed a second time in one run is refused, for then the same numbers come again.
"""

from __future__ import annotations

import copyreg
import gc
import os
import pickle
import random
import secrets
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import string_at
from functools import partial, wraps
from itertools import chain, compress
from random import Random, SystemRandom
from threading import RLock, get_ident
from types import ModuleType
from typing import Any

import numpy as np
from numpy.random import MT19937, BitGenerator, Generator, RandomState

from exact.branching import RUNNING, Path, refuse
from exact.reading import brief
from exact.lazy import Deferred, Lazy
from exact.source import Source

HOMES = {
    "random", "secrets", "os", "numpy.random", "numpy.random.mtrand", "numpy.random._generator",
    "numpy.random.bit_generator",
}  # fmt: skip
LEFT_ALONE = sys.stdlib_module_names | {"numpy"}
LEGACY_NAMES = {"ranf": "random_sample", "sample": "random_sample"}  # functions of np.random that RandomState has not
BIT_GENERATORS = [name for name, x in vars(np.random).items() if isinstance(x, type) and issubclass(x, BitGenerator)]
OF_PYTHON, OF_NUMPY = random._inst, np.random.mtrand._rand
ONE_AT_A_TIME = RLock()
NOT_FOLLOWED = "{}: this random function is not followed; there are {}"
FROM_OUTSIDE = "{}: random numbers of the operating system are not followed; use random, or np.random"
NO_COPY = "a {} is copied (by copy, pickle, or as an argument of the program); nobody would see what the copy gives"
INSTEAD = "pass rng to the program, or make the generator inside of it"


def without_rng(program: Callable[..., object]) -> Callable[..., object]:
    """The program as `explore` calls it, of one that takes no rng.

    >>> import random
    >>> from exact import law_of
    >>> with intercept() as watched:
    ...     law_of(without_rng(lambda: random.random() < 0.25), source=watched.source, around=watched.run)
    Law({False: '3/4', True: '1/4'})
    """

    @wraps(program, updated=())
    def without(*args: object) -> object:
        return program(*args[:-1])

    return without


def intercept(source: Source | None = None) -> Interception:
    """`with intercept(source) as watched`: the random functions of NumPy and Python are those of the source.

    Give `explore` (or `law_of`) source=watched.source, and around=watched.run, which watches the generators that were
    made before.  It may be nested; another thread waits until it is over.

    >>> import numpy as np
    >>> from exact import law_of
    >>> with intercept() as watched:
    ...     law_of(lambda rng: np.random.randint(3), source=watched.source, around=watched.run)
    Law({0: '1/3', 1: '1/3', 2: '1/3'})
    >>> made_before = np.random.default_rng(0)
    >>> with intercept() as watched:
    ...     law_of(
    ...         lambda rng: made_before.random() < 0.25, source=watched.source, around=watched.run
    ...     )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    exact.reading.LawError: ...made_before (a Generator) was drawn from past the interception: that is one real random \
number, and the law would be wrong; pass rng to the program, or make the generator inside of it
    """
    return Interception(Source() if source is None else source)


class Interception:
    """What holds between `__enter__` and `__exit__`; `source` is what the program draws from."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.watch = Watch()
        self.seeds = Seeds()
        self.undo = ExitStack()

    def __enter__(self) -> Interception:
        ONE_AT_A_TIME.acquire()
        with ExitStack() as undo:
            undo.callback(ONE_AT_A_TIME.release)
            self.thread = get_ident()
            found, unlisted = looked_through()
            self.watch = Watch(generators(found))
            pairs = list(self.stand_ins())
            undo.callback(take_out, pairs, references(pairs))
            replace(pairs, namespaces(unlisted), undo)
            self.forbid(undo)
            self.undo = undo.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        self.watch = Watch()  # keeps nobody's generator alive
        self.undo.close()

    @contextmanager
    def run(self) -> Iterator[None]:
        """Around one run of the program; LawError where a generator has moved, by whatever thread."""
        before = self.watch.states()
        try:
            yield
        finally:
            self.watch.compare(before)

    # ---- who draws

    def is_running(self) -> bool:
        """Is it the program that asks?  The machinery around it, and other threads, get the real functions."""
        return bool(RUNNING) and get_ident() == self.thread

    def running_source(self) -> Source:
        if self.source.__dict__.get("path") is not RUNNING[-1]:
            refuse("the run that goes on has another source than the interception; give it source=watched.source")
        return self.source

    # ---- what stands for what

    def stand_ins(self) -> Iterator[tuple[Any, Any]]:
        """The real object, and what stands in its place."""
        yield from self.functions(np.random, Legacy(self, "np.random"), OF_NUMPY)
        yield from self.functions(random, Python(self, "random"), OF_PYTHON)
        yield np.random.mtrand._rand, Global(self, Legacy(self, "np.random"), np.random.mtrand._rand)
        yield np.random.default_rng, self.routed(self.watched(np.random.default_rng), self.default_rng)
        yield from self.classes()
        yield os._exit, self.routed(os._exit, end_program)
        for module, names in ((os, ["urandom"]), (secrets, secrets.__all__)):
            for name in names:
                real = getattr(module, name)
                if not isinstance(real, type) and name != "compare_digest":
                    yield real, self.routed(real, partial(refuse_outside, f"{module.__name__}.{name}"))

    def functions(self, module: ModuleType, answers: Answers, holder: Any) -> Iterator[tuple[Any, Any]]:
        """Those that are methods of the one generator that the module holds."""
        for name, real in list(vars(module).items()):
            known_as = name if hasattr(holder, name) else LEGACY_NAMES.get(name, name)
            if not name.startswith("_") and callable(getattr(holder, known_as, None)):
                yield real, self.routed(real, partial(answers.answer, known_as, name))
        for name in ("get_bit_generator", "set_bit_generator"):
            if hasattr(module, name):
                yield getattr(module, name), self.routed(getattr(module, name), partial(answers.answer, name, name))

    def classes(self) -> Iterator[tuple[Any, Any]]:
        yield self.stand_in("Generator", np.random.Generator, (Source,), lambda bit_generator: self.running_source())
        yield self.stand_in("RandomState", np.random.RandomState, (Legacy, Global), self.random_state)
        yield self.stand_in("Random", random.Random, (Python, Source), self.python_random)
        yield self.stand_in("SystemRandom", random.SystemRandom, (Python,), lambda x=None: Python(self, "SystemRandom"))
        for name in BIT_GENERATORS:
            yield self.stand_in(name, getattr(np.random, name), (Bits,), partial(self.bits, name))

    def stand_in(self, name: str, real: Any, given: tuple[type, ...], make: Callable[..., object]) -> tuple[Any, Any]:
        return real, Kind(name, (), {"of": self, "real": real, "given": given, "make": staticmethod(make)})

    def routed(self, real: Callable[..., object], answer: Callable[..., object]) -> Callable[..., object]:
        @wraps(real)
        def call(*args: object, **options: object) -> object:
            return answer(*args, **options) if self.is_running() else real(*args, **options)

        return call

    def watched(self, real: Callable[..., object]) -> Callable[..., object]:
        """It makes a generator while no run goes on: to be used in one, perhaps."""

        @wraps(real)
        def make(*args: object, **options: object) -> object:
            new = real(*args, **options)
            if get_ident() == self.thread:
                self.watch.add(new)
            return new

        return make

    # ---- what a new generator is

    def default_rng(self, seed: Any = None) -> Source:
        self.seeded("PCG64", seed)
        return self.running_source()

    def random_state(self, seed: Any = None) -> Legacy:
        self.seeded("legacy", seed)
        return Legacy(self, "RandomState")

    def python_random(self, x: Any = None) -> Python:
        self.seeded("random", x)
        return Python(self, "Random")

    def bits(self, name: str, seed: Any = None, **options: Any) -> Bits:
        self.seeded(name, options.get("key") if seed is None else seed)
        return Bits()

    def seeded(self, family: str, seed: Any) -> None:
        self.seeds.add(self.running_source().path, family, seed)

    # ---- what else would draw unseen

    def forbid(self, undo: ExitStack) -> None:
        """Making a Random by a name that was not found, or of a subclass; and copies of the generators watched."""
        init = Random.__init__

        def made(new: Random, *args: Any, **options: Any) -> None:
            if self.is_running():
                refuse(f"a {type(new).__name__} is made past the interception; write random.Random()")
            init(new, *args, **options)
            if get_ident() == self.thread:
                self.watch.add(new)

        undo.callback(setattr, Random, "__init__", init)
        setattr(Random, "__init__", made)  # noqa: B010 - of this name mypy asks the very signature
        for kind in {type(x) for x in self.watch.generators} | {Generator, RandomState, Random}:
            put(copyreg.dispatch_table, kind, self.no_copy, undo)

    def no_copy(self, generator: Any) -> Any:
        if self.is_running():
            refuse(f"{NO_COPY.format(type(generator).__name__)}; {INSTEAD}")
        return generator.__reduce_ex__(4)


def end_program(status: int) -> None:
    """An outcome of the program, and not the end of the audit."""
    raise SystemExit(f"os._exit({status})")


def refuse_outside(name: str, *_args: object, **_options: object) -> None:
    refuse(FROM_OUTSIDE.format(name))


class Seeds:
    """The seeds of one run.  The same one again gives the same numbers again, and that is not followed."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self.seen: set[tuple[str, str]] = set()

    def add(self, path: Path, family: str, seed: Any) -> None:
        if path is not self.path:
            self.path, self.seen = path, set()
        if seed is None or isinstance(seed, Lazy | Deferred):  # one that was drawn is not looked at: that would fork
            return
        key = family, repr(seed_of(seed))
        if key in self.seen:
            refuse(
                f"seed={brief(seed)} a second time in one run: the numbers of the first time come again, which is not "
                "followed; make one generator, and go on with it"
            )
        self.seen.add(key)


def seed_of(seed: Any) -> Any:
    """What two equal seeds have in common; of one that cannot be compared nothing but its type."""
    if isinstance(seed, np.random.SeedSequence):
        return "SeedSequence", seed.entropy, seed.spawn_key, seed.pool_size
    if isinstance(seed, np.ndarray | np.generic):
        return seed.tolist()
    if type(seed) in (list, tuple):
        return [seed_of(x) for x in seed]
    return int(seed) if isinstance(seed, bool) else seed if type(seed) in (int, float, str, bytes) else type(seed)


# ---- the answers of the two modules, by their own signatures


class Answers:
    """What the program has in place of a generator of the class `real`; `called` is how it knows it."""

    real: type

    def __init__(self, of: Interception, called: str) -> None:
        self.of, self.called = of, called

    @property
    def source(self) -> Source:
        return self.of.running_source()

    def answer(self, name: str, known_as: str, *args: object, **options: object) -> object:
        if name not in self._followed():
            refuse(NOT_FOLLOWED.format(f"{self.called}.{known_as}", ", ".join(self._followed())))
        return getattr(self, name)(*args, **options)

    @classmethod
    def _followed(cls) -> list[str]:
        return [name for name in vars(cls) if not name.startswith("_") and name != "real"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self.real, name):
            raise AttributeError(f"'{self.real.__name__}' object has no attribute '{name}'")
        return self.answer(name, name)

    def __copy__(self) -> Any:
        refuse(f"{NO_COPY.format(self.real.__name__)}; {INSTEAD}")

    def __deepcopy__(self, _memo: object) -> Any:
        self.__copy__()

    def __reduce_ex__(self, _protocol: object) -> Any:
        self.__copy__()


class Legacy(Answers):
    """np.random.RandomState, and the functions of np.random: `randint` goes up to `high`, without it."""

    real = RandomState

    def random(self, size: Any = None) -> Any:
        return self.source.random(size)

    def random_sample(self, size: Any = None) -> Any:
        return self.source.random(size)

    def rand(self, *shape: Any) -> Any:
        return self.source.random(shape or None)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self.source.uniform(low, high, size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        return self.source.integers(low, high, size, dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        first, last = (1, low) if high is None else (low, high)
        return self.source.integers(first, last, size, endpoint=True)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        if np.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self.source.choice(a, size, replace, p)

    def shuffle(self, x: Any) -> None:
        self.source.shuffle(x)

    def permutation(self, x: Any) -> Any:
        return self.source.permutation(x)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        return self.source.multinomial(n, pvals, size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self.source.binomial(n, p, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self.source.exponential(scale, size)

    def standard_exponential(self, size: Any = None) -> Any:
        return self.source.standard_exponential(size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.source.gumbel(loc, scale, size)

    def seed(self, seed: Any = None) -> None:
        """Accepted, and does nothing."""
        self.of.seeded("legacy", seed)


class Python(Answers):
    """random.Random, and the functions of random: `randint` goes up to b, with it."""

    real = Random

    def random(self) -> Any:
        return self.source.random()

    def uniform(self, a: Any, b: Any) -> Any:
        return self.source.uniform(a, b)

    def randint(self, a: Any, b: Any) -> Any:
        return self.source.randint(a, b)

    def randrange(self, start: Any, stop: Any = None, step: int = 1) -> Any:
        return self.source.randrange(start, stop, step)

    def getrandbits(self, k: int) -> Any:
        return self.source.getrandbits(k)

    def choice(self, seq: Any) -> Any:
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return self.source.choice(seq)

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
        return self.source.choices(population, weights, cum_weights=cum_weights, k=k)

    def sample(self, population: Any, k: int, *, counts: Any = None) -> Any:
        if counts is not None:
            population = [x for x, count in zip(population, counts, strict=True) for _ in range(count)]
        return self.source.sample(population, k)

    def shuffle(self, x: Any) -> None:
        if np.ndim(x) > 1 and isinstance(x, np.ndarray):
            refuse("random.shuffle of an array with several axes mixes up its rows; use np.random.shuffle")
        self.source.shuffle(x)

    def expovariate(self, lambd: Any = 1.0) -> Any:
        return self.source.expovariate(lambd)

    def seed(self, a: Any = None, version: int = 2) -> None:  # noqa: ARG002
        """Accepted, and does nothing."""
        self.of.seeded("random", a)


class Global:
    """`np.random.mtrand._rand`, which other packages take for `np.random`."""

    def __init__(self, of: Interception, answers: Legacy, real: Any) -> None:
        self._of, self._answers, self._real = of, answers, real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answers if self._of.is_running() else self._real, name)


class Bits:
    """A bit generator; if a real generator is made of it, that asks for more than there is, and is refused."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(
            f"{name} of a bit generator is not followed: it is good for making a generator only, by the name "
            "np.random.default_rng, np.random.Generator or np.random.RandomState"
        )


class Kind(type):
    """A class of generators as the program sees it: it gives what the source has, and knows real ones and these."""

    of: Interception
    real: type
    given: tuple[type, ...]
    make: Callable[..., object]

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any]) -> Any:
        """A subclass is one of the real class; made during a run it would give generators that nobody watches."""
        kind = next((base for base in bases if isinstance(base, Kind)), None)
        if kind is None:
            return super().__new__(cls, name, bases, names)
        if kind.of.is_running():
            refuse(f"class {name}: a subclass of {kind.__name__} is made in a run; import its module before")
        real = tuple(base.real if isinstance(base, Kind) else base for base in bases)
        return type(kind.real)(name, real, names)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return (cls.make if cls.of.is_running() else cls.of.watched(cls.real))(*args, **options)

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, cls.real) or issubclass(type(x), cls.given)

    def __subclasscheck__(cls, kind: type) -> bool:
        return kind is cls or issubclass(kind.real if isinstance(kind, Kind) else kind, cls.real)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real, name)


# ---- putting it in its place


def replace(pairs: list[tuple[Any, Any]], spaces: list[dict[str, Any]], undo: ExitStack) -> None:
    """Each first of a pair by its second, wherever a name of a module leads to it."""
    new = {id(old): (old, new) for old, new in pairs}
    for names in spaces:
        if new.keys().isdisjoint(map(id, list(names.values()))):
            continue
        for name, value in list(names.items()):
            if id(value) in new:
                put(names, name, new[id(value)][1], undo)


def take_out(pairs: list[tuple[Any, Any]], before: list[int]) -> None:
    """Out of the modules imported meanwhile, when all others have been put back; most often nobody holds one."""
    if references(pairs) != before:
        _, unlisted = looked_through()
        replace([(new, old) for old, new in pairs], namespaces(unlisted), ExitStack())


def references(pairs: list[tuple[Any, Any]]) -> list[int]:
    """How many there are to each stand-in."""
    return [sys.getrefcount(new) for _, new in pairs]


def put(names: dict[Any, Any], name: Any, value: Any, undo: ExitStack) -> None:
    if name in names:
        undo.callback(names.__setitem__, name, names[name])
    else:
        undo.callback(names.pop, name, None)
    names[name] = value


def namespaces(unlisted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of all modules, also of such as nobody has listed; not our own."""
    found = {id(names): names for names in (*unlisted, *module_names())}
    return [names for names in found.values() if names is not globals() and may_change(str(names.get("__name__")))]


def module_names() -> list[dict[str, Any]]:
    return [vars(module) for module in list(sys.modules.values()) if issubclass(type(module), ModuleType)]


def may_change(name: str) -> bool:
    return name in HOMES or name.partition(".")[0] not in LEFT_ALONE


# ---- everything that is alive


def looked_through() -> tuple[list[Any], list[dict[str, Any]]]:
    """All generators, and the names of all modules, listed or not: in one walk, for there may be a million objects.

    What the collector was told to overlook is found as far as a module names it.
    """
    alive = gc.get_objects()
    alive += chain.from_iterable(list(names.values()) for names in module_names())
    types = [*map(type, alive)]
    kinds = {kind for kind in {*types} if issubclass(kind, Generator | BitGenerator | RandomState | Random)}
    found = [*compress(alive, map({dict, *kinds}.__contains__, types))]
    return [x for x in found if type(x) is not dict], [x for x in found if type(x) is dict and "__builtins__" in x]


# ---- the watch


def generators(found: list[Any]) -> list[Any]:
    """What these draw from, each once."""
    return list({id(x): x for generator in found for x in with_state(generator)}.values())


def with_state(generator: Any) -> list[Any]:
    """What it draws from; a RandomState keeps something beside its bit generator."""
    if isinstance(generator, RandomState):
        return [generator, *(x for x in gc.get_referents(generator) if isinstance(x, BitGenerator))]
    if isinstance(generator, SystemRandom):
        return []
    return [generator.bit_generator if isinstance(generator, Generator) else generator]


class Watch:
    """The states of these generators, before and after a run."""

    def __init__(self, found: list[Any] | None = None) -> None:
        self.generators = found or []
        self.look()

    def add(self, generator: Any) -> None:
        """One that was made while the interception holds, though not by the program."""
        known = set(map(id, self.generators))
        self.generators += [x for x in with_state(generator) if id(x) not in known]
        self.look()

    def look(self) -> None:
        self.readers = [reader(x) for x in self.generators]
        self.seen = [read() for read in self.readers]

    def states(self) -> list[object]:
        """Where somebody drew between two runs, what has to be read may be another thing."""
        if [read() for read in self.readers] != self.seen:
            self.look()
        return self.seen

    def compare(self, before: list[object]) -> None:
        after = [read() for read in self.readers]
        moved = [x for x, a, b in zip(self.generators, before, after, strict=True) if a != b]
        if moved:
            refuse(
                f"{name_of(moved[0])} was drawn from past the interception: that is one real random number, and the "
                f"law would be wrong; {INSTEAD}"
            )


def reader(generator: Any) -> Callable[[], object]:
    """What reads its whole state, in a microsecond where that can be."""
    if isinstance(generator, Random):
        return reader_of_python(generator)
    if isinstance(generator, BitGenerator):
        return reader_of_bits(generator)
    return reader_of_normal(generator)


def reader_of_python(generator: Random) -> Callable[[], object]:
    state = partial(super(Random, generator).getstate)  # a subclass may say something else
    *words, position = state()
    where = id(generator) + object.__basicsize__ if sys.implementation.name == "cpython" else 0
    read = in_memory(where, struct.pack("=i624I", position, *words), state)
    return lambda: (read(), getattr(generator, "gauss_next", None))


def reader_of_bits(generator: Any) -> Callable[[], object]:
    """The states of most bit generators are a few numbers, that of MT19937 is 624 words and a position."""
    slow = partial(pickled, generator)
    if type(generator) is not MT19937:
        return slow
    state = generator.state["state"]
    expected = state["key"].astype(np.uint32).tobytes() + struct.pack("=i", state["pos"])
    return in_memory(generator.ctypes.state_address, expected, slow)


def pickled(generator: Any) -> bytes:
    return pickle.dumps(generator.state)


def reader_of_normal(generator: Any) -> Callable[[], object]:
    """Of a RandomState that has a second normal number in hand: to give it away moves no bit generator.

    One without can only come to it by drawing bits.
    """
    if not generator.get_state(legacy=False)["has_gauss"]:
        return lambda: None
    return lambda: pickle.dumps(generator.get_state(legacy=False))


def in_memory(address: int, expected: bytes, slow: Callable[[], object]) -> Callable[[], object]:
    """Reads the state from where it lies; the slow way where it does not lie there."""
    if address and string_at(address, len(expected)) == expected:
        return partial(string_at, address, len(expected))
    return slow


# ---- where a generator is held


def name_of(generator: Any) -> str:
    """In the words of the program, where a module has a name for it."""
    holders = [x for x in gc.get_referrers(generator) if isinstance(x, Generator | RandomState)]
    owner = holders[0] if isinstance(generator, BitGenerator) and holders else generator
    if owner in (OF_PYTHON, OF_NUMPY):
        return f"the generator of the module {'random' if owner is OF_PYTHON else 'np.random'}"
    spaces = namespaces(looked_through()[1])
    named = (f"{of.get('__name__')}.{name}" for of in spaces for name, x in list(of.items()) if x is owner)
    return f"{next(named, 'a generator that was made before')} (a {type(owner).__name__})"
