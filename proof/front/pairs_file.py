"""Pairs from a file, and somebody's output or sample for them: .json, .npz or .npy.

.json   {"p": [...], "q": [...]} or a list of such, numbers or strings such as "1/3"; or one object whose fields are
        lists of N rows each
.npz    arrays p and q, [V] or [N, V]
.npy    one array [2, V], or [N, 2, V]: p and q

In .json and .npz a row may have, beside p and q:

p_logits, q_logits   in the place of p and q: [V] logits, made a law by `numeric.logits`
dist, alpha          somebody's output: the law of the emitted token, [V], and the acceptance probability
tokens               somebody's sample: ids of emitted tokens, [n]; lists in .json may differ in length
counts               or how often each token was emitted, [V]

A row that is no pair of laws, or whose sample is none, is named, and the rest is checked all the same.  An output is
judged as floats where there is a float in its row, in the precision of dist, or else exactly; a sample by
`numeric.samples`.

Rows of a .npy file and of arrays saved uncompressed (`np.savez`) stay on the disk until they are looked at; an array
of `np.savez_compressed` is read whole, and JSON too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from itertools import takewhile
from math import inf, prod
from operator import and_
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from exact import rejection_law, total_variation
from exact.dyadic import SCALE, float_law
from exact.reading import (
    MOST_DIGITS,
    LawError,
    Numbers,
    brief,
    figure,
    over_common_denominator,
    read_law,
    read_number,
    show,
)
from exact.rules import SELF_CHECK_RULE, law_of
from exact.search import Pair, smallest
from numeric import cross_check
from numeric.ledger import ledger
from numeric.naming import ANOTHER_LAW, NON_DISCRIMINATING, Naming, naming
from numeric.naming import MOST as MOST_NAMED
from numeric.logits import AS_GIVEN, Conversion, Settings, conversion, law_of_logits
from numeric.rejection import read_floats, require_laws
from numeric.crosscheck import WITHIN
from numeric.rounding import PRECISIONS
from numeric.samples import LEVEL, Sample, expected_law, judge_sample, read_counts, read_tokens
from proof.front.book import text as ledger_text
from proof.front.check import broken

HOLDS, NEAR, WRONG, BAD = "holds", "near", "wrong", "bad"
SIDES = ("p", "q")
FIELDS = ("p", "p_logits", "q", "q_logits", "dist", "alpha", "tokens", "counts")
ONE_OF = (("p", "p_logits"), ("q", "q_logits"), ("tokens", "counts"))
NPY, ZIP = b"\x93NUMPY", b"PK"  # how a .npy and a .npz file begin
CHUNK = 2**18  # bytes read at a time, where a checksum is compared


@dataclass(frozen=True)
class Row:
    """One pair as it stands in the file; what is not given is None; fault: why it is none."""

    name: str
    p: Any = None
    q: Any = None
    dist: Any = None
    alpha: Any = None
    p_logits: Any = None
    q_logits: Any = None
    tokens: Any = None
    counts: Any = None
    fault: str = ""

    @property
    def has_logits(self) -> bool:
        return self.p_logits is not None or self.q_logits is not None

    @property
    def has_sample(self) -> bool:
        return self.tokens is not None or self.counts is not None


@dataclass(frozen=True)
class Finding:
    """What became of a row: holds, near (not certified, see `numeric.crosscheck`), wrong (the given output or sample is
    not the law) or bad (no pair of laws, or no sample); and a sentence.  fits: the known laws that the output can be,
    or that the pair cannot tell from the right one; conversion: by side, what float64 has made of its logits; sample:
    what the test found."""

    name: str
    verdict: str
    sentence: str
    fits: str = ""
    named: Naming | None = None
    conversion: dict[str, Any] = field(default_factory=dict)
    sample: dict[str, Any] | None = None
    ledger: tuple[str, ...] = ()  # line by line


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


def unreadable(path: str, why: object) -> LawError:
    return LawError(f"pairs={path}: this cannot be read as a file of pairs ({why}); mend it, or give another")


def missing(given: Any) -> list[str]:
    """The sides of which neither a law nor logits are among these names."""
    return [side for side in SIDES if side not in given and f"{side}_logits" not in given]


def misspelt(given: Any) -> str:
    """The first name that is nearly one of FIELDS, and would otherwise be passed over, in words.

    >>> misspelt(["p", "q", "Dist", "comment"])
    'Dist is no field, and close to dist'
    """
    strangers = [name for name in given if isinstance(name, str) and name not in FIELDS]
    close = ((name, get_close_matches(name.lower(), FIELDS, 1, 0.75)) for name in strangers)
    return next((f"{name} is no field, and close to {known[0]}" for name, known in close if known), "")


def twice(given: Any) -> str:
    """A sentence where one thing is given in two ways, "" where nothing is."""
    both = next(((a, b) for a, b in ONE_OF if a in given and b in given), None)
    return f"{both[0]} and {both[1]}: one of them says it all; leave out the other" if both else ""


# ---- JSON


def json_rows(path: str) -> Iterator[Row]:
    try:
        data = json.loads(Path(path).read_bytes(), parse_int=integer)
    except OSError as error:
        raise unreadable(path, error.strerror or error) from None
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"it is not whole JSON: {error}") from None
    if isinstance(data, dict) and any(has_rows(data.get(name)) for name in FIELDS[:4]):
        data = json_table(path, data)
    for i, row in enumerate(data if isinstance(data, list) else [data]):
        yield json_row(f"row {i}", row)


def has_rows(values: Any) -> bool:
    return isinstance(values, list) and any(isinstance(row, list) for row in values)


def json_table(path: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """[N, V] as N objects, by the rules of .npz: what has not as many rows as p is refused."""
    given = [name for name in FIELDS if data.get(name) is not None]
    if missing(given):
        raise unreadable(path, f"no {' and '.join(missing(given))} among {brief(list(data))}")
    for name in given:
        if not is_table(data[name], of_lists=name != "alpha"):
            what = "a list of numbers" if name == "alpha" else "a list of rows"
            raise unreadable(path, f"p and q are [N, V], so {name} is {what}, this is {brief(data[name])}")
        if len(data[name]) != len(data[given[0]]):
            raise unreadable(path, f"{given[0]} has {len(data[given[0]])} rows but {name} has {len(data[name])}")
    return [{name: data[name][i] for name in given} for i in range(len(data[given[0]]))]


def is_table(values: Any, of_lists: bool) -> bool:
    return isinstance(values, list) and all(isinstance(row, list) is of_lists for row in values)


def integer(digits: str) -> int | str:
    """An integer of JSON; one that is too long for Python to read stays a string, and its row is named."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def json_row(name: str, row: Any) -> Row:
    if not isinstance(row, dict):
        return Row(name, fault=f"{brief(row)}: a row is an object with p and q; write one")
    if missing(row):
        sides = " and ".join(missing(row))
        return Row(name, fault=f"no {sides} among {brief(list(row))}: a row has p and q; name them so")
    given = {key: row[key] for key in FIELDS if row.get(key) is not None}
    strange = misspelt(row)
    return Row(name, **given, fault=f"{strange}; name it so, or otherwise" if strange else twice(given))


