"""Samples against the exact law: for an engine that gives tokens and no probabilities.

n tokens were drawn, O_i times token i; under the law d it is E_i = n d_i times on average.  A token of exact
probability 0 that was drawn is wrong outright: p-value 0.  Otherwise the p-value is

**exact**       the probability under d of every outcome that is at most as probable as the one observed, a Fraction,
                where the sum is short enough (`MOST_BITS`)
**chi-square**  min(1, 2 c, 2 s) elsewhere, of two tests:
                c   P(chi-square with cells - 1 degrees of freedom >= sum (O - E)^2/E over cells)
                s   tokens times the least of e^-(O ln(O/E) - O + E), O > E, over single tokens: by Chernoff's bound
                    and the union bound no larger than it may be, for every n

c is the limit law for large n.  A count O is skew, and its tail z standard deviations up is about e^(z^3/(6 sqrt E))
times that of the normal law (Cramer 1938).  So a cell expects at least z^6/64 tokens, and 5 at the least (Cochran
1954), z^2 the critical value for one degree of freedom; both tails together are then about (e^(8/6) + e^(-8/6))/2,
that is 2, times as likely.  A token that expects that many is a cell; the others are gathered in the order of q/p, as
it is by q/p that a wrong rule tells them apart, until each cell has enough.

**Level.**  A run judges N samples at 1/1000 in all: each at 1/(1000 N) (Bonferroni).

**What n samples cannot show.**  A deviation delta = d' - d of total variation t = (1/2) sum |delta| gives the
statistic, in the limit, the noncentrality lambda = n sum delta^2/d >= n (sum |delta|)^2 = 4 n t^2 (Cauchy-Schwarz,
with equality for |delta| proportional to d).  With lambda* the noncentrality at which a test is passed half the time,
a deviation of t = sqrt(lambda* / 4n) may be one that is passed more often than not (`unseen_tv`).  One that moves
mass inside a cell is not seen at all.

**The chi-square law** needs no special function but erfc for a whole number of degrees of freedom: with x = c/2

    P(chi-square_df >= c)  =  [erfc(sqrt(x)) if df is odd]  +  sum over k of x^k e^-x / Gamma(k+1)

with k = 0, 1, ... or 1/2, 3/2, ... below df/2 (Abramowitz and Stegun, 26.4.4 and 26.4.5).  The noncentral law is the
Poisson mixture of those with df + 2j degrees of freedom, j with the mean lambda/2 (26.4.25).  All terms are positive,
so nothing cancels: relative errors stay below 1e-9 up to 128,255 degrees of freedom and beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, erfc, expm1, gcd, inf, isnan, lgamma, log, sqrt
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exact.dyadic import float_law
from exact.law import Distribution
from exact.reading import LawError, Numbers, brief, figure, over_common_denominator, read_numbers
from exact.rejection import rejection_law as exact_rejection_law
from numeric.rejection import rejection_law

Array: TypeAlias = NDArray[Any]

LEVEL = Fraction(1, 1000)  # of all samples of a run together
FEWEST = 5.0  # tokens that a cell expects
MOST_BITS = 5 * 10**7  # binary digits of all numbers that an exact p-value adds up: half a second at the most
MOST_TOKENS = 64  # of positive probability, for an exact p-value
MOST_DRAWS = 2**53  # float64 holds all integers up to this one

# ---- the chi-square law


def chi_square_p(statistic: Fraction | float, df: int) -> float:
    """P(chi-square with df degrees of freedom >= statistic); LawError unless df >= 1 and statistic >= 0.

    >>> round(chi_square_p(3.841, 1), 4), round(chi_square_p(18.307, 10), 4)
    (0.05, 0.05)
    """
    _require_df(df)
    return _upper_tail(_number(statistic, "statistic") / 2, df)


def critical_value(df: int, level: float) -> float:
    """The statistic beyond which a test of that level rejects: chi_square_p(critical_value(df, level), df) = level.

    >>> round(critical_value(1, 0.001), 3), round(critical_value(100, 0.001), 3)
    (10.828, 149.449)
    """
    _require_df(df)
    _require_level(level)
    return _critical_value(df, float(level))


@lru_cache(maxsize=256)
def _critical_value(df: int, level: float) -> float:
    return _bisected(lambda c: _upper_tail(c / 2, df) <= level)


def power(noncentrality: Fraction | float, df: int, level: float) -> float:
    """How often a chi-square test of that level rejects, where the statistic is noncentral chi-square.

    noncentrality: n sum delta^2/d, from 0 to infinity.  LawError where an argument is not as said.

    >>> power(0, 5, 0.05), round(power(12.83, 5, 0.05), 3), power(float("inf"), 5, 0.05)
    (0.05, 0.8, 1.0)
    """
    _require_df(df)
    _require_level(level)
    return _power(_number(noncentrality, "noncentrality"), df, float(level))


def _power(noncentrality: float, df: int, level: float) -> float:
    mean = noncentrality / 2
    if mean == 0:  # half of the least float is 0, too
        return level
    c = _critical_value(df, level)
    if _surely_beyond(c, df, noncentrality):
        return 1.0
    most = int(mean + 12 * sqrt(mean) + 40)  # beyond that a Poisson variable has less than e^-60 (Bernstein)
    j = np.arange(most + 1)
    poisson = np.exp(j * log(mean) - mean - _log_gamma(0, most + 1))
    tails = _upper_tail(c / 2, df) + np.concatenate([[0.0], np.cumsum(_terms(c / 2, df, df // 2, df // 2 + most))])
    return float(min(1.0, poisson @ np.minimum(tails, 1)))


def _surely_beyond(c: float, df: int, noncentrality: float) -> bool:
    """Is P(X <= c) < e^-40?  By P(X <= df + B - 2 sqrt((df + 2B) y)) <= e^-y (Birge 2001, lemma 8.1)."""
    ahead = df + noncentrality - c
    return noncentrality == inf or (ahead > 0 and ahead * ahead > 160 * (df + 2 * noncentrality))


def threshold_noncentrality(df: int, level: float, wanted: float = 0.5) -> float:
    """The noncentrality at which the power is `wanted`, one half by default.

    >>> round(threshold_noncentrality(1, 0.05), 3), round(threshold_noncentrality(1, 0.05, 0.9), 3)
    (3.841, 10.507)
    """
    _require_df(df)
    _require_level(level)
    if not level < wanted < 1:
        raise LawError(f"wanted={wanted}: a power is above the level {level} and below 1; give one such as 0.5")
    return _bisected(lambda noncentrality: _power(noncentrality, df, float(level)) >= wanted)


def _upper_tail(x: float, df: int) -> float:
    if not 0 < x < inf:
        return 0.0 if x else 1.0
    return min(1.0, (erfc(sqrt(x)) if df % 2 else 0.0) + float(np.sum(_terms(x, df, 0, df // 2))))


def _terms(x: float, df: int, start: int, stop: int) -> Array:
    """x^k e^-x / Gamma(k+1), the numbers `start` to `stop` of k = 0, 1, ... or, for an odd df, 1/2, 3/2, ..."""
    k = np.arange(start, stop) + df % 2 / 2
    with np.errstate(under="ignore"):
        terms: Array = np.exp(k * log(x) - x - _log_gamma(df % 2, stop)[start:])
    return terms


def _log_gamma(odd: int, count: int) -> Array:
    """log Gamma(k+1) for the first `count` of k = 0, 1, ... or 1/2, 3/2, ..."""
    return _many_log_gamma(odd, 1 << count.bit_length())[:count]


@lru_cache(maxsize=8)
def _many_log_gamma(odd: int, count: int) -> Array:
    return np.array([lgamma(i + 1 + odd / 2) for i in range(count)])


def _bisected(is_enough: Callable[[float], bool]) -> float:
    """The least float, to the last digits, from which on `is_enough` holds; it holds for large ones."""
    low, high = 0.0, 1.0
    while not is_enough(high):
        low, high = high, 2 * high
    for _ in range(54):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _number(x: Fraction | float, name: str) -> float:
    try:
        value = float(x)
    except OverflowError:  # a Fraction beyond all floats
        value = inf if x > 0 else -inf
    if isnan(value) or value < 0:
        raise LawError(f"{name}={value}: it is at least 0; mend it")
    return value


def _require_df(df: int) -> None:
    if not isinstance(df, Integral):
        raise LawError(f"df={brief(df)}: degrees of freedom are a whole number here; give one")
    if df < 1:
        raise LawError(f"df={df}: a chi-square law has at least 1 degree of freedom, this is {1 - df} less; mend it")


def _require_level(level: float) -> None:
    if not 0 < level < 1:
        raise LawError(f"level={level}: a level lies between 0 and 1; give one such as 0.001")


# ---- the law that a sample should have


@dataclass(frozen=True)
class Expected:
    """The exact law of the emitted token, and what a test of many tokens needs of it, all [V].

    d: float64, within the bound of `numeric.rounding` of the exact value; possible: is that positive, decided exactly;
    ratio: q/p, the order in which tokens are gathered into cells.
    """

    dist: Distribution
    d: Array
    possible: NDArray[np.bool_]
    ratio: Array


def expected_law(p: Any, q: Any) -> Expected:
    """The law that tokens emitted for p and q have: two float arrays, [V], or two exact vectors.

    >>> expected_law(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])).possible.tolist()
    [True, True, False]
    """
    if not isinstance(p, np.ndarray):
        p, q = read_numbers(p, q)
        dist = exact_rejection_law(p, q)[0]
        d = np.array([float(w / dist.total) for w in dist.weights])  # int / int rounds once, and so does float
        possible = np.array([w > 0 for w in dist.weights])
        return Expected(dist, d, possible, _quotients(*(np.array(list(map(float, v))) for v in (q, p))))
    p, q = (np.asarray(x, np.float64) for x in (p, q))
    # m_i + r_i Q/R is positive where p_i is, but for r_i with Q = 0 < R
    possible = np.minimum(p, q) > 0 if (q <= p).all() and (p > q).any() else p > 0
    return Expected(float_law(p, q).dist, rejection_law(p, q)[0], possible, _quotients(q, p))


@np.errstate(all="ignore")  # where p = 0, or so small that the quotient overflows
def _quotients(q: Array, p: Array) -> Array:
    return np.asarray(q / p)


# ---- reading a sample


def read_tokens(ids: object, V: int, name: str = "tokens") -> Array:
    """How often each of V tokens is among the ids, [n] whole numbers from 0 to V-1; LawError otherwise.

    >>> read_tokens([2, 0, 2], 3).tolist()
    [1, 0, 2]
    """
    array = _whole_numbers(ids, name, "an id")
    wrong = np.flatnonzero((array < 0) | (array >= V))
    if len(wrong):
        raise LawError(f"{name}[{wrong[0]}]={array[wrong[0]]}: an id of {V} tokens is from 0 to {V - 1}; mend it")
    if not len(array):
        raise LawError(f"{name}=[]: a sample has at least one token, this one is empty; give it one, or leave it out")
    return np.bincount(array.astype(np.int64), minlength=V)


def read_counts(values: object, V: int, name: str = "counts") -> Array:
    """How often each of V tokens was drawn, [V] whole numbers from 0 on, not all 0; LawError otherwise."""
    array = _whole_numbers(values, name, "a count")
    if len(array) != V:
        raise LawError(f"{name} has {len(array)} entries: the law is over {V} tokens; give one count for each")
    wrong = np.flatnonzero((array < 0) | (array > MOST_DRAWS))
    if len(wrong):
        raise LawError(f"{name}[{wrong[0]}]={array[wrong[0]]}: a count is from 0 to 2^53; mend it")
    total = sum(array.tolist())
    if not 0 < total <= MOST_DRAWS:
        raise LawError(f"{name} sums to {total}: a sample has from 1 to 2^53 tokens; mend it, or leave it out")
    return array.astype(np.int64)


def _whole_numbers(values: object, name: str, what: str) -> Array:
    if isinstance(values, list):
        strange = next((i for i, x in enumerate(values) if type(x) is not int or abs(x) > MOST_DRAWS), None)
        if strange is not None:
            raise LawError(f"{name}[{strange}]={brief(values[strange])}: {what} is a whole number up to 2^53; mend it")
        return np.array(values, np.int64)
    if not isinstance(values, np.ndarray):
        raise LawError(
            f"{name}={brief(values)}: this is a list of whole numbers, not {type(values).__name__}; give one"
        )
    if values.ndim != 1:
        raise LawError(f"{name} has shape {values.shape}: the sample of one pair has one dimension; give one row")
    if values.dtype.kind not in "iu":
        raise LawError(f"{name} has dtype {values.dtype}: {what} is a whole number; convert it to int64")
    return values


# ---- judging a sample


@dataclass(frozen=True)
class Sample:
    """What became of a sample of n tokens.

    test: exact, chi-square or impossible (a token of exact probability 0 was drawn); p_value: a Fraction where it is
    exact; level: it is wrong where the p-value is at most this; cells, and statistic where it is chi-square; unseen: a
    total variation of the cells, by `unseen_tv` (what moves inside a cell can be more), 1 where no sample of n tokens
    can be wrong, None where it is impossible; reason: where it is farthest from the law, if wrong.
    """

    n: int
    test: str
    p_value: Fraction | float
    level: Fraction
    cells: int = 0
    statistic: float | None = None
    unseen: float | None = None
    reason: str = ""

    @property
    def wrong(self) -> bool:
        return self.p_value <= self.level


def judge_sample(counts: Array, expected: Expected, level: Fraction = LEVEL) -> Sample:
    """Test counts, [V] from `read_tokens` or `read_counts`, against the exact law.

    >>> law = expected_law(["1/2", "1/2"], [1, 0])
    >>> sample = judge_sample(np.array([1, 9]), law)
    >>> sample.test, sample.p_value, sample.wrong  # (1 + 10 + 10 + 1)/2^10
    ('exact', Fraction(11, 512), False)
    >>> sample = judge_sample(np.array([100_500, 99_500]), law)
    >>> sample.test, round(sample.p_value, 4), sample.wrong, round(sample.unseen, 4)
    ('chi-square', 0.0507, False, 0.0039)
    """
    support, n = np.flatnonzero(expected.possible), int(counts.sum())
    stray = np.flatnonzero((counts > 0) & ~expected.possible)
    if len(stray):
        reason = f"token {stray[0]}: drawn {times(counts[stray[0]])}, its exact probability is 0"
        return Sample(n, "impossible", Fraction(0), level, reason=reason)
    weights = weights_if_short(n, expected.dist, support)
    if weights is None:
        return by_two_tests(counts, expected, support, level)
    return by_exact_sum(counts, expected, support, weights, level)


def _unseen(n: int, tokens: int, df: int, level: Fraction) -> float:
    """`unseen_tv`; where the law has one token only, the mass elsewhere that n draws miss half the time."""
    return -expm1(log(0.5) / n) if tokens == 1 else unseen_tv(n, df, float(level))


def _farthest(tokens: Array, counts: Array, expected: Expected) -> str:
    mean = Fraction(float(expected.d[tokens].sum())) * int(counts.sum())
    what = f"token {tokens[0]}" if len(tokens) == 1 else f"{len(tokens):,} tokens, {tokens[0]} among them"
    return f"{what}: drawn {times(counts[tokens].sum())}, expected {figure(mean)}"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


# ---- the exact p-value


def weights_if_short(n: int, dist: Distribution, support: Array) -> Numbers | None:
    """The law on its support as whole numbers, where an exact p-value for n draws is short enough to add up."""
    V = len(support)
    if V > MOST_TOKENS or n > MOST_BITS or comb(n + V - 1, V - 1) * n > MOST_BITS:
        return None
    weights = over_common_denominator(Numbers(dist[i] for i in support.tolist()))[0]
    bits = int(sum(weights) // gcd(*weights)).bit_length()
    return weights if comb(n + V - 1, V - 1) * n * bits <= MOST_BITS else None


def by_exact_sum(counts: Array, expected: Expected, support: Array, weights: Numbers, level: Fraction) -> Sample:
    n, V = int(counts.sum()), len(support)
    p_value = multinomial_p(counts[support].tolist(), weights)
    off = squares_over_mean(counts[support], n * expected.d[support], np.arange(V))
    reason = _farthest(support[[np.argmax(off)]], counts, expected) if p_value <= level else ""
    unseen = 1.0 if V > 1 and least_p(n, weights) > level else _unseen(n, V, V - 1, level)
    return Sample(n, "exact", p_value, level, V, None, unseen, reason)


def least_p(n: int, weights: Sequence[int]) -> Fraction:
    """The least p-value that n draws can have: all of them are the least likely token, or another one like it.

    >>> least_p(3, [1, 1]), least_p(2, [1, 19]), multinomial_p([2, 0], [1, 19])
    (Fraction(1, 4), Fraction(1, 400), Fraction(1, 400))
    """
    rarest = min(weights)
    return Fraction(weights.count(rarest) * rarest**n, sum(weights) ** n)


def multinomial_p(counts: Sequence[int], weights: Sequence[int]) -> Fraction:
    """The probability of every outcome that is at most as probable as these counts, under a law w_i / sum(w).

    >>> multinomial_p([3, 0], [1, 1]), multinomial_p([0, 2, 0], [3, 2, 1])
    (Fraction(1, 4), Fraction(1, 4))
    """
    n, common = sum(counts), gcd(*weights)
    w = [x // common for x in weights]
    observed = next(outcomes(n, w, counts))
    return Fraction(sum(x for x in outcomes(n, w) if x <= observed), sum(w) ** n)


def outcomes(n: int, w: Sequence[int], counts: Sequence[int] = ()) -> Iterator[int]:
    """n!/(x_1! ... x_V!) w_1^x_1 ... w_V^x_V for every x with sum n, or for the one given; the sum is sum(w)^n.

    >>> list(outcomes(2, [3, 1])), list(outcomes(2, [3, 1], [1, 1]))
    ([1, 6, 9], [6])
    """
    if len(w) == 1:
        yield w[0] ** n
        return
    for k in counts[:1] or range(n + 1):
        ways = comb(n, k) * w[0] ** k
        yield from (ways * rest for rest in outcomes(n - k, w[1:], counts[1:]))


# ---- two tests for large samples


def by_two_tests(counts: Array, expected: Expected, support: Array, level: Fraction) -> Sample:
    """Cells against the chi-square law, and single tokens by Chernoff's bound; half of the level for each."""
    n, half = int(counts.sum()), level / 2
    drawn, mean = counts[support].astype(np.float64), n * expected.d[support]
    cell = gathered(mean, expected.ratio[support], fewest_in_a_cell(half))
    off, cells = squares_over_mean(drawn, mean, cell), int(cell.max()) + 1
    by_cell = chi_square_p(float(off.sum()), cells - 1) if cells > 1 else 1.0
    by_token, token = single_token_p(drawn, mean)
    tokens = np.array([token]) if by_token <= by_cell else np.flatnonzero(cell == np.argmax(off))
    p_value = min(1.0, 2 * by_cell, 2 * by_token)
    reason = _farthest(support[tokens], counts, expected) if p_value <= level else ""
    unseen = _unseen(n, len(support), cells - 1, half)
    return Sample(n, "chi-square", p_value, level, cells, float(off.sum()), unseen, reason)


