"""The other side of `candidate.py`: a script that imports somebody's function and calls it when it is told to.

Started as `python -P child.py KIND PLACE NAME`, KIND being file or module.  One JSON object per line comes in on what
was stdin, {"p": [...], "q": [...]} with one `float.hex` per token, and one goes out on what was stdout for each: first
{} or {"failed": why} for the import, then an answer or {"failed": why} per call.  The function itself gets an stdin at
its end and an stdout and stderr that lead nowhere, so that it may print what it likes.

A number travels as "n/d" in hexadecimal, exactly, or as "nan", "inf", "-inf".  This separates the two programs from
each other's accidents; it is no defence against a function that means harm.
"""

from __future__ import annotations

import json
import operator
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Set
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from numbers import Rational
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NoReturn, TypeVar

import numpy as np

OUR_ROOT = str(Path(__file__).resolve().parents[2])  # where exact, numeric and proof are
MODULE_NAME = "candidate_under_check"  # the name that a FILE is imported under
Loaded = TypeVar("Loaded")


class Malformed(Exception):
    """What the function returned is no pair of a vector and a number; the text says why."""


def main(kind: str, place: str, name: str) -> NoReturn:
    serve(kind, place, lambda place, home: load(kind, place, name, home), answer)


def serve(
    kind: str, place: str, load: Callable[[str, str], Loaded], answer: Callable[[Loaded, Any, str], object]
) -> NoReturn:
    """Say whether load(place, home) could be done, and then answer(what it gave, request, home) to every request."""
    lines, say = private_channel()
    place, home = located(kind, place)
    try:
        loaded = load(place, home)
    except BaseException as error:  # an import may exit, or raise what it likes
        say({"failed": why_not_loaded(error, home)})
        os._exit(0)
    say({})
    while True:
        say(answer(loaded, json.loads(lines.get()), home))


def private_channel() -> tuple[SimpleQueue[str], Callable[[object], None]]:
    """The pipes to the parent, moved out of the function's way: 0 is at its end, 1 and 2 are the null device."""
    commands, answers = os.fdopen(os.dup(0), encoding="ascii"), os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=listen, args=(commands, lines), daemon=True).start()

    def say(message: object) -> None:
        print(json.dumps(message), file=answers, flush=True)

    return lines, say


def listen(commands: Iterable[str], lines: SimpleQueue[str]) -> NoReturn:
    """A thread of its own, so that the end of the parent ends this process also in the middle of a call."""
    for line in commands:
        lines.put(line)
    os._exit(0)


# ---- the import


def located(kind: str, place: str) -> tuple[str, str]:
    """The place, and the folder that it is imported in."""
    if kind != "file":
        return place, os.getcwd()
    place = os.path.realpath(place)
    return place, os.path.dirname(place)


def why_not_loaded(error: BaseException, home: str) -> str:
    return str(error) if isinstance(error, Malformed) else f"importing it raises {told(error, home)}"


def load(kind: str, place: str, name: str, home: str) -> Callable[[Any, Any], object]:
    """The function; Malformed where there is none of that name."""
    sys.argv = [place]
    sys.path.insert(0, home)  # as where Python runs a script, or `python -m`
    sys.path.append(OUR_ROOT)  # last, so that a module of theirs with the name of one of ours is theirs
    module = load_file(place) if kind == "file" else import_module(place)
    try:
        function = operator.attrgetter(name)(module)
    except AttributeError:
        raise Malformed(f"there is no {name!r} in it{functions_of(module)}") from None
    if not callable(function):
        raise Malformed(f"{name!r} is of type {type(function).__name__}, which cannot be called{functions_of(module)}")
    return function  # type: ignore[no-any-return]


def load_file(path: str) -> object:
    loader = SourceFileLoader(MODULE_NAME, path)
    spec = spec_from_loader(MODULE_NAME, loader)
    assert spec is not None  # a loader was given
    module = sys.modules[MODULE_NAME] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def functions_of(module: object) -> str:
    """What somebody may have meant instead."""
    own = getattr(module, "__name__", "")
    public = [n for n, x in vars(module).items() if not n.startswith("_") and is_function_of(x, own)]
    return f" (it has {', '.join(public[:8])}{', ...' if len(public) > 8 else ''})" if public else ""


def is_function_of(value: object, module: str) -> bool:
    return callable(value) and not isinstance(value, type) and getattr(value, "__module__", "").strip("_") == module


# ---- a call


def answer(function: Callable[[Any, Any], object], request: Mapping[str, list[str]], home: str) -> object:
    """What comes of one call, as it goes to the parent."""
    p, q = (np.array([float.fromhex(text) for text in request[name]]) for name in "pq")
    return called(function, p, q, home, lambda result: encoded(result, len(p)))