# ---- files of numpy


def npz_rows(path: str) -> Iterator[Row]:
    arrays = load(path)
    if not isinstance(arrays, dict):
        raise unreadable(path, "it holds one array and no names")
    if missing(arrays):
        raise unreadable(path, f"no array {' and '.join(missing(arrays))} among {', '.join(arrays) or 'none'}")
    if misspelt(arrays) or twice(arrays):
        raise unreadable(path, misspelt(arrays) or twice(arrays))
    return table_rows(path, {name: arrays[name] for name in FIELDS if name in arrays})


def npy_rows(path: str) -> Iterator[Row]:
    array = load(path)
    if isinstance(array, dict):
        raise unreadable(path, "it holds arrays by name, as a .npz file does")
    if array.ndim not in (2, 3) or array.shape[-2] != 2:
        raise unreadable(path, f"an array of pairs is [2, V] or [N, 2, V], this is {array.shape}")
    return table_rows(path, {"p": array[..., 0, :], "q": array[..., 1, :]})


def load(path: str) -> Any:
    """The array of a .npy file, on the disk; those of a .npz file by name, None for a name that nobody asks for."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(NPY))
        if start.startswith(NPY):
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        if start.startswith(ZIP):
            return npz_arrays(path)
        raise LawError("it does not begin as a numpy file does")
    except LawError as error:
        raise unreadable(path, error) from None
    except OSError as error:
        raise unreadable(path, error.strerror or "it is not a whole numpy file") from None
    except Exception as error:  # a file of any bytes: zipfile, tokenizer and numpy each have their own errors
        raise unreadable(path, f"it is not a whole numpy file of plain numbers: {brief(str(error))}") from None


def npz_arrays(path: str) -> dict[str, Any]:
    with ZipFile(path) as archive:
        infos = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        return {name: member(path, archive, info) if name in FIELDS else None for name, info in infos.items()}


def member(path: str, archive: ZipFile, info: ZipInfo) -> Any:
    """One array of a .npz file: on the disk where it is not compressed, otherwise in memory."""
    name = info.filename.removesuffix(".npy")
    try:
        with archive.open(info) as file:
            if file.read(len(NPY)) != NPY:  # a zip file may hold anything
                raise LawError(f"{name} is no array of numpy")
            file.seek(0)
            if info.compress_type != ZIP_STORED:
                return npy.read_array(file, allow_pickle=False)
            return mapped(path, info, file)
    except LawError:
        raise
    except Exception as error:
        raise LawError(f"array {name} is damaged or not of plain numbers: {brief(str(error))}") from None


def mapped(path: str, info: ZipInfo, file: IO[bytes]) -> Any:
    """The array on the disk that an uncompressed member is; its checksum is compared first, a chunk at a time."""
    version = npy.read_magic(file)
    shape, fortran, dtype = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(file)
    start, size = file.tell(), prod(shape) * dtype.itemsize
    while file.read(CHUNK):  # at the end zipfile raises where the checksum is another
        pass
    if dtype.hasobject or start + size != info.file_size:
        raise ValueError(f"{info.file_size - start} bytes are no {dtype} of shape {shape}")
    if not size:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, dtype, "r", offset_of(path, info) + start, shape, "F" if fortran else "C"))


def offset_of(path: str, info: ZipInfo) -> int:
    """Where the bytes of a member begin: after its own header, 30 bytes, a name and an extra field of any length."""
    with open(path, "rb") as file:
        file.seek(info.header_offset + 26)
        name, extra = struct.unpack("<HH", file.read(4))
    return info.header_offset + 30 + int(name) + int(extra)


def table_rows(path: str, arrays: dict[str, Any]) -> Iterator[Row]:
    """[V] is one row, [N, V] are N; an array that has not as many rows as p is refused."""
    first, laws = next(iter(arrays.items()))
    if laws.ndim not in (1, 2):
        raise unreadable(path, f"laws are [V] or [N, V], {first} has shape {laws.shape}")
    if laws.ndim == 1:
        arrays = {name: a.reshape(-1) if name == "alpha" else a[np.newaxis] for name, a in arrays.items()}
    N = len(arrays[first])
    for name, array in arrays.items():
        if array.ndim != (1 if name == "alpha" else 2) or len(array) != N:
            shapes = f"{first} has shape {arrays[first].shape} but {name} has shape {array.shape}"
            raise unreadable(path, shapes)
    for i in range(N):
        yield Row(f"row {i}", **{name: array[i] for name, array in arrays.items()})


# ---- what a row says


@dataclass(frozen=True)
class Laws:
    """p and q, two arrays of floats or two exact vectors; alpha; TV(p, q), of floats as they are (R + Q)/2."""

    p: Any
    q: Any
    alpha: Fraction
    tv: Fraction
    conversion: dict[str, Conversion]

    @property
    def in_floats(self) -> bool:
        return isinstance(self.p, np.ndarray)

    def __str__(self) -> str:
        return f"V = {len(self.p)}, alpha = {short(self.alpha)}, TV(p, q) = {short(self.tv)}"


def short(x: Fraction) -> str:
    """A fraction of at most twenty characters, otherwise six digits of it.

    >>> short(Fraction(5, 6)), short(Fraction(0.1)), short(Fraction(1, 3**100))
    ('5/6', 'about 0.1', 'about 1.94033E-48')
    """
    text = show(x)
    return text if len(text) <= 20 else f"about {float(x):.6g}"  # not too small for a float: `show` has 128 bits


def read_row(row: Row, settings: Settings) -> tuple[Laws, Any]:
    """The laws of a row, and the counts of its sample or None; LawError where they are not what they have to be."""
    if row.fault:
        raise LawError(row.fault)
    for name, values in (("dist", row.dist), ("alpha", row.alpha)):
        if getattr(getattr(values, "dtype", None), "kind", "") == "f" and values.dtype.name not in PRECISIONS:
            precisions = ", ".join(PRECISIONS)
            raise LawError(f"{name} has dtype {values.dtype}: it is judged in {precisions}; save one of them")
    p, q = (read_side(row, side, settings) for side in SIDES)
    if len(p) != len(q):
        sizes = f"p has {len(p)} entries but q has {len(q)} entries"
        raise LawError(f"{sizes}: both laws are over the same tokens; give both the same length")
    return laws_of(row, p, q, settings), read_sample(row, len(p))


def read_side(row: Row, side: str, settings: Settings) -> Any:
    """p or q: an array of floats, from logits too, or exact numbers."""
    values, logits = getattr(row, side), getattr(row, f"{side}_logits")
    if logits is not None:
        return law_of_logits(logits, settings, f"{side}_logits")
    if not is_float(values):
        return read_law(plain(values), side)
    if isinstance(values, list) and any(type(x) is not float for x in values):
        read_law(values, side)  # numbers of several kinds are read one by one, and then become the nearest floats
    floats = as_floats(values, side)
    try:
        require_laws(read_floats(floats, side), side)
    except LawError:
        read_law(plain(values), side)  # the same refusal, in the words that exact numbers get
        raise
    return floats


def laws_of(row: Row, p: Any, q: Any, settings: Settings) -> Laws:
    if not isinstance(p, np.ndarray) and not isinstance(q, np.ndarray):
        return Laws(p, q, rejection_law(p, q)[1], total_variation(p, q), {})
    p, q = as_floats(p, "p"), as_floats(q, "q")
    law = float_law(p, q)
    logits = {side: getattr(row, f"{side}_logits") for side in SIDES}
    converted = {
        side: conversion(v, logits[side], settings) for side, v in zip(SIDES, (p, q), strict=True) if has(logits[side])
    }
    return Laws(p, q, law.alpha, Fraction(law.R + law.Q, 2 * SCALE), converted)


def read_sample(row: Row, V: int) -> Any:
    if has(row.tokens):
        return read_tokens(row.tokens, V)
    return read_counts(row.counts, V) if has(row.counts) else None


def has(values: Any) -> bool:
    return values is not None


def plain(values: Any) -> Any:
    """A vector of numpy as Python's numbers, which print as such; float32 stays, as its sum is read by its precision,
    unless an entry is not finite, which is an error in every precision."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return values
    exact, double = values.dtype.kind in "iuUb", values.dtype.name == "float64"
    narrow = values.dtype.name in ("float16", "float32") and not np.isfinite(values).all()
    return values.tolist() if exact or double or narrow else values


