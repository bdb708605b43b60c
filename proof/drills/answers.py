"""A learner's function in a process of its own, as `proof/front/candidate.py` does it, for answers of other forms."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from exact.reading import LawError
from proof.drills.pairs import Case
from proof.front.candidate import Candidate, Trouble, Value, cleaned, number

CHILD = Path(__file__).with_name("child.py")


class Answer(NamedTuple):
    """What was returned: a vector [V], a number, or both; a float here is nan or infinite.  exact: no floats in it."""

    vector: tuple[Value, ...]
    number: Value | None
    exact: bool

    @property
    def values(self) -> tuple[Value, ...]:
        return self.vector if self.number is None else (*self.vector, self.number)


Outcome: TypeAlias = "Answer | Trouble"


class Learner(Candidate):
    """The function of that name in a file; a context manager.  LawError where it cannot be imported."""

    script = CHILD

    def __init__(self, file: str, name: str, form: str, timeout: float) -> None:
        super().__init__(f"{file}:{name}", timeout)
        self.options = (form,)

    def answer(self, case: Case) -> Outcome:
        """What it returns on a pair."""
        vectors = {name: [f"{x.numerator:x}/{x.denominator:x}" for x in getattr(case, name)] for name in "pq"}
        return self.ask({**vectors, "floats": case.floats}, partial(decoded, V=len(case.p)))

    def data(self) -> dict[str, Any]:
        """The dict that NAME is, where the form is `data`."""
        found: dict[str, Any] | Trouble = self.ask({}, itemgetter("data"))
        if isinstance(found, Trouble):
            raise LawError(f"target={self.target}: the file {found.text}; mend it")
        return found


def decoded(message: dict[str, Any], V: int) -> Outcome:
    """What came back from a call; EOFError where it is not from our program: the function wrote on the pipe itself."""
    try:
        if "failed" in message:
            return Trouble(cleaned(message["failed"]))
        alone, vector = message["number"], tuple(map(number, message["vector"]))
        if len(vector) not in (0, V):
            raise ValueError
        return Answer(vector, None if alone is None else number(alone), message["exact"] is True)
    except (AttributeError, LookupError, TypeError, ValueError, ZeroDivisionError):
        raise EOFError from None
