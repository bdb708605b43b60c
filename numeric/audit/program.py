"""A verifier as one program of p, q and a random source, whatever arguments it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exact.reading import LawError, brief
from exact.source import Source

RNG, GLOBAL = PROTOCOLS = ("rng", "global")


@dataclass
class Program:
    """A verifier as one program, of p, q and rng; LawError where it takes other arguments, or the protocol is none.

    changed: the names of the arguments that it was seen to change in place.  another_q: was the draft seen to report
    another law than the q that it got?
    """

    emit: Callable[..., object]
    draft: Callable[..., object] | None = None
    protocol: str = RNG
    changed: set[str] = field(default_factory=set)
    another_q: bool = False

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise LawError(f"protocol={brief(self.protocol)}: it is one of {', '.join(PROTOCOLS)}; write one of these")
        rng = ["rng"] if self.protocol == RNG else []
        require_takes("emit", self.emit, [*(["x"] if self.draft is not None else []), "p", "q", *rng])
        if self.draft is not None:
            require_takes("draft", self.draft, ["q", *rng])

    def __call__(self, p: Any, q: Any, rng: Source) -> object:
        before = {"p": contents(p), "q": contents(q)}
        try:
            if self.draft is None:
                return self.emit(p, q, *self._last(rng))
            x, reported = drafted(self.draft(q, *self._last(rng)), q)
            self.another_q = self.another_q or contents(reported) != before["q"]
            return self.emit(x, p, reported, *self._last(rng))
        finally:
            self.changed.update(name for name, x in (("p", p), ("q", q)) if contents(x) != before[name])

    @property
    def __wrapped__(self) -> Callable[..., object]:
        return self.emit

    def drafts(self, q: Any, rng: Source) -> object:
        """The draft alone: (token, the q that it reports)."""
        assert self.draft is not None
        return drafted(self.draft(q, *self._last(rng)), q)

    def _last(self, rng: Source) -> tuple[Source, ...]:
        return (rng,) if self.protocol == RNG else ()


def contents(x: Any) -> Any:
    return x.tolist() if isinstance(x, np.ndarray) else list(x) if isinstance(x, list | tuple) else None


def require_takes(name: str, function: object, arguments: list[str]) -> None:
    """LawError where the function cannot be called with so many arguments."""
    if not callable(function):
        raise LawError(f"{name}={brief(function)}: it is a function ({', '.join(arguments)}); give one")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some that are built in do not say
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise LawError(
            f"{name}: it is called as {name}({', '.join(arguments)}), and it takes {signature} ({error}); "
            "write a short function around it"
        ) from None


def drafted(returned: Any, q: Any) -> tuple[Any, Any]:
    """(the drafted token, the law that it is said to be drawn from)."""
    return returned if isinstance(returned, tuple) else (returned, q)
