"""The law of a program: all of its paths, its outcomes, its limits, and programs that are not believed."""

import itertools
import sys
import warnings
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exact.branching
import exact.ordinary
from exact import Law, LawError, Raised, law_of
from exact.arrays import exact_array
from exact.branching import FloatsNeeded, Path, explore, likeliest, plain, where
from exact.reals import Real
from exact.source import Source

weights = st.lists(st.integers(0, 6), min_size=2, max_size=3).filter(any)


def reals(values):
    array = np.empty(len(values), object)
    array[:] = [Real(x) for x in values]
    return exact_array(array)


def emit(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() * q[x] < p[x]:
        return x
    r = np.maximum(p - q, 0)
    return rng.choice(len(p), p=r / r.sum())


# ---- the law


@settings(max_examples=40, deadline=None)
@given(weights, weights)
def test_rejection_sampling_emits_the_target(a, b):
    n = min(len(a), len(b))
    p, q = a[:n], b[:n]
    if any(p) and any(q):
        p, q = ([Fraction(x, sum(v)) for x in v] for v in (p, q))
        assert law_of(emit, reals(p), reals(q)) == Law(dict(enumerate(p)))


def test_on_floats_the_law_is_that_of_the_floats():
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    assert law_of(emit, p, q) == Law({0: "1/2", 1: "1/4", 2: "1/4"})
    assert law_of(lambda p, rng: rng.random() < p, 0.1) == Law({True: Fraction(0.1), False: 1 - Fraction(0.1)})


def test_the_number_of_paths():
    assert explore(emit, reals(["1/2", "1/2"]), reals(["1/2", "1/2"])).paths == 2
    assert explore(lambda rng: 1).paths == 1
    assert explore(lambda rng: [rng.random() < 0.5 for _ in range(5)]).paths == 32


def test_arguments_are_copied_for_every_run():
    p = [np.array([1.0, 2.0])]

    def program(p, rng):
        p[0][rng.choice(2)] = 7
        return p[0]

    assert law_of(program, p) == Law({(7, 2): "1/2", (1, 7): "1/2"})
    assert list(p[0]) == [1, 2]


def test_a_program_may_ask_for_the_law_of_another():
    def outer(rng):
        return rng.random() < law_of(lambda rng: rng.random() < Fraction(1, 3))[True]

    assert law_of(outer) == Law({True: "1/3", False: "2/3"})


def test_the_source_and_what_surrounds_a_run():
    source, runs = Source(), []

    @contextmanager
    def around():
        runs.append("in")
        yield
        runs.append("out")

    assert law_of(lambda rng: (rng is source, source.random() < 0.5)[0], source=source, around=around) == Law({True: 1})
    assert runs == ["in", "out"] * 6  # two paths, each twice more on ordinary numbers


def test_progress():
    told = []
    law_of(lambda rng: rng.choice(3) + 0, progress=lambda *x: told.append(x), max_paths=9)
    assert told == [("paths", 1, 9), ("paths", 2, 9), ("paths", 3, 9)]


# ---- outcomes


def test_an_exception_is_an_outcome():
    law = law_of(lambda rng: 1 // int(rng.random() < 0.5))
    assert law == Law({1: "1/2", Raised("ZeroDivisionError", "integer division or modulo by zero"): "1/2"})
    assert str(Raised("ValueError", "")) == "raises ValueError"
    assert str(Raised("ValueError", "why")) == "raises ValueError: why"
    assert law_of(lambda rng: sys.exit(3)) == Law({Raised("SystemExit", "3"): 1})


def test_an_error_of_the_program_itself_is_an_outcome_on_floats():
    ((outcome, one),) = law_of(lambda p, rng: p.no_such_name, np.array([1.0])).items()
    assert (outcome.kind, one) == ("AttributeError", 1)
    ((outcome, one),) = law_of(lambda p, rng: rng.random() < "x", np.array([1.0])).items()
    assert (outcome.kind, one) == ("TypeError", 1)


def test_on_rational_numbers_such_an_error_wants_floats():
    with pytest.raises(FloatsNeeded, match=r"^test_branching\.py:\d+: it raises AttributeError.*whose fault that is"):
        law_of(lambda p, rng: p[0].astype(float), reals([1, 2]))


OUTCOMES = [
    (np.array([[1, 2], [3, 4]]), ((1, 2), (3, 4))), (np.int64(3), 3), ([1, [2, (3,)]], (1, (2, (3,)))),
    ({"a": [1]}, (("a", (1,)),)), ({1, 2}, frozenset({1, 2})), (iter([1, 2]), (1, 2)), ("text", "text"),
    (None, None), (np.array(2.5), 2.5), (Raised("A", "b"), Raised("A", "b")), (Real(1, 2), Fraction(1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("value", "outcome"), OUTCOMES)
def test_outcomes_are_plain(value, outcome):
    assert plain(value) == outcome


def test_a_generator_is_run_to_its_end():
    def program(rng):
        while rng.random() < 0.5:
            yield "more"
            if rng.random() < 0.5:
                return

    law = law_of(lambda rng: itertools.islice(program(rng), 2))
    assert law == Law({(): "1/2", ("more",): "3/8", ("more", "more"): "1/8"})


def test_nan_is_one_outcome():
    law = law_of(lambda rng: rng.choice(2) * float("nan"))
    assert list(law.values()) == [1]


def test_an_outcome_without_hash_is_refused():
    class Odd:
        __hash__ = None

    with pytest.raises(LawError, match=r"^test_branching\.py:\d+: outcome=.* is hashable"):
        law_of(lambda rng: Odd())


def test_outcomes_that_are_the_same_only_to_themselves_are_not_believed():
    with pytest.raises(LawError, match="where it had given <object object"):
        law_of(lambda rng: object())


def test_warnings_are_no_exceptions():
    def program(_rng):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return np.float64(1) / 0 > 1

    assert law_of(program) == Law({True: 1})


# ---- limits


def forever(rng):
    while rng.random() < 0.5:
        pass


def test_max_paths_says_what_was_covered():
    with pytest.raises(
        LawError, match=r"^max_paths=3: there are more paths; 3 paths were run to their end, and 1/8 of"
    ):
        law_of(forever, max_paths=3)
    assert law_of(lambda rng: rng.choice(3) + 0, max_paths=3) == Law({0: "1/3", 1: "1/3", 2: "1/3"})


def test_seconds():
    with pytest.raises(LawError, match=r"^seconds: the time is up; \d+ paths were run"):
        law_of(forever, seconds=0.05)


def test_a_loop_that_may_never_end():
    left = "1/1267650600228229401496703205376 of the probability is left"
    with pytest.raises(LawError, match=f"^100 decisions in one run .*; 100 paths were run to their end, and {left}"):
        law_of(forever, max_decisions=100)


def test_a_run_without_end():
    def loop(rng):
        while rng.random() * 0 < 1:
            rng.random() < 0.5  # noqa: B015

    with pytest.raises(
        LawError, match=r"^1,000 decisions in one run \(test_branching\.py:\d+\): it may never end; 0 pa"
    ):
        law_of(loop)


def test_a_run_that_decides_nothing_and_goes_on():
    def stuck(rng):
        while True:
            try:
                if rng.random() < 0:
                    return 1
            except BaseException:
                if tried.append(1) or len(tried) > 3:
                    return "caught"

    tried = []
    with pytest.raises(LawError, match=r"^seconds: the time is up; 0 paths were run to their end, and 1 of"):
        law_of(stuck, seconds=0.1)


def test_floats_that_round_across_an_edge_are_refused_and_not_believed():
    """Next to 0 a product rounds to a multiple of the least float, by far more than an epsilon."""
    least = np.float64(5e-324)
    with pytest.raises(LawError, match=r"test_branching.py:\d+: with ordinary numbers in place of the random ones"):
        law_of(lambda rng: rng.random() * (2 * least) < least)
    assert law_of(lambda rng: rng.random() < least / (2 * least)) == Law({True: "1/2", False: "1/2"})


def test_more_random_numbers_than_before_are_a_state():
    calls = itertools.count()
    with pytest.raises(LawError, match="another number of random numbers is drawn"):
        law_of(lambda rng: 0 if next(calls) == 0 else rng.choice(2))


def test_the_likeliest_path_is_run_first():
    first = []
    law_of(lambda rng: first.append(int(rng.choice(3, p=[0.25, 0.5, 0.25]))))
    assert first[0] == 1
    assert likeliest([1, 3, 3]) == 1


# ---- programs that are not believed

STATEFUL = "keeps a state between its runs, or draws from another random source"


def counting():
    return itertools.count().__next__


@pytest.mark.parametrize("period", [2, 3, 7])
def test_a_counter_in_the_outcome(period):
    turn = counting()
    with pytest.raises(LawError, match=STATEFUL):
        law_of(lambda rng: turn() % period if rng.random() < 0.5 else 9)


def test_a_counter_in_a_weight():
    turn = counting()
    with pytest.raises(LawError, match=STATEFUL):
        law_of(lambda rng: rng.random() < Fraction(1, 2 + turn()))


def test_a_counter_in_the_number_of_draws():
    turn = counting()
    with pytest.raises(LawError, match=STATEFUL):
        law_of(lambda rng: len([rng.random() < 0.5 for _ in range(turn() % 3)]))


def test_a_source_that_is_taken_for_something_else():
    with pytest.raises(LawError, match=r"^test_branching\.py:\d+: it raises TypeError: SeedSequence expects"):
        law_of(lambda rng: np.random.SeedSequence(rng))
    with pytest.raises(LawError, match=r"^test_branching\.py:\d+: rng is made another generator of; use rng itself"):
        law_of(lambda rng: np.random.default_rng(rng).random() < 0.5)


def test_another_random_source():
    other = np.random.default_rng(3)
    with pytest.raises(LawError, match=STATEFUL):
        law_of(lambda rng: (rng.choice(2), other.integers(1000)))


def test_a_random_number_of_an_earlier_run():
    kept = []

    def program(rng):
        kept.append(rng.random())
        return kept[0] < 0.5

    with pytest.raises(LawError, match="a random number of an earlier run is used"):
        law_of(program)


def test_a_token_of_an_earlier_run():
    kept = []

    def program(rng):
        kept.append(rng.choice(2))
        return kept[0] + 0

    with pytest.raises(LawError, match="a random number of an earlier run is used"):
        law_of(program)


def test_a_cache():
    cache = {}

    def program(rng):
        if "x" not in cache:
            cache["x"] = bool(rng.random() < 0.5)
        return cache["x"]

    with pytest.raises(LawError, match="another number of random numbers is drawn than where it had gone on"):
        law_of(program)


def test_an_argument_is_no_state_but_a_global_array_is():
    w = np.array([1.0, 2.0])

    def program(_rng):
        w[0] += 1
        return w[0]

    with pytest.raises(LawError, match=STATEFUL):
        law_of(program)


def test_ordinary_numbers_are_within_what_is_known(monkeypatch):
    """Were they not, right programs would be refused: so this check can fail."""
    program = lambda rng: (rng.random() < 0.25, rng.integers(2), rng.exponential() < rng.exponential())  # noqa: E731
    assert len(law_of(program)) == 8
    monkeypatch.setattr(exact.ordinary, "place", lambda i, attempt=0: Fraction(-2))
    with pytest.raises(LawError, match="with ordinary numbers"):
        law_of(program)


def test_ordinary_numbers_are_exact_where_floats_would_round():
    near = np.nextafter(0.5, 1)
    law = law_of(lambda rng: (lambda u: 0.5 <= u < near)(rng.random()))
    assert law[True] == Fraction(near) - Fraction(1, 2)


# ---- places


def test_where_says_the_line_of_the_program():
    assert where().startswith("test_branching.py:")
    with pytest.raises(LawError, match=r"^test_branching\.py:\d+: a float"):
        law_of(lambda rng: np.array([rng.random()]).astype(float))


def test_the_line_is_of_the_program_and_not_of_a_library():
    import statistics

    with pytest.raises(LawError, match=r"^test_branching\.py:\d+: as_integer_ratio of a uniform number"):
        law_of(lambda rng: statistics.mean([rng.random(), 1]))


def test_a_path_multiplies_the_probabilities_of_its_branches():
    path = Path()
    assert (path.fork("a", [1, 3]), path.fork("b", [0, 5]), path.fork("c", [1, 1, 2])) == (1, 1, 2)
    assert path.probability == Fraction(3, 4) * Fraction(1, 2)
    assert [(other.forced, other.mass) for other in path.branches()] == [
        ((0,), Fraction(1, 4)),
        ((1, 0), Fraction(3, 16)),
        ((1, 1), Fraction(3, 16)),
    ]
