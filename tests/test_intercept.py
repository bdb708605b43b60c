"""Interception: the functions of np.random and random answer as the source does, and what draws past it is found."""

# ruff: noqa: NPY002 - the functions of np.random are what is tested

import copy
import copyreg
import gc
import os
import pickle
import random
import secrets
import sys
import threading
import uuid
from fractions import Fraction
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from numpy.random import default_rng, rand
from random import random as python_random

from exact import Law, LawError, Raised, law_of
from exact.source import Source
from numeric.intercept import Python, in_memory, intercept, looked_through, reader, without_rng

P = [0.5, 0.25, 0.25]
BIT_GENERATORS = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]
THIRD = Fraction(1, 3)


def law(program, *args):
    """Of a program that takes no rng."""
    return watched_law(without_rng(program), *args)


def watched_law(program, *args):
    with intercept() as watched:
        return law_of(program, *args, source=watched.source, around=watched.run)


def past(program, *args):
    with pytest.raises(LawError, match="drawn from past the interception") as error:
        law(program, *args)
    return str(error.value).partition(": ")[2]


def refused(program, *args):
    with pytest.raises(LawError) as error:
        law(program, *args)
    text = str(error.value)
    assert text.startswith("test_intercept.py:")
    return text


def apply(f, *args):
    return f(*args)


# ---- what is followed: (by the module, by the source)

NUMPY = [
    (lambda: np.random.rand() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: np.random.rand(2, 2).shape, lambda rng: (2, 2)),
    (lambda: np.random.rand(2) < [0.5, 0.25], lambda rng: rng.random(2) < [0.5, 0.25]),
    (lambda: np.random.random() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: np.random.random_sample(2) < 0.5, lambda rng: rng.random(2) < 0.5),
    (lambda: np.random.ranf() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: np.random.sample() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: np.random.uniform() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: np.random.uniform(-1, 1, 2) < 0.5, lambda rng: rng.uniform(-1, 1, 2) < 0.5),
    (lambda: np.random.randint(3), lambda rng: rng.integers(3)),
    (lambda: np.random.randint(2, 4), lambda rng: rng.integers(2, 4)),
    (lambda: np.random.randint(0, high=2, size=2, dtype=np.int64), lambda rng: rng.integers(0, 2, 2)),
    (lambda: np.random.random_integers(3), lambda rng: rng.integers(1, 4)),
    (lambda: np.random.random_integers(2, 4), lambda rng: rng.integers(2, 4, endpoint=True)),
    (lambda: np.random.choice(3, p=P), lambda rng: rng.choice(3, p=P)),
    (lambda: np.random.choice(["a", "b"], 2, False, [1 / 4, 3 / 4]), lambda rng: rng.choice(["a", "b"], 2, False, [1 / 4, 3 / 4])),  # noqa: E501
    (lambda: np.random.permutation(3), lambda rng: rng.permutation(3)),
    (lambda: np.random.multinomial(1, P).argmax(), lambda rng: rng.choice(3, p=P)),
    (lambda: np.random.multinomial(2, P, 1), lambda rng: rng.multinomial(2, P, 1)),
    (lambda: np.random.binomial(2, 0.25), lambda rng: rng.binomial(2, 0.25)),
    (lambda: np.argmax(P / np.random.exponential(size=3)), lambda rng: rng.choice(3, p=P)),
    (lambda: np.argmax(P / np.random.standard_exponential(3)), lambda rng: rng.choice(3, p=P)),
    (lambda: np.argmax(np.random.gumbel(size=3)), lambda rng: rng.integers(3)),
]  # fmt: skip
PYTHON = [
    (lambda: random.random() < THIRD, lambda rng: rng.random() < THIRD),
    (lambda: random.uniform(1, 3) < 1.5, lambda rng: rng.uniform(1, 3) < 1.5),
    (lambda: random.randint(1, 3), lambda rng: rng.integers(1, 4)),
    (lambda: random.randrange(1, 7, 2), lambda rng: rng.choice([1, 3, 5])),
    (lambda: random.randrange(2), lambda rng: rng.integers(2)),
    (lambda: random.choice("abc"), lambda rng: rng.choice(["a", "b", "c"])),
    (lambda: random.choices(range(3), P), lambda rng: (rng.choice(3, p=P),)),
    (lambda: random.choices("ab", cum_weights=[1, 4], k=1), lambda rng: rng.choices("ab", [1, 3])),
    (lambda: random.sample(range(3), 2), lambda rng: rng.choice(3, 2, replace=False)),
    (lambda: random.sample("ab", 1, counts=[1, 3]), lambda rng: rng.choices("ab", [1, 3])),
    (lambda: random.getrandbits(2), lambda rng: rng.integers(4)),
    (lambda: random.expovariate(2) < random.expovariate(1), lambda rng: rng.random() < Fraction(2, 3)),
]


