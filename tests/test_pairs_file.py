"""Pairs from a file: what holds holds, what is wrong is named, and no file of any bytes gives a trace."""

import io
import json
import os
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from exact import LawError
from exact.rules import WRONG as WRONG_RULES
from exact.rules import emission
from numeric import cross_check, emitted_distribution, rejection_sample
from numeric.logits import law_of_logits, read_settings
from exact.rules import law_of
from proof.front.pairs_file import (
    BAD,
    HOLDS,
    NEAR,
    WRONG,
    Finding,
    Row,
    judge,
    read_rows,
    sample_self_check,
    together,
    self_check,
)

P, Q = ["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]
FLOAT_P, FLOAT_Q = np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.3, 0.4])


@pytest.fixture
def saved(tmp_path):
    """saved(name, content): a file with these bytes, JSON, array, or arrays by name; its path."""

    def save(name, content):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, np.ndarray):
            np.save(path, content)
        elif name.endswith(".npz"):
            np.savez(path, **content)
        else:
            path.write_text(json.dumps(content))
        return str(path)

    return save


@pytest.fixture
def judged(saved):
    """judged(name, content): the verdicts of the rows of a file."""
    return lambda name, content, **options: [judge(row, **options) for row in read_rows(saved(name, content))]


def verdicts(findings):
    return [finding.verdict for finding in findings]


def row(**fields):
    return Row("row 0", **fields)


def refusal(path):
    with pytest.raises(LawError) as error:
        read_rows(path)
    said = ("this cannot be read as a file of pairs (", "a file of pairs ends in", "a file of pairs has at least one")
    assert str(error.value).removeprefix(f"pairs={path}: ").startswith(said)
    assert "\n" not in str(error.value)
    return str(error.value)


# ---- JSON


def test_json_holds_one_pair_or_a_list_of_them(judged):
    assert judged("one.json", {"p": P, "q": Q}) == [
        Finding("row 0", HOLDS, "V = 3, alpha = 2/3, TV(p, q) = 1/3, dist == p: True")
    ]
    assert verdicts(judged("two.json", [{"p": P, "q": Q}, {"p": [1, 0], "q": [0, 1]}])) == [HOLDS, HOLDS]


def test_json_of_many_rows_is_read_as_npz_is(judged):
    table = {"p": [[0.5, 0.5], [1.0, 0.0]], "q": [[0.75, 0.25], [0.0, 1.0]]}
    outputs = table | {"dist": [[0.5, 0.5], [0.5, 0.5]], "alpha": [0.75, 0.0]}
    as_arrays = {name: np.array(values) for name, values in outputs.items()}
    assert judged("table.json", table) == judged("table.npz", {name: as_arrays[name] for name in "pq"})
    assert judged("outputs.json", outputs) == judged("outputs.npz", as_arrays)
    assert verdicts(judged("outputs.json", outputs)) == [HOLDS, WRONG]
    assert verdicts(judged("uneven.json", {"p": [P, [1]], "q": [Q, [1, 0]]})) == [HOLDS, BAD]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"q": [Q]}, "p has 2 rows but q has 1"),
        ({"q": Q}, "p and q are [N, V], so q is a list of rows, this is ['1/6', '1/3', '1/2']"),
        ({"p": P, "q": [Q, Q]}, "p and q are [N, V], so p is a list of rows, this is ['1/2', '1/3', '1/6']"),
        ({"q": [Q, 1]}, "p and q are [N, V], so q is a list of rows, this is "),
        ({"q": None}, "no q among ['p', 'q']"),
        ({"q": [Q, Q], "dist": P}, "p and q are [N, V], so dist is a list of rows, this is ['1/2', '1/3', '1/6']"),
        ({"q": [Q, Q], "dist": [P] * 3}, "p has 2 rows but dist has 3"),
        ({"q": [Q, Q], "alpha": "2/3"}, "p and q are [N, V], so alpha is a list of numbers, this is '2/3'"),
        ({"q": [Q, Q], "alpha": ["2/3"]}, "p has 2 rows but alpha has 1"),
    ],
)
def test_json_rows_that_do_not_fit_together_are_refused(saved, fields, why):
    assert f"({why}" in refusal(saved("table.json", {"p": [P, P], **fields}))


def test_a_long_fraction_is_told_in_six_digits(judged):
    [finding] = judged("pair.json", {"p": [0.1, 0.9], "q": [0.9, 0.1]})
    assert finding.sentence.startswith("V = 2, alpha = about 0.2, TV(p, q) = about 0.8, rounding at most ")


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (["1/2", "1/2"], ["3/4", "1/4"]),
        (["50%", "50%"], ["75%", "25%"]),
        (["0.5", "0.5"], ["0.75", "2.5e-1"]),
        ([0.5, 0.5], [0.75, 0.25]),
        (["1/2", 0.5], [0.75, "1/4"]),
    ],
)
def test_numbers_strings_and_percentages_say_the_same(judged, p, q):
    [finding] = judged("pair.json", {"p": p, "q": q})
    assert finding.verdict == HOLDS
    assert finding.sentence.startswith("V = 2, alpha = 3/4, TV(p, q) = 1/4, ")


def test_a_float_in_json_is_the_dyadic_number_that_it_is(judged):
    [exact] = judged("exact.json", {"p": ["0.1", "0.9"], "q": ["0.9", "0.1"]})
    [floats] = judged("floats.json", {"p": [0.1, 0.9], "q": [0.9, 0.1]})
    assert exact.sentence.startswith("V = 2, alpha = 1/5, ")
    assert "alpha = 1/5," not in floats.sentence
    assert floats.verdict == HOLDS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_is_read_in_every_encoding_of_json_with_or_without_a_mark(judged, encoding):
    text = json.dumps({"p": P, "q": Q})
    assert verdicts(judged("pair.json", text.encode(encoding))) == [HOLDS]


def test_a_bad_row_is_named_and_the_rest_is_checked(judged):
    rows = [{"p": P, "q": Q}, {"p": ["1/2", "1/3"], "q": [1, 0]}, {"p": P, "q": Q, "dist": Q}, {"p": Q, "q": Q}]
    findings = judged("rows.json", rows)
    assert [f.name for f in findings] == ["row 0", "row 1", "row 2", "row 3"]
    assert verdicts(findings) == [HOLDS, BAD, WRONG, HOLDS]
    assert findings[1].sentence.startswith("p sums to 5/6: a law sums to exactly 1, this is 1/6 too little")