def fewest_in_a_cell(level: Fraction) -> float:
    """z^6/64 and at least 5: what a cell expects, for a tail as small as the level to be right within a factor of 2.

    >>> round(fewest_in_a_cell(Fraction(1, 1000)), 1), fewest_in_a_cell(Fraction(1, 10))
    (19.8, 5.0)
    """
    return max(FEWEST, critical_value(1, float(level)) ** 3 / 64)


def gathered(mean: Array, ratio: Array, fewest: float) -> NDArray[np.intp]:
    """The cell of each token: its own where it expects `fewest`, otherwise one that is gathered by falling ratio.

    What is left over joins the last cell that was gathered, or else the cell that expects least.

    >>> gathered(np.array([9.0, 3.0, 1.0, 3.0, 2.0]), np.array([1.0, 0.1, 0.2, 0.9, 0.8]), 5).tolist()
    [0, 1, 1, 1, 1]
    """
    alone = mean >= fewest
    first = cells = int(alone.sum())
    cell = np.cumsum(alone) - 1
    few = np.flatnonzero(~alone)
    few, total = few[np.argsort(-ratio[few], kind="stable")], 0.0
    for token, more in zip(few.tolist(), mean[few].tolist(), strict=True):
        cell[token] = cells
        total += more
        if total >= fewest:
            cells, total = cells + 1, 0.0
    if cells > 0:
        cell[cell == cells] = cells - 1 if cells > first else cell[np.argmin(np.where(alone, mean, np.inf))]
    return cell