@pytest.mark.parametrize("i", range(len(NUMPY)))
def test_numpys_functions_are_those_of_the_source(i):
    by_module, by_source = NUMPY[i]
    assert law(by_module) == law_of(by_source)


@pytest.mark.parametrize("i", range(len(PYTHON)))
def test_pythons_functions_are_those_of_the_source(i):
    by_module, by_source = PYTHON[i]
    assert law(by_module) == law_of(by_source)


@pytest.mark.parametrize("shuffle", [np.random.shuffle, random.shuffle], ids=["numpy", "python"])
def test_shuffle_works_in_place_and_on_a_copy_of_the_argument(shuffle):
    def program(x):
        sys.modules[shuffle.__self__.__class__.__module__ if shuffle is random.shuffle else "numpy.random"].shuffle(x)
        return x

    tokens = [0, 1, 2]
    assert law(program, tokens) == law_of(lambda rng: rng.permutation(3))
    assert tokens == [0, 1, 2]


def test_every_function_was_tried():
    """What `Legacy` and `Python` follow is in the lists above, or in a test of its own."""
    names = {name for by_module, _ in NUMPY + PYTHON for name in by_module.__code__.co_names}
    from numeric.intercept import Legacy

    assert set(Legacy._followed()) | set(Python._followed()) <= names | {"seed", "shuffle"}


# ---- what is refused

MODULES_NUMPY = sorted(name for name in vars(np.random) if not name.startswith("_"))
NUMPY_REFUSED = [
    name
    for name in MODULES_NUMPY
    if not isinstance(getattr(np.random, name), type | ModuleType)
    and name not in {"test", "default_rng", "seed", "shuffle"}
    and not any(name in by_module.__code__.co_names for by_module, _ in NUMPY)
]
PYTHON_REFUSED = [
    name
    for name in random.__all__
    if not isinstance(getattr(random, name), type)
    and name not in {"seed", "shuffle"}
    and not any(name in by_module.__code__.co_names for by_module, _ in PYTHON)
]


def test_the_lists_of_refusals_are_there():
    assert {"randn", "normal", "bytes", "get_state", "set_state", "standard_normal"} <= set(NUMPY_REFUSED)
    assert {"gauss", "getstate", "setstate", "randbytes", "triangular"} <= set(PYTHON_REFUSED)


@pytest.mark.parametrize("name", NUMPY_REFUSED)
def test_numpys_other_functions_are_refused_by_name(name):
    text = refused(lambda: getattr(np.random, name)())
    assert f"np.random.{name}: this random function is not followed; there are random, random_sample, rand" in text


@pytest.mark.parametrize("name", PYTHON_REFUSED)
def test_pythons_other_functions_are_refused_by_name(name):
    text = refused(lambda: getattr(random, name)())
    assert f"random.{name}: this random function is not followed; there are random, uniform, randint" in text


@pytest.mark.parametrize("name", sorted(set(secrets.__all__) - {"SystemRandom", "compare_digest"}))
def test_secrets_are_refused_by_name(name):
    assert f"secrets.{name}: random numbers of the operating system" in refused(lambda: getattr(secrets, name)(4))


def test_what_asks_the_operating_system_is_refused():
    held = random.SystemRandom()
    for program in (lambda: os.urandom(4), lambda: uuid.uuid4(), lambda: held.random(), lambda: held.getrandbits(3)):
        with pytest.raises(LawError, match=r"os\.urandom: random numbers of the operating system"):
            law(program)
    assert law(lambda: secrets.compare_digest("a", "a")) == law_of(lambda rng: True)


@pytest.mark.parametrize("method", ["randn", "bytes", "get_state", "tomaxint"])
def test_a_random_state_refuses_by_name(method):
    assert f"RandomState.{method}: this random" in refused(lambda: getattr(np.random.RandomState(), method)())


