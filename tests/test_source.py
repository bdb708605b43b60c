"""Every random function of the source, against the law that it has by its definition."""

import math
import pickle
import random
from collections import Counter
from copy import copy, deepcopy
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact import Law, LawError, Raised, law_of
from exact.branching import RUNNING
from exact.lazy import CELLS
from exact.reals import Real
from exact.source import SUPPORTED, Source

P = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]


def uniform_over(outcomes):
    counts = Counter(outcomes)
    return Law({x: Fraction(k, counts.total()) for x, k in counts.items()})


LAWS = {
    "random": (lambda rng: rng.random() < 0.25, Law({True: "1/4", False: "3/4"})),
    "random(size)": (lambda rng: rng.random(size=(1, 2)).shape, Law({(1, 2): 1})),
    "uniform": (lambda rng: rng.uniform(2, 4) < 3, Law({True: "1/2", False: "1/2"})),
    "uniform of arrays": (
        lambda rng: tuple(rng.uniform(0, [1, 2]) < 0.5),
        Law({(a, b): Fraction(1, 2) * Fraction(1 if b else 3, 4) for a in (0, 1) for b in (0, 1)})),
    "integers": (lambda rng: rng.integers(3), uniform_over(range(3))),
    "integers(low, high)": (lambda rng: rng.integers(-1, 2), uniform_over([-1, 0, 1])),
    "integers(endpoint)": (lambda rng: rng.integers(1, 2, endpoint=True), uniform_over([1, 2])),
    "integers(size)": (lambda rng: rng.integers(2, size=2), uniform_over(product(range(2), repeat=2))),
    "integers of arrays": (lambda rng: rng.integers([1, 2]), Law({(0, 0): "1/2", (0, 1): "1/2"})),
    "randrange": (lambda rng: rng.randrange(3), uniform_over(range(3))),
    "randrange(step)": (lambda rng: rng.randrange(1, 8, 3), uniform_over([1, 4, 7])),
    "randint": (lambda rng: rng.randint(1, 3), uniform_over([1, 2, 3])),
    "getrandbits": (lambda rng: rng.getrandbits(2), uniform_over(range(4))),
    "binomial": (
        lambda rng: rng.binomial(3, P[1]),
        Law({k: math.comb(3, k) * Fraction(2 ** (3 - k), 27) for k in range(4)})),
    "binomial of arrays": (lambda rng: rng.binomial(1, [0.5, 0.25]), Law(
        {(0, 0): "3/8", (1, 0): "3/8", (0, 1): "1/8", (1, 1): "1/8"})),
    "choice": (lambda rng: rng.choice(3), uniform_over(range(3))),
    "choice(p)": (lambda rng: rng.choice(3, p=P), Law(dict(enumerate(P)))),
    "choice(size)": (lambda rng: rng.choice(2, size=2, p=[0.25, 0.75]), Law(
        {(0, 0): "1/16", (0, 1): "3/16", (1, 0): "3/16", (1, 1): "9/16"})),
    "choice of a list": (lambda rng: rng.choice(["a", "b"]), uniform_over("ab")),
    "choice of rows": (lambda rng: rng.choice(np.eye(2, dtype=int)), uniform_over([(1, 0), (0, 1)])),
    "choice without replacement": (lambda rng: rng.choice(3, size=2, replace=False), uniform_over(
        permutations(range(3), 2))),
    "choice(p) without replacement": (lambda rng: rng.choice(3, size=2, replace=False, p=P), Law(
        {(i, j): P[i] * P[j] / (1 - P[i]) for i, j in permutations(range(3), 2)})),
    "choices": (lambda rng: rng.choices("ab", [3, 1]), Law({("a",): "3/4", ("b",): "1/4"})),
    "choices(k)": (lambda rng: rng.choices("ab", k=2), uniform_over(product("ab", repeat=2))),
    "choices(cum_weights)": (lambda rng: rng.choices("abc", cum_weights=[1, 1, 4])[0], Law({"a": "1/4", "c": "3/4"})),
    "sample": (lambda rng: rng.sample("abc", 2), uniform_over(permutations("abc", 2))),
    "sample of a range": (lambda rng: rng.sample(range(2), k=2), uniform_over(permutations(range(2)))),
    "multinomial": (lambda rng: rng.multinomial(1, P).argmax(), Law(dict(enumerate(P)))),
    "multinomial(n)": (lambda rng: rng.multinomial(2, [0.5, 0.5]), Law(
        {(2, 0): "1/4", (1, 1): "1/2", (0, 2): "1/4"})),
    "multinomial(size)": (lambda rng: rng.multinomial(1, [0.25, 0.75], size=1), Law(
        {((1, 0),): "1/4", ((0, 1),): "3/4"})),
    "permutation": (lambda rng: rng.permutation(3), uniform_over(permutations(range(3)))),
    "permutation of a list": (lambda rng: rng.permutation(["a", "b"]), uniform_over(permutations("ab"))),
    "permutation of rows": (lambda rng: rng.permutation(np.eye(2, dtype=int)), uniform_over(
        permutations([(1, 0), (0, 1)]))),
    "permuted": (
        lambda rng: rng.permuted(np.array([[1, 2], [3, 4]])).ravel(), uniform_over(permutations([1, 2, 3, 4]))),
    "shuffle": (lambda rng: (lambda x: rng.shuffle(x) or x)([1, 2, 3]), uniform_over(permutations([1, 2, 3]))),
    "shuffle of an array": (
        lambda rng: (lambda x: rng.shuffle(x) or x)(np.arange(3)), uniform_over(permutations(range(3)))),
    "standard_exponential": (lambda rng: rng.standard_exponential(3).argmin(), uniform_over(range(3))),
    "exponential": (
        lambda rng: rng.exponential(2) < rng.exponential(1), Law({True: "1/3", False: "2/3"})),
    "exponential of arrays": (
        lambda rng: rng.exponential([1, 2, 3]).argmin(), Law({0: "6/11", 1: "3/11", 2: "2/11"})),
    "expovariate": (lambda rng: rng.expovariate(3) < rng.expovariate(1), Law({True: "3/4", False: "1/4"})),
    "gumbel": (lambda rng: rng.gumbel(size=3).argmax(), uniform_over(range(3))),
    "gumbel(loc)": (
        lambda rng: rng.gumbel(np.log([Real(2), Real(1)])).argmax(), Law({0: "2/3", 1: "1/3"})),
    "gumbel(0, 2)": (lambda rng: rng.gumbel(0, 2) < rng.gumbel(0, 2), Law({True: "1/2", False: "1/2"})),
}  # fmt: skip