@np.errstate(over="ignore")  # a mean that underflows is as good as the least of all floats
def squares_over_mean(drawn: Array, mean: Array, cell: Array) -> Array:
    """(O - E)^2/E for each cell."""
    in_cell = np.maximum(np.bincount(cell, mean), 5e-324)
    return np.asarray((np.bincount(cell, drawn) - in_cell) ** 2 / in_cell)


@np.errstate(divide="ignore", over="ignore")  # a mean that underflows to 0 is drawn with probability 0
def single_token_p(drawn: Array, mean: Array) -> tuple[float, int]:
    """A bound of the probability that any of the tokens is drawn as much too often as one here is; and that token.

    P(O >= k) <= e^-(k ln(k/E) - k + E) for k > E (Chernoff), times the number of tokens.

    >>> bound, token = single_token_p(np.array([990.0, 10.0]), np.array([999.0, 1.0]))
    >>> round(bound * 1e6, 3), token  # 2 (e/10)^10 / e
    (1.621, 1)
    """
    often = np.flatnonzero(drawn > mean)
    if not len(often):
        return 1.0, 0
    k, E = drawn[often], mean[often]
    exponent = k * np.log(k / E) - k + E
    least = int(np.argmax(exponent))
    return float(np.exp(min(0.0, log(len(mean)) - exponent[least]))), int(often[least])


# ---- what so many samples could not have seen


def unseen_tv(n: int, df: int, level: float) -> float:
    """The largest total variation over its cells that a test may miss more often than not, in the limit of large n.

    The least noncentrality that a deviation of total variation t can have is n 4 t^2 for t <= 1/2, by Cauchy-Schwarz,
    and n t/(1-t) beyond, where tokens of mass 1-t are raised and all others are lost.  1 where df = 0.

    >>> round(unseen_tv(10_000, 1, 0.05), 4), round(unseen_tv(1_000_000, 1000, 0.001), 4), unseen_tv(10, 0, 0.05)
    (0.0098, 0.006, 1.0)
    """
    if df == 0:
        return 1.0
    x = threshold_noncentrality(df, level) / n
    return sqrt(x) / 2 if x <= 1 else x / (1 + x)