def test_what_is_no_method_is_none():
    assert law(lambda: np.random.RandomState().integers(3)) == law_of(
        lambda rng: Raised("AttributeError", "'RandomState' object has no attribute 'integers'")
    )
    assert law(lambda: hasattr(random.Random(), "rand")) == law_of(lambda rng: False)


def test_errors_are_those_of_the_module():
    assert law(lambda: random.choice([])) == law_of(
        lambda rng: Raised("IndexError", "Cannot choose from an empty sequence")
    )
    assert law(lambda: np.random.choice(np.eye(2))) == law_of(
        lambda rng: Raised("ValueError", "a must be 1-dimensional")
    )
    assert next(iter(law(lambda: np.random.randint(3, endpoint=True)))).kind == "TypeError"
    assert "np.random.shuffle" in refused(lambda: random.shuffle(np.eye(2)))


# ---- new generators


def test_new_generators_are_the_source():
    programs = [
        lambda: np.random.default_rng().integers(3),
        lambda: np.random.default_rng(7).choice(3),
        lambda: np.random.default_rng(np.random.SeedSequence(5)).choice(3),
        lambda: np.random.Generator(np.random.PCG64()).integers(0, 2, endpoint=True),
        lambda: np.random.RandomState().randint(3),
        lambda: np.random.RandomState(np.random.MT19937(3)).randint(0, 3),
        lambda: random.Random().randint(0, 2),
        lambda: random.Random(5).choice(range(3)),
        lambda: random.SystemRandom().randrange(3),
        lambda: secrets.SystemRandom().randrange(3),
        lambda: np.random.mtrand._rand.randint(3),
    ]
    for program in programs:
        assert law(program) == law_of(lambda rng: rng.integers(3))


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_a_bit_generator_is_good_for_a_generator_only(name):
    assert law(lambda: np.random.Generator(getattr(np.random, name)(0)).random() < THIRD) == law_of(
        lambda rng: rng.random() < THIRD
    )
    assert law(lambda: isinstance(getattr(np.random, name)(), np.random.BitGenerator)) == law_of(lambda rng: True)
    assert "random_raw of a bit generator is not followed" in refused(lambda: getattr(np.random, name)().random_raw())


def test_isinstance_knows_real_ones_and_those_of_the_source():
    real = np.random.default_rng(0), np.random.RandomState(0), random.Random(0)

    def program(rng):
        kinds = np.random.Generator, np.random.RandomState, random.Random
        given = rng, np.random.RandomState(), random.Random()
        return [[isinstance(x, kind) for kind in kinds] for x in real + given]

    ((rows, _),) = watched_law(program).items()
    assert rows[:3] == ((True, False, False), (False, True, False), (False, False, True))
    assert rows[3:] == ((True, False, True), (False, True, False), (False, False, True))
    assert law(lambda: isinstance(3, np.random.Generator)) == law_of(lambda rng: False)
    assert law(lambda: issubclass(random.SystemRandom, random.Random)) == law_of(lambda rng: True)


def test_annotations_and_the_choice_of_other_packages():
    def program(seed: "object" = None):
        def check(rng: np.random.Generator | None) -> np.random.RandomState:  # evaluated in the run
            return np.random.mtrand._rand if rng is None or rng is np.random else np.random.RandomState(rng)

        mtrand = check(seed)
        assert isinstance(mtrand, np.random.RandomState)
        return mtrand.rand() < THIRD

    assert law(program) == law(partial(program, 3)) == law_of(lambda rng: rng.random() < THIRD)


def test_two_protocols_at_once_are_one_source():
    def program(rng):
        return rng.random() < np.random.choice([0.25, 0.75])

    assert watched_law(program) == law_of(lambda rng: rng.random() < 0.5)


# ---- seeds


def test_seeding_does_nothing():
    def program():
        np.random.seed(0)
        random.seed(0)
        rng = np.random.default_rng(0)
        return bool(np.random.rand() < THIRD), random.random() < 0.5, bool(rng.random() < 0.25)

    assert law(program) == law_of(
        lambda rng: (bool(rng.random() < THIRD), rng.random() < 0.5, bool(rng.random() < 0.25))
    )


@pytest.mark.parametrize(
    "seed",
    [
        lambda: np.random.seed(0),
        lambda: random.seed("seed"),
        lambda: random.Random(0),
        lambda: np.random.RandomState(np.int64(3)),
        lambda: np.random.default_rng([1, 2]),
        lambda: np.random.Philox(key=5),
    ],
)
def test_the_same_seed_again_is_refused(seed):
    assert law(lambda: seed() and None) == law_of(lambda rng: None)  # in every run it is once
    assert "a second time in one run: the numbers of the first time come again" in refused(lambda: (seed(), seed()))


