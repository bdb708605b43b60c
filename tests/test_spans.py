"""What a uniform number is: the three readings, and what a comparison leaves of each."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact.reading import LawError
from exact.spans import IDEAL, Interval, Points, Reading, read_reading

rationals = st.fractions(-2, 2, max_denominator=24)


@pytest.mark.parametrize(
    ("text", "points"),
    [("2", [0, 1, 2, 3]), ("2 [0,1)", [0, 1, 2, 3]), ("2(0,1]", [1, 2, 3, 4]), (" 2  [0,1] ", [0, 1, 2, 3, 4])],
)
def test_the_points_of_a_reading(text, points):
    span = read_reading(text).span()
    assert [k * span.unit for k in range(span.first, span.last + 1)] == [Fraction(k, 4) for k in points]
    assert (span.low, span.high, span.size) == (Fraction(points[0], 4), Fraction(points[-1], 4), len(points))


def test_the_ideal_number_is_anywhere_between_0_and_1():
    assert read_reading("ideal") == IDEAL
    assert IDEAL.span() == Interval(Fraction(0), Fraction(1)) == IDEAL.span(single=True)


def test_float32_has_24_bits_and_no_more_than_the_grid():
    assert read_reading("53").span(single=True).size == 2**24
    assert read_reading("8").span(single=True).size == 2**8


@pytest.mark.parametrize("text", ["", "0", "129", "ideal 24", "24 (0,1)", "24 [1,0]", "-3", "24 [0,1) x", "1.5"])
def test_what_is_no_reading_is_refused(text):
    with pytest.raises(LawError, match="a uniform number is ideal, or has 1 to 128 bits"):
        read_reading(text)


@pytest.mark.parametrize("text", ["ideal", "24 [0,1)", "53 (0,1]", "1 [0,1]"])
def test_a_reading_is_read_as_it_is_written(text):
    assert str(read_reading(text)) == text


@given(
    st.integers(-4, 4),
    st.integers(1, 9),
    st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(1, 3)]),
    rationals,
    st.booleans(),
)
def test_points_split_where_they_are_below(first, count, unit, t, inclusive):
    below, rest = Points(first, first + count - 1, unit).split(t, inclusive)
    points = [k * unit for k in range(first, first + count)]
    assert below.size == sum(x <= t if inclusive else x < t for x in points)
    assert below.size + rest.size == count
    assert not below.size or below.high in points[: below.size]
    assert not rest.size or rest.low in points[below.size :]


@given(rationals, rationals, rationals)
def test_an_interval_splits_into_its_parts(a, b, t):
    low, high = sorted((a, b))
    below, rest = Interval(low, high).split(t, True)
    assert below.size + rest.size == high - low
    assert below.size == min(max(t, low), high) - low
    assert Interval(low, high).split(t, False) == (below, rest)


@given(st.fractions(0, 1), st.integers(1, 30))
def test_what_lies_within_lies_within(place, count):
    assert Interval(Fraction(1), Fraction(3)).at(place) == 1 + 2 * place
    points = Points(5, 4 + count, Fraction(1, 8))
    assert points.low <= points.at(place) <= points.high
    assert (points.at(place) * 8).denominator == 1


def test_a_reading_says_what_it_is():
    assert Reading(24, "(0,1]").span() == Points(1, 2**24, Fraction(1, 2**24))
