"""Pairs from a file, and somebody's output for them: .json, .npz or .npy.

.json   {"p": [...], "q": [...]} or a list of such, numbers or strings such as "1/3"; optionally "dist" and "alpha";
        or one object whose "p" and "q" (and "dist") are N lists each, and "alpha" N numbers
.npz    arrays p and q, [V] or [N, V]; optionally dist, shaped alike, and alpha, a number or [N]
.npy    one array [2, V], or [N, 2, V]: p and q

A row that is no pair of laws is named, and the rest is checked all the same.  An output is judged as floats where
there is a float in its row, in the precision of dist, or else exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from exact import rejection_law, total_variation
from exact.reading import MOST_DIGITS, LawError, Numbers, brief, figure, read_law, read_laws, read_number, show
from exact.rules import SELF_CHECK_RULE, law_of
from exact.search import Pair, smallest
from numeric import cross_check
from numeric.rounding import PRECISIONS
from proof.front.check import broken

HOLDS, WRONG, BAD = "holds", "wrong", "bad"
FIELDS = ("p", "q", "dist", "alpha")
NPY, ZIP = b"\x93NUMPY", b"PK"  # how a .npy and a .npz file begin


@dataclass(frozen=True)
class Row:
    """One pair as it stands in the file; dist and alpha are None where they are not given; fault: why it is none."""

    name: str
    p: Any = None
    q: Any = None
    dist: Any = None
    alpha: Any = None
    fault: str = ""


@dataclass(frozen=True)
class Finding:
    """What became of a row: holds, wrong (the given output is not the law) or bad (no pair of laws); and a sentence."""

    name: str
    verdict: str
    sentence: str
    note: bool = False  # right, but badly conditioned


# ---- reading the file


def read_rows(path: str) -> list[Row]:
    """The rows of a file; LawError where there is no such file, or none in it."""
    readers = {".json": json_rows, ".npz": npz_rows, ".npy": npy_rows}
    reader = readers.get(Path(path).suffix.lower())
    if reader is None:
        raise LawError(f"pairs={path}: a file of pairs ends in .json, .npz or .npy; convert it")
    rows = list(reader(path))
    if not rows:
        raise LawError(f"pairs={path}: a file of pairs has at least one, this has none; give another")
    return rows


def json_rows(path: str) -> Iterator[Row]:
    try:
        data = json.loads(Path(path).read_bytes(), parse_int=integer)
    except OSError as error:
        raise unreadable(path, error.strerror or error) from None
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"it is not whole JSON: {error}") from None
    if isinstance(data, dict) and (has_rows(data.get("p")) or has_rows(data.get("q"))):
        data = json_table(path, data)
    for i, row in enumerate(data if isinstance(data, list) else [data]):
        yield json_row(f"row {i}", row)


def has_rows(values: Any) -> bool:
    return isinstance(values, list) and any(isinstance(row, list) for row in values)


def json_table(path: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """[N, V] as N objects, by the rules of .npz: what has not as many rows as p is refused."""
    fields = [field for field in FIELDS if data.get(field) is not None]
    missing = [field for field in ("p", "q") if field not in fields]
    if missing:
        raise unreadable(path, f"no {' and '.join(missing)} among {brief(list(data))}")
    for field in fields:
        if not is_table(data[field], of_lists=field != "alpha"):
            what = "a list of numbers" if field == "alpha" else "a list of rows"
            raise unreadable(path, f"p and q are [N, V], so {field} is {what}, this is {brief(data[field])}")
        if len(data[field]) != len(data["p"]):
            raise unreadable(path, f"p has {len(data['p'])} rows but {field} has {len(data[field])}")
    return [{field: data[field][i] for field in fields} for i in range(len(data["p"]))]


def is_table(values: Any, of_lists: bool) -> bool:
    return isinstance(values, list) and all(isinstance(row, list) is of_lists for row in values)


def integer(digits: str) -> int | str:
    """An integer of JSON; one that is too long for Python to read stays a string, and its row is named."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def json_row(name: str, row: Any) -> Row:
    if not isinstance(row, dict):
        return Row(name, fault=f"{brief(row)}: a row is an object with p and q; write one")
    missing = [field for field in ("p", "q") if field not in row]
    if missing:
        return Row(name, fault=f"no {' and '.join(missing)} among {brief(list(row))}: a row has p and q; name them so")
    return Row(name, row["p"], row["q"], row.get("dist"), row.get("alpha"))