def is_float(values: Any) -> bool:
    """Is there a float in it?  An array says so by its dtype, as far as the precision is one of ours."""
    if isinstance(values, np.ndarray):
        return precision_of(values) is not None
    return any(isinstance(x, float | np.floating) for x in (values if isinstance(values, list | tuple) else [values]))


def precision_of(values: Any) -> str | None:
    """The name of a float dtype of ours, None for anything that does not say which."""
    name = getattr(getattr(values, "dtype", None), "name", None)
    return name if name in PRECISIONS else None


def as_floats(values: Any, name: str) -> Any:
    """Floats of one kind stay as they are; exact numbers become the nearest float64; LawError where one is neither."""
    if precision_of(values):
        return values
    if not isinstance(values, list | tuple | np.ndarray):
        raise LawError(f"{name}={brief(values)}: this is a list of numbers, not {type(values).__name__}; give one")
    if isinstance(values, list) and all(type(x) is float for x in values):
        return np.array(values, np.float64)
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


# ---- judging a row


def judge(
    row: Row,
    strict: bool = False,
    settings: Settings = AS_GIVEN,
    level: Fraction = LEVEL,
    verbose: bool = False,
) -> Finding:
    """The exact law of the pair, ours in floats, and the given output and sample, if any, against them.

    strict: what is near is wrong; settings: what makes laws of logits; level: of the test of a sample; verbose: with
    the ledger of the float that our program rounds the most.
    """
    row = replace(row, **{f.name: in_memory(getattr(row, f.name)) for f in fields(row)})
    try:
        laws, counts = read_row(row, settings)
    except LawError as error:
        return Finding(row.name, BAD, str(error))
    finding = replace(judge_output(row, laws, strict, verbose), conversion=conversion_json(laws.conversion))
    if counts is None:
        return finding
    sample = judge_sample(counts, expected_law(laws.p, laws.q), level)
    verdict = WRONG if sample.wrong else finding.verdict
    return replace(
        finding, verdict=verdict, sentence=f"{finding.sentence}; {sample_text(sample)}", sample=sample_json(sample)
    )


