"""Arrays of lazy and of rational numbers: NumPy's own object arrays, but for what NumPy cannot know.

A comparison with lazy numbers gives `Events`, each of which is decided when somebody looks at it.  Where there is a
nan, `maximum` and `minimum` give nan, as of floats, and other orders are not followed.  And where the program divides
an array of floats in place (`w /= E`, or out=w), its variables go on with the lazy result: the floats, which cannot
hold it, are made nan, as something else may still lead to them.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from ctypes import c_int, py_object, pythonapi
from itertools import takewhile
from math import ceil, floor, isinf, isnan, trunc
from typing import Any

import numpy as np

from exact.branching import RUNNING, FloatTaken, refuse
from exact.lazy import Event, Lazy, both
from exact.reals import Real

COMPARISONS: dict[Any, Callable[[Any, Any], Any]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip
WRITTEN = "lazy numbers are written to floats that no variable here is (out=); give them a variable, or do without out="


def is_nan(x: Any) -> bool:
    return isinstance(x, float) and isnan(x)


def is_infinite(x: Any) -> bool:
    return isinstance(x, float) and isinf(x)


NOT = np.frompyfunc(lambda event: ~event if isinstance(event, Event) else not event, 1, 1)
LARGER = np.frompyfunc(lambda a, b: a if is_nan(a) or (not is_nan(b) and a >= b) else b, 2, 1)
SMALLER = np.frompyfunc(lambda a, b: a if is_nan(a) or (not is_nan(b) and a <= b) else b, 2, 1)
AS_REAL = np.frompyfunc(lambda x: Real(x) if type(x) is int else x, 1, 1)  # an int has no logarithm
WHOLE = {
    np.floor: np.frompyfunc(lambda x: x if isinstance(x, float) else Real(floor(x)), 1, 1),
    np.ceil: np.frompyfunc(lambda x: x if isinstance(x, float) else Real(ceil(x)), 1, 1),
    np.trunc: np.frompyfunc(lambda x: x if isinstance(x, float) else Real(trunc(x)), 1, 1),
}
QUESTIONS = {
    np.isnan: np.frompyfunc(is_nan, 1, 1),
    np.isinf: np.frompyfunc(is_infinite, 1, 1),
    np.isfinite: np.frompyfunc(lambda x: not is_nan(x) and not is_infinite(x), 1, 1),
}


def ordered(name: str) -> Any:
    """An order of all entries, which NumPy finds otherwise where one of them is nan."""

    def method(self: ExactArray, *others: Any, **options: Any) -> Any:
        refuse_nan(self, name)
        return getattr(super(ExactArray, self), name)(*others, **options)

    return method


def refuse_nan(values: Any, name: str) -> None:
    if any(map(is_nan, values.flat)):
        refuse(f"{name} of an array with nan in it: what that gives is followed on floats only", FloatTaken)


class ExactArray(np.ndarray[Any, np.dtype[Any]]):
    """An object array of lazy or rational numbers."""

    argmax, argmin, argsort, sort = ordered("argmax"), ordered("argmin"), ordered("argsort"), ordered("sort")
    partition, argpartition, searchsorted = ordered("partition"), ordered("argpartition"), ordered("searchsorted")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        inputs = tuple(x.view(np.ndarray) if isinstance(x, ExactArray) else x for x in inputs)
        if method == "__call__" and not out and not options:
            if ufunc in COMPARISONS and any(map(holds_lazy, inputs)):
                return Events(np.frompyfunc(lambda a, b: Event(COMPARISONS[ufunc], a, b), 2, 1)(*inputs))
            if ufunc in QUESTIONS:
                return np.asarray(QUESTIONS[ufunc](*inputs), bool)
        if out and out[0].dtype != object:
            return self._in_the_place_of(out[0], ufunc, method, *inputs, **options)
        ufunc = WHOLE.get(ufunc, ufunc)
        targets = {"out": tuple(x.view(np.ndarray) for x in out)} if out else {}
        result = getattr(nan_aware(ufunc, inputs), method)(*inputs, **targets, **options)
        return exact_array(AS_REAL(result) if ufunc in (np.maximum, np.minimum) and not out else result)

    def _in_the_place_of(self, target: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if not any(map(holds_lazy, inputs)) and not (RUNNING and RUNNING[-1].settled is not None):
            return getattr(ufunc, method)(*inputs, out=target, **options)
        result = exact_array(target.astype(object))  # with where= some entries stay as they are
        getattr(ufunc, method)(*inputs, out=result.view(np.ndarray), **options)
        if target.base is not None or not renamed(sys._getframe(2), target, result):
            refuse(WRITTEN)
        target.fill(np.nan)
        return result


def exact_array(values: Any) -> Any:
    """Objects in NumPy's array, as one of ours; anything else as it is."""
    return values.view(ExactArray) if isinstance(values, np.ndarray) and values.dtype == object else values


