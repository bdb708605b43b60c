"""Whatever is no law is a LawError that names the entry: never another exception, and never a long wait."""

import re
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
import sympy

from exact import (
    Law,
    LawError,
    acceptance,
    emitted_distribution,
    joint,
    overlap,
    rejected_mass,
    rejection_law,
    replacement,
    residual,
    total_variation,
)
from exact.reading import brief, read_law, read_number, show
from exact.rules import RULES, emission, rule_named


class BadRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


class BadComplex(complex):
    __repr__ = BadRepr.__repr__


class BadFraction(Fraction):
    __repr__ = BadRepr.__repr__


class BadFloat(float):
    def __float__(self):
        raise RuntimeError("no float")


class BadDtype:
    @property
    def dtype(self):
        raise RuntimeError("no dtype")


class NoFloat64:
    dtype = "float64"


class OnlyLen:
    def __len__(self):
        return 2


class BadIter(OnlyLen):
    def __iter__(self):
        raise RuntimeError("no entries")


class BadNdim(list):
    @property
    def ndim(self):
        raise RuntimeError("no ndim")


def nested(depth):
    x = []
    for _ in range(depth):
        x = [x]
    return x


def itself():
    x = [1]
    x.append(x)
    return x


# ---- one entry that is no probability

NOT_A_NUMBER = {
    "None": None,
    "True": True,
    "False": False,
    "np.True_": np.True_,
    "complex": 0.5 + 0j,
    "np.complex64": np.complex64(1),
    "np.complex128": np.complex128(1),
    "np.longdouble": np.longdouble(1),
    "datetime64": np.datetime64(1, "s"),
    "bytes": b"1",
    "np.bytes_": np.bytes_(b"1"),
    "list": [1],
    "empty list": [],
    "tuple": (1,),
    "dict": {},
    "set": {1},
    "object": object(),
    "function": len,
    "type": int,
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
    "range": range(2),
    "iterator": iter([1]),
    "1-d array": np.array([1.0]),
    "2-d array": np.array([[1.0]]),
    "SymPy nan": sympy.nan,
    "SymPy oo": sympy.oo,
    "SymPy zoo": sympy.zoo,
    "SymPy symbol": sympy.Symbol("x"),
    "SymPy root": sympy.sqrt(2),
    "SymPy Float": sympy.Float(0.5),
    "bad repr": BadRepr(),
    "list of itself": itself(),
    "deep list": nested(100_000),
}
NOT_FINITE = {
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "np.nan": np.float64("nan"),
    "float32 nan": np.float32("nan"),
    "float16 inf": np.float16("inf"),
    "0-d nan": np.array(np.nan),
}
NO_NUMBER_TEXT = [
    *("", " ", "%", "abc", "nan", "inf", "-Infinity", "None", "1,5", "1j", "0x10", "1/2/3", "1/-2", "--1", "1 2", "½"),
    *("1e", "e5", "1.2.3", ".", "/", "1/", "/2", "1/2e3", "1/0.5", "\0", "1" + " " * 3990 + "/", "%%", "5%%"),
]
ZERO_DENOMINATORS = ["1/0", "0/0", "-1/0", "1 / 0", "1/000", "1/0%"]
TOO_LONG = {
    "huge exponent": "1e999999999",
    "tiny exponent": "1e-999999999",
    "capital": "1E+999999999",
    "underscores": "1e99_999_9999",
    "percent": "1e999999999%",
    "exponent of many digits": "1e" + "9" * 5000,
    "many digits": "9" * 4301,
    "very many digits": "9" * 10_000_000,
    "denominator": "1/" + "9" * 5000,
    "decimals": "0." + "3" * 5000,
    "just too long": "9" * 4001,
    "letters": "e" * 1_000_000,
    "slashes": "/" * 1_000_000,
    "Decimal": Decimal("1e999999999"),
    "long Decimal": Decimal("1" * 5000),
}
NEGATIVE = {
    "int": (-1, "-1", "1"),
    "Fraction": (Fraction(-1, 3), "-1/3", "1/3"),
    "float": (-0.5, "-1/2", "1/2"),
    "least float": (-5e-324, "about -4.94066E-324", "about 4.94066E-324"),
    "float32": (np.float32(-0.25), "-1/4", "1/4"),
    "int64": (np.int64(-2), "-2", "2"),
    "string": ("-1/6", "-1/6", "1/6"),
    "percent": ("-50%", "-1/2", "1/2"),
    "Decimal": (Decimal("-0.5"), "-1/2", "1/2"),
    "SymPy": (sympy.Rational(-1, 7), "-1/7", "1/7"),
    "huge": (-(10**5000), "about -1.00000E+5000", "about 1.00000E+5000"),
    "tiny": (Fraction(-1, 10**5000), "about -1E-5000", "about 1E-5000"),
    "bad repr": (BadFraction(-1, 2), "-1/2", "1/2"),
}


