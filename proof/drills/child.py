"""The other side of `answers.py`: a script that imports a learner's file and calls its function when it is told to.

Started as `python -P child.py file FILE NAME FORM`; the protocol is that of `proof/front/child.py`, but for what goes
over it.  A request is {"p": [...], "q": [...], "floats": true or false}, numbers as n/d in hexadecimal.  The answer is
{"vector": [...], "number": ..., "exact": ...}, each as the form asks for it, or {"failed": why}.  With the form `data`
NAME is no function but a dict, which goes over as text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from numbers import Number, Rational
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2]))  # -P: nothing else says where `proof` is

from proof.front import child
from proof.front.child import Malformed

VECTOR, NUMBER, PAIR, DATA = "vector", "number", "pair", "data"  # the forms


def main(kind: str, place: str, name: str, form: str) -> NoReturn:
    if form == DATA:
        child.serve(kind, place, lambda place, home: data(place, name, home), lambda found, *_: {"data": found})
    child.serve(kind, place, lambda place, home: child.load(kind, place, name, home), partial(answer, form=form))


# ---- a call


def answer(function: Callable[[Any, Any], object], request: Mapping[str, Any], home: str, form: str) -> object:
    """What comes of one call, as it goes to the parent."""
    p, q = (array(request[name], request["floats"]) for name in "pq")
    return child.called(function, p, q, home, lambda result: encoded(result, len(p), form))


def array(numbers: Iterable[str], floats: bool) -> Any:
    """[V] float64, or objects that are Fractions."""
    exact = [Fraction(*(int(part, 16) for part in text.split("/"))) for text in numbers]
    if floats:
        return np.array([float(x) for x in exact])
    made = np.empty(len(exact), object)
    made[:] = exact
    return made


def encoded(result: Any, V: int, form: str) -> object:
    """The numbers in it; Malformed where it has another form than is asked for."""
    if form == PAIR and (not isinstance(result, tuple | list) or len(result) != 2):
        raise Malformed(f"returns {child.kind_of(result)}: wanted the pair (dist, alpha)")
    if result is None:
        raise Malformed("returns None: is the return missing?")
    vector, number = result if form == PAIR else (result, None) if form == VECTOR else (None, result)
    entries = [] if vector is None else of_shape(vector, (V,), "dist" if form == PAIR else "the result")
    named = [(x, f"entry {i}") for i, x in enumerate(entries)]
    if number is not None:
        named += [(x, "alpha") for x in of_shape(number, (), "alpha")]
    texts = [child.exact(x, name) for x, name in named]
    return {
        "vector": texts[: len(entries)],
        "number": texts[-1] if len(texts) > len(entries) else None,
        "exact": all(isinstance(plain(x), Rational) for x, _ in named),
    }


def of_shape(value: Any, shape: tuple[int, ...], name: str) -> list[Any]:
    """Its entries, one where it is a number."""
    found = child.shape_of(value, name)
    if found != shape:
        wanted = f"{shape}, one number for each token" if shape else "one number"
        raise Malformed(f"{name} has the shape {found}: wanted {wanted}")
    if not shape:
        return [value]
    return value.tolist() if hasattr(value, "tolist") else list(value)


def plain(x: Any) -> Any:
    """Without what numpy puts around a number."""
    return x.item() if hasattr(x, "item") else x


# ---- data


def data(place: str, name: str, home: str) -> dict[str, Any]:
    """The dict of that name, as text; Malformed where there is none."""
    sys.argv = [place]
    sys.path.insert(0, home)
    module = child.load_file(place)
    if not isinstance(getattr(module, name, None), dict):
        raise Malformed(f"there is no dict {name!r} in it")
    return dict(written(getattr(module, name)))


def written(value: Any) -> Any:
    """Numbers as the text of what they are exactly; lists, dicts and text stay what they are, anything else is named.

    >>> written({"a": (0.5, "1/3", None, [Fraction(1, 3)]), 7: range(2)})
    {'a': ['1/2', '1/3', None, ['1/3']], '7': '<range>'}
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {str(written(key)): written(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [written(x) for x in value]
    return value if value is None or isinstance(value, str) else number_text(value)


def number_text(value: Any) -> str:
    """What is no number by its type: a repr may hold an address.

    >>> number_text(0.25), number_text(float("-inf")), number_text(object()), number_text(10**5000)
    ('1/4', '-inf', '<object>', '<a number of more than 4300 digits>')
    """
    try:
        number = Fraction(value)
    except (TypeError, ValueError, OverflowError):  # no number, or none that is finite
        return str(value) if isinstance(value, Number) else f"<{type(value).__name__}>"
    try:
        return str(number)
    except ValueError:
        return "<a number of more than 4300 digits>"


if __name__ == "__main__":
    main(*sys.argv[1:])
