"""Laws from logits: what is kept, what is refused, and the conversion enclosed, against mpmath."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import LawError
from exact.reading import read_law
from numeric.logits import (
    BITS,
    OFF,
    Settings,
    conversion,
    exponentials,
    law_of_logits,
    read_logits,
    read_settings,
    softmax_units,
)

INF = float("inf")
HALF = Fraction(1, 2)


def softmax(logits, T=1, kept=None):
    """By mpmath, at 400 bits."""
    with mpmath.workprec(400):
        kept = range(len(logits)) if kept is None else kept
        e = [mpmath.exp(mpmath.mpf(z) * T.denominator / T.numerator) if i in kept else 0 for i, z in enumerate(logits)]
        return [x / sum(e) for x in e]


def as_fraction(x):
    sign, mantissa, exponent, _ = x._mpf_
    return Fraction(-1 if sign else 1) * int(mantissa) * Fraction(2) ** int(exponent)


# ---- in floats


@pytest.mark.parametrize("T", [Fraction(1), Fraction(7, 10), Fraction(100), Fraction(1, 1000)])
def test_softmax_is_that_of_mpmath(T):
    logits = np.random.default_rng(0).normal(size=50) * 5
    law, wanted = law_of_logits(logits, Settings(T)), softmax(logits.tolist(), T)
    assert abs(law.sum() - 1) < 1e-15
    assert all(abs(a - b) <= 1e-12 * b + 1e-300 for a, b in zip(law, wanted, strict=True))
    read_law(law)


def test_a_constant_is_not_seen_and_large_logits_do_not_overflow():
    logits = np.array([1.0, 2.0, 3.0])
    assert law_of_logits(logits).tolist() == law_of_logits(logits - 2).tolist() == law_of_logits(logits + 1024).tolist()
    assert law_of_logits([1e308, -1e308, 1e308]).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(
    ("k", "kept"), [(1, "1"), (2, "123"), (3, "123"), (4, "0123"), (5, "01234"), (6, "01234"), (None, "01234")]
)
def test_top_k_keeps_the_k_largest_and_all_that_tie_with_the_last(k, kept):
    law = law_of_logits([1.0, 4.0, 3.0, 3.0, 0.0, -INF], Settings(top_k=k))
    assert "".join(map(str, np.flatnonzero(law))) == kept


@pytest.mark.parametrize(
    ("P", "kept"), [("0.01", "0"), ("1/2", "0"), ("0.6", "012"), ("0.8", "012"), ("0.96", "0123"), ("1", "0123")]
)
def test_top_p_keeps_the_fewest_that_reach_p_and_all_that_tie_with_the_last(P, kept):
    logits = np.log([0.55, 0.2, 0.2, 0.05])
    logits[2] = logits[1]
    law = law_of_logits(logits, read_settings(top_p=P))
    assert "".join(map(str, np.flatnonzero(law))) == kept
    assert abs(law.sum() - 1) < 1e-15


def test_the_order_is_temperature_then_top_k_then_top_p():
    logits = np.log([0.4, 0.3, 0.2, 0.1])
    assert np.flatnonzero(law_of_logits(logits, Settings(top_p=Fraction(6, 10)))).tolist() == [0, 1]
    after_top_k = law_of_logits(logits, Settings(top_k=2, top_p=Fraction(56, 100)))  # 0.4/0.7 is 0.571
    assert np.flatnonzero(after_top_k).tolist() == [0]
    cold = law_of_logits(logits, Settings(HALF, top_p=Fraction(5, 10)))  # 0.16/0.3 is 0.533
    assert np.flatnonzero(cold).tolist() == [0]


@given(st.lists(st.sampled_from([-INF, -3.0, 0.0, 0.5, 0.75, 2.0]), min_size=2, max_size=8), st.randoms())
def test_the_law_does_not_depend_on_the_order_of_the_tokens(logits, random):
    if max(logits) == -INF:
        return
    order = list(range(len(logits)))
    random.shuffle(order)
    for settings in (Settings(), Settings(top_k=2), Settings(top_p=HALF), Settings(HALF, 3, Fraction(9, 10))):
        law = law_of_logits(logits, settings)
        assert np.allclose(law_of_logits([logits[i] for i in order], settings), law[order], rtol=1e-14, atol=0)


def test_temperature_0_is_the_largest_logit_and_of_several_the_lowest_id():
    for logits in ([1.0, 3.0, 3.0], [-INF, 5.0, -1.0], np.array([0, 2, 2], "int8")):
        for settings in (Settings(Fraction(0)), Settings(Fraction(0), 2, HALF)):
            law = law_of_logits(logits, settings)
            assert law.tolist() == [0.0, 1.0, 0.0]
            assert conversion(law, logits, settings)[:] == (0, 0, 0, 0)
            assert conversion(np.array([0.0, 0.75, 0.25]), logits, settings).tv == Fraction(1, 4)


def test_a_masked_token_has_probability_0_whatever_the_settings():
    logits = [0.0, -INF, 1.0, -INF]
    for settings in (Settings(), Settings(top_k=3), Settings(top_p=Fraction(999, 1000)), Settings(Fraction(1000))):
        assert np.flatnonzero(law_of_logits(logits, settings) == 0).tolist() == [1, 3]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4", "int8", "int64", "uint8"])
def test_logits_of_every_kind_are_read_exactly(dtype):
    z = np.array([3, 1, 2], dtype)
    assert read_logits(z).tolist() == [3.0, 1.0, 2.0]
    assert read_logits(z).dtype == np.float64


@pytest.mark.parametrize(
    ("logits", "why"),
    [
        ([1.0, INF], "logits[1]=inf: a logit is a number or -inf"),
        (np.array([np.nan, 1]), "logits[0]=nan: a logit is a number or -inf"),
        ([-INF, -INF], "logits: every logit is -inf"),
        ([], "logits=[]: a law has at least one token"),
        (np.zeros((2, 3)), "logits has shape (2, 3): logits here have the shape [V]"),
        (np.array(1.0), "logits has shape (): logits here have the shape [V]"),
        (np.array([True, False]), "logits has dtype bool: logits are float16, float32, float64 or integers"),
        (np.array([1j]), "logits has dtype complex128: "),
        (np.array(["1", "2"]), "logits has dtype <U1: "),
        (np.array([1, 2], "longdouble"), "logits has dtype "),
        (np.array([2**60, 0]), "logits has an integer above 2^53 in size"),
        ([2**60, 0.5], "logits[0]=1152921504606846976: an integer logit is at most 2^53 in size"),
        ([True, 0.5], "logits[0]=True: a logit is a number or -inf"),
        (["1/2", 0.5], "logits[0]='1/2': a logit is a number or -inf"),
        ([None, 0.5], "logits[0]=None: a logit is a number or -inf"),
        ([[1.0], [2.0]], "logits[0]=[1.0]: a logit is a number or -inf"),
        ("12", "logits='12': logits are a list or an array of numbers"),
        ({"a": 1}, "logits={'a': 1}: logits are a list or an array of numbers"),
        (1.0, "logits=1.0: logits are a list or an array of numbers"),
    ],
)
def test_logits_that_are_none_are_refused(logits, why):
    with pytest.raises(LawError) as error:
        law_of_logits(logits)
    assert str(error.value).startswith(why)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"temperature": -1}, "temperature=-1: it is 0, or from 2^-1000"),
        ({"temperature": "-0.5"}, "temperature=-1/2: it is 0, or from 2^-1000"),
        ({"temperature": "1e-400"}, "temperature=about 1E-400: it is 0, or from 2^-1000"),
        ({"temperature": "nan"}, "temperature='nan': this is no number"),
        ({"temperature": float("nan")}, "temperature=nan: a number here is finite"),
        ({"temperature": INF}, "temperature=inf: a number here is finite"),
        ({"temperature": "hot"}, "temperature='hot': this is no number"),
        ({"temperature": True}, "temperature=True: a truth value is no number"),
        ({"top_k": 0}, "top_k=0: it is a whole number of tokens from 1 on"),
        ({"top_k": -3}, "top_k=-3: "),
        ({"top_k": 1.5}, "top_k=1.5: "),
        ({"top_k": True}, "top_k=True: "),
        ({"top_k": "50"}, "top_k='50': "),
        ({"top_p": 0}, "top_p=0: it is above 0 and at most 1"),
        ({"top_p": "1.01"}, "top_p=101/100: it is above 0 and at most 1"),
        ({"top_p": -1}, "top_p=-1: "),
        ({"top_p": "nan"}, "top_p='nan': this is no number"),
    ],
)
def test_settings_out_of_their_range_are_refused(options, why):
    with pytest.raises(LawError) as error:
        read_settings(**options)
    assert str(error.value).startswith(why)


# ---- the conversion, enclosed


@given(
    st.lists(st.floats(-300, 300), min_size=1, max_size=12),
    st.sampled_from([Fraction(1), Fraction(7, 10), Fraction(13, 3), Fraction(1, 100)]),
    st.sampled_from([BITS, 2 * BITS]),
)
def test_every_exponential_is_within_32_units(logits, T, W):
    falling = sorted(logits, reverse=True)
    with mpmath.workprec(2 * W + 100):
        for z, units in zip(falling, exponentials(falling, T, W), strict=True):
            exponent = as_fraction(mpmath.mpf(z) - mpmath.mpf(falling[0])) / T
            wanted = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator) * mpmath.mpf(2) ** W
            assert abs(units - wanted) < OFF


@pytest.mark.parametrize("z", [-1e-300, -(2.0**-160), -110.9, -159.999, -160.0, -160.001, -1e308])
def test_exponentials_at_the_edges_are_within_32_units(z):
    with mpmath.workprec(1000):
        assert exponentials([0.0, z], Fraction(1))[0] == 1 << BITS
        assert abs(exponentials([0.0, z], Fraction(1))[1] - mpmath.exp(z) * mpmath.mpf(2) ** BITS) < OFF


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("T", [Fraction(1), Fraction(7, 10)])
def test_the_conversion_is_the_exact_difference(dtype, T):
    logits = (np.random.default_rng(1).normal(size=300) * 6).astype(dtype)
    settings = Settings(T)
    law = law_of_logits(logits, settings)
    found = conversion(law, logits, settings)
    with mpmath.workprec(400):
        off = [as_fraction(mpmath.mpf(float(a)) - b) for a, b in zip(law, softmax(logits.tolist(), T), strict=True)]
    largest = max(range(300), key=lambda i: abs(off[i]))
    assert (found.token, found.slack) == (largest, Fraction(33 * 301, 2**BITS))
    assert abs(found.size - off[largest]) <= found.slack
    assert abs(found.tv - sum(map(abs, off)) / 2) <= found.slack
    assert 0 < abs(found.size) < Fraction(1, 10**15)


def test_the_conversion_of_another_law_is_seen():
    logits = np.random.default_rng(2).normal(size=40)
    law = law_of_logits(logits)
    assert conversion(law, logits).tv < Fraction(1, 10**15)
    warmer = conversion(law, logits, Settings(Fraction(1001, 1000)))
    assert Fraction(1, 10**4) < warmer.tv < Fraction(1, 10**2)
    law[3] += 1e-10
    nudged = conversion(law, logits)
    assert (nudged.token, round(float(nudged.size), 14)) == (3, 1e-10)
    with pytest.raises(LawError, match="law has 40 entries but logits has 39"):
        conversion(law, logits[1:])


@pytest.mark.parametrize(
    "settings", [{"top_k": 3}, {"top_p": "0.7"}, {"temperature": "0.7", "top_k": 9, "top_p": "0.9"}]
)
def test_the_conversion_of_a_cut_law(settings):
    settings = read_settings(**settings)
    logits = np.random.default_rng(3).normal(size=30) * 2
    law = law_of_logits(logits, settings)
    kept = set(np.flatnonzero(law).tolist())
    units, W = softmax_units(logits, settings)
    assert {i for i, x in enumerate(units) if x} == kept != set(range(30))
    wanted = softmax(logits.tolist(), settings.temperature, kept)
    with mpmath.workprec(400):
        assert all(abs(x - b * mpmath.mpf(2) ** W) <= 32 * 31 + 1 for x, b in zip(units, wanted, strict=True))
    assert conversion(law, logits, settings).tv < Fraction(1, 10**15)


def test_top_p_is_decided_exactly_however_near_the_sum_is():
    logits = [1.0, 0.0, -1.0]
    first = as_fraction(softmax(logits)[0])  # to 400 bits
    for bits, W in ((100, BITS), (170, 2 * BITS), (300, 2 * BITS)):
        for sign in (-1, 1):
            units, used = softmax_units(np.array(logits), Settings(top_p=first + Fraction(sign, 2**bits)))
            assert (sum(x > 0 for x in units), used) == (1 if sign < 0 else 2, W)


def test_where_floats_keep_another_set_than_the_exact_sums_the_conversion_says_so():
    logits = [1.0, 0.0, -1.0]
    settings = Settings(top_p=as_fraction(softmax(logits)[0]) + Fraction(1, 2**100))
    law = law_of_logits(logits, settings)
    assert law.tolist() == [1.0, 0.0, 0.0]  # P is less than a float above the first probability
    assert conversion(law, logits, settings).tv > Fraction(1, 4)


def test_ties_at_exactly_p_are_kept_together_and_end():
    for P in (HALF, Fraction(1, 4), Fraction(3, 4)):
        units, W = softmax_units(np.zeros(4), Settings(top_p=P))
        assert (units, W) == ([(1 << BITS) // 4] * 4, BITS)


def test_a_whole_vocabulary_is_enclosed():
    logits = (np.random.default_rng(4).normal(size=128_256) * 4).astype("float32")
    found = conversion(law_of_logits(logits), logits)
    assert 0 < found.tv < Fraction(1, 10**15)
    assert found.slack < Fraction(1, 10**40)