def message(call, *args):
    """What the LawError says: one line, and a short one."""
    with pytest.raises(LawError) as caught:
        call(*args)
    assert type(caught.value) is LawError
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


def refused_as(entry):
    """The same rest of the message whether the entry stands in p, in q or in a Law."""
    p, q = message(emitted_distribution, [1, entry], [1, 0]), message(emitted_distribution, [1, 0], [entry, 1])
    law = message(Law, {"a": entry, "b": 0})
    assert p.startswith("p[1]=")
    assert q.startswith("q[0]=")
    assert law.startswith("law['a']=")
    assert p.removeprefix("p[1]=") == q.removeprefix("q[0]=")
    return p


@pytest.mark.parametrize("name", NOT_A_NUMBER)
def test_what_is_no_number(name):
    said = refused_as(NOT_A_NUMBER[name])
    assert re.search(
        "is no number; write|a number here is an int, Fraction, .* not .*; write|is no probability; take", said
    )
    assert said.startswith(f"p[1]={brief(NOT_A_NUMBER[name])}: ")


@pytest.mark.parametrize("name", NOT_FINITE)
def test_what_is_not_finite(name):
    assert refused_as(NOT_FINITE[name]).endswith(": a number here is finite; replace it")


@pytest.mark.parametrize("name", ["NaN", "sNaN", "Infinity", "-Infinity", "-NaN123"])
def test_a_decimal_that_is_no_number(name):
    assert refused_as(Decimal(name)) == f"p[1]='{name}': this is no number; write '1/3', '0.25' or '25%'"


@pytest.mark.parametrize("text", NO_NUMBER_TEXT)
def test_a_string_that_is_no_number(text):
    assert refused_as(text).endswith(": this is no number; write '1/3', '0.25' or '25%'")
    assert message(read_number, text, "x").startswith(f"x={brief(text.strip())}: ")


@pytest.mark.parametrize("text", ZERO_DENOMINATORS)
def test_a_zero_denominator(text):
    assert refused_as(text) == f"p[1]={text!r}: a denominator is not zero; mend it"


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_number_that_would_fill_the_memory(name):
    assert refused_as(TOO_LONG[name]).endswith(": a number here has at most 4000 digits; shorten it")


def test_the_longest_numbers_are_read():
    assert read_number("9" * 4000) == 10**4000 - 1
    assert read_number("1e-4000") == Fraction(1, 10**4000)
    assert read_number("1e4000%") == 10**3998


@pytest.mark.parametrize("name", NEGATIVE)
def test_what_is_negative(name):
    value, shown, below = NEGATIVE[name]
    said = f"p[1]={shown}: a probability is not negative, this is {below} below 0; mend it"
    assert message(emitted_distribution, [1, value], [1, 0]) == said
    assert message(rejection_law, [1, value], [1, 0]) == said
    assert f"this is {below} below 0" in message(Law, {"a": value, "b": 2})


HARD = [
    pytest.param("1e_5", id="exponent 1"),
    pytest.param("1e9_", id="exponent 2"),
    pytest.param("1e__", id="exponent 3"),
    pytest.param(np.timedelta64(1, "s"), id="timedelta64"),
    pytest.param(np.timedelta64("NaT"), id="NaT"),
    pytest.param(np.ma.masked, id="masked"),
    pytest.param(BadComplex(1), id="complex with a bad repr"),
    pytest.param(BadFloat(1), id="float with a bad __float__"),
    pytest.param(NoFloat64(), id="dtype without __float__"),
    pytest.param(BadDtype(), id="bad dtype"),
]


@pytest.mark.parametrize("entry", HARD)
def test_what_is_no_number_in_an_odd_way(entry):
    refused_as(entry)


# ---- a vector that is no law

NO_VECTOR = {
    "string": "1/2, 1/2",
    "empty string": "",
    "bytes": b"\x01",
    "None": None,
    "int": 1,
    "float": 1.0,
    "np.float64": np.float64(1),
    "bool": True,
    "complex": 1j,
    "dict": {0: 1},
    "OrderedDict": OrderedDict({0: 1}),
    "empty dict": {},
    "set": {1},
    "frozenset": frozenset([1]),
    "keys": {1: 1}.keys(),
    "iterator": iter([1]),
    "generator": (x for x in [1]),
    "map": map(int, [1]),
    "zip": zip([1], [1], strict=True),
    "function": len,
    "type": int,
    "object": object(),
    "bad repr": BadRepr(),
}
EMPTY = {"list": [], "tuple": (), "array": np.array([]), "range": range(0)}
WRONG_SHAPE = {
    "0-d": (np.array(1.0), "()"),
    "2-d": (np.array([[0.5, 0.5]]), "(1, 2)"),
    "2-d empty": (np.ones((1, 0)), "(1, 0)"),
    "3-d": (np.ones((1, 1, 1)), "(1, 1, 1)"),
    "matrix of objects": (np.array([["1/2", "1/2"]], dtype=object), "(1, 2)"),
}


