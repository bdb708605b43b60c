"""Pairs from a file, and somebody's output for them: .json, .npz or .npy.

.json   {"p": [...], "q": [...]} or a list of such, numbers or strings such as "1/3"; optionally "dist" and "alpha"
.npz    arrays p and q, [V] or [N, V]; optionally dist, shaped alike, and alpha, a number or [N]
.npy    one array [2, V], or [N, 2, V]: p and q

A row that is no pair of laws is named, and the rest is checked all the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from exact import emitted_distribution, total_variation
from exact.reading import LawError, brief, figure, read_law, read_number, show
from numeric import cross_check
from numeric.rounding import PRECISIONS

HOLDS, WRONG, BAD = "holds", "wrong", "bad"


@dataclass(frozen=True)
class Row:
    """One pair as it stands in the file; dist and alpha are None where they are not given."""

    name: str
    p: Any
    q: Any
    dist: Any = None
    alpha: Any = None


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
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise unreadable(path, error.strerror or error) from None
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"it is not whole JSON: {error}") from None
    for i, row in enumerate(data if isinstance(data, list) else [data]):
        fields = row if isinstance(row, dict) else {}
        yield Row(f"row {i}", fields.get("p"), fields.get("q"), fields.get("dist"), fields.get("alpha"))


def npz_rows(path: str) -> Iterator[Row]:
    arrays = load(path)
    if not hasattr(arrays, "files"):
        raise unreadable(path, "it holds one array and no names")
    missing = [name for name in ("p", "q") if name not in arrays.files]
    if missing:
        raise unreadable(path, f"no array {' and '.join(missing)} among {', '.join(arrays.files) or 'none'}")
    return table_rows(path, *(member(arrays, name, path) for name in ("p", "q", "dist", "alpha")))


def npy_rows(path: str) -> Iterator[Row]:
    array = load(path)
    if getattr(array, "ndim", 0) not in (2, 3) or array.shape[-2] != 2:
        raise unreadable(
            path, f"an array of pairs is [2, V] or [N, 2, V], this is {getattr(array, 'shape', 'several')}"
        )
    return table_rows(path, array[..., 0, :], array[..., 1, :], None, None)


def load(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        raise unreadable(path, error.strerror or "it is not a whole numpy file") from None
    except Exception as error:  # a file of any bytes: zipfile, tokenizer and numpy each have their own errors
        raise unreadable(path, f"it is not a whole numpy file of plain numbers: {brief(str(error))}") from None


def member(arrays: Any, name: str, path: str) -> Any:
    try:
        return arrays[name] if name in arrays.files else None
    except Exception as error:
        raise unreadable(path, f"array {name} is damaged or not of plain numbers: {brief(str(error))}") from None


def table_rows(path: str, p: Any, q: Any, dist: Any, alpha: Any) -> Iterator[Row]:
    """[V] is one row, [N, V] are N; an array that has not as many rows as p is refused."""
    if p.ndim < 2:
        yield Row("row 0", p, q, dist, alpha)
        return
    for name, array in (("q", q), ("dist", dist), ("alpha", alpha)):
        if array is not None and (array.ndim == 0 or len(array) != len(p)):
            raise unreadable(path, f"p has {len(p)} rows but {name} has shape {array.shape}")
    for i in range(len(p)):
        yield Row(f"row {i}", p[i], q[i], *(None if array is None else array[i] for array in (dist, alpha)))


def unreadable(path: str, why: object) -> LawError:
    return LawError(f"pairs={path}: a file of pairs can be read ({why}); mend it, or give another")


# ---- judging a row


def judge(row: Row, strict: bool = False) -> Finding:
    """The exact law of the pair, ours in floats, and the given output, if any, certified against them."""
    try:
        p, q = read_law(row.p, "p"), read_law(row.q, "q")
        dist, alpha = emitted_distribution(row.p, row.q)
    except LawError as error:
        return Finding(row.name, BAD, str(error))
    said = f"V = {len(p)}, alpha = {show(alpha)}, TV(p, q) = {show(total_variation(p, q))}"
    if any(map(is_float, (row.p, row.q, row.dist, row.alpha))):
        return judge_floats(row, said, strict)
    if row.dist is None and row.alpha is None:
        return Finding(row.name, HOLDS, f"{said}, dist == p: {dist == p}")
    return judge_exactly(row, said, dist, alpha)


def is_float(values: Any) -> bool:
    return any(isinstance(x, float | np.floating) for x in (values if hasattr(values, "__iter__") else [values]))


def judge_exactly(row: Row, said: str, dist: Any, alpha: Fraction) -> Finding:
    try:
        got = None if row.dist is None else read_law(row.dist, "dist")
        rate = None if row.alpha is None else read_number(row.alpha, "alpha")
    except LawError as error:
        return Finding(row.name, WRONG, str(error))
    if got is not None and dist != got:
        return Finding(row.name, WRONG, f"dist: wanted {dist!r}, got ({', '.join(map(show, got))})")
    if rate is not None and alpha != rate:
        return Finding(row.name, WRONG, f"alpha: wanted {show(alpha)}, got {show(rate)}")
    return Finding(row.name, HOLDS, f"{said}, the given output is exactly the law")


def judge_floats(row: Row, said: str, strict: bool) -> Finding:
    p, q = as_floats(row.p), as_floats(row.q)
    check = cross_check(p, q, row.dist, row.alpha)
    size = "" if check.rounding is None else f"rounding at most {figure(check.rounding.ulps)} ulp, "
    figures = f"{said}, {size}defect at most {figure(abs(check.defect.size))}"
    verdict = HOLDS if check.holds(strict) else WRONG
    return Finding(row.name, verdict, f"{figures}: {check.verdict}{'; ' if check.reason else ''}{check.reason}",
                   note=verdict == HOLDS and bool(check.reason))  # fmt: skip


def as_floats(values: Any) -> Any:
    """Floats of one kind stay as they are; exact numbers become the nearest float64."""
    if getattr(values, "dtype", None) is not None and values.dtype.name in PRECISIONS:
        return values
    return np.array([float(read_number(x)) for x in values])
