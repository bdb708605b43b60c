"""Samples against the exact law: the chi-square law against tables and mpmath, p-values against brute force."""

from fractions import Fraction
from itertools import product
from math import ceil, comb, exp, lgamma, log, log1p, prod

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import LawError
from exact.rules import RULES, emission
from numeric import rejection_sample
from numeric.samples import (
    FEWEST,
    LEVEL,
    chi_square_p,
    critical_value,
    expected_law,
    fewest_in_a_cell,
    gathered,
    judge_sample,
    multinomial_p,
    power,
    read_counts,
    read_tokens,
    single_token_p,
    threshold_noncentrality,
    unseen_tv,
)

# ---- the chi-square law

# NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.4: the critical values of the levels in the first line
NIST = """
    0.10     0.05     0.025    0.01     0.001
1   2.706    3.841    5.024    6.635    10.828
2   4.605    5.991    7.378    9.210    13.816
5   9.236    11.070   12.833   15.086   20.515
10  15.987   18.307   20.483   23.209   29.588
50  63.167   67.505   71.420   76.154   86.661
100 118.498  124.342  129.561  135.807  149.449
"""
# Noncentrality at which a test at the 5 % level has the power in the first line: Haynam, Govindarajulu and Leone 1962,
# Tables of the cumulative non-central chi-square distribution
HAYNAM = """
    0.8      0.9
1   7.849    10.507
2   9.635    12.654
3   10.903   14.171
5   12.828   16.469
10  16.241   20.532
"""


def table(text):
    """(row, column, value) of every number of a table."""
    head, *lines = [line.split() for line in text.split("\n") if line.strip()]
    return [(int(row), float(c), float(v)) for row, *values in lines for c, v in zip(head, values, strict=True)]


@pytest.mark.parametrize(("df", "level", "critical"), table(NIST))
def test_critical_values_are_those_of_the_published_table(df, level, critical):
    assert abs(critical_value(df, level) - critical) <= 0.00051
    assert chi_square_p(critical - 0.0006, df) > level > chi_square_p(critical + 0.0006, df)


@pytest.mark.parametrize(("df", "wanted", "noncentrality"), table(HAYNAM))
def test_powers_are_those_of_the_published_table(df, wanted, noncentrality):
    assert abs(threshold_noncentrality(df, 0.05, wanted) - noncentrality) <= 0.00051
    assert power(noncentrality - 0.0006, df, 0.05) < wanted < power(noncentrality + 0.0006, df, 0.05)


def upper_tail(c, df):
    return mpmath.gammainc(mpmath.mpf(df) / 2, mpmath.mpf(c) / 2, regularized=True)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 10, 101, 500])
@pytest.mark.parametrize("ratio", [1e-300, 0.01, 0.5, 1, 1.5, 5])
def test_the_upper_tail_is_the_incomplete_gamma_function(df, ratio):
    with mpmath.workdps(40):
        wanted = upper_tail(df * ratio, df)
        assert abs(chi_square_p(df * ratio, df) - wanted) <= 1e-12 * wanted


def noncentral_tail(c, df, noncentrality):
    """The integral of its density, with a Bessel function: another way than the mixture of Poisson weights."""
    a = mpmath.mpf(noncentrality)

    def density(x):
        return mpmath.exp(-(x + a) / 2) / 2 * (x / a) ** (mpmath.mpf(df) / 4 - 0.5) * mpmath.besseli(
            mpmath.mpf(df) / 2 - 1, mpmath.sqrt(a * x)
        )  # fmt: skip

    return 1 - mpmath.quad(density, mpmath.linspace(0, c, 9))


@pytest.mark.parametrize(
    ("noncentrality", "df", "level"), [(0.5, 2, 0.01), (5.0, 3, 0.05), (30.0, 10, 0.001), (60.0, 41, 1e-6)]
)
def test_the_power_is_the_integral_of_the_noncentral_density(noncentrality, df, level):
    with mpmath.workdps(30):
        wanted = noncentral_tail(critical_value(df, level), df, noncentrality)
        assert abs(power(noncentrality, df, level) - wanted) <= 1e-10 * wanted


