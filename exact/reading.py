"""How numbers are read: as exactly what they say, or not at all.

An int, a Fraction, a Decimal, a SymPy Rational and a string such as "1/3", "0.25" or "25%" say a rational
number.  A float is the dyadic rational that it *is*: 0.1 is 3602879701896397/2**55, not 1/10.

Two kinds of vector follow.  An exact one must sum to exactly 1.  A float one hardly ever does, so its sum S may
be off by the square root of the machine epsilon of its kind of float, decided exactly as (S-1)^2 <= eps (the
convention of numpy's `choice`); one float makes a vector a float vector.
"""

from __future__ import annotations

import re
import sys
from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import gcd, lcm
from numbers import Integral, Rational
from typing import Any, TypeAlias

EPSILON = {
    "float16": Fraction(1, 2**10),
    "bfloat16": Fraction(1, 2**7),
    "float32": Fraction(1, 2**23),
    "float64": Fraction(1, 2**52),
}
LONG = 32  # floats from which on `exact.dyadic` is faster than Fractions, and its bins than one sum after the other
MOST_BITS = 1100  # of a common denominator that is worth having; floats need 1074 at most
LOT = 16  # Fractions that are added at once: of 4 to 64, the fastest
MOST_DIGITS = 4000  # str to int stops at 4300; and "1e999999999" would fill the memory


class LawError(ValueError):
    """The input is not what it has to be: says name=value, the rule, by how much, and what to do."""


class RegionNumber(ABC):  # noqa: B024 - a marker to register with, it asks for no method
    """A number whose comparisons somebody else decides; `proof` registers its positive symbols here."""


Number: TypeAlias = Any  # an int, a Fraction or a RegionNumber: exact + - * / and decided comparisons


class Numbers(tuple[Number, ...]):
    """A vector that has been read: no rule of this module is checked on it a second time."""

    __slots__ = ()


def show(x: Fraction | int) -> str:
    """Text for people: the fraction itself where it is short, otherwise six digits of it.

    >>> show(Fraction(5, 6))
    '5/6'
    >>> show(Fraction(1, 3**100))
    'about 1.94033E-48'
    """
    x = Fraction(x)
    if x.numerator.bit_length() + x.denominator.bit_length() <= 128:
        return str(x)
    six_digits = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return f"about {six_digits.divide(_leading(x.numerator), _leading(x.denominator))}"


def vector(values: Iterable[Number]) -> str:
    """A vector as text for people.

    >>> vector([Fraction(1, 2), Fraction(1, 2)])
    '(1/2, 1/2)'
    """
    return f"({', '.join(map(show, values))})"