@pytest.mark.parametrize("name", NO_VECTOR)
def test_what_is_no_vector(name):
    value = NO_VECTOR[name]
    said = f"p={brief(value)}: a law is a sequence of numbers, not {type(value).__name__}; give a list"
    assert message(emitted_distribution, value, [1]) == said
    assert message(emitted_distribution, [1], value) == "q" + said[1:]


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_empty(name):
    assert message(emitted_distribution, EMPTY[name], [1]).endswith(
        ": a law has at least one token, this one is empty; give it one"
    )


@pytest.mark.parametrize("name", WRONG_SHAPE)
def test_what_has_not_one_dimension(name):
    value, shape = WRONG_SHAPE[name]
    said = f"q has shape {shape}: a law here has one dimension, [V]; give one row at a time"
    assert message(emitted_distribution, [1], value) == said


RAGGED = [[1], [2, 3]]


@pytest.mark.parametrize(
    "value",
    [
        RAGGED,
        [[0.5, 0.5]],
        np.array([[1], [2, 3]], dtype=object),
        [np.array([0.5, 0.5])],
        [nested(100_000)],
        [{}],
        [None],
    ],
    ids=["ragged", "list of lists", "ragged array", "list of arrays", "deep", "dict", "None"],
)
def test_a_vector_of_vectors(value):
    assert message(emitted_distribution, value, [1]).startswith("p[0]=")


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("bool", [True, False]), ("complex", [1, 0]), ("U3", ["a", "b"]), ("S3", ["1", "0"]), ("M8[s]", [1, 0])],
)
def test_an_array_of_a_kind_that_is_no_number(dtype, value):
    assert message(emitted_distribution, np.array(value, dtype=dtype), [1, 0]).startswith("p[0]=")


def test_a_structured_array():
    value = np.array([(0.5, 0.5)], dtype=[("a", float), ("b", float)])
    assert message(emitted_distribution, value, [1]).startswith("p[0]=")


def test_entries_whose_repr_raises():
    assert message(emitted_distribution, [BadRepr()], [1]).startswith("p[0]=<BadRepr>: a number here is")
    assert message(emitted_distribution, np.array([BadRepr()]), [1]).startswith("p[0]=<BadRepr>: a number here is")
    assert message(emitted_distribution, [BadFraction(0)], [1]).startswith("p=<list>: the entries sum to 0")
    assert message(emitted_distribution, [BadFraction(1, 2)], [1]).startswith("p sums to 1/2: ")


HARD_VECTORS = [
    pytest.param(OnlyLen(), id="only a length"),
    pytest.param(BadIter(), id="bad __iter__"),
    pytest.param(BadNdim([1]), id="bad ndim"),
    pytest.param(list, id="the type list"),
    pytest.param(Law({1: 1}), id="a Law"),
    pytest.param(bytearray([1]), id="bytearray"),
]


@pytest.mark.parametrize("value", HARD_VECTORS)
def test_what_is_no_vector_in_an_odd_way(value):
    assert message(emitted_distribution, value, [1]).startswith("p")


# ---- the sum, and the length


@pytest.mark.parametrize("p", [["1/2", "1/3"], [Fraction(1, 2), Fraction(1, 3)], ["50%", "1/3", 0]])
def test_a_sum_that_is_too_small_says_by_how_much(p):
    assert message(emitted_distribution, p, [1, 0]) == (
        "p sums to 5/6: a law sums to exactly 1, this is 1/6 too little; mend it, or divide every entry by 5/6"
    )


def test_a_sum_that_is_too_large_says_by_how_much():
    assert message(emitted_distribution, [1, 0], ["1/2", "2/3"]) == (
        "q sums to 7/6: a law sums to exactly 1, this is 1/6 too much; mend it, or divide every entry by 7/6"
    )
    assert "p sums to 2: a law in floats sums to 1 within 1.49e-08, this is 1 too much" in message(read_law, [1.0, 1])
    assert "the law sums to 3/2: a law sums to exactly 1, this is 1/2 too much" in message(Law, {"a": 1, "b": "1/2"})