def test_the_power_rises_from_the_level_to_one():
    for df in (1, 10, 128_255):
        steps = [power(Fraction(10) ** k, df, 0.001) for k in range(-3, 8)]
        assert steps == sorted(steps)
        assert power(0, df, 0.001) == 0.001 < steps[0]
        assert steps[-1] == power(Fraction(10) ** 400, df, 0.001) == power(float("inf"), df, 0.001) == 1
        assert abs(power(threshold_noncentrality(df, 0.001), df, 0.001) - 0.5) < 1e-9


def test_where_the_power_is_called_one_it_is_one(monkeypatch):
    just_beyond = next(x for x in range(1, 1000) if power(x, 5, 0.01) == 1)
    monkeypatch.setattr("numeric.samples._surely_beyond", lambda *_arguments: False)
    assert 1 - power(just_beyond, 5, 0.01) < 1e-15
    assert power(just_beyond // 4, 5, 0.01) < 1 - 1e-9


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: chi_square_p(1, 0), "df=0: a chi-square law has at least 1 degree of freedom, this is 1 less"),
        (lambda: chi_square_p(-1, 1), "statistic=-1.0: it is at least 0"),
        (lambda: chi_square_p(float("nan"), 1), "statistic=nan: it is at least 0"),
        (lambda: power(-1, 1, 0.05), "noncentrality=-1.0: it is at least 0"),
        (lambda: power(-(Fraction(10) ** 400), 1, 0.05), "noncentrality=-inf: it is at least 0"),
        (lambda: power(1, -2, 0.05), "df=-2: "),
        (lambda: power(1, 1, 0), "level=0: a level lies between 0 and 1"),
        (lambda: critical_value(1, 1.0), "level=1.0: a level lies between 0 and 1"),
        (lambda: threshold_noncentrality(1, 0.05, 0.05), "wanted=0.05: a power is above the level 0.05 and below 1"),
        (lambda: threshold_noncentrality(1, 0.05, 1), "wanted=1: "),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(call, why):
    with pytest.raises(LawError) as error:
        call()
    assert str(error.value).startswith(why)


# ---- exact p-values


def by_brute_force(counts, law):
    """Every sequence of n tokens, one by one."""
    sequences = list(product(range(len(law)), repeat=sum(counts)))
    chance = {}
    for sequence in sequences:
        outcome = tuple(sequence.count(x) for x in range(len(law)))
        chance[outcome] = chance.get(outcome, 0) + prod((law[x] for x in sequence), start=Fraction(1))
    assert sum(chance.values()) == 1
    return sum(c for c in chance.values() if c <= chance[tuple(counts)])


@pytest.mark.parametrize("weights", [[1], [1, 1], [3, 1], [5, 2, 1], [1, 1, 1, 3]])
def test_an_exact_p_value_is_that_of_all_sequences_of_tokens(weights):
    law = [Fraction(w, sum(weights)) for w in weights]
    for n in range(1, 6):
        for counts in product(range(n + 1), repeat=len(law)):
            if sum(counts) == n:
                assert multinomial_p(counts, [7 * w for w in weights]) == by_brute_force(counts, law)


