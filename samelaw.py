"""samelaw: the exact-arithmetic proof companion to speculative decoding.

>>> import samelaw
>>> samelaw.emitted_distribution(["1/2", "1/2"], ["3/4", "1/4"])
(Distribution(1/2, 1/2), Fraction(3, 4))
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import Any

ROOMS = ("exact", "numeric", "proof")


def stranger() -> str:
    """What stands in the place of one of the three packages, "" if nothing does: their names are common words."""
    for room in ROOMS:
        try:
            package: Any = import_module(room)
        except (Exception, SystemExit) as error:  # somebody else's package may fail as it likes
            return f"{room} cannot be imported ({type(error).__name__}: {' '.join(str(error).split())}); {remedy(room)}"
        if not getattr(package, "__samelaw__", False):
            return f"{room} is not samelaw's but {getattr(package, '__file__', 'another one')}; {remedy(room)}"
    return ""


def remedy(room: str) -> str:
    others = [name for name in packages_distributions().get(room, []) if name != "samelaw"]
    if not others:
        return "start from another folder, or install samelaw into an environment of its own"
    return f"uninstall {' and '.join(others)} and install samelaw again, or give it an environment of its own"


def __getattr__(name: str) -> Any:
    """The names of `exact`, once it is certain whose they are."""
    if name.startswith("__"):
        raise AttributeError(name)
    reason = stranger()
    if reason:
        raise ImportError(f"samelaw: {reason}")
    exact = import_module("exact")
    if name not in exact.__all__:
        raise AttributeError(f"samelaw has no {name}; it has {', '.join(exact.__all__)}")
    return getattr(exact, name)


def main() -> int:
    reason = stranger()
    if reason:
        print(f"samelaw: {reason}", file=sys.stderr)
        return 2
    return int(import_module("proof.front.cli").main())


if __name__ == "__main__":
    sys.exit(main())
