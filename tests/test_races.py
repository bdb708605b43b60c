"""The probability of what is known of exponential numbers, against other ways to compute it."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact import Law, law_of
from exact.races import Race

rates = st.lists(st.fractions(Fraction(1, 6), 4, max_denominator=6), min_size=2, max_size=4)


def probability_of_order(order, rate):
    """Of E_i / rate_i rising in this order: each time the next one wins the race of those that are left."""
    found, left = Fraction(1), list(order)
    while left:
        found *= Fraction(rate[left[0]]) / sum(rate[i] for i in left)
        left.pop(0)
    return found


@settings(max_examples=25, deadline=None)
@given(rates)
def test_every_order(rate):
    law = law_of(lambda rng: np.argsort([e / w for e, w in zip(rng.exponential(size=len(rate)), rate, strict=True)]))
    assert law == Law({order: probability_of_order(order, rate) for order in permutations(range(len(rate)))})


def both_won(w, v, i, j):
    """P(argmin E/w = i and argmin E/v = j), by the ratio x = E_j / E_i, whose density is integrated piece by piece.

    With E_i = t and E_j = x t, any other E_k is above t max(w_k/w_i, x v_k/v_j): integrating over t leaves
    1 / (1 + x + sum_k max(...))^2, which is one over the square of a linear function between its kinks.
    """
    others = [k for k in range(len(w)) if k not in (i, j)]
    if i == j:
        return 1 / (1 + sum(max(w[k] / w[i], v[k] / v[i]) for k in others))
    low, high = w[j] / w[i], v[j] / v[i]
    kinks = [w[k] / w[i] * v[j] / v[k] for k in others]
    ends = sorted({low, high, *(x for x in kinks if low < x < high)}) if low < high else []
    total = Fraction(0)
    for left, right in pairwise(ends):
        middle = (left + right) / 2
        of_w = [k for k in others if w[k] / w[i] > middle * v[k] / v[j]]
        a = 1 + sum(w[k] / w[i] for k in of_w)
        b = 1 + sum(v[k] / v[j] for k in others if k not in of_w)
        total += (1 / (a + b * left) - 1 / (a + b * right)) / b
    return total


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.fractions(Fraction(1, 5), 3, max_denominator=5)] * 2), min_size=2, max_size=4))
def test_the_same_noise_in_two_races(pairs):
    w, v = zip(*pairs, strict=True)

    def program(rng):
        E = rng.exponential(size=len(w))
        return int(np.argmin([e / x for e, x in zip(E, w, strict=True)])), int(
            np.argmin([e / x for e, x in zip(E, v, strict=True)])
        )

    V = range(len(w))
    assert law_of(program) == Law({(i, j): both_won(w, v, i, j) for i in V for j in V})


@settings(max_examples=20, deadline=None)
@given(rates.filter(lambda w: len(w) > 2))
def test_every_way_to_write_a_race(w):
    w = np.array([float(x) for x in w])
    law = Law({i: Fraction(x) / sum(map(Fraction, w)) for i, x in enumerate(w)})

    def in_place(rng):
        own = w.copy()
        own /= rng.exponential(size=len(w))
        return int(own.argmax())

    assert law_of(in_place) == law
    assert law_of(lambda rng: int(np.argmax(w / rng.exponential(size=len(w))))) == law
    assert law_of(lambda rng: int(np.argmax(w * (1 / rng.standard_exponential(len(w)))))) == law
    exact = [1 / Fraction(x) for x in w]
    assert law_of(lambda rng: int(np.argmin(rng.exponential(exact)))) == law
    assert law_of(lambda rng: int(np.argmin(-np.log(rng.random(len(w))) / w))) == law
    assert law_of(lambda rng: int(np.argmin(-np.log(1 - rng.random(len(w))) / w))) == law
    assert law_of(lambda rng: int(np.argmin(-np.log1p(-rng.random(len(w))) / w))) == law
    assert law_of(lambda rng: int(np.argmax(np.log(rng.random(len(w))) / w))) == law


def test_a_chain_and_a_band():
    race = Race(3)
    assert race.odds(0, 1, Fraction(1)) == (Fraction(1, 2), Fraction(1, 2))
    race.learn(0, 1, Fraction(1), True)
    race.learn(1, 2, Fraction(1), True)
    assert race.odds(2, 0, Fraction(1)) == (0, Fraction(1, 6))  # decided
    yes, no = race.odds(2, 0, Fraction(2))  # E_2 <= 2 E_0
    assert yes + no == Fraction(1, 6)
    assert yes == Fraction(1, 6) - no
    band = Race(2, {(0, 1): Fraction(2), (1, 0): Fraction(1)})  # E_1 <= E_0 <= 2 E_1
    assert sum(band.odds(0, 1, Fraction(3, 2))) == Fraction(2, 3) - Fraction(1, 2)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.fractions(Fraction(1, 4), 4, max_denominator=4),
                          st.booleans()), max_size=8))  # fmt: skip
def test_there_are_numbers_within_what_is_known(comparisons):
    race = Race(4)
    for i, j, c, is_so in comparisons:
        if i != j:
            odds = race.odds(i, j, c)
            race.learn(i, j, c, is_so if all(odds) else bool(odds[0]))
    E, width = race.inside([Fraction(1, 3), Fraction(1, 2), Fraction(2, 5), Fraction(3, 7)])
    assert width > 0
    assert all(E[i] < c * E[j] for (i, j), c in race.known.items())


@pytest.mark.parametrize("w", [(1, 2, 3), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))])
def test_a_race_after_a_race_on_fresh_noise_is_independent(w):
    w = [Fraction(x) for x in w]

    def race(rng):
        E = list(rng.exponential(size=3))
        return min(range(3), key=lambda i: E[i] / w[i])

    S = sum(w)
    assert law_of(lambda rng: (race(rng), race(rng))) == Law(
        {(i, j): w[i] * w[j] / S**2 for i in range(3) for j in range(3)}
    )