@pytest.mark.parametrize("p", [[0, 0], ["0"], np.zeros(3), [0.0, -0.0]])
def test_a_sum_of_zero(p):
    for call in (emitted_distribution, rejection_law):
        assert ": the entries sum to 0, 1 too little; give some token a probability" in message(
            call, p, [1] + [0] * (len(p) - 1)
        )


def test_different_lengths():
    said = "p has 1 entries but q has 2 entries: both laws are over the same tokens; give both the same length"
    assert message(emitted_distribution, [1], [1, 0]) == said
    assert message(rejection_law, [1], [1, 0]) == said
    assert message(total_variation, [1], [1, 0]) == said.replace("p has", "a has").replace("q has", "b has")


@pytest.mark.parametrize(
    "p",
    [
        [10**5000, 1],
        [10**5000],
        [Fraction(1, 10**5000), 1],
        ["9" * 4000, "1e4000"],
        [10**5000, float(1)],
        ["1e-4000", 1],
    ],
    ids=["int and 1", "int", "fraction", "strings", "with a float", "tiny"],
)
def test_numbers_past_the_4300_digits_that_str_allows(p):
    assert re.match("p sums to about .* this is about .* too much; mend it", message(emitted_distribution, p, p))


def test_such_numbers_are_fine_where_the_sum_is_1():
    little = Fraction(1, 10**5000)
    dist, alpha = emitted_distribution([little, 1 - little], [1, 0])
    assert (dist, alpha) == ([little, 1 - little], little)
    assert repr(dist) == "Distribution(about 1E-5000, about 1.00000)"
    assert repr(Law(enumerate(dist))) == "Law({0: 'about 1E-5000', 1: 'about 1.00000'})"


def test_a_very_long_number_is_shown_quickly():
    start = process_time()
    assert show(10**400_000) == "about 1.00000E+400000"
    assert process_time() - start < 1


# ---- every function that reads vectors


@pytest.mark.parametrize(
    "call",
    [emitted_distribution, rejection_law, acceptance, overlap, residual, replacement, rejected_mass, joint,
     *(lambda p, q, rule=rule: emission(rule, p, q) for rule in RULES.values())],
)  # fmt: skip
def test_every_function_refuses_what_is_no_vector_of_probabilities(call):
    for bad, start in (
        (["1/2", "x"], "p[1]="),
        ([1, -1], "p[1]="),
        ([1, float("nan")], "p[1]="),
        ([0, 0], "p="),
        ([], "p="),
        ("ab", "p="),
        ([1, 0, 0], "p has 3"),
    ):
        assert message(call, bad, [1, 0]).startswith(start)
        if start != "p has 3":
            assert message(call, [1, 0], bad).startswith("q" + start[1:])


def test_the_law_that_the_draft_is_drawn_from():
    assert message(emission, RULES["standard"], [1], [1], [-1]).startswith("drawn_from[0]=-1: ")
    assert message(emission, RULES["standard"], [1], [1], [1, 0]).startswith("drawn_from has 2 entries but q has 1")


def test_a_rule_that_is_not_in_the_table():
    assert message(rule_named, "magic").startswith("rule=magic: it is not in the table; take one of standard, ")


# ---- Law


@pytest.mark.parametrize("value", [None, 5, "ab", [("a",)], [(1, 2, 3)], [1], BadRepr(), 1.0, [None]])
def test_what_is_no_mapping_and_no_pairs(value):
    assert message(Law, value) == (f"law={brief(value)}: a law is a mapping or pairs (outcome, probability); give one")


@pytest.mark.parametrize("value", [{}, [], iter(())])
def test_a_law_without_outcomes(value):
    assert message(Law, value) == "the law sums to 0: a law sums to exactly 1, this is 1 too little; mend it"


def test_an_outcome_that_cannot_be_hashed():
    assert message(Law, [([1], 1)]) == "outcome=[1]: an outcome is hashable; make it a tuple or a string"
    assert message(Law({1: 1}).map, lambda x: [x]) == "outcome=[1]: an outcome is hashable; make it a tuple or a string"


def test_a_tuple_that_cannot_be_hashed():
    assert message(Law, [(([1],), 1)]) == "outcome=([1],): an outcome is hashable; make it a tuple or a string"


def test_an_outcome_whose_repr_raises():
    assert message(Law, [(BadRepr(), -1)]).startswith("law[<BadRepr>]=-1: a probability is not negative")


def test_a_tiny_negative_probability_reads_well():
    assert message(Law, {"a": -5e-324, "b": 1}).startswith("law['a']=about -4.94066E-324: ")