@pytest.mark.parametrize(("program", "law"), LAWS.values(), ids=LAWS)
def test_every_function_has_its_law(program, law):
    assert law_of(program) == law


def test_every_function_is_tried():
    assert {name.split("(")[0].split()[0] for name in LAWS} == {*SUPPORTED}
    assert all(hasattr(np.random.Generator, name) or hasattr(random.Random, name) for name in SUPPORTED)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=4).filter(any))
def test_weights_are_normalised_where_they_are(weights):
    S = sum(weights)
    assert law_of(lambda rng: rng.choices(range(len(weights)), weights)[0]) == Law(
        {i: w / S for i, w in enumerate(weights)}
    )
    near = [w / S * (1 + Fraction(1, 2**30)) for w in weights]
    assert law_of(lambda rng: rng.choice(len(weights), p=near)) == Law({i: w / S for i, w in enumerate(weights)})


def test_floats_are_the_numbers_that_they_are():
    p = np.array([0.1, 0.2, 0.7])
    exact = [Fraction(x) for x in p]
    assert law_of(lambda rng: rng.choice(3, p=p)) == Law({i: x / sum(exact) for i, x in enumerate(exact)})
    assert law_of(lambda rng: rng.multinomial(1, p).argmax()) == Law(
        {0: exact[0], 1: exact[1], 2: 1 - exact[0] - exact[1]}
    )


BAD = {
    "sum": lambda rng: rng.choice(2, p=[0.5, 0.4]), "length": lambda rng: rng.choice(2, p=[1.0]),
    "negative": lambda rng: rng.choice(2, p=[-0.5, 1.5]), "nan": lambda rng: rng.choice(2, p=[np.nan, 1.0]),
    "no mass": lambda rng: rng.choice(2, p=[0.0, 0.0]), "nothing": lambda rng: rng.choice(0),
    "empty": lambda rng: rng.choice([]), "too many": lambda rng: rng.choice(2, size=3, replace=False),
    "too many with weight": lambda rng: rng.choice(2, size=2, replace=False, p=[1.0, 0.0]),
    "empty range": lambda rng: rng.integers(3, 3), "backwards": lambda rng: rng.integers(3, 1),
    "pvals": lambda rng: rng.multinomial(1, [0.9, 0.9, 0.1]),
    "pvals below": lambda rng: rng.multinomial(1, [-0.1, 1.1]),
    "probability": lambda rng: rng.binomial(1, 1.5), "n": lambda rng: rng.binomial(-1, 0.5),
    "scale": lambda rng: rng.exponential(-1.0), "gumbel scale": lambda rng: rng.gumbel(0, -1.0),
    "shapes": lambda rng: rng.uniform([0, 0], [1, 1, 1]),
}  # fmt: skip