BAD_ROWS = {
    "a number": (3, "3: a row is an object with p and q"),
    "a string": ("x", "'x': a row is an object with p and q"),
    "nothing": (None, "None: a row is an object with p and q"),
    "a list": ([[1], [1]], "[[1], [1]]: a row is an object with p and q"),
    "no q": ({"p": [1]}, "no q among ['p']: "),
    "other names": ({"target": [1], "draft": [1]}, "no p and q among ['target', 'draft']: "),
    "an empty object": ({}, "no p and q among []: "),
    "p is null": ({"p": None, "q": [1]}, "p=None: a law is a sequence of numbers"),
    "p is text": ({"p": "123", "q": [1]}, "p='123': a law is a sequence of numbers"),
    "p is an object": ({"p": {"a": 1}, "q": [1]}, "p={'a': 1}: a law is a sequence of numbers"),
    "p is nested": ({"p": [[1]], "q": [1]}, "p[0]=[1]: a number here is"),
    "p is empty": ({"p": [], "q": []}, "p=[]: a law has at least one token"),
    "unlike lengths": ({"p": [1], "q": [1, 0]}, "p has 1 entries but q has 2 entries"),
    "negative": ({"p": ["3/2", "-1/2"], "q": [1, 0]}, "p[1]=-1/2: a probability is not negative"),
    "truth values": ({"p": [True, False], "q": [1, 0]}, "p[0]=True: a truth value is no number"),
    "no number": ({"p": ["abc", 1], "q": [1, 0]}, "p[0]='abc': this is no number"),
    "half a surrogate": ({"p": ["\ud800", 1], "q": [1, 0]}, r"p[0]='\ud800': this is no number"),
    "a huge exponent": ({"p": ["1e999999999", 1], "q": [1, 0]}, "p[0]='1e999999999': a number here has at most 4000"),
    "not a number": ({"p": [float("nan"), 1], "q": [1, 0]}, "p[0]=nan: a number here is finite"),
    "infinity": ({"p": [1, 0], "q": [float("inf"), 0]}, "q[0]=inf: a number here is finite"),
    "floats that miss 1": ({"p": [0.5, 0.25], "q": [1, 0]}, "p sums to 3/4: a law in floats sums to 1 within"),
}


@pytest.mark.parametrize("why", BAD_ROWS)
def test_a_row_that_is_no_pair_of_laws_says_why(judged, why):
    content, sentence = BAD_ROWS[why]
    [good, bad] = judged("rows.json", [{"p": P, "q": Q}, content])
    assert (good.verdict, bad.name, bad.verdict) == (HOLDS, "row 1", BAD)
    assert bad.sentence.startswith(sentence)
    assert "\n" not in bad.sentence


def test_an_integer_too_long_to_be_read_is_a_bad_row_and_not_a_bad_file(judged):
    text = b'[{"p": [' + b"9" * 5000 + b', 0], "q": [1, 0]}, {"p": [1], "q": [1]}]'
    findings = judged("rows.json", text)
    assert verdicts(findings) == [BAD, HOLDS]
    assert findings[0].sentence.endswith("a number here has at most 4000 digits; shorten it")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"\0\0",
        b'{"p": [0.5',
        b'{"p": [1], "q": [1]} and more',
        b"{'p': [1], 'q': [1]}",
        b'{"p": "\xff"}',
        b"[" * 100_000,
        b'{"p":' * 100_000,
        b"PK\x03\x04",
    ],
)
def test_what_is_no_json_is_refused(saved, content):
    assert "(it is not whole JSON: " in refusal(saved("pairs.json", content))


# ---- files of numpy


def test_npz_and_npy_hold_one_pair_or_many(judged):
    p, q = np.stack([FLOAT_P, FLOAT_Q]), np.stack([FLOAT_Q, FLOAT_P])
    assert verdicts(judged("one.npz", {"p": FLOAT_P, "q": FLOAT_Q})) == [HOLDS]
    assert verdicts(judged("many.npz", {"p": p, "q": q})) == [HOLDS, HOLDS]
    assert verdicts(judged("one.npy", p)) == [HOLDS]
    assert verdicts(judged("many.npy", np.stack([p, q, p]))) == [HOLDS, HOLDS, HOLDS]


def test_the_two_kinds_of_file_hold_the_same_pair(judged):
    assert judged("pair.npy", np.stack([FLOAT_P, FLOAT_Q])) == judged("pair.npz", {"p": FLOAT_P, "q": FLOAT_Q})


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4", ">f8", "int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_every_kind_of_number_and_order_are_read(judged, dtype, order):
    p, q = (np.array(rows, dtype, order=order) for rows in ([[1, 0], [0, 1]], [[0, 1], [0, 1]]))
    assert verdicts(judged("pairs.npz", {"p": p, "q": q, "dist": p.astype("float32"), "alpha": [0.0, 1.0]})) == [
        HOLDS,
        HOLDS,
    ]


def test_a_float16_pair_is_read_as_what_it_is_and_ours_is_checked_on_it(judged):
    p, q = (np.array(v, "float16") for v in ([0.1, 0.9], [0.7, 0.3]))
    [finding] = judged("pair.npz", {"p": p, "q": q})
    assert finding.verdict == HOLDS
    assert "defect at most 0:" not in finding.sentence


def test_integer_arrays_and_arrays_of_strings_are_exact(judged):
    for p, q in (([1, 0], [0, 1]), (["1/2", "1/2"], ["1/4", "3/4"])):
        [finding] = judged("pair.npz", {"p": np.array(p), "q": np.array(q)})
        assert finding.sentence.endswith("dist == p: True")
    [finding] = judged("pair.npz", {"p": np.array(P), "q": np.array(Q), "dist": np.array(P), "alpha": np.array("2/3")})
    assert (finding.verdict, finding.sentence.split(", ")[-1]) == (HOLDS, "the given output is exactly the law")


def test_arrays_that_nobody_asks_for_may_stand_by_whatever_they_are(judged):
    arrays = {"p": FLOAT_P, "q": FLOAT_Q, "names": np.array(["a", None], object)}
    assert verdicts(judged("pair.npz", arrays)) == [HOLDS]


def test_a_bad_row_of_an_array_is_named_and_the_rest_is_checked(judged):
    p = np.stack([FLOAT_P, FLOAT_P * np.nan, FLOAT_P / 2])
    findings = judged("pairs.npz", {"p": p, "q": np.stack([FLOAT_Q] * 3)})
    assert verdicts(findings) == [HOLDS, BAD, BAD]
    assert findings[1].sentence.startswith("p[0]=nan: ")
    assert findings[2].sentence.startswith("p sums to ")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f8"])