def figure(x: Fraction | int) -> str:
    """Three digits of a number, for tables.

    >>> figure(Fraction(1, 3)), figure(2), figure(-Fraction(10) ** 20), figure(0)
    ('0.333', '2', '-1.00E+20', '0')
    """
    x = Fraction(x)
    if x.denominator == 1 and abs(x) < 1000:
        return str(x)
    three_digits = Context(prec=3, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return str(three_digits.divide(_leading(x.numerator), _leading(x.denominator)))


def _leading(n: int) -> Decimal:
    """n, or thirty digits of it where it is long: the whole would take quadratic time to become a Decimal."""
    rest = n.bit_length() - 128
    if rest < 20_000:
        return Decimal(n)
    thirty = Context(prec=30, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return thirty.multiply(Decimal(n >> rest), thirty.power(2, rest))


def read_number(value: object, name: str = "number") -> Fraction:
    """The rational number that `value` says, exactly; LawError where it says none.

    >>> read_number("1/3"), read_number("0.25"), read_number("25%"), read_number(0.5)
    (Fraction(1, 3), Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    >>> read_number(0.1) == Fraction(1, 10)
    False
    >>> read_number(float("nan"), "p[2]")
    Traceback (most recent call last):
    exact.reading.LawError: p[2]=nan: a number here is finite; replace it
    """
    kind = _dtype(value)
    if isinstance(value, bool) or kind == "bool":
        raise LawError(f"{name}={brief(value)}: a truth value is no number; write 1 or 0")
    if isinstance(value, Rational) and not kind.startswith("timedelta64"):  # numpy takes a duration for an integer
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str | Decimal):
        return _read_decimal(str(value).strip(), name)
    if kind in EPSILON and not getattr(value, "ndim", 0):
        return _read_float(value, name)
    if isinstance(value, complex):
        raise LawError(f"{name}={brief(value)}: a complex number is no probability; take its real part")
    raise LawError(
        f"{name}={brief(value)}: a number here is an int, Fraction, Decimal, float16/32/64, bfloat16, "
        f"or a string such as '1/3' or '0.25', not {type(value).__name__}; write it as one of these"
    )


def brief(value: object) -> str:
    """The repr of a value, cut to what a line of text can hold."""
    try:
        text = repr(value)
    except Exception:  # somebody else's __repr__, or an int past the 4300 digits that str allows
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _dtype(value: object) -> str:
    """The kind of number: 'float32' for np.float32, torch.float32 and arrays of them, 'float64' for float."""
    if isinstance(value, float):
        return "float64"
    try:
        return str(getattr(value, "dtype", "")).rpartition(".")[2]
    except Exception:  # somebody else's attribute
        return ""


def _read_float(value: Any, name: str) -> Fraction:
    try:
        return Fraction(*float(value).as_integer_ratio())  # exact: float64 holds all four kinds
    except Exception:  # nan, inf, a masked entry, or somebody else's __float__
        raise LawError(f"{name}={brief(value)}: a number here is finite; replace it") from None


def _read_decimal(text: str, name: str) -> Fraction:
    body, scale = (text[:-1].strip(), Fraction(1, 100)) if text.endswith("%") else (text, Fraction(1))
    exponent = re.search(r"[eE]([+-]?\d+(?:_\d+)*)$", body)
    if len(body) > MOST_DIGITS or (exponent and abs(int(exponent[1])) > MOST_DIGITS):
        raise LawError(f"{name}={brief(text)}: a number here has at most {MOST_DIGITS} digits; shorten it")
    try:
        return Fraction(re.sub(r"\s*/\s*", "/", body)) * scale
    except ZeroDivisionError:
        raise LawError(f"{name}={brief(text)}: a denominator is not zero; mend it") from None
    except ValueError:
        raise LawError(f"{name}={brief(text)}: this is no number; write '1/3', '0.25' or '25%'") from None


def read_numbers(*vectors: object, names: Sequence[str] = ("p", "q")) -> tuple[Numbers, ...]:
    """Vectors of one length, non-negative and with positive sums, each entry read exactly.

    This is all that the inner functions ask for; `read_law` asks for a law.
    """
    read = tuple(_read_vector(v, name)[0] for v, name in zip(vectors, names, strict=True))
    if len({len(v) for v in read}) > 1:
        sizes = " but ".join(f"{name} has {len(v)} entries" for v, name in zip(read, names, strict=True))
        raise LawError(f"{sizes}: both laws are over the same tokens; give both the same length")
    return read


def read_laws(p: object, q: object) -> tuple[Numbers, ...]:
    """Target and draft as laws over the same tokens, by the rules at the head of this module.

    >>> read_laws(["1/2", "1/2"], [1, 0])[0]
    (Fraction(1, 2), Fraction(1, 2))
    >>> read_laws(["1/2", "1/3"], [1, 0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    exact.reading.LawError: p sums to 5/6: a law sums to exactly 1, this is 1/6 too little; mend it, or ...
    """
    p, q = read_numbers(read_law(p, "p"), read_law(q, "q"))
    return p, q


def read_law(values: object, name: str = "p") -> Numbers:
    """One law: non-negative entries that sum to 1 (exactly, or as nearly as a float vector may)."""
    vector, epsilon = _read_vector(values, name)
    excess = total(vector) - 1
    if excess**2 <= epsilon:
        return vector
    said = show(excess + 1)
    rule = "a law sums to exactly 1" if not epsilon else f"a law in floats sums to 1 within {float(epsilon) ** 0.5:.3g}"
    raise LawError(
        f"{name} sums to {said}: {rule}, this is {show(abs(excess))} too {'much' if excess > 0 else 'little'}; "
        f"mend it, or divide every entry by {'its sum' if said.startswith('about') else said}"
    )


def _read_vector(values: object, name: str) -> tuple[Numbers, Fraction]:
    """(the entries, the epsilon of the coarsest float among them, 0 where there is none)."""
    if type(values) is Numbers:
        return values, Fraction(0)
    entries = _entries(values, name)
    if _are_plain(entries):
        vector, epsilon = Numbers(x if type(x) is Fraction else Fraction(x) for x in entries), Fraction(0)
    else:
        epsilon = max((EPSILON.get(_dtype(x), Fraction(0)) for x in entries), default=Fraction(0))
        vector = Numbers(_read_probability(x, f"{name}[{i}]") for i, x in enumerate(entries))
    if not vector:
        raise LawError(f"{name}={brief(values)}: a law has at least one token, this one is empty; give it one")
    if not any(x > 0 for x in vector):
        raise LawError(f"{name}={brief(values)}: the entries sum to 0, 1 too little; give some token a probability")
    return vector, epsilon


def _are_plain(entries: list[Any]) -> bool:
    """Ints and Fractions, none negative: what most long vectors are, so that no entry need be asked what it is."""
    return {*map(type, entries)} <= {int, Fraction} and all(x.numerator >= 0 for x in entries)


def _entries(values: object, name: str) -> list[Any]:
    if isinstance(values, str | bytes | bytearray | Mapping | Set | type) or not hasattr(values, "__len__"):
        raise _no_sequence(values, name)
    try:
        ndim, shape = getattr(values, "ndim", 1), getattr(values, "shape", ())
        entries = list(values) if ndim == 1 else []  # type: ignore[call-overload]
    except Exception:  # somebody else's attribute or __iter__
        raise _no_sequence(values, name) from None
    if ndim != 1:
        raise LawError(f"{name} has shape {tuple(shape)}: a law here has one dimension, [V]; give one row at a time")
    return entries


def _no_sequence(values: object, name: str) -> LawError:
    return LawError(f"{name}={brief(values)}: a law is a sequence of numbers, not {type(values).__name__}; give a list")


def _read_probability(value: object, name: str) -> Number:
    if isinstance(value, RegionNumber):
        return value
    x = read_number(value, name)
    if x < 0:
        raise LawError(f"{name}={show(x)}: a probability is not negative, this is {show(-x)} below 0; mend it")
    return x


# ---- many numbers at once


def is_long_float_vector(values: Any) -> bool:
    """A plain NumPy array, list or tuple of floats, at least LONG of them; whether they are valid is not asked.

    >>> is_long_float_vector([0.5] * LONG), is_long_float_vector([0.5, 0.5]), is_long_float_vector([1] * LONG)
    (True, False, False)
    """
    if type(values) in (list, tuple):
        return len(values) >= LONG and {*map(type, values)} == {float}
    numpy = sys.modules.get("numpy")  # not imported for the question
    plain = numpy is not None and type(values) in (numpy.ndarray, numpy.memmap)
    return plain and values.ndim == 1 and len(values) >= LONG and values.dtype.name in EPSILON


def over_common_denominator(*vectors: Numbers, most_bits: int | None = None) -> tuple[Numbers, ...]:
    """The same vectors times one positive integer, which makes every Fraction an int; region numbers stay.

    Every law of this package is homogeneous, so the common factor falls out again, and ints are far faster, unless
    they are far longer: all stay as they are where the common denominator has more than `most_bits` bits.

    >>> over_common_denominator(Numbers([Fraction(1, 2), Fraction(1, 2)]), Numbers([Fraction(1, 3), Fraction(2, 3)]))
    ((3, 3), (2, 4))
    """
    kinds = _kinds(*vectors)
    if kinds <= {int} or not _are_rational(kinds):
        return vectors
    scale = _common_denominator(vectors, most_bits)
    return tuple(Numbers(_times(scale, v)) for v in vectors) if scale else vectors


def _common_denominator(vectors: Iterable[Iterable[Number]], most_bits: int | None = None) -> int | None:
    """The least one of all entries; None where it is longer than that."""
    scale = 1
    for denominator in {int(x.denominator) for v in vectors for x in v}:
        scale = lcm(scale, denominator)
        if most_bits and scale.bit_length() > most_bits:
            return None
    return scale


def total(vector: Numbers) -> Number:
    """The sum of a vector.

    >>> total(Numbers([Fraction(1, 2), Fraction(1, 3)]))
    Fraction(5, 6)
    """
    kinds = _kinds(vector)
    if len(vector) <= LOT or kinds <= {int} or not _are_rational(kinds):
        return sum(vector)
    return Fraction(*additive(lambda entries: (sum(entries),), vector))


def additive(masses: Callable[..., tuple[int, ...]], *vectors: Numbers) -> tuple[int, ...]:
    """(masses(*vectors), 1) times one positive integer, for what adds up over the tokens of rational vectors.

    The tokens are taken in small lots, the lots in pairs, and the pairs in pairs: added one by one, each would take a
    greatest common divisor with a denominator that has grown long.

    >>> additive(lambda p, q: (sum(map(min, p, q)), sum(q)), (Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 3), 0))
    (4, 4, 12)
    """
    V = len(vectors[0])
    size = V if _common_denominator(vectors, MOST_BITS) else LOT
    lots = [_lot(masses, [v[i : i + size] for v in vectors]) for i in range(0, V, size)]
    while len(lots) > 1:
        odd_one = lots[len(lots) & ~1 :]
        lots = [*map(_both, lots[::2], lots[1::2]), *odd_one]
    return lots[0]


def _lot(masses: Callable[..., tuple[int, ...]], vectors: list[Sequence[Number]]) -> tuple[int, ...]:
    scale = lcm(*(x.denominator for v in vectors for x in v))
    return *masses(*(_times(scale, v) for v in vectors)), scale


def _both(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    common = gcd(a[-1], b[-1])
    up_a, up_b = b[-1] // common, a[-1] // common
    return *(x * up_a + y * up_b for x, y in zip(a[:-1], b[:-1], strict=True)), a[-1] * up_a


def _times(scale: int, vector: Iterable[Number]) -> list[int]:
    """Ints: the scale is a multiple of every denominator."""
    return [x.numerator * (scale // x.denominator) for x in vector]


def _kinds(*vectors: Iterable[Number]) -> set[type]:
    return set().union(*(map(type, v) for v in vectors))


def _are_rational(kinds: set[type]) -> bool:
    return all(issubclass(kind, Rational) for kind in kinds)


def ratio(a: Number, b: Number) -> Number:
    """a / b without rounding: int / int would be a float.

    >>> ratio(1, 3)
    Fraction(1, 3)
    """
    return Fraction(a, b) if isinstance(a, Integral) and isinstance(b, Integral) else a / b