def called(
    function: Callable[[Any, Any], object], p: Any, q: Any, home: str, encode: Callable[[Any], object]
) -> object:
    """What `encode` makes of function(p, q), two arrays, or why there is nothing that it could be made of."""
    before = identity(p), identity(q)
    try:
        result = function(p, q)
    except BaseException as error:  # SystemExit and KeyboardInterrupt as well
        return {"failed": f"raises {told(error, home)}"}
    for name, was, now in zip("pq", before, (p, q), strict=True):
        if identity(now) != was:
            return {"failed": f"changes its input {name}"}
    try:
        return encode(result)
    except Malformed as error:
        return {"failed": str(error)}
    except Exception as error:  # somebody else's tolist, shape or __float__
        return {"failed": f"returns what cannot be read ({type(error).__name__})"}


def identity(x: Any) -> tuple[object, ...]:
    """Shape, dtype and every bit."""
    return x.shape, x.dtype.str, x.tobytes()


def encoded(result: Any, V: int) -> object:
    """(dist, alpha) in exact numbers, with the dtype of each; Malformed where it is something else."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Malformed(f"returns {kind_of(result)}: wanted the pair (dist, alpha)")
    dist, alpha = result
    if shape_of(dist, "dist") != (V,):
        raise Malformed(f"dist has the shape {shape_of(dist, 'dist')}: wanted {(V,)}")
    if shape_of(alpha, "alpha") != ():
        raise Malformed(f"alpha has the shape {shape_of(alpha, 'alpha')}: wanted one number")
    entries = dist.tolist() if hasattr(dist, "tolist") else list(dist)
    return {
        "dist": [exact(x, f"dist[{i}]") for i, x in enumerate(entries)],
        "alpha": exact(alpha, "alpha"),
        "dtype": dtype_of(dist) or "".join(sorted({dtype_of(x) for x in dist})[-1:]),
        "alpha_dtype": dtype_of(alpha),
    }


def kind_of(x: object) -> str:
    """
    >>> kind_of(None), kind_of((1, 2, 3)), kind_of(1.5)
    ('None', 'tuple of 3', 'float')
    """
    return "None" if x is None else type(x).__name__ + (f" of {len(x)}" if isinstance(x, tuple | list) else "")


def shape_of(x: Any, name: str) -> tuple[int, ...]:
    if isinstance(x, str | bytes | Mapping | Set):
        raise Malformed(f"{name} is of type {type(x).__name__}: wanted numbers")
    if hasattr(x, "shape"):
        return tuple(int(n) for n in x.shape)
    return (len(x),) if hasattr(x, "__len__") else ()


def dtype_of(x: object) -> str:
    """
    >>> dtype_of(np.float32(1)), dtype_of(1.5)
    ('float32', '')
    """
    return str(getattr(x, "dtype", "")).rpartition(".")[2]  # torch says torch.float32


def exact(x: Any, name: str) -> str:
    """The number that x is, exactly.

    >>> exact(0.5, "alpha"), exact(np.float32("nan"), "alpha")
    ('1/2', 'nan')
    """
    x = x.item() if hasattr(x, "item") else x
    if isinstance(x, bool) or not (hasattr(x, "as_integer_ratio") or hasattr(x, "__float__")) or isinstance(x, complex):
        raise Malformed(f"{name} is of type {type(x).__name__}: wanted a number")
    try:
        n, d = ratio(x)
    except (ValueError, OverflowError):  # as_integer_ratio of nan and of the infinities
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    return f"{n:x}/{d:x}"  # hexadecimal, for which Python has no limit of digits


def ratio(x: Any) -> tuple[int, int]:
    if isinstance(x, Rational):
        return int(x.numerator), int(x.denominator)
    n, d = x.as_integer_ratio() if hasattr(x, "as_integer_ratio") else float(x).as_integer_ratio()
    return int(n), int(d)


# ---- what an exception says


def told(error: BaseException, home: str) -> str:
    """Type, message and, where it went through a file of theirs, the last line there."""
    try:
        text = str(error)
    except Exception:  # somebody else's __str__
        text = ""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    theirs = [f"{os.path.basename(file)}, line {line}" for file, line in lines if is_theirs(file, home)]
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{message} ({theirs[-1]})" if theirs else message


def is_theirs(file: str, home: str) -> bool:
    return file.startswith(os.path.join(home, "")) and "site-packages" not in file and os.path.abspath(__file__) != file


if __name__ == "__main__":
    main(*sys.argv[1:])
