"""What `samelaw drill --help` says, and the options; nothing heavy is imported for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

EXAMPLES = """\
examples:
  samelaw drill                      the exercises, in order
  samelaw drill start 1 DIR          write the file of exercise 1 into the folder DIR; nothing is ever overwritten
  python DIR/1_accepted_mass.py      its visible tests, which need no samelaw
  samelaw drill test 1 DIR/1_accepted_mass.py
                                     grade it: the exact checks, the smallest pair that fails, and a hint
  samelaw drill start 1 --solution   print a right answer and why it is right, write nothing
  samelaw drill test 1 --solution    grade that

Your file runs in a process of its own, with a time limit for each call (--timeout).

exit codes: 0 passed, 1 not yet right, 2 could not run
"""


def add_options(command: argparse.ArgumentParser, positive: Callable[[str], Any]) -> None:
    """The options of the command; `positive` reads a number of seconds."""
    command.add_argument("action", nargs="?", metavar="list|start|test", default="list", help="see below")
    command.add_argument("exercise", nargs="?", metavar="N", help="1 to 8")
    command.add_argument("place", nargs="?", metavar="DIR|FILE", help="where to write, or what to grade")
    command.add_argument("--solution", action="store_true", help="the reference in the place of DIR or FILE")
    command.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds for one call of the function (default 10)"
    )
    command.add_argument("--json", action="store_true", help="the report as JSON")