def in_memory(values: Any) -> Any:
    """A row that is on the disk, once, and in the order in which numpy is fast."""
    return np.array(values, order="C") if isinstance(values, np.ndarray) else values


def judge_output(row: Row, laws: Laws, strict: bool, verbose: bool) -> Finding:
    try:
        if laws.in_floats or is_float(row.dist) or is_float(row.alpha):
            return judge_floats(row, laws, strict, verbose)
        given = "dist == p: True" if row.dist is None and row.alpha is None else "the given output is exactly the law"
        reason = broken(laws.p, laws.q) or difference(row, laws.p, laws.q)
    except LawError as error:
        return Finding(row.name, WRONG, str(error))
    return Finding(row.name, WRONG if reason else HOLDS, reason or f"{laws}, {given}")


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


def judge_floats(row: Row, laws: Laws, strict: bool, verbose: bool) -> Finding:
    """The terms apart: rounding, defect, and the conversion of logits; the verdict is on the rounding."""
    p, q = as_floats(laws.p, "p"), as_floats(laws.q, "q")
    dist = None if row.dist is None else as_floats(row.dist, "dist")
    alpha = None if row.alpha is None else as_float(row.alpha, "alpha")
    check = cross_check(p, q, dist, alpha, dtype=precision_of(row.alpha) if dist is None else None)
    verdict = HOLDS if check.verdict == WITHIN else NEAR if check.holds(strict) else WRONG
    what = "rounding" if verdict == HOLDS else "off by"
    size = "" if check.rounding is None else f"{what} at most {figure(check.rounding.ulps)} ulp, "
    figures = f"{laws}, {size}defect at most {figure(abs(check.defect.size))}{conversion_text(laws.conversion)}"
    given: Any = () if dist is None or np.shape(dist) != np.shape(p) or check.reason.startswith("alpha") else dist
    named = naming(p, q, given, precision_of(dist) or "float64") if 0 < len(given) <= MOST_NAMED else None
    fits = names_text(named, "the pair") if named else copy_text(p, q) if len(given) else ""
    why = "; ".join(part for part in (check.verdict, check.reason, fits) if part)
    ledger_lines = tuple(ledger_of(p, q)) if verbose else ()
    return Finding(row.name, verdict, f"{figures}: {why}", fits, named, ledger=ledger_lines)