def npz_rows(path: str) -> Iterator[Row]:
    arrays = load(path)
    if not isinstance(arrays, dict):
        raise unreadable(path, "it holds one array and no names")
    missing = [name for name in ("p", "q") if name not in arrays]
    if missing:
        raise unreadable(path, f"no array {' and '.join(missing)} among {', '.join(arrays) or 'none'}")
    return table_rows(path, *map(arrays.get, FIELDS))


def npy_rows(path: str) -> Iterator[Row]:
    array = load(path)
    if isinstance(array, dict):
        raise unreadable(path, "it holds arrays by name, as a .npz file does")
    if array.ndim not in (2, 3) or array.shape[-2] != 2:
        raise unreadable(path, f"an array of pairs is [2, V] or [N, 2, V], this is {array.shape}")
    return table_rows(path, array[..., 0, :], array[..., 1, :], None, None)


def load(path: str) -> Any:
    """The array of a .npy file; the arrays of a .npz file by name, None for a name that nobody asks for."""
    try:
        with open(path, "rb") as file:
            if not file.read(len(NPY)).startswith((NPY, ZIP)):
                raise LawError("it does not begin as a numpy file does")
            file.seek(0)
            arrays = np.load(file, allow_pickle=False)
            names = getattr(arrays, "files", None)
            return arrays if names is None else {name: member(arrays, name) for name in names}
    except LawError as error:
        raise unreadable(path, error) from None
    except OSError as error:
        raise unreadable(path, error.strerror or "it is not a whole numpy file") from None
    except Exception as error:  # a file of any bytes: zipfile, tokenizer and numpy each have their own errors
        raise unreadable(path, f"it is not a whole numpy file of plain numbers: {brief(str(error))}") from None


def member(arrays: Any, name: str) -> Any:
    if name not in FIELDS:
        return None
    try:
        array = arrays[name]
    except Exception as error:
        raise LawError(f"array {name} is damaged or not of plain numbers: {brief(str(error))}") from None
    if not isinstance(array, np.ndarray):  # a zip file may hold anything
        raise LawError(f"{name} is no array of numpy")
    return array


def table_rows(path: str, p: Any, q: Any, dist: Any, alpha: Any) -> Iterator[Row]:
    """[V] is one row, [N, V] are N; an array that has not as many rows as p is refused."""
    if p.ndim not in (1, 2):
        raise unreadable(path, f"laws are [V] or [N, V], p has shape {p.shape}")
    if p.ndim == 1:
        p, q, dist = (None if array is None else array[np.newaxis] for array in (p, q, dist))
        alpha = None if alpha is None else alpha.reshape(-1)
    for name, array, ndim in (("q", q, 2), ("dist", dist, 2), ("alpha", alpha, 1)):
        if array is not None and (array.ndim != ndim or len(array) != len(p)):
            raise unreadable(path, f"p has shape {p.shape} but {name} has shape {array.shape}")
    for i in range(len(p)):
        yield Row(f"row {i}", p[i], q[i], None if dist is None else dist[i], None if alpha is None else alpha[i])


def unreadable(path: str, why: object) -> LawError:
    return LawError(f"pairs={path}: a file of pairs can be read ({why}); mend it, or give another")


# ---- judging a row


def self_check(wrong: str = SELF_CHECK_RULE) -> tuple[Pair, str] | None:
    """The smallest pair on which the output of a wrong rule is found wrong, as fractions and as floats, and why.

    >>> self_check()[1]
    'dist[0]: wanted 1/2, got 1/4, off by 1/4'
    """

    def reason(p: Numbers, q: Numbers) -> str | None:
        dist, alpha = law_of(wrong)(p, q)
        exact = judge(Row("", list(p), list(q), list(dist), alpha))
        floats = judge(Row("", list(map(float, p)), list(map(float, q)), list(map(float, dist)), float(alpha)))
        return exact.sentence if exact.verdict == floats.verdict == WRONG else None

    return smallest(reason)


def judge(row: Row, strict: bool = False) -> Finding:
    """The exact law of the pair, ours in floats, and the given output, if any, certified against them."""
    try:
        p, q = read_row(row)
    except LawError as error:
        return Finding(row.name, BAD, str(error))
    said = f"V = {len(p)}, alpha = {short(rejection_law(p, q)[1])}, TV(p, q) = {short(total_variation(p, q))}"
    try:
        if any(map(is_float, (row.p, row.q, row.dist, row.alpha))):
            return judge_floats(row, said, strict)
        given = "dist == p: True" if row.dist is None and row.alpha is None else "the given output is exactly the law"
        reason = broken(p, q) or difference(row, p, q)
    except LawError as error:
        return Finding(row.name, WRONG, str(error))
    return Finding(row.name, WRONG if reason else HOLDS, reason or f"{said}, {given}")