@pytest.mark.parametrize("program", BAD.values(), ids=BAD)
def test_where_numpy_raises_the_source_raises(program):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - their texts are their own
        program(np.random.default_rng(1))
    ((outcome, probability),) = law_of(program).items()
    assert (outcome.kind, probability) == (type(raised.value).__name__, 1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bits", range(4, 30))
def test_the_sum_that_numpy_takes_is_the_sum_that_the_source_takes(dtype, bits):
    p = np.array([0.5, 0.5 + 2.0**-bits], dtype)
    try:
        np.random.default_rng(1).choice(2, p=p)
        raises = False
    except ValueError:
        raises = True
    assert any(isinstance(x, Raised) for x in law_of(lambda rng: rng.choice(2, p=p))) is raises


PYTHON = {
    "weights": lambda rng: rng.choices("ab", [0, 0]), "lengths": lambda rng: rng.choices("ab", [1]),
    "sample": lambda rng: rng.sample("ab", 3), "range": lambda rng: rng.randrange(3, 3),
    "randint": lambda rng: rng.randint(3, 1),
}  # fmt: skip


@pytest.mark.parametrize("program", PYTHON.values(), ids=PYTHON)
def test_where_python_raises_the_source_raises(program):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - their texts are their own
        program(random.Random(1))
    ((outcome, probability),) = law_of(program).items()
    assert (outcome.kind, probability) == (type(raised.value).__name__, 1)


REFUSED = {
    "normal": (lambda rng: rng.normal(), r"rng\.normal: this random function is not followed; there are random, uni"),
    "state": (lambda rng: rng.bit_generator, r"rng\.bit_generator: this random function is not followed"),
    "seed": (lambda rng: rng.seed(1), r"rng\.seed: "),
    "out": (lambda rng: rng.random(out=np.zeros(2)), "leave out="),
    "out of exponentials": (lambda rng: rng.standard_exponential(out=np.zeros(2)), "leave out="),
    "unknown option": (lambda rng: rng.random(foo=1), r"rng\.random, called like this, is not followed"),
    "numpy's randint": (lambda rng: rng.randint(3), r"rng\.randint, called like this, is not followed"),
    "counts": (lambda rng: rng.sample("ab", 2, counts=[1, 1]), r"rng\.sample, called like this"),
    "axis": (lambda rng: rng.choice(np.eye(2), axis=1), "axis="),
    "unshuffled": (lambda rng: rng.choice(3, size=2, replace=False, shuffle=False), "shuffle=False"),
    "permutation axis": (lambda rng: rng.permutation(np.eye(2), axis=1), "axis=1"),
    "permuted axis": (lambda rng: rng.permuted(np.eye(2), axis=1), "axis=1"),
    "bool": (lambda rng: rng.integers(2, dtype=bool), "dtype=bool"),
    "random weights": (lambda rng: rng.choice(2, p=[rng.random(), 0.5]), "a weight is a random number itself"),
    "random n": (lambda rng: rng.integers(rng.random()), "where it takes a whole number"),
    "half": (lambda rng: rng.integers(2.5), "where it takes a whole number"),
    "negative weights": (lambda rng: rng.choices("ab", [-1, 2]), "depends on the order of weights"),
    "pvals a little above 1": (lambda rng: rng.multinomial(1, [1, Fraction(1, 10**13), 0]), "a little above 1"),
    "uniform backwards": (lambda rng: rng.uniform(2, 1), "the lower end comes first"),
    "uniform to infinity": (lambda rng: rng.uniform(0, math.inf) < 1, "times inf"),
    "many pvals": (lambda rng: rng.multinomial([1, 2], [0.5, 0.5]), "not followed"),
}  # fmt: skip


@pytest.mark.parametrize(("program", "why"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_followed_is_refused(program, why):
    with pytest.raises(LawError, match=rf"^test_source\.py:\d+: .*{why}"):
        law_of(program)


def test_numbers_come_in_the_kinds_that_numpy_and_python_give():
    def kinds(rng):
        return [type(x + 0).__name__ for x in (rng.integers(1), rng.choice(1), rng.randrange(1), rng.randint(1, 1))]

    assert law_of(kinds) == Law({("int64", "int64", "int", "int"): 1})


def test_one_number_more_than_fork_at_once_is_a_point_of_a_grid():
    assert law_of(lambda rng: rng.integers(CELLS) == 5)[True] == Fraction(1, CELLS)
    assert law_of(lambda rng: rng.integers(CELLS + 1) == 5)[True] == Fraction(1, CELLS + 1)
    assert law_of(lambda rng: rng.integers(CELLS + 1) * 0.25 < 0.5)[True] == Fraction(2, CELLS + 1)


@pytest.mark.parametrize("again", [copy, deepcopy, pickle.dumps])
def test_a_copy_of_the_source_would_give_the_same_numbers_again_and_is_refused(again):
    with pytest.raises(LawError, match=r"test_source.py:\d+: rng is copied"):
        law_of(lambda rng: again(rng))
    assert not RUNNING
    assert not hasattr(Source(), "__len__")