def test_other_seeds_are_other_generators():
    def program():
        random.seed(0), np.random.seed(0), np.random.default_rng(0), np.random.Philox(0)
        return random.Random(1).random() < 0.5, random.Random(random.getrandbits(64)).random() < 0.5

    assert law(program) == law_of(lambda rng: (rng.random() < 0.5, rng.random() < 0.5))
    assert "second time" in refused(lambda: (np.random.seed(0), np.random.RandomState(0)))


# ---- names that were bound before


def test_names_of_this_module_are_replaced():
    assert law(lambda: python_random() < THIRD) == law_of(lambda rng: rng.random() < THIRD)
    assert law(lambda: rand() < THIRD) == law_of(lambda rng: rng.random() < THIRD)
    assert law(lambda: default_rng().random() < THIRD) == law_of(lambda rng: rng.random() < THIRD)


@pytest.mark.parametrize("listed", [True, False])
def test_names_of_other_modules_are_replaced_and_put_back(listed, monkeypatch):
    module = ModuleType("a_verifier")
    text = "from random import random as u, Random\nfrom numpy.random import *\nfrom os import urandom\n"
    exec(text + "def program(): return u() < 1/4, Random().random() < 1/4, rand() < 1/4", module.__dict__)
    if listed:
        monkeypatch.setitem(sys.modules, "a_verifier", module)
    before = list(vars(module).items())
    with intercept() as watched:
        assert module.urandom is not dict(before)["urandom"]
        got = law_of(without_rng(module.program), source=watched.source, around=watched.run)
    assert got == law_of(lambda rng: tuple(u < 0.25 for u in (rng.random(), rng.random(), rng.random())))
    assert [(name, id(value)) for name, value in before] == [(name, id(value)) for name, value in vars(module).items()]


