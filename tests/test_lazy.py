"""Numbers that are not drawn: uniforms, exponentials, logarithms, tokens, events and arrays of them, and every refusal.

The reference is enumeration: a program is run on every point of the grid, or on the middle of every cell between the
numbers that it compares with, and the outcomes are counted.
"""

import json
import math
import operator
import pickle
from bisect import bisect
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact import Law, LawError, law_of
from exact.arrays import exact_array
from exact.branching import FloatsNeeded, explore, plain
from exact.reals import Real
from exact.spans import read_reading

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def reals(*values):
    array = np.empty(len(values), object)
    array[:] = [Real(x) for x in values]
    return exact_array(array)


def counted(program, points, n):
    """The law of program(*us) for n independent numbers, each one of the points."""
    counts = Counter(program(*us) for us in product(points, repeat=n))
    return Law({outcome: Fraction(k, len(points) ** n) for outcome, k in counts.items()})


# ---- one comparison, everywhere


def points_of(reading):
    span = reading.span()
    return [k * span.unit for k in range(span.first, span.last + 1)]


OPERATORS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
READINGS = [f"{bits} {ends}" for bits in (1, 2, 3, 4) for ends in ("[0,1)", "(0,1]", "[0,1]")]


@pytest.mark.parametrize("text", READINGS)
@pytest.mark.parametrize("compare", OPERATORS)
def test_every_comparison_on_every_grid(text, compare):
    reading = read_reading(text)
    for a, b in product([1, -1, Fraction(3, 2), -2], [0, 1, -HALF]):
        for t in [*(Fraction(k, 16) for k in range(-2, 19)), THIRD, 0.1]:
            for left in (True, False):

                def program(u, a=a, b=b, t=t, left=left):
                    x = a * u + b
                    return compare(x, t) if left else compare(t, x)

                exactly = [Fraction(*t.as_integer_ratio()) if isinstance(t, float) else t]
                wanted = counted(lambda u, p=program, t=exactly[0]: p(u, t=t), points_of(reading), 1)
                assert law_of(lambda rng, p=program: p(rng.random()), reading=reading) == wanted


# ---- random programs

SCALES = [Fraction(1), Fraction(-1), Fraction(2), HALF, Fraction(-3)]
comparisons = st.tuples(
    st.integers(0, 1),
    st.sampled_from(SCALES),
    st.integers(-4, 4).map(lambda k: Fraction(k, 4)),
    st.sampled_from(OPERATORS[:4]),
    st.integers(-8, 16).map(lambda k: Fraction(k, 8)),
    st.booleans(),
)
trees = st.recursive(st.integers(0, 3), lambda child: st.tuples(comparisons, child, child), max_leaves=8)


def walk(tree, us):
    """Descends a tree of comparisons: (which u, a, b, operator, number, side), what if so, and what if not."""
    while isinstance(tree, tuple):
        (i, a, b, compare, t, left), yes, no = tree
        x = a * us[i] + b
        tree = yes if (compare(x, t) if left else compare(t, x)) else no
    return tree


@settings(max_examples=150, deadline=None)
@given(trees, st.sampled_from(READINGS))
def test_random_programs_on_grids(tree, text):
    reading = read_reading(text)
    law = law_of(lambda rng: walk(tree, [rng.random(), rng.random()]), reading=reading)
    assert law == counted(lambda *us: walk(tree, us), points_of(reading), 2)


@settings(max_examples=150, deadline=None)
@given(trees)
def test_random_programs_on_real_numbers(tree):
    """Every number that u is compared with is a multiple of 1/48: each cell of that width counts once."""
    middles = [Fraction(2 * k + 1, 96) for k in range(48)]
    law = law_of(lambda rng: walk(tree, [rng.random(), rng.random()]))
    assert law == counted(lambda *us: walk(tree, us), middles, 2)


# ---- what else a uniform number does