def names_text(found: Naming, what: str) -> str:
    """Which of the known laws an output can be, and from which `what` cannot tell the right one."""
    if found.verdict == NON_DISCRIMINATING:
        return f"{found.verdict}: {what} cannot tell it from {', '.join(found.meets)}"
    return f"{found.verdict}: {', '.join(found.contains)}" if found.verdict == ANOTHER_LAW else found.verdict


def copy_text(p: Any, q: Any) -> str:
    """Of more than MOST_NAMED tokens: whether a copy of p would pass here too."""
    copied = cross_check(p, q, p).verdict == WITHIN
    return f"{NON_DISCRIMINATING}: p itself, copied, is within the bound here too" if copied else ""


def together(findings: list[Finding]) -> str:
    """What the rows with a law of up to MOST_NAMED tokens say together, "" where there are not two of them."""
    named = [found.named for found in findings if found.named]
    return f"together: {names_text(reduce(and_, named), 'these rows')}" if len(named) > 1 else ""


def ledger_of(p: Any, q: Any) -> Iterator[str]:
    """The ledger of our own result, at the token that it rounds the most."""
    rounding = cross_check(p, q).rounding
    return ledger_text(ledger(p, q, rounding.token if rounding else 0), "this row")


# ---- conversion and sample, in words and in JSON