def test_a_module_imported_in_a_run_ends_with_the_real_names(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text(
        "import numpy, random as r\nfrom random import random, Random\nfrom numpy.random import default_rng\n"
        "def program(): return random() < 1/4\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def program():
        import imported_late

        return imported_late.program()

    quarter = law_of(lambda rng: rng.random() < 0.25)
    try:
        assert law(program) == quarter
        late = sys.modules["imported_late"]
        assert (late.random, late.Random, late.default_rng) == (random.random, random.Random, np.random.default_rng)
        assert law(program) == quarter
    finally:
        sys.modules.pop("imported_late", None)


@pytest.mark.parametrize("late", [True, False])
def test_everything_alive_is_looked_through_again_only_where_a_stand_in_is_left(late, monkeypatch):
    walks, look = [], looked_through
    monkeypatch.setattr("numeric.intercept.looked_through", lambda: walks.append(1) or look())
    made = []

    def program(rng):
        module = ModuleType("nobody_lists_it")
        exec("from random import random, Random" if late else "", module.__dict__)
        made.append(module)
        return rng.random() < 0.25 and np.random.default_rng(0).random() < 0.5

    assert watched_law(program) == law_of(lambda rng: rng.random() < 0.125)
    assert len(walks) == 1 + late
    assert all((x.random, x.Random) == (random.random, random.Random) for x in made if late)


# ---- everything is put back


def snapshot():
    """Every name that may be replaced, and what it stands for."""
    homes = (random, secrets, os, np.random, np.random.mtrand, np.random._generator, np.random.bit_generator)
    names = [(module.__name__, name, value) for module in homes for name, value in vars(module).items()]
    here = [("here", name, value) for name, value in globals().items() if name[:2] != "__"]
    copied = [("copied", kind, how) for kind, how in copyreg.dispatch_table.items()]
    return [*names, *here, *copied, ("Random", "__init__", random.Random.__init__)]


def states():
    return random.getstate(), pickle.dumps(np.random.get_state(legacy=False))


def same(before, after):
    kinds = np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random
    assert not any(issubclass(kind, kinds) for kind in copyreg.dispatch_table)
    assert [(where, name, id(value)) for where, name, value in before] == [
        (where, name, id(value)) for where, name, value in after
    ]


@pytest.mark.parametrize("how", ["nothing", "law", "refusal", "an error of the program", "an error", "past", "nested"])
def test_everything_is_put_back(how):
    before, drawn = snapshot(), states()
    held = random.Random(0)
    programs = {
        "law": lambda: np.random.rand() < random.random(),
        "refusal": lambda: np.random.randn(),
        "an error of the program": lambda: 1 // np.random.randint(2),
        "past": lambda: held.random() < 0.5,
    }
    if how == "an error":
        with pytest.raises(KeyboardInterrupt), intercept():
            raise KeyboardInterrupt
    elif how in programs:
        try:
            law(programs[how])
        except LawError:
            assert how in ("refusal", "past")
    else:
        with intercept():
            assert snapshot() != before
            if how == "nested":
                with intercept():
                    law(programs["law"])
    same(before, snapshot())
    assert states() == drawn


def test_a_failure_while_it_is_put_in_place_puts_everything_back(monkeypatch):
    before = snapshot()
    monkeypatch.setattr("numeric.intercept.Interception.forbid", lambda self, undo: 1 // 0)
    with pytest.raises(ZeroDivisionError), intercept():
        pass
    same(before, snapshot())
    monkeypatch.undo()
    assert law(lambda: random.random() < 0.5) == law_of(lambda rng: rng.random() < 0.5)


def test_nested_use():
    def inner():
        return random.random() < 0.25

    def outer():
        (false, true) = law(inner).values()
        return random.random() < true, type(false)

    with intercept() as first:
        assert law(inner) == law_of(lambda rng: rng.random() < 0.25)
        assert law_of(without_rng(inner), source=first.source, around=first.run) == law(inner)
        assert law(lambda: np.random.Generator(np.random.PCG64(0)).random() < 0.5) == law(lambda: rand() < 0.5)
        assert law(lambda: np.random.mtrand._rand.rand() < 0.5) == law(lambda: rand() < 0.5)
        assert isinstance(np.random.default_rng(), np.random.Generator)
    assert law(outer) == law_of(lambda rng: (rng.random() < 0.25, Fraction))


def test_another_source_than_that_of_the_interception():
    with intercept(), pytest.raises(LawError, match="another source than the interception; give it source="):
        law_of(without_rng(lambda: random.random() < 0.5))
    source = Source()
    with intercept(source) as watched:
        assert watched.source is source


def test_around_the_runs_the_functions_are_the_real_ones():
    random.seed(3)
    np.random.seed(3)
    expected = random.random(), np.random.rand(), np.random.default_rng(3).random(), random.Random(3).random()
    random.seed(3)
    np.random.seed(3)
    with intercept():
        got = random.random(), np.random.rand(), np.random.default_rng(3).random(), random.Random(3).random()
        assert np.random.mtrand._rand.rand() != got[1]
        assert type(np.random.RandomState(3)) is np.random.mtrand.RandomState.real
        assert np.random.PCG64(3).random_raw() > 0
        assert copy.copy(np.random.default_rng(3)).random() == got[2]
        assert copy.deepcopy(random.Random(3)).random() == got[3]
        assert pickle.loads(pickle.dumps(np.random.RandomState(3))).rand() == got[1]
        assert len(os.urandom(3)) == len(secrets.token_bytes(3)) == 3
        assert random.Random.random(random.Random(3)) == got[3]
    assert got == expected


def test_another_thread_gets_the_real_functions():
    rng, got = random.Random(0), []

    def program():
        thread = threading.Thread(target=lambda: got.append(type(os.urandom(1))))
        thread.start()
        thread.join()
        return random.random() < 0.5

    assert law(program) == law_of(lambda rng: rng.random() < 0.5)
    assert set(got) == {bytes}

    def draws():
        thread = threading.Thread(target=rng.random)
        thread.start()
        thread.join()

    assert "a generator that was made before" in past(draws)


def test_another_thread_waits_until_it_is_over():
    order = []

    def other():
        order.append("asks")
        with intercept():
            order.append("has it")

    thread = threading.Thread(target=other, daemon=True)
    with intercept():
        thread.start()
        thread.join(0.2)
        order.append("over")
    thread.join(10)
    assert order == ["asks", "over", "has it"]


@settings(max_examples=20)
@given(strategies.randoms(use_true_random=True), strategies.integers(0, 8))
def test_the_test_runner_is_not_disturbed(rng, n):
    with intercept() as watched:
        program = without_rng(lambda: np.random.rand() < Fraction(n, 8))
        got = law_of(program, source=watched.source, around=watched.run)
        rng.random()
    assert dict(got).get(True, 0) == Fraction(n, 8)


# ---- what draws past it

MADE_BEFORE = {
    "Generator": lambda: np.random.default_rng(0),
    "RandomState": lambda: np.random.RandomState(0),
    "Random": lambda: random.Random(0),
} | {name: partial(lambda name: np.random.Generator(getattr(np.random, name)(0)), name) for name in BIT_GENERATORS}
RNG = np.random.default_rng(0)
SECOND = [random.Random(1)]


class Own(random.Random):
    pass


class Verifier:
    shared = random.Random(2)

    def __init__(self, rng):
        self.rng = rng

    def __call__(self):
        return self.rng.random() < 0.5


@pytest.mark.parametrize("kind", MADE_BEFORE)
def test_a_generator_made_before_is_found_wherever_it_is_held(kind):
    rng = MADE_BEFORE[kind]()

    def default(held=rng):
        return held.random() < 0.5

    def keyword(*, held=rng):
        return held.random() < 0.5

    assert "a generator that was made before" in past(lambda: rng.random() < 0.5)
    assert past(Verifier(rng))
    assert past(default)
    assert past(keyword)
    held = {"deep": [rng]}
    assert past(lambda: held["deep"][0].random() < 0.5)


def test_the_text_names_one_that_a_module_names():
    assert past(lambda: RNG.random() < 0.5).startswith("test_intercept.RNG (a Generator) was drawn from past the")
    assert past(lambda: RNG.bit_generator.random_raw() % 2).startswith("test_intercept.RNG (a Generator)")
    unnamed = "a generator that was made before"
    assert past(Verifier(np.random.RandomState(0))).startswith(f"{unnamed} (a RandomState) was drawn from past")
    assert past(lambda: Verifier.shared.random() < 0.5).startswith(f"{unnamed} (a Random)")
    assert past(lambda: RNG.random() < 0.5).endswith("pass rng to the program, or make the generator inside of it")


def test_the_generators_of_the_modules_are_watched():
    numpys, pythons = np.random.mtrand._rand, random._inst
    bound = [random.random, np.random.rand]
    for program in (lambda: pythons.random() < 0.5, lambda: bound[0]() < 0.5):
        assert past(program).startswith("the generator of the module random was drawn from")
    for program in (lambda: numpys.rand() < 0.5, lambda: bound[1]() < 0.5):
        assert past(program).startswith("the generator of the module np.random was drawn from")


def once(draw):
    """Draws on one of three paths, which is neither the first nor the last and so is run but once."""
    return without_rng(lambda: draw() < 0 if np.random.choice(3, p=P) == 1 else None)


@pytest.mark.parametrize("make", [lambda: np.random.RandomState(0).randn, lambda: random.Random(0).gauss])
def test_a_normal_number_in_hand_is_seen_when_it_goes(make):
    draw = make()
    draw()  # the second of the two that this makes moves no bits
    with pytest.raises(LawError, match="drawn from past"):
        watched_law(once(draw))


def test_a_normal_number_that_came_between_two_audits():
    rng = np.random.RandomState(0)
    with intercept() as watched:
        options = {"source": watched.source, "around": watched.run}
        assert law_of(without_rng(lambda: random.random() < 0.5), **options)
        rng.randn()
        assert law_of(without_rng(lambda: random.random() < 0.5), **options)
        with pytest.raises(LawError, match="drawn from past"):
            law_of(once(rng.randn), **options)


def test_half_a_word_in_hand_is_seen_when_it_goes():
    rng = np.random.default_rng(0)
    rng.integers(2, dtype=np.int32)  # takes 32 of 64 bits

    assert "drawn from past" in past(lambda: rng.integers(2, dtype=np.int32))


def test_it_is_found_also_where_the_program_ends_otherwise():
    for end in (lambda: 1 // 0, lambda: sys.exit(1), lambda: random.random() < 0.5):

        def program(end=end):
            RNG.random()
            end()

        assert "test_intercept.RNG" in past(program)


def test_one_made_between_the_runs_is_watched():
    makers = [
        lambda: np.random.default_rng(0), lambda: np.random.RandomState(0), lambda: random.Random(0),
        lambda: np.random.Generator(np.random.SFC64(0)), lambda: default_rng(0), lambda: Own(0),
    ]  # fmt: skip
    for make in makers:
        with intercept() as watched:
            verifier = Verifier(make())
            with pytest.raises(LawError, match=r"a generator that was made before .* was drawn from past"):
                law_of(without_rng(verifier), source=watched.source, around=watched.run)


def test_one_that_the_collector_overlooks_is_found_by_its_name():
    gc.freeze()
    try:
        assert "drawn from past" in past(lambda: RNG.random() < 0.5)
        assert law(lambda: python_random() < 0.5) == law_of(lambda rng: rng.random() < 0.5)
    finally:
        gc.unfreeze()


def test_a_copy_of_a_generator_is_refused():
    for make in MADE_BEFORE.values():
        rng = make()
        for program in (copy.copy, copy.deepcopy, pickle.dumps):
            assert "is copied (by copy, pickle, or as an argument" in refused(partial(apply, program, rng))
        for argument in (rng, Verifier(rng), [rng]):
            with pytest.raises(LawError, match="is copied"):
                law(lambda argument: None, argument)
    assert "a RandomState is copied" in refused(lambda: copy.deepcopy(np.random.RandomState()))
    assert "a Random is copied" in refused(lambda: copy.copy(random.Random()))
    assert "a Random is copied" in refused(lambda: pickle.dumps(random.Random()))


def test_what_makes_a_real_generator_in_a_run_is_refused():
    class Mine(random.Random):
        pass

    hidden = [np.random.default_rng, np.random.RandomState, np.random.PCG64, random.Random, Mine]
    for make in hidden:
        assert refused(partial(apply, make))
    assert "a Mine is made past the interception" in refused(lambda: Mine(3).random() < 0.5)
    assert "of a bit generator is not followed" in refused(lambda: hidden[0](5).random() < 0.5)
    assert "of a bit generator is not followed" in refused(lambda: hidden[1](5).rand() < 0.5)
    assert "secrets.randbits: random numbers" in refused(lambda: hidden[2]().random_raw() % 2)


def test_subclasses():
    def program():
        class Mine(np.random.RandomState):
            pass

        return Mine(0).rand() < 0.5

    assert "class Mine: a subclass of RandomState is made in a run" in refused(program)
    with intercept():

        class Mine(random.Random):
            pass

    assert Mine.__mro__[1] is random.Random
    assert 0 <= Mine(0).random() < 1


def test_the_source_itself_in_another_run():
    """What is left from an earlier run cannot be drawn from."""
    kept = []

    def program():
        kept.append(random.random())
        return kept[0] < 0.5

    assert "an earlier run" in refused(program)


# ---- how the watch reads


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_a_reader_sees_every_draw(name):
    bits = getattr(np.random, name)(0)
    read = reader(bits)
    first = read()
    assert read() == first
    seen = {first} | {read() for _ in range(1300) if bits.random_raw() >= 0}
    assert len(seen) == 1301


def test_mt19937_is_read_where_it_lies():
    """Both layouts are of a public struct; if one changes, the slow way is right as well, and this test tells."""
    rng = random.Random(0)
    for generator in (np.random.MT19937(0), rng):
        read = reader(generator)
        first = read()
        (generator.random_raw if generator is not rng else rng.random)()
        assert read() != first
    assert len(reader(np.random.MT19937(0))()) == len(reader(rng)()[0]) == 625 * 4


def test_where_it_does_not_lie_there_the_slow_way_is_taken():
    kept = bytearray(b"x" * 8)
    import ctypes

    address = ctypes.addressof(ctypes.c_char.from_buffer(kept))
    assert in_memory(address, b"y" * 8, lambda: "slow")() == "slow"
    assert in_memory(address, b"x" * 8, lambda: "slow")() == b"x" * 8
    assert in_memory(0, b"x" * 8, lambda: "slow")() == "slow"


def test_a_program_that_ends_the_process_ends_its_run_alone():
    with intercept() as watched:
        law = law_of(without_rng(lambda: os._exit(0)), source=watched.source, around=watched.run)
    assert law == Law({Raised("SystemExit", "os._exit(0)"): 1})


@pytest.mark.parametrize("seed", [np.random.SeedSequence(7), np.array([1, 2]), True, Fraction(1, 2)])
def test_every_kind_of_seed_a_second_time_is_refused(seed):
    def make():
        return random.Random(seed) if isinstance(seed, Fraction) else np.random.default_rng(seed)

    with intercept() as watched, pytest.raises(LawError, match="a second time in one run"):
        law_of(without_rng(lambda: (make(), make())), source=watched.source, around=watched.run)
