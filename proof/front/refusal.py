"""A command that could not run: with --json that is an object as well."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from exact.reading import LawError
from proof.front import COULD_NOT_RUN

Report: TypeAlias = tuple[int, list[str], dict[str, Any]]  # exit code, lines for people, the same for a program


def or_refused(options: argparse.Namespace, run: Callable[[], Report], **head: Any) -> Report:
    """What `run` gives; a LawError goes on, but with --json it is told, and an object with `head` and the error."""
    try:
        return run()
    except LawError as error:
        if not options.json:
            raise
        print(f"samelaw: {error}", file=sys.stderr)
        return COULD_NOT_RUN, [], {**head, "exit_code": COULD_NOT_RUN, "error": str(error)}