def conversion_text(converted: dict[str, Conversion]) -> str:
    sizes = [f"{figure(abs(c.size) + c.slack)} ({side})" for side, c in converted.items()]
    return f", conversion at most {' and '.join(sizes)}" if sizes else ""


def conversion_json(converted: dict[str, Conversion]) -> dict[str, Any]:
    return {
        side: {"size": float(c.size), "token": c.token, "tv": float(c.tv), "slack": float(c.slack)}
        for side, c in converted.items()
    }


def sample_text(sample: Sample) -> str:
    """
    >>> sample_text(Sample(10, "exact", Fraction(11, 512), LEVEL, 2, None, 0.5))
    'sample of 10: p-value 0.0215 (exact), level 0.001, a TV up to 0.5 may go unseen'
    """
    p_value = figure(Fraction(sample.p_value)) if sample.p_value or sample.test == "impossible" else "below 1E-300"
    cells = f", {sample.cells:,} cell{'s' if sample.cells > 1 else ''}" if sample.statistic is not None else ""
    said = f"sample of {sample.n:,}: p-value {p_value} ({sample.test}{cells}), level {figure(sample.level)}"
    if sample.wrong:
        return f"{said}: not this law; {sample.reason}"
    where = " over these cells" if cells else ""
    return f"{said}, a TV up to {sample.unseen:.2g}{where} may go unseen"


def sample_json(sample: Sample) -> dict[str, Any]:
    exact = show(sample.p_value) if isinstance(sample.p_value, Fraction) else None
    return {
        "n": sample.n, "test": sample.test, "wrong": sample.wrong, "p_value": float(sample.p_value),
        "exact_p_value": exact, "level": float(sample.level), "cells": sample.cells, "statistic": sample.statistic,
        "unseen_tv": sample.unseen, "reason": sample.reason,
    }  # fmt: skip


# ---- can it reject?


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


def sample_self_check(wrong: str = SELF_CHECK_RULE) -> tuple[Pair, str] | None:
    """The smallest pair on which samples in proportion to the law of a wrong rule are found wrong, by every test."""

    def reason(p: Numbers, q: Numbers) -> str | None:
        weights = over_common_denominator(Numbers(law_of(wrong)(p, q)[0]))[0]
        laws = [(list(p), list(q)), (list(map(float, p)), list(map(float, q)))]
        samples = (Row("", *pair, counts=[w * n for w in weights]) for n in (25, 10**5) for pair in laws)
        findings = [*takewhile(lambda finding: finding.verdict == WRONG, map(judge, samples))]
        return findings[0].sentence.partition("; ")[2] if len(findings) == 4 else None

    return smallest(reason, denominator=4)