def test_a_number_of_numpy_is_named_as_a_plain_one(judged, dtype):
    [finding] = judged("pair.npz", {"p": np.array([np.nan, 1], dtype), "q": np.array([1, 0], dtype)})
    assert finding.sentence.startswith("p[0]=nan: a number here is finite")
    [finding] = judged("pair.npz", {"p": np.array([0, 0], ">f8"), "q": np.array([1, 0], dtype)})
    assert finding.sentence.startswith("p=[0.0, 0.0]: the entries sum to 0")


def test_float32_rows_are_read_by_the_precision_of_float32(judged):
    p = np.array([0.5, 0.5001], "float32")
    assert verdicts(judged("pair.npz", {"p": p, "q": p})) == [HOLDS]
    assert verdicts(judged("pair.npz", {"p": p.astype("float64"), "q": p.astype("float64")})) == [BAD]


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0 + 0j, 0]),
        np.array([True, False]),
        np.array([b"1/2", b"1/2"]),
        np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
        np.array([1, 0], "m8[s]"),
        np.array([0.5, 0.5], "longdouble"),
        np.zeros(2, [("a", "f8")]),
    ],
)
def test_arrays_of_other_kinds_are_bad_rows(judged, values):
    [finding] = judged("pair.npz", {"p": values, "q": np.array([1.0, 0.0])})
    assert finding.verdict == BAD
    assert finding.sentence.startswith("p[0]=")