def test_p_values_at_most_the_level_are_no_likelier_than_the_level():
    p, q = ["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]
    expected, n = expected_law(p, q), 12
    for level in (Fraction(1, 10), Fraction(1, 1000)):
        total = Fraction(0)
        for counts in product(range(n + 1), repeat=3):
            if sum(counts) == n and judge_sample(np.array(counts), expected, level).wrong:
                ways = comb(n, counts[0]) * comb(n - counts[0], counts[1])
                total += ways * prod((Fraction(x) ** k for x, k in zip(p, counts, strict=True)), start=Fraction(1))
        assert 0 < total <= level


# ---- cells and single tokens


def false_alarm(n, d, level):
    """The exact probability that a binomial count, of n draws with probability d, is beyond the critical value."""
    variance = n * d * (1 - d)
    width = (critical_value(1, float(level)) * variance) ** 0.5
    beyond = range(max(0, ceil(n * d + width)), n + 1), range(int(n * d - width), -1, -1)
    total = 0.0
    for tail in beyond:
        for k in tail:
            log_chance = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(d) + (n - k) * log1p(-d)
            total += exp(log_chance)
            if exp(log_chance) < 1e-20 * total:
                break
    return total


@pytest.mark.parametrize("level", [Fraction(1, 10**k) for k in (1, 2, 3, 4, 6, 9)])
@pytest.mark.parametrize("d", [0.5, 0.1, 0.01, 1e-4])
def test_a_cell_that_expects_enough_gives_about_twice_the_false_alarms_at_most(level, d):
    for more in range(0, 60, 7):
        n = ceil(fewest_in_a_cell(level) * (1 + more / 37) / d)
        assert false_alarm(n, d, level) <= 2.1 * float(level)


def test_cells_of_five_would_give_many_more():
    assert false_alarm(500, 0.01, Fraction(1, 10**5)) > 10 * Fraction(1, 10**5)


def test_a_law_with_one_large_and_many_small_cells_has_no_more_false_alarms():
    rng, level, d = np.random.default_rng(0), Fraction(1, 100), np.array([0.5, *[0.005] * 100])
    n = ceil(fewest_in_a_cell(level) / 0.005)
    drawn = rng.multinomial(n, d, 20_000)
    statistic = ((drawn - n * d) ** 2 / (n * d)).sum(axis=1)
    assert 0.005 < (statistic >= critical_value(100, float(level))).mean() < 0.015


@given(st.lists(st.floats(0.001, 30), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_every_cell_expects_enough_and_every_token_is_in_one(mean, seed):
    mean, ratio = np.array(mean), np.random.default_rng(seed).random(len(mean))
    cell = gathered(mean, ratio, FEWEST)
    cells = cell.max() + 1
    assert sorted(set(cell.tolist())) == list(range(cells))
    assert cells == 1 or np.bincount(cell, mean).min() >= FEWEST
    alone = np.flatnonzero(mean >= FEWEST)
    assert len(set(cell[alone].tolist())) == len(alone)


def test_a_token_that_expects_nothing_makes_no_cell_of_its_own():
    for mean in ([9.0, 3.0, 3.0, 0.0], [9.0, 0.0], [0.0], [0.0, 1.0]):
        cell = gathered(np.array(mean), np.linspace(1, 0, len(mean)), 5)
        assert np.bincount(cell, mean).min() >= min(5, sum(mean))


def test_small_tokens_are_gathered_by_q_over_p():
    ratio = np.array([2.0, 0.5] * 10)
    cell = gathered(np.full(20, 1.0), ratio, 5)
    assert all(len({float(r) for r in ratio[cell == c]}) == 1 for c in range(4))


def test_the_bound_for_a_single_token_is_no_smaller_than_the_exact_tails():
    n, d = 50, np.array([0.7, 0.2, 0.09, 0.01])
    for token in range(4):
        for k in range(1, n + 1):
            drawn = np.full(4, 0.0)
            drawn[token] = k
            bound, _ = single_token_p(drawn, n * d)
            tail = sum(comb(n, j) * d[token] ** j * (1 - d[token]) ** (n - j) for j in range(k, n + 1))
            assert bound >= min(1, 4 * tail) * (1 - 1e-12)


def test_a_rare_token_that_comes_too_often_is_seen_though_its_cell_hides_it():
    p = np.array([*[1 / 1000] * 999, 1 / 1000 - 1e-6, 1e-6])
    counts = np.array([*[20] * 1000, 12])
    sample = judge_sample(counts, expected_law(p, p))
    assert (sample.test, sample.wrong) == ("chi-square", True)
    assert sample.reason == "token 1000: drawn 12 times, expected 0.0200"
    counts[-1] = 1
    assert not judge_sample(counts, expected_law(p, p)).wrong


# ---- what so many samples could not have seen


def test_no_deviation_of_that_size_has_less_noncentrality_and_one_has_no_more():
    for law in ([Fraction(1, 4)] * 4, [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]):
        least = {}
        for other in product(range(9), repeat=len(law)):
            if sum(other) == 8:
                off = [Fraction(k, 8) - d for k, d in zip(other, law, strict=True)]
                t = sum(map(abs, off)) / 2
                least[t] = min(least.get(t, 10**9), sum(x * x / d for x, d in zip(off, law, strict=True)))
        for t, noncentrality in least.items():
            assert noncentrality >= (4 * t * t if 2 * t <= 1 else t / (1 - t))
        assert least[Fraction(1, 4)] == Fraction(1, 4)
        assert least[Fraction(3, 4)] == 3


@pytest.mark.parametrize(("n", "df", "level"), [(10, 1, 0.05), (10**4, 5, 0.001), (10**6, 1000, 1e-6)])
def test_the_unseen_total_variation_has_the_noncentrality_of_power_one_half(n, df, level):
    t = unseen_tv(n, df, level)
    assert 0 < t < 1
    assert abs(power(n * (4 * t * t if t <= 0.5 else t / (1 - t)), df, level) - 0.5) < 1e-9


def test_a_deviation_of_that_size_is_missed_every_second_time():
    n, law = 4000, np.full(10, 0.1)
    t = unseen_tv(n, 9, 0.01)
    other = law * (1 + 2 * t * np.array([1, -1] * 5))
    drawn = np.random.default_rng(0).multinomial(n, other, 4000)
    seen = ((drawn - n * law) ** 2 / (n * law)).sum(axis=1) >= critical_value(9, 0.01)
    assert 0.46 < seen.mean() < 0.54


def test_where_the_law_has_one_token_the_rest_is_missed_half_the_time():
    expected = expected_law(["1", "0"], ["1/2", "1/2"])
    for n in (1, 7, 10**9):
        sample = judge_sample(np.array([n, 0]), expected)
        assert sample.p_value == 1
        assert abs((1 - sample.unseen) ** n - 0.5) < 1e-6
        assert judge_sample(np.array([n, 1]), expected).test == "impossible"


# ---- right and wrong samplers

V = 12
TARGET, DRAFT = (np.random.default_rng(5).dirichlet(np.ones(V)) for _ in range(2))
DRAFT = DRAFT[::-1].copy()


def from_rule(name, n, seed):
    """Tokens of a rule of the table: draft, coin and replacement, each drawn."""
    rng, rule = np.random.default_rng(seed), RULES[name]
    dist = emission(rule, [Fraction(x) for x in TARGET.tolist()], [Fraction(x) for x in DRAFT.tolist()]).dist
    d = np.array(list(map(float, dist)))
    return rng.choice(V, n, p=d / d.sum())


@pytest.mark.parametrize("n", [5, 50, 1000, 100_000])
def test_the_right_sampler_is_not_rejected(n):
    expected = expected_law(TARGET, DRAFT)
    for seed in range(10):
        _, _, tokens = rejection_sample(TARGET, DRAFT, np.random.default_rng(seed), size=n)
        assert not judge_sample(read_tokens(tokens, V), expected, LEVEL / 40).wrong


@pytest.mark.parametrize("rule", ["redraw-from-p", "redraw-from-q", "accept-all", "lenience-2", "ratio-upside-down"])
def test_a_wrong_sampler_is_rejected(rule):
    sample = judge_sample(read_tokens(from_rule(rule, 100_000, 0), V), expected_law(TARGET, DRAFT))
    assert sample.wrong
    assert sample.reason


def test_the_exact_and_the_large_test_agree_where_both_apply(monkeypatch):
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    small = [judge_sample(np.array([400 + k, 400 - k]), expected_law(p, q)) for k in (0, 10, 20, 40, 80)]
    monkeypatch.setattr("numeric.samples.MOST_BITS", 0)
    large = [judge_sample(np.array([400 + k, 400 - k]), expected_law(p, q)) for k in (0, 10, 20, 40, 80)]
    assert {s.test for s in small} == {"exact"}
    assert {s.test for s in large} == {"chi-square"}
    assert [s.wrong for s in small] == [s.wrong for s in large] == [False, False, False, False, True]
    for a, b in zip(small, large, strict=True):
        assert a.p_value <= b.p_value <= min(1, 3 * a.p_value)  # two tests: twice, and the limit law is not exact


def test_floats_and_the_fractions_that_they_are_expect_the_same():
    a = expected_law(TARGET, DRAFT)
    b = expected_law([Fraction(x) for x in TARGET.tolist()], [Fraction(x) for x in DRAFT.tolist()])
    assert a.dist == b.dist
    assert np.allclose(a.d, b.d, rtol=1e-14, atol=0)
    assert a.possible.tolist() == b.possible.tolist() == [True] * V
    assert a.ratio.tolist() == b.ratio.tolist()


@pytest.mark.parametrize(
    ("p", "q", "possible"),
    [
        ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [True, True, False]),
        ([0.5, 0.5, 5e-324], [0.5, 0.5, 0.0], [True, True, False]),  # q <= p: nothing is ever rejected
        ([0.5, 0.5, 5e-324], [0.5, 0.5 + 2**-53, 0.0], [True, True, True]),
        ([1.0, 5e-324, 0.0], [1.0, 5e-324, 0.0], [True, True, False]),
    ],
)
def test_what_is_possible_is_decided_exactly(p, q, possible):
    expected = expected_law(np.array(p), np.array(q))
    assert expected.possible.tolist() == possible == [x > 0 for x in expected.dist]


def test_a_token_of_a_probability_beyond_all_floats_is_wrong_and_no_warning():
    p = np.array([0.5, 0.5, 5e-324])
    q = np.array([0.5, 0.5 + 2**-53, 0.0])
    for counts in ([1, 1, 1], [10**7, 10**7, 1]):
        sample = judge_sample(np.array(counts), expected_law(p, q))
        assert (sample.wrong, sample.reason.partition(":")[0]) == (True, "token 2")


def test_a_law_over_a_whole_vocabulary():
    rng, size = np.random.default_rng(1), 128_256
    logits = rng.normal(size=size) * 4
    p, q = (w / w.sum() for w in (np.exp(logits), np.exp(logits + rng.normal(size=size))))
    expected = expected_law(p, q)
    draft, accepted, tokens = rejection_sample(p, q, rng, size=200_000)
    right = judge_sample(read_tokens(tokens, size), expected)
    assert (right.test, right.wrong, right.cells > 500, right.unseen < 0.05) == ("chi-square", False, True, True)
    redrawn = np.where(accepted, draft, rng.choice(size, len(draft), p=p))
    assert judge_sample(read_tokens(redrawn, size), expected).wrong


def test_few_tokens_of_a_large_law_cannot_be_told_and_that_is_said():
    p = np.full(1000, 1 / 1000)
    sample = judge_sample(read_tokens([1, 2, 3], 1000), expected_law(p, p))
    assert (sample.test, sample.p_value, sample.cells, sample.unseen) == ("chi-square", 1.0, 1, 1.0)


# ---- reading


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        ([3], "tokens[0]=3: an id of 3 tokens is from 0 to 2"),
        ([0, -1], "tokens[1]=-1: an id of 3 tokens is from 0 to 2"),
        ([10**30], "tokens[0]=1000000000000000000000000000000: an id is a whole number up to 2^53"),
        ([0, 1.0], "tokens[1]=1.0: an id is a whole number"),
        ([True], "tokens[0]=True: an id is a whole number"),
        (["a"], "tokens[0]='a': an id is a whole number"),
        ([[0]], "tokens[0]=[0]: an id is a whole number"),
        ([None], "tokens[0]=None: an id is a whole number"),
        ([], "tokens=[]: a sample has at least one token"),
        (np.array([], int), "tokens=[]: a sample has at least one token"),
        (np.array([0.0]), "tokens has dtype float64: an id is a whole number"),
        (np.array([True]), "tokens has dtype bool: an id is a whole number"),
        (np.array([[0]]), "tokens has shape (1, 1): the sample of one pair has one dimension"),
        (np.array([2**63], "uint64"), "tokens[0]=9223372036854775808: an id of 3 tokens"),
        ("012", "tokens='012': this is a list of whole numbers, not str"),
        (5, "tokens=5: this is a list of whole numbers, not int"),
        ({"a": 1}, "tokens={'a': 1}: this is a list of whole numbers, not dict"),
    ],
)
def test_ids_that_are_none_are_refused(ids, why):
    with pytest.raises(LawError) as error:
        read_tokens(ids, 3)
    assert str(error.value).startswith(why)


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ([1, 2], "counts has 2 entries: the law is over 3 tokens"),
        ([0, 0, 0], "counts sums to 0: a sample has from 1 to 2^53 tokens"),
        ([2**53, 1, 0], "counts sums to 9007199254740993: a sample has from 1 to 2^53 tokens"),
        ([1, -1, 2], "counts[1]=-1: a count is from 0 to 2^53"),
        ([1.0, 2, 3], "counts[0]=1.0: a count is a whole number"),
        (np.array([0, 2**62, 0]), "counts[1]=4611686018427387904: a count is from 0 to 2^53"),
        (np.array([1.0, 2, 3]), "counts has dtype float64: a count is a whole number"),
        (np.array([[1, 2, 3]]), "counts has shape (1, 3): the sample of one pair has one dimension"),
        ("123", "counts='123': this is a list of whole numbers, not str"),
    ],
)
def test_counts_that_are_none_are_refused(counts, why):
    with pytest.raises(LawError) as error:
        read_counts(counts, 3)
    assert str(error.value).startswith(why)