def short(x: Fraction) -> str:
    """A fraction of at most twenty characters, otherwise six digits of it.

    >>> short(Fraction(5, 6)), short(Fraction(0.1)), short(Fraction(1, 3**100))
    ('5/6', 'about 0.1', 'about 1.94033E-48')
    """
    text = show(x)
    return text if len(text) <= 20 else f"about {float(x):.6g}"  # not too small for a float: `show` has 128 bits


def read_row(row: Row) -> tuple[Numbers, ...]:
    """p and q, each read exactly; LawError where they are no pair, or the output is in no precision of ours."""
    if row.fault:
        raise LawError(row.fault)
    for name, values in (("dist", row.dist), ("alpha", row.alpha)):
        if getattr(getattr(values, "dtype", None), "kind", "") == "f" and values.dtype.name not in PRECISIONS:
            raise LawError(f"{name} has dtype {values.dtype}: it is judged in float32 or float64; save one of them")
    return read_laws(plain(row.p), plain(row.q))


def plain(values: Any) -> Any:
    """A vector of numpy as Python's numbers, which print as such; float32 stays, as its sum is read by its precision,
    unless an entry is not finite, which is an error in every precision."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return values
    exact, double = values.dtype.kind in "iuUb", values.dtype.name == "float64"
    narrow = values.dtype.name in ("float16", "float32") and not np.isfinite(values).all()
    return values.tolist() if exact or double or narrow else values


def is_float(values: Any) -> bool:
    return any(isinstance(x, float | np.floating) for x in (values if hasattr(values, "__iter__") else [values]))


def difference(row: Row, p: Numbers, q: Numbers) -> str:
    """Where a given output first differs from p and 1 - TV(p, q), "" where it does not; LawError if it is no law."""
    dist = p if row.dist is None else read_law(plain(row.dist), "dist")
    wanted = 1 - total_variation(p, q)
    alpha = wanted if row.alpha is None else read_number(row.alpha, "alpha")
    if len(dist) != len(p):
        return f"dist has {len(dist)} entries: wanted {len(p)}"
    named = [("alpha", wanted, alpha), *((f"dist[{x}]", a, b) for x, (a, b) in enumerate(zip(p, dist, strict=True)))]
    wrong = ((name, a, b) for name, a, b in named if a != b)
    return next((f"{name}: wanted {show(a)}, got {show(b)}, off by {show(abs(a - b))}" for name, a, b in wrong), "")


def judge_floats(row: Row, said: str, strict: bool) -> Finding:
    p, q = as_floats(row.p, "p"), as_floats(row.q, "q")
    dist = None if row.dist is None else as_floats(row.dist, "dist")
    alpha = None if row.alpha is None else as_float(row.alpha, "alpha")
    check = cross_check(p, q, dist, alpha, dtype=kind(row.alpha) if dist is None else None)
    verdict = HOLDS if check.holds(strict) else WRONG
    what = "rounding" if verdict == HOLDS else "off by"
    size = "" if check.rounding is None else f"{what} at most {figure(check.rounding.ulps)} ulp, "
    figures = f"{said}, {size}defect at most {figure(abs(check.defect.size))}"
    return Finding(row.name, verdict, f"{figures}: {check.verdict}{'; ' if check.reason else ''}{check.reason}",
                   note=verdict == HOLDS and bool(check.reason))  # fmt: skip


def kind(values: Any) -> str | None:
    """float32 or float64, None for anything that does not say which."""
    name = getattr(getattr(values, "dtype", None), "name", None)
    return name if name in PRECISIONS else None


def as_floats(values: Any, name: str) -> Any:
    """Floats of one kind stay as they are; exact numbers become the nearest float64; LawError where one is neither."""
    if kind(values):
        return values
    if not isinstance(values, list | np.ndarray):
        raise LawError(f"{name}={brief(values)}: this is a list of numbers, not {type(values).__name__}; give one")
    return np.array([as_float(x, f"{name}[{i}]") for i, x in enumerate(values)])


def as_float(value: Any, name: str) -> float:
    if isinstance(value, float | np.floating):
        return float(value)
    return nearest(read_number(value, name))


def nearest(x: Fraction) -> float:
    """
    >>> nearest(Fraction(1, 3)), nearest(Fraction(10**400))
    (0.3333333333333333, inf)
    """
    try:
        return float(x)
    except OverflowError:
        return inf if x > 0 else -inf
