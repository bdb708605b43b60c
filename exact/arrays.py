"""Arrays of lazy numbers: NumPy's own object arrays, but for two things that NumPy cannot know.

A comparison of such an array gives `Events`, each of which is decided when somebody looks at it.  And where the program
divides an array of floats in place (`w /= E`), the name goes on with the lazy result: the floats, which cannot hold it,
are made nan, as another name may still lead to them.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from dis import opmap
from itertools import takewhile
from typing import Any

import numpy as np

from exact.branching import refuse
from exact.lazy import Event

COMPARISONS: dict[Any, Callable[[Any, Any], Any]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip
FIRST_IN_PLACE = 13  # the operators of BINARY_OP from here on are +=, &=, ...


class LazyArray(np.ndarray[Any, np.dtype[Any]]):
    """An object array of lazy numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        inputs = tuple(x.view(np.ndarray) if isinstance(x, LazyArray) else x for x in inputs)
        if ufunc in COMPARISONS and method == "__call__" and not out and not options:
            return Events(np.frompyfunc(lambda a, b: Event(COMPARISONS[ufunc], a, b), 2, 1)(*inputs))
        if out and out[0].dtype != object:
            return self._in_the_place_of(out[0], ufunc(*inputs, **options))
        targets = {"out": tuple(x.view(np.ndarray) for x in out)} if out else {}
        return lazy_array(getattr(ufunc, method)(*inputs, **targets, **options))

    def _in_the_place_of(self, floats: Any, result: Any) -> Any:
        if not is_in_place(sys._getframe(2)):
            refuse("lazy numbers are written to an array of floats (out=); leave out=, or use an operator such as /=")
        floats.fill(np.nan)
        return lazy_array(result)


def lazy_array(values: Any) -> Any:
    return values.view(LazyArray) if isinstance(values, np.ndarray) and values.dtype == object else values


def is_in_place(frame: Any) -> bool:
    """Is the frame at an operator such as `/=`, after which its name stands for the result?"""
    at, code = frame.f_lasti, frame.f_code.co_code
    return bool(code[at] == opmap["BINARY_OP"] and code[at + 1] >= FIRST_IN_PLACE)


class Events:
    """An array of comparisons; as a whole it is an array of truth values, and each part is lazy.

    `all`, `any`, `argmax`, `argmin` and `cumprod` look at no more of them than they need.
    """

    def __init__(self, events: Any) -> None:
        self._events = np.asarray(events)

    def __getitem__(self, at: Any) -> Any:
        found = self._events[at]
        return Events(found) if isinstance(found, np.ndarray) else found

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(np.asarray(self) if self._events.size != 1 else self._events.item())

    def __invert__(self) -> Events:
        return Events(np.invert(self._events))

    def all(self, axis: Any = None, **options: Any) -> Any:
        return np.asarray(self).all(axis, **options) if axis is not None or options else all(self._events.flat)

    def any(self, axis: Any = None, **options: Any) -> Any:
        return np.asarray(self).any(axis, **options) if axis is not None or options else any(self._events.flat)

    def argmax(self, axis: Any = None, **options: Any) -> Any:
        """The first that is true, 0 where there is none."""
        if self.ndim > 1 or options:
            return np.asarray(self).argmax(axis, **options)
        return next((i for i, event in enumerate(self._events) if event), 0)

    def argmin(self, axis: Any = None, **options: Any) -> Any:
        return (~self).argmax(axis, **options)

    def cumprod(self, axis: Any = None, *others: Any, **options: Any) -> Any:
        """How long all are true: what comes after the first that is false is not looked at."""
        if self.ndim > 1 or others or options:
            return np.asarray(self).cumprod(axis, *others, **options)
        count = len(list(takewhile(bool, self._events)))
        return np.array([1] * count + [0] * (len(self) - count))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._events.shape

    @property
    def ndim(self) -> int:
        return self._events.ndim

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._events.astype(bool).astype(dtype or bool)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def _like_an_array() -> None:
    for name in ("and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "truediv"):
        f = getattr(operator, f"__{name}__")
        setattr(Events, f"__{name}__", lambda self, other, f=f: f(np.asarray(self), np.asarray(other)))
        setattr(Events, f"__r{name}__", lambda self, other, f=f: f(np.asarray(other), np.asarray(self)))


_like_an_array()
