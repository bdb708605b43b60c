"""Progress of long work, on stderr: one line that is rewritten on a terminal, one line per stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], object]  # (stage, done, total)


def silent(_stage: str, _done: int, _total: int) -> None:
    """No progress is shown."""


class Meter:
    """Shows where long work stands, at most five times a second."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.stage, self.shown = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self.terminal and (monotonic() - self.shown > 0.2 or stage != self.stage):
            self.shown = monotonic()
            print(f"\r{stage}: {done:,} of {total:,}\x1b[K", end="", file=sys.stderr, flush=True)
        elif not self.terminal and stage != self.stage:
            print(f"... {stage}", file=sys.stderr, flush=True)
        self.stage = stage

    def end(self) -> None:
        if self.terminal and self.stage:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
