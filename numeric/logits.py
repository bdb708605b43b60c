"""Laws from logits: temperature, top-k and top-p, in that order, and what the conversion to floats has cost.

    p = softmax(z / T)     over the tokens that top-k and then top-p keep

top-k keeps the k largest logits; top-p keeps the fewest of the largest whose probabilities, after top-k, sum to at
least P.  Tokens with equal logits are kept or dropped together, so that the law does not depend on the order of the
tokens; more than k may then stay.  T = 0 is all probability on the largest logit, on the lowest id of several.
A logit of -inf is a token of probability 0.

`law_of_logits` computes this in float64.  Its result differs from the exact law of the logits as given, and the
difference has a name of its own, **conversion**: law in floats minus exact law.  exp is not rational, so `conversion`
encloses the exact law in integers over 2^W:

*Exponentials.*  y = floor(2^W (max - z)/T), so that e^-(y/2^W) is less than one unit (2^-W) too large.  y is cut into
its whole part, four bytes and a rest below 2^-32; the six factors are at most 1 and are off by 2 units each (five
numbers from a table) and 3 (the alternating series), so the product, with its five cuts, is off by less than
1 + 5*2 + 3 + 5 < 32 units.  Where y/2^W >= W it is 0, off by less than one, as e^-W < 2^-W.

*Quotients.*  With |e' - e| <= c, |S' - S| <= V c and S, S' >= 1 (the largest logit has e = 1), e'/S' is off by at most
c (1 + V e/S): by (V+1) c for one token and by 2 V c for the sum over all.  With c = 32 units and each number cut to a
whole unit, the size at a token and the total variation are both within 33 (V+1) units.

*Top-p.*  By the theorem of Lindemann and Weierstrass a sum of e^z over rational z that differ is never a rational
multiple of another such sum unless all their terms are; tokens with equal logits stay together, so for P < 1 the sum
of those kept is never exactly P, and a W that is large enough decides on which side it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exact.reading import EPSILON, LawError, brief, read_number, show

Array: TypeAlias = NDArray[Any]

BITS = 160  # W; doubled as long as top-p is not decided
OFF = 32  # units that an exponential may be off by
BYTES = 4
GUARD = 32  # bits more, while the tables are made
EXACT_INTEGERS = 2**53  # float64 holds all up to this one


@dataclass(frozen=True)
class Settings:
    """temperature T >= 0; top_k: how many tokens stay, None for all; top_p: P, above 0 and at most 1."""

    temperature: Fraction = Fraction(1)
    top_k: int | None = None
    top_p: Fraction = Fraction(1)


AS_GIVEN = Settings()


def read_settings(temperature: object = 1, top_k: object = None, top_p: object = 1) -> Settings:
    """The settings, numbers as in `exact.reading` ("0.7" is 7/10); LawError where one is out of its range.

    >>> read_settings("0.7", 50, "0.9")
    Settings(temperature=Fraction(7, 10), top_k=50, top_p=Fraction(9, 10))
    >>> read_settings(top_p=0)
    Traceback (most recent call last):
    exact.reading.LawError: top_p=0: it is above 0 and at most 1; give one such as 0.9
    """
    T, P = read_number(temperature, "temperature"), read_number(top_p, "top_p")
    if T and not Fraction(1, 2**1000) <= T <= 2**1000:
        raise LawError(f"temperature={show(T)}: it is 0, or from 2^-1000 to 2^1000; give one such as 0.7")
    if top_k is not None and (type(top_k) is not int or top_k < 1):
        raise LawError(f"top_k={brief(top_k)}: it is a whole number of tokens from 1 on; give one such as 50")
    if not 0 < P <= 1:
        raise LawError(f"top_p={show(P)}: it is above 0 and at most 1; give one such as 0.9")
    return Settings(T, top_k, P)


# ---- in floats


@np.errstate(over="ignore", under="ignore")  # a logit far below the largest is a token of probability 0
def law_of_logits(logits: object, settings: Settings = AS_GIVEN, name: str = "logits") -> Array:
    """The law of logits, [V], in float64; LawError where a logit is +inf or nan, or all are -inf.

    >>> law_of_logits([2.0, 1.0, float("-inf"), 1.0], Settings(top_k=2)).round(4).tolist()
    [0.5761, 0.2119, 0.0, 0.2119]
    >>> law_of_logits([1.0, 2.0, 2.0], Settings(temperature=Fraction(0))).tolist()
    [0.0, 1.0, 0.0]
    """
    z = read_logits(logits, name)
    if settings.temperature == 0:
        return np.array(np.arange(len(z)) == np.argmax(z), np.float64)
    weights = np.exp((z - z.max()) / float(settings.temperature))
    weights[~among_top_k(z, settings.top_k)] = 0
    if settings.top_p < 1:
        weights[~among_top_p(z, weights, settings.top_p)] = 0
    law: Array = weights / weights.sum()
    return law


def among_top_k(z: Array, k: int | None) -> NDArray[np.bool_]:
    """Which logits are at least the k-th largest.

    >>> among_top_k(np.array([3.0, 1.0, 2.0, 2.0]), 2).tolist()
    [True, False, True, True]
    """
    kth = -np.inf if k is None or k >= len(z) else np.partition(z, len(z) - k)[len(z) - k]
    return np.asarray((z > -np.inf) & (z >= kth))


def among_top_p(z: Array, weights: Array, P: Fraction) -> NDArray[np.bool_]:
    """Which logits are at least the one at which the largest weights come to P of their sum, decided in floats.

    >>> among_top_p(np.array([0.0, 0.0, -1.0]), np.array([0.4, 0.4, 0.2]), Fraction(1, 2)).tolist()
    [True, True, False]
    """
    falling = np.argsort(-z, kind="stable")
    sums = np.cumsum(weights[falling])
    last = min(int(np.searchsorted(sums, float(P) * sums[-1])), len(z) - 1)
    return np.asarray(z >= z[falling[last]])


def read_logits(values: object, name: str = "logits") -> Array:
    """Logits, [V], as a float64 copy that holds each exactly; -inf is a token of probability 0.

    >>> read_logits([1, float("nan")])
    Traceback (most recent call last):
    exact.reading.LawError: logits[1]=nan: a logit is a number or -inf; mend it
    """
    array = _as_array(values, name)
    if array.ndim != 1:
        raise LawError(f"{name} has shape {array.shape}: logits here have the shape [V]; give one row at a time")
    if not len(array):
        raise LawError(f"{name}=[]: a law has at least one token, this one is empty; give it one")
    _require_exact(array, name)
    z = array.astype(np.float64)
    wrong = np.flatnonzero(np.isnan(z) | (z == np.inf))
    if len(wrong):
        raise LawError(f"{name}[{wrong[0]}]={z[wrong[0]]!s}: a logit is a number or -inf; mend it")
    if not np.isfinite(z).any():
        raise LawError(f"{name}: every logit is -inf, so no token has a probability; give one a number")
    return z


def _as_array(values: object, name: str) -> Array:
    if isinstance(values, list):
        strange = next((i for i, x in enumerate(values) if type(x) not in (int, float)), None)
        if strange is not None:
            raise LawError(f"{name}[{strange}]={brief(values[strange])}: a logit is a number or -inf; mend it")
        return np.array([_as_float(x, f"{name}[{i}]") for i, x in enumerate(values)])
    if not isinstance(values, np.ndarray):
        raise LawError(f"{name}={brief(values)}: logits are a list or an array of numbers; give one")
    return values


def _as_float(x: int | float, name: str) -> float:
    if isinstance(x, int) and abs(x) > EXACT_INTEGERS:
        raise LawError(f"{name}={brief(x)}: an integer logit is at most 2^53 in size, this is not; write a float")
    return float(x)


def _require_exact(array: Array, name: str) -> None:
    integers = array.dtype.kind in "iu"
    if not integers and array.dtype.name not in EPSILON:
        raise LawError(f"{name} has dtype {array.dtype}: logits are float16, float32, float64 or integers; convert it")
    if integers and len(array) and max(abs(int(array.min())), abs(int(array.max()))) > EXACT_INTEGERS:
        raise LawError(f"{name} has an integer above 2^53 in size: float64 does not hold it; convert it to float64")


# ---- the conversion


class Conversion(NamedTuple):
    """Law in floats minus exact law of the logits: at the token where it is largest, and as a total variation.

    size (signed) and tv are each within slack of the exact value, by the proof at the head of this module.
    """

    size: Fraction
    token: int
    tv: Fraction
    slack: Fraction


def conversion(law: Array, logits: object, settings: Settings = AS_GIVEN, name: str = "logits") -> Conversion:
    """How far a float law, [V], is from the exact law of the logits as given under the settings as written.

    >>> off = conversion(law_of_logits([1.0, 0.0]), [1.0, 0.0])
    >>> off.tv < Fraction(1, 10**16), off.slack == Fraction(99, 2**160)
    (True, True)
    >>> round(float(conversion(np.array([0.75, 0.25]), [1.0, 0.0]).tv), 6)  # 0.75 - 1/(1 + 1/e)
    0.018941
    """
    z = read_logits(logits, name)
    if len(law) != len(z):
        raise LawError(f"law has {len(law)} entries but {name} has {len(z)}: both are over the same tokens; mend one")
    units, W = softmax_units(z, settings)
    ratios = map(float.as_integer_ratio, np.asarray(law, np.float64).tolist())
    gaps = [(n << W) // d - s for (n, d), s in zip(ratios, units, strict=True)]
    sizes = list(map(abs, gaps))
    token = sizes.index(max(sizes))
    slack = Fraction(33 * (len(z) + 1), 2**W) if settings.temperature else Fraction(0)
    return Conversion(Fraction(gaps[token], 2**W), token, Fraction(sum(sizes), 2 ** (W + 1)), slack)


def softmax_units(z: Array, settings: Settings) -> tuple[list[int], int]:
    """The exact law of logits as ints over 2^W, each token off by (V+1) 32 + 1 units at the most, and W."""
    units = [0] * len(z)
    if settings.temperature == 0:
        units[int(np.argmax(z))] = 1 << BITS
        return units, BITS
    tokens = np.flatnonzero(among_top_k(z, settings.top_k))
    values, which, count = np.unique(-z[tokens], return_inverse=True, return_counts=True)  # falling logits
    e, kept, W = decided((-values).tolist(), count.tolist(), settings)
    S = sum(map(mul, e[:kept], count.tolist()))
    of_value = [(x << W) // S for x in e[:kept]] + [0] * (len(e) - kept)
    for token, value in zip(tokens.tolist(), which.tolist(), strict=True):
        units[token] = of_value[value]
    return units, W


def decided(falling: list[float], count: list[int], settings: Settings) -> tuple[list[int], int, int]:
    """Exponentials over 2^W of logits that differ, how many of them top-p keeps, and a W that decides it."""
    W = BITS
    while True:
        e = exponentials(falling, settings.temperature, W)
        kept = len(e) if settings.top_p == 1 else fewest_to_top_p(e, count, settings.top_p)
        if kept is not None:
            return e, kept, W
        W *= 2


def fewest_to_top_p(e: list[int], count: list[int], P: Fraction) -> int | None:
    """How many of the first numbers sum to at least P of all; None where their errors leave it open.

    >>> one, half = 2**160, Fraction(1, 2)
    >>> fewest_to_top_p([one, one // 2], [1, 1], half), fewest_to_top_p([one, one], [1, 1], half)
    (1, None)
    """
    a, c = P.numerator, P.denominator
    sums = list(accumulate(map(mul, e, count)))
    error = OFF * sum(count) * (a + c)
    for kept, partial in enumerate(sums, 1):
        excess = partial * c - sums[-1] * a
        if excess > -error:
            return kept if excess > error or kept == len(e) else None
    return len(e)


def exponentials(falling: list[float], T: Fraction, W: int = BITS) -> list[int]:
    """e^((z - z_0)/T) over 2^W for logits of which the first is the largest, each off by less than 32.

    >>> [round(x * 1000 / 2**160) for x in exponentials([3.0, 2.0, 0.0], Fraction(1))]
    [1000, 368, 50]
    """
    ratios = list(map(float.as_integer_ratio, falling))
    D = max(d for _, d in ratios)  # all are powers of two
    z = [n * (D // d) for n, d in ratios]
    whole, *by_byte = tables(W)
    return [exponential(((z[0] - x) * T.denominator << W) // (T.numerator * D), W, whole, by_byte) for x in z]


def exponential(y: int, W: int, whole: list[int], by_byte: list[list[int]]) -> int:
    """e^-(y/2^W) over 2^W."""
    n = y >> W
    if n >= W:
        return 0
    e, shift = whole[n], W
    for table in by_byte:
        shift -= 8
        e = e * table[y >> shift & 255] >> W
    return e * series(y & (1 << shift) - 1, W) >> W


def series(rest: int, W: int) -> int:
    """e^-(rest/2^W) over 2^W for rest < 2^(W-32): W/32 terms of the alternating series, the next is below a unit."""
    one = total = 1 << W
    for j in range(W // 32, 0, -1):
        total = one - (rest * total >> W) // j
    return total


@cache
def tables(W: int) -> list[list[int]]:
    """e^-n for n < W, and e^-(b/256^j) for the bytes b < 256 and j = 1 to 4; over 2^W, each less than 2 too small."""
    steps = [(W, 1), *((256, 256**j) for j in range(1, BYTES + 1))]
    return [[x >> GUARD for x in powers(exp_of_minus_one_over(d, W + GUARD), n, W + GUARD)] for n, d in steps]


def powers(base: int, n: int, W: int) -> list[int]:
    return list(accumulate(range(n - 1), lambda x, _: x * base >> W, initial=1 << W))


def exp_of_minus_one_over(d: int, W: int) -> int:
    """e^-(1/d) over 2^W by its series, with an error of a unit for each of less than W terms."""
    total, term, j = 0, 1 << W, 0
    while term:
        total += -term if j % 2 else term
        j += 1
        term //= d * j
    return total