ONE, TWO = FLOAT_P, np.stack([FLOAT_P, FLOAT_Q])


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ({"target": ONE, "draft": ONE}, "no array p and q among target, draft"),
        ({"p": ONE}, "no array q among p"),
        ({}, "no array p and q among none"),
        ({"p": np.array(1.0), "q": np.array(1.0)}, "laws are [V] or [N, V], p has shape ()"),
        ({"p": TWO[None], "q": TWO[None]}, "laws are [V] or [N, V], p has shape (1, 2, 3)"),
        ({"p": TWO, "q": TWO[:1]}, "p has shape (2, 3) but q has shape (1, 3)"),
        ({"p": TWO, "q": ONE}, "p has shape (2, 3) but q has shape (3,)"),
        ({"p": TWO, "q": TWO, "dist": ONE}, "p has shape (2, 3) but dist has shape (3,)"),
        ({"p": TWO, "q": TWO, "alpha": np.array(1.0)}, "p has shape (2, 3) but alpha has shape ()"),
        ({"p": TWO, "q": TWO, "alpha": np.ones((2, 1))}, "p has shape (2, 3) but alpha has shape (2, 1)"),
        ({"p": ONE, "q": ONE, "alpha": np.ones(2)}, "p has shape (1, 3) but alpha has shape (2,)"),
        ({"p": np.array([1, None], object), "q": ONE}, "array p is damaged or not of plain numbers"),
        ({"p": ONE, "q": ONE, "dist": np.array([1, None], object)}, "array dist is damaged or not of plain numbers"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(saved, arrays, why):
    assert f"({why}" in refusal(saved("pairs.npz", arrays))


@pytest.mark.parametrize(
    "array",
    [ONE, np.array(1.0), np.stack([ONE] * 3), np.zeros((2, 2, 2, 2)), np.array([[1, 2], [3, None]], object)],
    ids=["[V]", "a number", "[3, V]", "four dimensions", "objects"],
)
def test_an_array_that_holds_no_pairs_is_refused(saved, array):
    refusal(saved("pairs.npy", array))


def test_a_file_of_no_pairs_is_refused(saved):
    files = {"none.json": [], "none.npz": {"p": TWO[:0], "q": TWO[:0]}, "none.npy": TWO[None][:0]}
    for name, content in files.items():
        assert refusal(saved(name, content)).endswith("a file of pairs has at least one, this has none; give another")


def test_laws_over_no_token_are_bad_rows(judged):
    findings = judged("pairs.npz", {"p": TWO[:, :0], "q": TWO[:, :0]})
    assert verdicts(findings) == [BAD, BAD]
    assert "a law has at least one token" in findings[0].sentence


def bytes_of(save):
    file = io.BytesIO()
    save(file)
    return file.getvalue()


NPZ, NPY = bytes_of(lambda file: np.savez(file, p=ONE, q=ONE)), bytes_of(lambda file: np.save(file, TWO))


@pytest.mark.parametrize("kind", ["npz", "npy"])
def test_a_numpy_file_cut_short_anywhere_is_refused_and_left_closed(saved, kind):
    whole = {"npz": NPZ, "npy": NPY}[kind]
    for length in range(0, len(whole), 7):  # an unclosed file is a warning, and so an error here
        assert "numpy file" in refusal(saved(f"pairs.{kind}", whole[:length]))


def test_a_damaged_array_is_refused(saved):
    for at in (60, 100, 150, 200):
        damaged = NPZ[:at] + bytes([NPZ[at] ^ 255]) + NPZ[at + 1 :]
        assert "array p is damaged" in refusal(saved("pairs.npz", damaged))


@pytest.mark.parametrize("kind", ["npz", "npy"])
def test_one_byte_wrong_anywhere_gives_rows_or_a_refusal_and_nothing_else(saved, kind):
    whole = {"npz": NPZ, "npy": NPY}[kind]
    for at in range(len(whole)):
        path = saved(f"pairs.{kind}", whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        with suppress(LawError):
            assert {judge(row).verdict for row in read_rows(path)} <= {HOLDS, BAD}


def test_the_wrong_kind_of_file_is_refused(saved):
    assert "(it holds one array and no names)" in refusal(saved("pairs.npz", NPY))
    assert "(it holds arrays by name, as a .npz file does)" in refusal(saved("pairs.npy", NPZ))
    assert "(it does not begin as a numpy file does)" in refusal(saved("pairs.npy", b'{"p": [1], "q": [1]}'))
    assert "ends in .json, .npz or .npy; convert it" in refusal(saved("pairs.csv", b"1,2"))
    assert "ends in .json, .npz or .npy; convert it" in refusal(saved("pairs", b"1,2"))


def test_a_zip_of_anything_else_is_refused(saved):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("p.npy", "hello")
        archive.writestr("q", "hello")
    assert "(p is no array of numpy)" in refusal(saved("pairs.npz", file.getvalue()))


@pytest.mark.parametrize("shape", ["(2, 1000000000000)", "(2, 10**30)", "(2, -3)", f"(2, {10**30})", "2"])
def test_a_header_that_lies_is_refused(saved, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    refusal(saved("pairs.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header))


@pytest.mark.parametrize("kind", ["json", "npz", "npy"])
def test_a_file_that_is_not_there_or_not_to_be_read_is_refused(tmp_path, saved, monkeypatch, kind):
    assert "(No such file or directory)" in refusal(str(tmp_path / f"nosuch.{kind}"))
    (tmp_path / f"folder.{kind}").mkdir()
    assert "(Is a directory)" in refusal(str(tmp_path / f"folder.{kind}"))
    assert "null byte" in refusal(f"a\0b.{kind}")
    path = saved(f"pairs.{kind}", b"")

    def denied(*_args, **_options):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("builtins.open", denied)
    monkeypatch.setattr("io.open", denied)  # pathlib opens by this one
    assert "(Permission denied)" in refusal(path)


# ---- somebody's output, exact


def test_an_exact_output_is_certified_by_equality():
    for output in ({"dist": P, "alpha": "2/3"}, {"dist": P}, {"alpha": "2/3"}):
        finding = judge(row(p=P, q=Q, **output))
        assert (finding.verdict, finding.sentence.split(", ")[-1]) == (HOLDS, "the given output is exactly the law")


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ({"dist": Q}, "dist[0]: wanted 1/2, got 1/6, off by 1/3"),
        ({"alpha": "1/3"}, "alpha: wanted 2/3, got 1/3, off by 1/3"),
        ({"dist": Q, "alpha": "1/3"}, "alpha: wanted 2/3, got 1/3, off by 1/3"),
        ({"dist": ["1/2", "1/2"]}, "dist has 2 entries: wanted 3"),
        ({"dist": ["1/2", "1/3", "1/5"]}, "dist sums to 31/30: a law sums to exactly 1, this is 1/30 too much"),
        ({"dist": ["-1/2", 1, "1/2"]}, "dist[0]=-1/2: a probability is not negative"),
        ({"dist": []}, "dist=[]: a law has at least one token"),
        ({"dist": [0, 0, 0]}, "dist=[0, 0, 0]: the entries sum to 0"),
        ({"dist": 0}, "dist=0: a law is a sequence of numbers"),
        ({"dist": "abc"}, "dist='abc': a law is a sequence of numbers"),
        ({"dist": {"a": 1}}, "dist={'a': 1}: a law is a sequence of numbers"),
        ({"dist": [None, None, 1]}, "dist[0]=None: a number here is"),
        ({"dist": [[1], [0], [0]]}, "dist[0]=[1]: a number here is"),
        ({"dist": [10**400, 0, 0]}, "dist sums to about 1.00000E+400"),
        ({"alpha": ["2/3"]}, "alpha=['2/3']: a number here is"),
        ({"alpha": True}, "alpha=True: a truth value is no number"),
        ({"alpha": 10**400}, "alpha: wanted 2/3, got about 1.00000E+400"),
    ],
)
def test_an_exact_output_that_is_wrong_says_where(output, sentence):
    finding = judge(row(p=P, q=Q, **output))
    assert finding.verdict == WRONG
    assert finding.sentence.startswith(sentence)


@pytest.mark.parametrize("rule", WRONG_RULES)
def test_the_output_of_every_wrong_rule_is_found_wrong(rule):
    found = self_check(rule)
    if found is None:  # it needs more than three tokens or a denominator beyond 6
        assert rule == "low-precision-draft"
        return
    (p, q), _ = found
    emitted = emission(WRONG_RULES[rule], p, q)
    assert (emitted.dist, emitted.alpha) != (p, sum(map(min, p, q)))


def test_a_rule_that_is_right_is_not_rejected():
    assert self_check("standard") is None
    assert self_check("redraw-from-p") is not None


def test_a_law_of_ours_that_were_wrong_would_be_found_out(monkeypatch):
    monkeypatch.setattr(
        "proof.front.pairs_file.broken", lambda p, q: law_of("redraw-from-q")(p, q) and "the law is another"
    )
    assert judge(row(p=P, q=Q)) == Finding("row 0", WRONG, "the law is another")


# ---- somebody's output, in floats


def test_our_own_float_output_is_within_the_bound():
    dist, alpha = emitted_distribution(FLOAT_P, FLOAT_Q)
    for output in ({"dist": dist, "alpha": alpha}, {"dist": dist}, {"alpha": alpha}, {"dist": dist.tolist()}):
        finding = judge(row(p=FLOAT_P, q=FLOAT_Q, **output), strict=True)
        assert finding.verdict == HOLDS
        assert ": within the bound" in finding.sentence
        assert finding.fits.startswith("non-discriminating: the pair cannot tell it from p, ") == ("dist" in output)


def test_one_unit_in_the_last_place_is_rounding_and_a_thousand_are_near():
    dist, _ = emitted_distribution(FLOAT_P, FLOAT_Q)
    dist[0] = np.nextafter(dist[0], 1)
    assert judge(row(p=FLOAT_P, q=FLOAT_Q, dist=dist), strict=True).verdict == HOLDS
    p, q = np.array([2.0**-60, 1 - 2.0**-53]), np.array([2.0**-60, 1.0])
    dist, _ = emitted_distribution(p, q)
    dist[0] *= 1 + 2.0**-42
    finding = judge(row(p=p, q=q, dist=dist))
    assert finding.verdict == NEAR
    assert ": not certified, though near; dist[0]: wanted " in finding.sentence
    assert judge(row(p=p, q=q, dist=dist), strict=True).verdict == WRONG


def textbook(p, q):
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    return m + (1 - m.sum()) * r / r.sum()


def test_the_textbook_line_is_near_and_fails_only_when_strict():
    p, q = np.array([2.0**-66, *[1 / 6] * 6]), np.array([0.0, *[1 / 6] * 6])
    finding = judge(row(p=p, q=q, dist=textbook(p, q)))
    assert finding.verdict == NEAR
    assert judge(row(p=p, q=q, dist=textbook(p, q)), strict=True).verdict == WRONG


def test_p_itself_copied_is_never_called_wrong():
    for p, q in ((FLOAT_P, FLOAT_Q), (np.array([0.3, 0.7]), np.array([0.1, 0.9]))):
        assert judge(row(p=p, q=q, dist=p)).verdict == HOLDS


def test_somebody_elses_law_is_wrong_and_the_entry_is_named():
    finding = judge(row(p=FLOAT_P, q=FLOAT_Q, dist=FLOAT_Q))
    assert finding.verdict == WRONG
    assert ": wrong; dist[0]: wanted about 0.1" in finding.sentence or ": wrong; dist[2]" in finding.sentence
    assert ("off by at most " in finding.sentence, "rounding" in finding.sentence) == (True, False)
    assert judge(row(p=FLOAT_P, q=FLOAT_Q, alpha=0.5)).verdict == WRONG


def test_a_float32_output_is_judged_as_float32():
    p, q = np.full(10, 0.1, "float32"), np.array([1 / 16] * 6 + [5 / 32] * 4, "float32")
    dist, alpha = emitted_distribution(p, q)
    wide = {"p": p.astype("float64"), "q": q.astype("float64")}
    for pair in ({"p": p, "q": q}, wide):
        for output in ({"dist": dist, "alpha": np.float32(alpha)}, {"dist": dist}, {"alpha": np.float32(alpha)}):
            assert judge(row(**pair, **output), strict=True).verdict == HOLDS
    assert judge(row(**wide, dist=dist.astype("float64")), strict=True).verdict == WRONG
    assert judge(row(p=p, q=q, dist=dist * np.float32(1.001))).verdict == WRONG


def test_an_output_in_a_precision_without_a_bound_is_not_judged():
    finding = judge(row(p=FLOAT_P, q=FLOAT_Q, dist=FLOAT_P.astype("longdouble")))
    assert finding.verdict == BAD
    assert finding.sentence.endswith(": it is judged in bfloat16, float16, float32, float64; save one of them")


def test_a_float16_output_is_judged_as_float16():
    dist, _ = emitted_distribution(FLOAT_P.astype("float16"), FLOAT_Q.astype("float16"))
    assert dist.dtype == np.float16
    for pair in ({"p": FLOAT_P.astype("float16"), "q": FLOAT_Q.astype("float16")}, {"p": FLOAT_P, "q": FLOAT_Q}):
        assert judge(row(**pair, dist=dist)).verdict == HOLDS
        assert judge(row(**pair, dist=dist * np.float16(1.25))).verdict == WRONG


def test_exact_numbers_among_floats_are_the_nearest_floats():
    assert judge(row(p=[0.5, 0.5], q=[0.75, 0.25], dist=["1/2", "1/2"], alpha="3/4"), strict=True).verdict == HOLDS
    assert judge(row(p=P, q=Q, dist=[1 / 2, 1 / 3, 1 / 6], alpha="2/3"), strict=True).verdict == HOLDS
    assert judge(row(p=["1/2", "1/2"], q=["3/4", "1/4"], alpha=0.75), strict=True).verdict == HOLDS


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ({"dist": [float("nan"), 0.5]}, "dist[0]=nan: wanted a finite number"),
        ({"dist": [0.5]}, "dist has shape (1,): wanted (2,)"),
        ({"dist": [10**400, 0.5]}, "dist[0]=inf: wanted a finite number"),
        ({"dist": [-(10**400), 0.5]}, "dist[0]=-inf: wanted a finite number"),
        ({"dist": [0.5, -0.5]}, "dist[1]: wanted 1/2, got -1/2, off by 1"),
        ({"dist": [1.0, 1e300]}, "dist[1]: wanted 1/2, got about 1.00000E+300"),
        ({"dist": [[0.5], [0.5]]}, "dist[0]=[0.5]: a number here is"),
        ({"dist": [None, 0.5]}, "dist[0]=None: a number here is"),
        ({"dist": ["x", 0.5]}, "dist[0]='x': this is no number"),
        ({"dist": [True, 0.0]}, "dist[0]=True: a truth value is no number"),
        ({"dist": np.array([True, False])}, "dist[0]="),
        ({"dist": np.array([0.5 + 0j, 0.5])}, "dist[0]="),
        ({"dist": "x"}, "dist='x': this is a list of numbers, not str"),
        ({"dist": {"a": 1}}, "dist={'a': 1}: this is a list of numbers, not dict"),
        ({"dist": 0.5}, "dist=0.5: this is a list of numbers, not float"),
        ({"alpha": [0.75]}, "alpha=[0.75]: a number here is"),
        ({"alpha": float("nan")}, "alpha=nan: wanted a finite number"),
        ({"alpha": True}, "alpha=True: a truth value is no number"),
        ({"alpha": 10**400}, "alpha=inf: wanted a finite number"),
    ],
)
def test_a_float_output_that_is_nonsense_is_wrong_and_says_why(output, sentence):
    finding = judge(row(p=[0.5, 0.5], q=[0.75, 0.25], **output))
    assert finding.verdict == WRONG
    assert sentence in finding.sentence
    assert "Error(" not in finding.sentence
    assert "\n" not in finding.sentence


@pytest.mark.parametrize("shape", [(2,), (4,), (3, 1), (1, 3), ()])
def test_a_float_output_of_another_shape_is_wrong(shape):
    finding = judge(row(p=FLOAT_P, q=FLOAT_Q, dist=np.full(shape, 0.5)))
    assert (finding.verdict, f"dist has shape {shape}: wanted (3,)" in finding.sentence) == (WRONG, True)


def test_an_error_beyond_all_floats_has_its_figures_printed():
    finding = judge(row(p=[1.0, 0.0], q=[1.0, 0.0], dist=[1.0, 1e300]))
    assert finding.verdict == WRONG
    assert "E+623 ulp" in finding.sentence


def test_subnormals_and_sums_that_are_off_get_an_exact_defect():
    for p, q in (([5e-324, 1.0], [1.0, 0.0]), ([0.1] * 10, [0.3, *[0.7 / 9] * 9])):
        finding = judge(row(p=p, q=q), strict=True)
        assert (finding.verdict, finding.sentence.endswith(": within the bound")) == (HOLDS, True)


# ---- rows on the disk


V = 128_256


@pytest.fixture(scope="module")
def large():
    """Three pairs over a whole vocabulary."""
    logits = np.random.default_rng(0).normal(size=(2, 3, V)) * 4
    logits[1] += logits[0]
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_no_row_is_in_memory_before_it_is_judged_and_then_one_is(saved, large):
    p, q = large
    stored = {"large.npz": {"p": p, "q": q}, "large.npy": np.stack([p, q], axis=1)}
    for path in [saved(name, content) for name, content in stored.items()]:
        tracemalloc.start()
        rows = read_rows(path)
        _, reading = tracemalloc.get_traced_memory()
        assert judge(rows[1]).verdict == HOLDS
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert reading < 2**20 < p.nbytes  # a chunk, while the checksum is made
        assert after < 2**20


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_a_whole_vocabulary_touch_no_token_one_by_one(saved, large, dtype, monkeypatch):
    p, q = large.astype(dtype)
    path = saved("large.npz", {"p": p, "q": q, "dist": emitted_distribution(p, q)[0]})
    for name in ("read_law", "read_number", "rejection_law", "total_variation", "as_float"):
        monkeypatch.setattr(f"proof.front.pairs_file.{name}", lambda *_arguments: pytest.fail("one token at a time"))
    findings = [judge(row) for row in read_rows(path)]
    assert verdicts(findings) == [HOLDS] * 3
    assert all(finding.sentence.startswith(f"V = {V}, alpha = about 0.") for finding in findings)


def test_one_wrong_entry_of_a_whole_vocabulary_is_found(large):
    p, q = large[:, 0]
    dist, _ = emitted_distribution(p, q)
    dist[77_777] += 2.0**-40
    finding = judge(row(p=p, q=q, dist=dist))
    assert (finding.verdict, "wrong; dist[77777]: wanted " in finding.sentence) == (WRONG, True)


def test_compressed_arrays_are_read_as_uncompressed_ones(tmp_path, judged):
    p, q = np.stack([FLOAT_P, FLOAT_Q]), np.stack([FLOAT_Q, FLOAT_P])
    np.savez_compressed(tmp_path / "compressed.npz", p=p, q=q, alpha=[0.7, 0.7])
    findings = [judge(row) for row in read_rows(str(tmp_path / "compressed.npz"))]
    assert findings == judged("plain.npz", {"p": p, "q": q, "alpha": np.array([0.7, 0.7])})
    damaged = bytearray((tmp_path / "compressed.npz").read_bytes())
    damaged[60] ^= 255
    (tmp_path / "damaged.npz").write_bytes(damaged)
    assert "is damaged" in refusal(str(tmp_path / "damaged.npz"))


def test_arrays_in_the_order_of_fortran_have_the_same_rows(tmp_path, judged):
    p, q = np.stack([FLOAT_P, FLOAT_Q]), np.stack([FLOAT_Q, FLOAT_P])
    np.savez(tmp_path / "fortran.npz", p=np.asfortranarray(p), q=np.asfortranarray(q))
    np.save(tmp_path / "fortran.npy", np.asfortranarray(np.stack([p, q], axis=1)))
    wanted = judged("c.npz", {"p": p, "q": q})
    for name in ("fortran.npz", "fortran.npy"):
        assert [judge(row) for row in read_rows(str(tmp_path / name))] == wanted


def test_the_rows_of_a_file_are_its_rows_whatever_stands_before_it(tmp_path):
    """Not aligned, with an extra field, and behind other bytes, as a zip file may be."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, values in (("p", FLOAT_P), ("q", FLOAT_Q)):
            info = zipfile.ZipInfo(f"{name}.npy")
            info.extra = b"\x99\x99\x03\x00abc"
            archive.writestr(info, bytes_of(lambda file, values=values: np.save(file, values)))
    (tmp_path / "behind.npz").write_bytes(b"PK, and some other bytes" + file.getvalue())
    [found] = read_rows(str(tmp_path / "behind.npz"))
    assert (found.p.tolist(), found.q.tolist()) == (FLOAT_P.tolist(), FLOAT_Q.tolist())


def test_an_array_that_is_longer_or_shorter_than_it_says_is_damaged(saved):
    whole = bytes_of(lambda file: np.save(file, FLOAT_P))
    for data in (whole[:-8], whole + b"12345678"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("p.npy", data)
            archive.writestr("q.npy", whole)
        assert "array p is damaged" in refusal(saved("pairs.npz", file.getvalue()))


# ---- logits


LOGITS_P, LOGITS_Q = [0.0, 1.0, -1.0, float("-inf")], [1.0, 0.5, float("-inf"), 0.0]


def test_logits_are_a_law_and_the_conversion_is_a_term_of_its_own(judged):
    as_arrays = {"p_logits": np.array(LOGITS_P), "q_logits": np.array(LOGITS_Q)}
    [finding] = judged("pair.json", {"p_logits": LOGITS_P, "q_logits": LOGITS_Q})
    assert [finding] == judged("pair.npz", as_arrays)
    assert finding.verdict == HOLDS
    assert " ulp, defect at most " in finding.sentence
    assert ", conversion at most " in finding.sentence
    assert list(finding.conversion) == ["p", "q"]
    assert all(0 < c["tv"] < 1e-15 and c["slack"] < 1e-40 for c in finding.conversion.values())


def test_one_side_may_be_a_law_and_the_other_logits(judged):
    [finding] = judged("pair.json", {"p": ["1/2", "1/2", 0, 0], "q_logits": LOGITS_Q})
    assert (finding.verdict, list(finding.conversion)) == (HOLDS, ["q"])
    assert judged("pair.json", {"p": [0.5, 0.5, 0.0, 0.0], "q_logits": LOGITS_Q}) == [finding]


def test_the_settings_are_those_of_the_laws(judged):
    settings = read_settings("0.7", 2, "0.9")
    p, q = (law_of_logits(z, settings) for z in (LOGITS_P, LOGITS_Q))
    [finding] = judged("pair.json", {"p_logits": LOGITS_P, "q_logits": LOGITS_Q}, settings=settings)
    [as_laws] = judged("laws.json", {"p": p.tolist(), "q": q.tolist()})
    assert finding.sentence.partition(", conversion ")[0] == as_laws.sentence.partition(": within ")[0]
    [greedy] = judged("pair.json", {"p_logits": LOGITS_P, "q_logits": LOGITS_Q}, settings=read_settings(0))
    assert greedy.sentence.startswith("V = 4, alpha = 0, TV(p, q) = 1, rounding at most 0 ulp, defect at most 0, ")
    assert greedy.sentence.endswith(", conversion at most 0 (p) and 0 (q): within the bound")


def test_many_rows_of_logits_are_read_from_every_kind_of_file(judged, saved):
    table = {"p_logits": [LOGITS_P, LOGITS_Q], "q_logits": [LOGITS_Q, LOGITS_P]}
    arrays = {name: np.array(rows, "float32") for name, rows in table.items()}
    assert judged("table.json", table) == judged("table.npz", arrays)
    assert verdicts(judged("table.json", table)) == [HOLDS, HOLDS]
    assert "p_logits has 2 rows but q_logits has 1" in refusal(saved("t.json", {**table, "q_logits": [LOGITS_Q]}))
    assert "p_logits has shape (2, 4) but q_logits has shape (1, 4)" in refusal(
        saved("t.npz", {**arrays, "q_logits": arrays["q_logits"][:1]})
    )
    assert "no array q among p_logits" in refusal(saved("t.npz", {"p_logits": arrays["p_logits"]}))


def test_what_is_given_twice_is_refused(judged, saved):
    pair = {"p": [0.5, 0.5], "q": [0.5, 0.5]}
    for more in ({"p_logits": [0.0, 0.0]}, {"q_logits": [0.0, 0.0]}, {"tokens": [0], "counts": [1, 0]}):
        [finding] = judged("pair.json", pair | more)
        assert (finding.verdict, finding.sentence.split(": ")[1]) == (
            BAD,
            "one of them says it all; leave out the other",
        )
        arrays = {name: np.array(values) for name, values in (pair | more).items()}
        assert "one of them says it all" in refusal(saved("pair.npz", arrays))


@pytest.mark.parametrize(
    ("logits", "why"),
    [
        ([float("nan"), 0.0], "p_logits[0]=nan: a logit is a number or -inf"),
        ([float("inf"), 0.0], "p_logits[0]=inf: a logit is a number or -inf"),
        ([float("-inf")] * 2, "p_logits: every logit is -inf"),
        (["1/2", 0.0], "p_logits[0]='1/2': a logit is a number or -inf"),
        ([], "p_logits=[]: a law has at least one token"),
        ([0.0], "p has 1 entries but q has 2 entries"),
        (5, "p_logits=5: logits are a list or an array of numbers"),
    ],
)
def test_a_row_of_logits_that_are_none_is_named(judged, logits, why):
    good, bad = judged("rows.json", [{"p": P, "q": Q}, {"p_logits": logits, "q": [0.5, 0.5]}])
    assert (good.verdict, bad.name, bad.verdict) == (HOLDS, "row 1", BAD)
    assert bad.sentence.startswith(why)


# ---- samples


def test_the_sample_of_a_right_sampler_holds_and_says_what_it_could_not_have_seen(judged):
    _, _, tokens = rejection_sample(FLOAT_P, FLOAT_Q, np.random.default_rng(0), size=20_000)
    counts = np.bincount(tokens, minlength=3)
    pair = {"p": FLOAT_P.tolist(), "q": FLOAT_Q.tolist()}
    [finding] = judged("pair.json", pair | {"tokens": tokens.tolist()})
    assert [finding] == judged("pair.json", pair | {"counts": counts.tolist()})
    assert [finding] == judged("pair.npz", {"p": FLOAT_P, "q": FLOAT_Q, "tokens": tokens})
    assert [finding] == judged("pair.npz", {"p": FLOAT_P, "q": FLOAT_Q, "counts": counts})
    assert finding.verdict == HOLDS
    assert "; sample of 20,000: p-value " in finding.sentence
    assert " (chi-square, 3 cells), level 0.001, a TV up to 0.013 over these cells may go unseen" in finding.sentence
    assert (finding.sample["n"], finding.sample["wrong"], finding.sample["cells"]) == (20_000, False, 3)


def redrawn_from_p(n):
    rng = np.random.default_rng(0)
    draft, accepted, _ = rejection_sample(FLOAT_P, FLOAT_Q, rng, size=n)
    return np.where(accepted, draft, rng.choice(3, n, p=FLOAT_P))


def test_the_sample_of_a_wrong_sampler_is_wrong_and_says_where(judged):
    [finding] = judged("pair.npz", {"p": FLOAT_P, "q": FLOAT_Q, "tokens": redrawn_from_p(20_000)})
    assert finding.verdict == WRONG
    assert ": not this law; token 1: drawn " in finding.sentence
    assert (finding.sample["wrong"], finding.sample["p_value"] < 1e-10) == (True, True)


def test_a_small_sample_of_an_exact_pair_has_an_exact_p_value(judged):
    [finding] = judged("pair.json", {"p": ["1/2", "1/2"], "q": [1, 0], "tokens": [0] * 9 + [1]})
    assert (finding.verdict, finding.sample["test"], finding.sample["exact_p_value"]) == (HOLDS, "exact", "11/512")
    [finding] = judged("pair.json", {"p": ["1/2", "1/2"], "q": [1, 0], "tokens": [0] * 11})
    assert (finding.verdict, finding.sample["exact_p_value"]) == (WRONG, "1/1024")


def test_the_level_of_a_row_is_its_share(judged):
    tokens = {"p": ["1/2", "1/2"], "q": [1, 0], "tokens": [0] * 11}
    assert verdicts(judged("pair.json", tokens, level=read_settings(top_p="1/1000").top_p)) == [WRONG]
    assert verdicts(judged("pair.json", tokens, level=read_settings(top_p="1/1025").top_p)) == [HOLDS]


def test_a_token_that_cannot_come_is_wrong_at_once(judged):
    for p, q in ((["1/2", "1/2", 0], ["1/2", 0, "1/2"]), ([0.5, 0.5, 0.0], [0.5, 0.0, 0.5])):
        [finding] = judged("pair.json", {"p": p, "q": q, "tokens": [0, 1, 2]})
        assert finding.verdict == WRONG
        assert finding.sentence.endswith(
            "p-value 0 (impossible), level 0.001: not this law; token 2: drawn once, its exact probability is 0"
        )


def test_an_output_and_a_sample_are_both_judged(judged):
    pair = {"p": ["1/2", "1/2"], "q": [1, 0]}
    good, bad = {"dist": ["1/2", "1/2"], "tokens": [0, 1] * 20}, {"dist": [1, 0], "tokens": [0] * 40}
    for dist, tokens, verdict in ((good, good, HOLDS), (good, bad, WRONG), (bad, good, WRONG), (bad, bad, WRONG)):
        [finding] = judged("pair.json", pair | {"dist": dist["dist"], "tokens": tokens["tokens"]})
        assert (finding.verdict, finding.sample["wrong"]) == (verdict, tokens is bad)


def test_samples_of_unlike_sizes_stand_in_one_file(judged, saved):
    table = {"p": [[0.5, 0.5]] * 3, "q": [[1.0, 0.0]] * 3, "tokens": [[0], [0, 1, 1], [1] * 30]}
    findings = judged("ragged.json", table)
    assert verdicts(findings) == [HOLDS, HOLDS, WRONG]
    assert [finding.sample["n"] for finding in findings] == [1, 3, 30]
    assert "p has 3 rows but tokens has 2" in refusal(saved("few.json", table | {"tokens": [[0], [1]]}))
    assert "so tokens is a list of rows" in refusal(saved("flat.json", table | {"tokens": [0, 1, 1]}))
    arrays = {"p": np.full((3, 2), 0.5), "q": np.full((3, 2), 0.5), "counts": np.ones((2, 2), int)}
    assert "p has shape (3, 2) but counts has shape (2, 2)" in refusal(saved("few.npz", arrays))


def test_logits_may_have_a_sample(judged):
    settings = read_settings(top_k=2)
    p, q = (law_of_logits(z, settings) for z in (LOGITS_P, LOGITS_Q))
    _, _, tokens = rejection_sample(p, q, np.random.default_rng(0), size=5000)
    row = {"p_logits": LOGITS_P, "q_logits": LOGITS_Q, "tokens": tokens.tolist()}
    [finding] = judged("pair.json", row, settings=settings)
    assert (finding.verdict, list(finding.conversion), finding.sample["n"]) == (HOLDS, ["p", "q"], 5000)
    assert verdicts(judged("pair.json", row)) == [WRONG]  # without top-k these are not the laws


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ({"tokens": [3]}, "tokens[0]=3: an id of 3 tokens is from 0 to 2"),
        ({"tokens": [-1]}, "tokens[0]=-1: "),
        ({"tokens": [0.0]}, "tokens[0]=0.0: an id is a whole number"),
        ({"tokens": []}, "tokens=[]: a sample has at least one token"),
        ({"tokens": "012"}, "tokens='012': this is a list of whole numbers"),
        ({"tokens": [[0]]}, "tokens[0]=[0]: an id is a whole number"),
        ({"counts": [1, 2]}, "counts has 2 entries: the law is over 3 tokens"),
        ({"counts": [1, -1, 1]}, "counts[1]=-1: a count is from 0 to 2^53"),
        ({"counts": [0, 0, 0]}, "counts sums to 0: a sample has from 1 to 2^53 tokens"),
        ({"counts": [1.5, 0, 0]}, "counts[0]=1.5: a count is a whole number"),
    ],
)
def test_a_sample_that_is_none_makes_a_bad_row(judged, sample, why):
    good, bad = judged("rows.json", [{"p": P, "q": Q}, {"p": P, "q": Q, **sample}])
    assert (good.verdict, bad.name, bad.verdict) == (HOLDS, "row 1", BAD)
    assert bad.sentence.startswith(why)


@pytest.mark.parametrize("rule", WRONG_RULES)
def test_the_samples_of_every_rule_with_a_wrong_law_are_rejected(rule):
    found = sample_self_check(rule)
    assert (found is None) == (WRONG_RULES[rule].lossless or rule == "low-precision-draft")


def test_samples_of_a_right_rule_are_not_rejected():
    assert sample_self_check("standard") is None
    assert sample_self_check()[1].startswith("sample of 100: p-value ")


# ---- the names of laws


def test_a_wrong_output_in_floats_is_named_if_it_is_a_known_law(judged):
    pair = {"p": [0.5, 0.25, 0.25], "q": [0.125, 0.375, 0.5]}
    (redrawn,) = judged(
        "rows.json", [{**pair, "dist": [0.125 + 0.375 * 0.5, 0.25 + 0.375 * 0.25, 0.25 + 0.375 * 0.25]}]
    )
    assert redrawn.verdict == WRONG
    assert redrawn.sentence.endswith("; another law: redraw-from-p")
    (unknown,) = judged("rows.json", [{**pair, "dist": [0.25, 0.125, 0.625]}])
    assert unknown.sentence.endswith("; no known law")
    (right,) = judged("rows.json", [{**pair, "dist": pair["p"]}])
    assert (right.verdict, right.ledger) == (HOLDS, ())
    assert "law:" not in right.sentence
    (alpha,) = judged("rows.json", [{**pair, "alpha": 0.5}])
    assert "law:" not in alpha.sentence


def test_a_row_too_long_to_name_its_law_is_only_wrong(judged):
    p, q = [1 / 65] * 65, [1.0] + [0.0] * 64
    (found,) = judged("rows.json", [{"p": p, "q": q, "dist": q}])
    assert found.verdict == WRONG
    assert "law" not in found.sentence.partition("wrong; ")[2]
    (copied,) = judged("rows.json", [{"p": p, "q": q, "dist": p}])
    assert copied.fits == "non-discriminating: p itself, copied, is within the bound here too"


@pytest.mark.parametrize("wrong", ["zeros", "draft", "half of the tail gone"])
def test_what_is_near_at_every_token_and_far_in_all_is_wrong(wrong):
    """In float16 the rounding of a long sum is more than any one token of these has."""
    V = 20_000
    p, q = np.full(V, 1 / V).astype(np.float16), np.repeat([0, 2 / V], V // 2).astype(np.float16)
    dist = {"zeros": 0 * p, "draft": q, "half of the tail gone": np.where(np.arange(V) % 2, p, 0)}[wrong]
    check = cross_check(p, q, dist)
    assert check.verdict == "wrong"
    assert cross_check(p, q, p).verdict != "wrong"


@pytest.mark.parametrize("least", [2.0**-23, -(2.0**-23)])
def test_where_the_law_is_0_nothing_but_0_is_within_the_bound(least):
    p, q = (np.array([*law, *[0.0] * 1000], np.float16) for law in ([0.5, 0.5], [0.25, 0.75]))
    dist = np.where(p > 0, p, np.float16(least))
    assert judge(row(p=p, q=q, dist=p)).verdict == HOLDS
    assert judge(row(p=p, q=q, dist=dist)).verdict != HOLDS
    assert judge(row(p=p, q=q, dist=dist), strict=True).verdict == WRONG


@pytest.mark.parametrize("name", ["Dist", "dists", "token", "p_logit", "alpha_"])
def test_a_field_that_is_nearly_one_of_ours_is_not_passed_over(judged, name):
    (found,) = judged("rows.json", [{"p": [0.5, 0.5], "q": [0.0, 1.0], name: [0.9, 0.1]}])
    assert found.verdict == BAD
    assert f"{name} is no field, and close to " in found.sentence
    (held,) = judged("rows.json", [{"p": [0.5, 0.5], "q": [0.0, 1.0], "comment": "mine", "id": 7}])
    assert held.verdict == HOLDS


def test_rows_together_tell_more_than_each_of_them(judged):
    pairs = [([0.4, 0.3, 0.3], [0.1, 0.2, 0.7]), ([0.5, 0.25, 0.25], [0.125, 0.375, 0.5])]
    redrawn = [{"p": p, "q": q, "dist": redraw_from_p(p, q)} for p, q in pairs]
    assert together(judged("rows.json", redrawn)) == "together: another law: redraw-from-p"
    right = [{"p": p, "q": q, "dist": p} for p, q in pairs]
    assert together(judged("rows.json", right)).startswith(
        "together: non-discriminating: these rows cannot tell it from p"
    )
    mixed = [redrawn[0], right[1]]
    assert together(judged("rows.json", mixed)) == "together: no known law"
    assert together(judged("rows.json", right[:1])) == ""


def redraw_from_p(p, q):
    m = np.minimum(p, q)
    return (m + (1 - m.sum()) * np.array(p)).tolist()
