"""Rational numbers in the place of floats: their arithmetic, their zeros and infinities, and what they refuse."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import Law, LawError, law_of
from exact.arrays import exact_array
from exact.branching import FloatsNeeded
from exact.reals import NAN, Real, inverse, number_of

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
rationals = st.fractions(-3, 3, max_denominator=12)


def reals(*values):
    array = np.empty(len(values), object)
    array[:] = [Real(x) for x in values]
    return exact_array(array)


@given(st.sampled_from(OPERATORS), rationals, rationals.filter(bool))
def test_arithmetic_is_that_of_fractions_and_stays_real(f, x, y):
    for found in (f(Real(x), Real(y)), f(Real(x), y), f(x, Real(y))):
        assert found == f(x, y)
        assert type(found) is Real


@given(st.sampled_from(OPERATORS), rationals, st.sampled_from([0.1, 0.5, -3.25, np.float32(0.1), np.float64(0.3)]))
def test_a_float_is_the_number_that_it_is(f, x, y):
    exact = Fraction(*y.as_integer_ratio())
    assert f(Real(x), y) == f(x, exact)
    assert type(f(Real(x), y)) is Real
    if x:
        assert f(y, Real(x)) == f(exact, x)
        assert type(f(y, Real(x))) is Real


@pytest.mark.parametrize("f", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("x", [0.0, 1.0, -2.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("y", [0.0, 1.0, -2.0, math.inf, -math.inf, math.nan])
def test_zeros_and_infinities_are_those_of_numpy(f, x, y):
    with np.errstate(all="ignore"):
        wanted = f(np.float64(x), np.float64(y))
    for a, b in ((Real(x), y), (x, Real(y))) if math.isfinite(x) and math.isfinite(y) else ():
        found = f(a, b)
        assert found == wanted or (math.isnan(wanted) and math.isnan(found))
    if math.isfinite(x) and not math.isfinite(y):
        found = f(Real(x), y)
        assert found == wanted or (math.isnan(wanted) and math.isnan(found))


def test_powers_are_exact_where_they_are_rational():
    assert Real(2, 3) ** 3 == Fraction(8, 27)
    assert Real(2, 3) ** -2 == Fraction(9, 4)
    assert 0.5 ** Real(2) == Fraction(1, 4)
    assert all(type(x) is Real for x in (Real(2, 3) ** 3, 0.5 ** Real(2), 2 ** Real(2), -Real(1), abs(Real(-1))))
    assert divmod(Real(7, 2), 2) == (1, Fraction(3, 2))
    assert round(Real(1, 3), 1) == Fraction(3, 10)


ROUNDED = {
    "float": float, "sqrt": np.sqrt, "math.log": math.log, "power": lambda x: x**0.5, "isnan": math.isnan,
    "array of floats": lambda x: np.array([x], float), "exp": np.exp, "tanh": np.tanh, "numpy": np.float64,
}  # fmt: skip


@pytest.mark.parametrize("f", ROUNDED.values(), ids=ROUNDED)
def test_what_rounds_is_refused_and_wants_floats(f):
    with pytest.raises(FloatsNeeded, match=r"^test_reals.py:\d+: "):
        law_of(lambda x, rng: f(x) > 0, Real(1, 3))


def test_what_numpy_does_on_floats_only_wants_floats():
    with pytest.raises(FloatsNeeded, match=r"^test_reals.py:\d+: it raises TypeError"):
        law_of(lambda p, rng: np.spacing(p).any(), reals("1/2", "1/2"))


def test_logarithms_are_compared_exactly():
    log = np.log(Real(1, 3))
    assert log < 0
    assert np.log(Real(1, 2)) - np.log(Real(1, 3)) == np.log(Real(3, 2))
    assert -2 * log == np.log(Real(9))
    assert np.exp(log + log) == Fraction(1, 9)
    assert np.log(Real(1)) == 0
    assert np.log(Real(0)) == -math.inf
    assert math.isnan(np.log(Real(-1)))


@pytest.mark.parametrize("digits", [3, 20, 60, 200])
def test_a_logarithm_and_a_number_are_told_apart_by_enough_digits(digits):
    from decimal import Context

    near = Fraction(Context(prec=digits + 5).ln(3))
    beside = Fraction(1, 10**digits)
    assert near - beside < np.log(Real(3)) < near + beside
    assert not np.log(Real(3)) < near - beside


def test_nan_is_nan_in_arrays_of_ours():
    p = reals(0, 1)
    assert law_of(lambda p, rng: rng.random() < np.minimum(p / p, 1)[0], p) == Law({False: 1})
    assert [x != x for x in np.minimum(p / p, 1)] == [True, False]
    assert [x != x for x in np.maximum(1, p / p)] == [True, False]
    assert math.isnan((p / p).max())
    assert list(np.isnan(p / p)) == [True, False]
    assert list(np.isfinite(1 / p)) == [False, True]
    assert list(np.isinf(1 / p)) == [True, False]


@pytest.mark.parametrize("order", ["argmax", "argmin", "argsort"])
def test_an_order_with_nan_in_it_wants_floats(order):
    with pytest.raises(FloatsNeeded, match=f"{order} of an array with nan in it"):
        law_of(lambda p, rng: getattr(p / p, order)(), reals(0, 1, 1))


@pytest.mark.parametrize(
    "order", [np.max, np.min, np.argmax, np.sort, np.argmin, lambda x: x.argmax(), lambda x: x.max()]
)
def test_so_it_does_in_an_array_that_is_not_ours(order):
    def ratio(p):
        return np.asarray(p) / np.asarray(p)

    with pytest.raises(FloatsNeeded, match="nan in an array of rational numbers"):
        law_of(lambda p, rng: order(ratio(p)) is None, reals(0, 0, 1))


def test_nan_in_python_is_nan():
    nan = Real(0) / 0
    assert not nan < 1
    assert not nan >= 1
    assert min(1, nan) == 1
    assert math.isnan(min(nan, 1))
    assert math.isnan(nan + 1)
    assert math.isnan(1 - nan)
    assert nan is NAN


def test_floor_of_an_array_stays_exact():
    assert list(np.floor(reals("7/2", "1/3") * 10) / 10) == [Fraction(7, 2), Fraction(3, 10)]
    assert list(np.ceil(reals("7/2", "1/3"))) == [4, 1]


def test_numbers_are_read_exactly():
    assert [number_of(x) for x in (1, True, np.int64(3), np.float32(0.5), np.array(2))] == [1, 1, 3, Fraction(1, 2), 2]
    assert [number_of(x) for x in ("1/2", None, [1], 1j)] == [None] * 4
    assert inverse(Fraction(-2)) == Fraction(-1, 2)
    assert math.isnan(inverse(math.nan))


def test_a_remainder_of_infinity_is_refused():
    with pytest.raises(LawError, match="remainder of an infinite number"):
        Real(1) % math.inf