PROGRAMS = {
    "used twice": lambda u: (u < HALF, u < THIRD, u > HALF),
    "between": lambda u: Fraction(1, 5) < u < HALF,
    "min": lambda u: min(u, HALF) < THIRD,
    "max": lambda u: max(HALF, u) > HALF,
    "min(1, ratio)": lambda u: u < min(1, Fraction(4, 3)),
    "nan": lambda u: (u < math.nan, u >= math.nan, u == math.nan, u != math.nan),
    "infinity": lambda u: (u < math.inf, u <= -math.inf, u + math.inf > 5, math.inf - u < 5),
    "against itself": lambda u: (u < u, u <= u, u == u, 1 - u < u, u - u == 0, 2 * u - u <= u),
    "floor": lambda u: (math.floor(3 * u), math.ceil(3 * u), int(3 - 6 * u), math.trunc(-3 * u)),
    "whole": lambda u: int(5 * u) * 3 + int(5 * u),
    "remainder": lambda u: (u * 4) % 1 < HALF,
    "divmod": lambda u: (divmod(3 * u, 1)[0], (3 * u) // 1, divmod(3 * u, 1)[1] < HALF),
    "abs": lambda u: abs(u - HALF) < Fraction(1, 5),
    "quotient": lambda u: u / THIRD < 1,
    "sign": lambda u: -u > -HALF,
    "bisect": lambda u: bisect([Fraction(1, 5), HALF, 1], u),
    "truth": lambda u: bool(u - HALF),
    "in a list": lambda u: u in [HALF, THIRD],
    "0 times it": lambda u: 0 * u < 1,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("text", ["ideal", "3 [0,1)", "3 (0,1]", "3 [0,1]"])
def test_a_uniform_number_is_like_a_number(program, text):
    reading = read_reading(text)
    points = [Fraction(2 * k + 1, 240) for k in range(120)] if text == "ideal" else points_of(reading)
    assert law_of(lambda rng: program(rng.random()), reading=reading) == counted(program, points, 1)


def test_searchsorted_and_cumulative_sums():
    p = reals("1/2", "1/3", "1/6")
    law = Law({0: "1/2", 1: "1/3", 2: "1/6"})
    assert law_of(lambda rng: np.searchsorted(np.cumsum(p), rng.random(), side="right")) == law
    assert law_of(lambda rng: (np.cumsum(p) > rng.random()).argmax()) == law
    assert law_of(lambda rng: int((rng.random() >= np.cumsum(p)).sum())) == law


def test_on_a_grid_the_end_of_a_table_has_mass():
    assert law_of(lambda rng: rng.random() <= 0, reading=read_reading("24")) == Law(
        {False: 1 - Fraction(1, 2**24), True: Fraction(1, 2**24)}
    )
    assert law_of(lambda rng: rng.random(dtype=np.float32) <= 0, reading=read_reading("53"))[True] == Fraction(1, 2**24)


@pytest.mark.parametrize("order", ["argmax", "argmin"])
def test_orders_of_fresh_uniform_numbers(order):
    third = Law({0: "1/3", 1: "1/3", 2: "1/3"})
    assert law_of(lambda rng: getattr(rng.random(3), order)()) == third
    assert law_of(lambda rng: getattr(1 - rng.random(3), order)()) == third
    assert law_of(lambda rng: getattr(np, order)(2 * rng.random(3) + 1)) == third


def test_sorted_uniform_numbers():
    sixth = Fraction(1, 6)
    orders = [(i, j, 3 - i - j) for i in range(3) for j in range(3) if i != j]
    law = Law(dict.fromkeys(orders, sixth))
    assert law_of(lambda rng: np.argsort(rng.random(3))) == law
    assert law_of(lambda rng: sorted(range(3), key=list(rng.random(3)).__getitem__)) == law
    assert law_of(lambda rng: len(np.unique(rng.random(3)))) == Law({3: 1})


def test_spans_apart_are_compared_without_a_fork():
    def program(rng):
        u, v = rng.random(), rng.random()
        return (u < v) if u < HALF < v else None

    assert law_of(program) == Law({True: "1/4", None: "3/4"})


# ---- logarithms


@pytest.mark.parametrize("q", ["1/2", "2/3", "1"])
def test_acceptance_in_log_space(q):
    p, q = Real(1, 3), Real(q)
    law = Law({True: p / q, False: 1 - p / q})
    assert law_of(lambda rng: np.log(rng.random()) < np.log(p) - np.log(q)) == law
    assert law_of(lambda rng: np.log(rng.random()) < min(0, np.log(p) - np.log(q))) == law
    assert law_of(lambda rng: np.log(rng.random()) + np.log(q) <= np.log(p)) == law
    assert law_of(lambda rng: -np.log(rng.random()) > -np.log(p / q)) == law
    assert law_of(lambda rng: np.log1p(-rng.random()) < np.log(p / q)) == law
    assert law_of(lambda rng: rng.random() < np.exp(np.log(p) - np.log(q))) == law


def test_log_of_zero_and_below():
    p = Real(1, 4)
    assert law_of(lambda rng: np.log(rng.random()) < np.log(p - p)) == Law({False: 1})
    assert law_of(lambda rng: bool(np.log(rng.random() - HALF) < np.log(p))) == Law({True: "1/4", False: "3/4"})
    grid = read_reading("2")
    assert law_of(lambda rng: np.log(rng.random()) <= np.log(p - p), reading=grid) == Law({True: "1/4", False: "3/4"})


@pytest.mark.parametrize(
    "noise",
    [
        lambda rng: rng.gumbel(size=3),
        lambda rng: -np.log(rng.exponential(size=3)),
        lambda rng: -np.log(-np.log(rng.random(3))),
        lambda rng: -np.log(-np.log1p(-rng.random(3))),
    ],
)
def test_gumbel_noise(noise):
    p = reals("1/2", "1/3", "1/6")
    assert law_of(lambda rng: (np.log(p) + noise(rng)).argmax()) == Law({0: "1/2", 1: "1/3", 2: "1/6"})
    assert law_of(lambda rng: (2 * np.log(p) + noise(rng)).argmax()) == Law({0: "9/14", 1: "4/14", 2: "1/14"})


def test_u_and_1_minus_u_are_not_the_same_noise():
    assert law_of(lambda rng: (lambda u: np.log(u) < np.log(1 - u))(rng.random())) == Law({True: "1/2", False: "1/2"})
    with pytest.raises(LawError, match="the logarithms of a uniform number u and of 1 - u together"):
        law_of(lambda rng: (lambda u: -np.log(u) / 2 < -np.log(1 - u))(rng.random()))


def test_equal_exponentials_are_equal():
    def program(rng):
        E, F = rng.exponential(size=2)
        return 2 * E == E * 2, E == F, E + E == 2 * E, E - E == 0, E / E == 1, bool(E), -E < 0, E > -1, E > 0 * F

    assert law_of(program) == Law({(True, False, True, True, True, True, True, True, True): 1})


# ---- tokens and events


def test_a_token_is_like_its_value():
    def program(rng):
        x = rng.integers(1, 3)
        return x + 1, 1 - x, x == 1, isinstance(x, np.integer), -x, [7, 8, 9][x], {1: "a", 2: "b"}[x], f"{x:02d}", x % 2

    assert law_of(program) == Law(
        {
            (2, 0, True, True, -1, 8, "a", "01", 1): "1/2",
            (3, -1, False, True, -2, 9, "b", "02", 0): "1/2",
        }
    )


def test_a_token_that_nobody_looks_at_does_not_fork():
    assert explore(lambda rng: next(rng.choice(50) for _ in range(9)) * 0 == 0).paths == 50
    assert explore(lambda rng: bool([rng.choice(50) for _ in range(9)])).paths == 1
    assert explore(lambda rng: bool((rng.random(9) < HALF)[3])).paths == 2


LEAST = {
    "all": (lambda a: bool(a.all()), 4), "any": (lambda a: bool(a.any()), 4), "np.all": (lambda a: bool(np.all(a)), 4),
    "argmin": (lambda a: int(a.argmin()), 4), "argmax": (lambda a: int(np.argmax(a)), 4),
    "cumprod": (lambda a: int(a.cumprod().sum()), 4), "sum": (lambda a: int(a.sum()), 8),
    "invert": (lambda a: bool((~a).any()), 4), "and": (lambda a: tuple(a & [True, False, True]), 8),
    "mask": (lambda a: tuple(np.arange(3)[a]), 8), "where": (lambda a: tuple(np.where(a, 1, 0)), 8),
    "nonzero": (lambda a: tuple(np.flatnonzero(a)), 8), "mean": (lambda a: float(a.mean()), 8),
    "builtin": (lambda a: (sum(a), all(a)), 8), "or": (lambda a: bool((True | a).all()), 8),
    "set": (lambda a: a.__setitem__(0, True) or tuple(a), 4), "slice": (lambda a: bool(a[1:].all()), 3),
    "astype": (lambda a: tuple(a.astype(int)), 8), "times": (lambda a: tuple(a * 2), 8), "len": (len, 1),
    "shape": (lambda a: (a.shape, a.ndim, a.size, str(a.dtype)), 1), "loop": (lambda a: [bool(x) for x in a], 8),
    "count": (np.count_nonzero, 8), "xor": (lambda a: tuple(a ^ True), 8), "2d": (lambda a: a[None].all(axis=1), 8),
    "text": (repr, 8), "first": (lambda a: next((i for i, x in enumerate(a) if x), 9), 4),
}  # fmt: skip


@pytest.mark.parametrize(("look", "paths"), LEAST.values(), ids=LEAST)
def test_events_are_looked_at_one_by_one(look, paths):
    found = explore(lambda rng: look(rng.random(3) < HALF))
    counts = Counter(plain(look(np.array(u) < 0.5)) for u in product([0.25, 0.75], repeat=3))
    assert found.law == Law({outcome: Fraction(k, 8) for outcome, k in counts.items()})
    assert found.paths == paths


def test_arrays_of_uniform_numbers():
    assert law_of(lambda rng: tuple((rng.random((2, 2)) < HALF).all(axis=1)))[True, True] == Fraction(1, 16)
    assert law_of(lambda rng: np.clip(rng.random(1), 0.25, 0.5)[0] <= 0.25) == Law({True: "1/4", False: "3/4"})
    assert law_of(lambda rng: tuple((2 * rng.random(2)).astype(int)))[1, 0] == Fraction(1, 4)
    assert law_of(lambda rng: (rng.random(2) < np.minimum(1, np.array([np.nan, 0.5]))).sum()) == Law(
        {0: "1/2", 1: "1/2"}
    )
    assert law_of(lambda rng: bool(np.dot(rng.random(2), [1, 0]) < 0.5)) == Law({True: "1/2", False: "1/2"})
    assert law_of(lambda rng: bool(np.isnan(rng.random(2)).any())) == Law({False: 1})


def test_very_many_whole_numbers():
    n = 2**32
    assert law_of(lambda rng: rng.getrandbits(32) < 2**30) == Law({True: "1/4", False: "3/4"})
    assert law_of(lambda rng: rng.integers(n) % 3)[0] == Fraction(n // 3 + 1, n)
    assert law_of(lambda rng: (rng.integers(5, 5 + 2000) + 7) % 3) == Law(
        {r: Fraction(sum((k + 12) % 3 == r for k in range(2000)), 2000) for r in range(3)}
    )
    with pytest.raises(LawError, match="used again after its remainder"):
        law_of(lambda rng: (lambda k: (k % 3, k < 2**20))(rng.integers(n)))
    with pytest.raises(LawError, match="of more than 1024"):
        law_of(lambda rng: int(rng.random() * 5000))


# ---- what is not followed

U, E = (lambda rng: rng.random()), (lambda rng: rng.exponential())
TEXT = "a uniform number is written as text"
REFUSED = {
    "product": (lambda rng: U(rng) * U(rng) < 1, "products of random numbers bring logarithms"),
    "quotient": (lambda rng: U(rng) / U(rng) < 1, "1 / a uniform number"),
    "inverse": (lambda rng: 1 / U(rng) < 3, "1 / a uniform number"),
    "sum": (lambda rng: U(rng) + U(rng) < 1, r"a uniform number \+ a uniform number"),
    "square": (lambda rng: U(rng) ** 2 < 1, "a power of a uniform number"),
    "exponent": (lambda rng: 2 ** U(rng) < 1, "a power of a uniform number"),
    "float": (lambda rng: float(U(rng)), "a float is taken out of a uniform number"),
    "math.log": (lambda rng: math.log(U(rng)), "a float is taken out of a uniform number"),
    "returned": (lambda rng: U(rng), "a float is taken out of a uniform number"),
    "returned array": (lambda rng: rng.random(2), "a float is taken out of a uniform number"),
    "round": (lambda rng: round(U(rng), 2), "a whole number near to that"),
    "array": (lambda rng: np.array([U(rng)], float), "a float is taken out"),
    "put into floats": (lambda rng: np.zeros(1).__setitem__(0, U(rng)), "a float is taken out"),
    "astype": (lambda rng: rng.random(2).astype(float), "a float is taken out"),
    "out": (lambda rng: np.divide(np.ones(2), rng.random(2), out=np.ones(2)), "1 / a uniform|written to an array"),
    "out of exponentials": (lambda rng: np.divide([1, 1], rng.exponential(size=2), out=np.ones(2)), "do without out="),
    "text": (lambda rng: str(U(rng)), TEXT),
    "format": (lambda rng: f"{U(rng):.3f}", TEXT),
    "repr": (lambda rng: repr([U(rng)]), TEXT),
    "key": (lambda rng: {U(rng): 1}, "put in a set, or used as a key"),
    "pickle": (lambda rng: pickle.dumps(U(rng)), "is pickled"),
    "uniform after order": (lambda rng: (np.sort(rng.random(2)) < HALF).all(), "compared after its logarithm, or"),
    "other scales": (lambda rng: U(rng) < 2 * U(rng), "a uniform number compared with a uniform number"),
    "compared, then in a race": (
        lambda rng: (lambda u: u < HALF and -np.log(u) < E(rng))(U(rng)), "that was compared before"),
    "two kinds": (lambda rng: E(rng) < U(rng), "an exponential number compared with a uniform number"),
    "exponential and number": (lambda rng: E(rng) < 1, "an exponential number compared with 1"),
    "sum of exponentials": (lambda rng: E(rng) + E(rng) < E(rng), r"an exponential number \+ an exponential number"),
    "exponential and its inverse": (lambda rng: (lambda x: x < 1 / x)(E(rng)), "compared with 1 over an exponential"),
    "log and number": (lambda rng: np.log(U(rng)) < -1, "the logarithm of a uniform number compared with -1"),
    "temperature": (lambda rng: np.log(2) + rng.gumbel() < rng.gumbel(), r"the logarithm of an exponential number \+"),
    "exp": (lambda rng: np.exp(U(rng)) < 2, "exp of a uniform number"),
    "sqrt": (lambda rng: np.sqrt(rng.random(2)).argmax(), "sqrt of a uniform number"),
    "hex": (lambda rng: U(rng).hex(), "hex of a uniform number"),
}  # fmt: skip


@pytest.mark.parametrize(("program", "why"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_followed_is_refused_by_name(program, why):
    with pytest.raises(LawError, match=rf"^test_lazy\.py:\d+: .*({why})"):
        law_of(program)


@pytest.mark.parametrize("program", [program for program, _ in REFUSED.values()], ids=REFUSED)
def test_no_except_of_the_program_hides_a_refusal(program):
    def guarded(rng):
        try:
            return program(rng)
        except BaseException:
            return "caught"

    with pytest.raises(LawError, match="test_lazy"):
        law_of(guarded)


def test_races_of_uniform_numbers_need_real_numbers():
    with pytest.raises(LawError, match="or is on a grid"):
        law_of(lambda rng: rng.random(2).argmax(), reading=read_reading("24"))


def test_a_logarithm_of_a_rational_number_that_is_not_followed_wants_floats():
    for program in (
        lambda p, rng: (p * np.log(p)).sum() < 0,
        lambda p, rng: float(np.log(p)[0]) < 0,
        lambda p, rng: (np.log(p) / 2 + rng.gumbel(size=2)).argmax(),
        lambda p, rng: np.round(np.log(p)).sum() < 0,
    ):
        with pytest.raises(FloatsNeeded):
            law_of(program, reals("1/3", "2/3"))


# ---- what only our numbers do, and ordinary ones do not

CAUGHT = {
    "type": lambda rng: type(rng.random()) is float,
    "isinstance": lambda rng: isinstance(rng.random(), float),
    "json": lambda rng: json.dumps([rng.random()]),
    "isnan": lambda rng: bool(np.isnan(rng.random())),
    "shape": lambda rng: hasattr(rng.random(2)[0], "shape"),
    "copyto": lambda rng: np.copyto(np.zeros(2), rng.random(2)),
    "dtype": lambda rng: rng.random(2).dtype == float,
    "token type": lambda rng: type(rng.integers(2)) is np.int64,
}


@pytest.mark.parametrize("program", CAUGHT.values(), ids=CAUGHT)
def test_code_that_sees_our_numbers_is_not_believed(program):
    with pytest.raises(LawError, match=r"^test_lazy\.py:\d+: with ordinary numbers in place of the random ones"):
        law_of(program)


def test_another_name_of_an_array_divided_in_place():
    def program(w, rng):
        other = w
        w /= rng.exponential(size=2)
        return int(w.argmax()), bool(other[0] > 0)

    assert law_of(program, np.array([0.5, 0.5])) == Law({(0, True): "1/2", (1, True): "1/2"})


def divides(w, rng):
    w /= rng.exponential(size=2)


def test_a_variable_of_a_caller_goes_on_with_what_is_written():
    def program(p, rng):
        w = p.copy()
        divides(w, rng)
        return int(w.argmax())

    assert law_of(program, np.array([0.75, 0.25])) == Law({0: "3/4", 1: "1/4"})


@pytest.mark.parametrize("taken", [lambda w: w[:], lambda w: np.array([w, w])[0]])
def test_a_view_is_not_written_to(taken):
    def program(w, rng):
        view = taken(w)
        view /= rng.exponential(size=2)
        return int(w.argmax())

    with pytest.raises(LawError, match="no variable here is"):
        law_of(program, np.array([0.75, 0.25]))


def test_an_attribute_that_leads_to_what_is_written_is_found_out():
    class Holder:
        w: np.ndarray

    def program(p, rng):
        Holder.w = w = p.copy()
        w /= rng.exponential(size=2)
        return int(Holder.w.argmax())

    with pytest.raises(LawError, match="with ordinary numbers"):
        law_of(program, np.array([0.75, 0.25]))


def test_in_the_program_no_number_is_seen_and_after_it_every_one_has_a_name():
    seen = []
    law_of(lambda rng: seen.extend([rng.random(), rng.exponential(), rng.gumbel()]))
    assert [repr(x) for x in seen[:3]] == [
        "a uniform number", "an exponential number", "the logarithm of an exponential number"
    ]  # fmt: skip


def divides_into(rng, w):
    """`out=`, where some entries stay as they are, and another name of the same array."""
    clocks = np.full(3, np.inf)
    also = clocks
    np.divide(rng.exponential(size=3), w, out=clocks, where=w > 0)
    return int(clocks.argmin()), int(also.argmin())


def test_the_variables_of_an_array_that_is_written_to_go_on_with_what_is_written():
    law = law_of(lambda rng: divides_into(rng, np.array([0.75, 0.0, 0.25])))
    assert law == Law({(0, 0): "3/4", (2, 2): "1/4"})


def test_an_array_that_is_no_variable_is_not_written_to():
    class Holder:
        clocks = np.ones(2)

    with pytest.raises(
        LawError, match=r"test_lazy.py:\d+: lazy numbers are written to floats that no variable here is"
    ):
        law_of(lambda rng: np.divide(rng.exponential(size=2), 2.0, out=Holder.clocks))