def holds_lazy(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype == object and any(isinstance(x, Lazy) for x in values.flat)
    return isinstance(values, Lazy)


def nan_aware(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The function that does with nan what it does with that of floats."""
    orders = {np.maximum: LARGER, np.minimum: SMALLER}
    if ufunc in (*orders, np.fmax, np.fmin, np.clip) and any(is_nan(x) for values in inputs for x in np.ravel(values)):
        return orders.get(ufunc) or refuse(f"{ufunc.__name__} of nan is followed on floats only", FloatTaken)
    return ufunc


def renamed(frame: Any, old: Any, new: Any) -> bool:
    """The variables that are the old array, here and in whoever called this, are the new one; was there any?"""
    found = False
    while frame and frame.f_globals.get("__name__") != "exact.branching":
        names = frame.f_locals
        held = [name for name, value in names.items() if value is old]
        if held:
            names.update(dict.fromkeys(held, new))
            if sys.version_info < (3, 13):  # from then on f_locals are the variables themselves
                pythonapi.PyFrame_LocalsToFast(py_object(frame), c_int(0))
        found, frame = found or bool(held), frame.f_back
    return found


def truth_now(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, Events) else x


class Events:
    """An array of comparisons; as a whole it is an array of truth values, and each part is lazy.

    `all`, `any`, `argmax`, `argmin` and `cumprod` look at no more of them than they need.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000

    def __init__(self, events: Any) -> None:
        self._events = np.asarray(events, object)

    __add__, __radd__ = both(operator.add, truth_now)
    __sub__, __rsub__ = both(operator.sub, truth_now)
    __mul__, __rmul__ = both(operator.mul, truth_now)
    __truediv__, __rtruediv__ = both(operator.truediv, truth_now)
    __floordiv__, __rfloordiv__ = both(operator.floordiv, truth_now)
    __mod__, __rmod__ = both(operator.mod, truth_now)
    __pow__, __rpow__ = both(operator.pow, truth_now)
    __matmul__, __rmatmul__ = both(operator.matmul, truth_now)
    __and__, __rand__ = both(operator.and_, truth_now)
    __or__, __ror__ = both(operator.or_, truth_now)
    __xor__, __rxor__ = both(operator.xor, truth_now)
    __lt__, __gt__ = both(operator.lt, truth_now)
    __le__, __ge__ = both(operator.le, truth_now)
    __eq__ = both(operator.eq, truth_now)[0]
    __ne__ = both(operator.ne, truth_now)[0]

    def __getitem__(self, at: Any) -> Any:
        found = self._events[at]
        return Events(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, at: Any, value: Any) -> None:
        self._events[at] = value

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(np.asarray(self) if self._events.size != 1 else self._events.item())

    def __invert__(self) -> Events:
        return Events(NOT(self._events))

    def all(self, axis: Any = None, out: Any = None, **options: Any) -> Any:
        lazily = axis is None and out is None and not options
        return all(self._events.flat) if lazily else np.asarray(self).all(axis, out, **options)

    def any(self, axis: Any = None, out: Any = None, **options: Any) -> Any:
        lazily = axis is None and out is None and not options
        return any(self._events.flat) if lazily else np.asarray(self).any(axis, out, **options)

    def argmax(self, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """The first that is true, 0 where there is none."""
        if self.ndim != 1 or out is not None or options or not len(self):
            return np.asarray(self).argmax(axis, out, **options)
        return next((i for i, event in enumerate(self._events) if event), 0)

    def argmin(self, axis: Any = None, out: Any = None, **options: Any) -> Any:
        return (~self).argmax(axis, out, **options)

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """How long all are true: what comes after the first that is false is not looked at."""
        if self.ndim != 1 or dtype is not None or out is not None:
            return np.asarray(self).cumprod(axis, dtype, out)
        count = len(list(takewhile(bool, self._events)))
        return np.array([1] * count + [0] * (len(self) - count))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._events.shape

    @property
    def ndim(self) -> int:
        return self._events.ndim

    @property
    def size(self) -> int:
        return self._events.size

    @property
    def dtype(self) -> Any:
        return np.dtype(bool)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._events.astype(bool).astype(dtype or bool)

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)