def test_ids_and_counts_of_every_kind_of_integer_say_the_same():
    for dtype in ("int8", "uint8", ">i4", "int64", "uint64"):
        assert read_tokens(np.array([2, 0, 2], dtype), 3).tolist() == [1, 0, 2]
        assert read_counts(np.array([1, 0, 2], dtype), 3).tolist() == [1, 0, 2]
    assert read_tokens([2, 0, 2], 3).tolist() == read_counts([1, 0, 2], 3).tolist() == [1, 0, 2]


@pytest.mark.parametrize(("n", "unseen_is_all"), [(1, True), (2, True), (3, False)])
def test_all_goes_unseen_where_no_sample_of_that_size_can_be_wrong(n, unseen_is_all):
    law = expected_law(["1/20", "19/20"], [1, 0])
    samples = [judge_sample(np.array([k, n - k]), law) for k in range(n + 1)]
    assert {sample.unseen == 1 for sample in samples} == {unseen_is_all}
    assert any(sample.wrong for sample in samples) is not unseen_is_all


def test_what_moves_inside_the_cells_is_more_than_what_is_said_of_them():
    V, rng = 50_000, np.random.default_rng(1)
    law = expected_law(np.full(V, 1 / V), np.full(V, 1 / V))
    every_second = judge_sample(np.bincount(2 * rng.integers(V // 2, size=1000), minlength=V), law)
    assert not every_second.wrong
    assert every_second.unseen < 0.1  # and the total variation is 1/2


def test_the_least_noncentrality_and_a_broken_number_of_degrees():
    assert power(5e-324, 5, 0.05) == 0.05
    with pytest.raises(LawError, match=r"df=1\.5: degrees of freedom are a whole number here; give one"):
        chi_square_p(3.841, 1.5)
