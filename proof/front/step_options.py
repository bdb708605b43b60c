"""What `samelaw step --help` says, and the options; nothing heavy is imported for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

EXAMPLES = """\
examples:
  samelaw step                                     the derivation on p = 1/2, 1/3, 1/6 and q = 1/6, 1/3, 1/2
  samelaw step --p 1/2,0.3,20% --q 1/4,1/4,1/2     with your own numbers, read exactly
  samelaw step --random 7                          on a pair that this seed gives
  samelaw step --file pair.json                    {"p": [...], "q": [...]}, numbers or strings such as "1/3"
  samelaw step --float                             each line in float64 as well: where does rounding enter?
  samelaw step --draw                              one draw through the sampler: every way in which it can go
  samelaw step --break redraw-from-p               with a wrong rule: the first line that no longer holds
  samelaw step --draw --break redraw-from-p        one draw with a wrong rule
  samelaw step --why                               everything at once, and why each line is allowed

keys: Enter goes on, straight to the theorem; l goes on to the very next line; b goes back, j N to line N, n to the
next chapter, e to the end; ? says why a line is allowed, and q quits

exit codes: 0 every line holds (and, with --break, the wrong rule was caught), 1 one does not, 2 could not run
"""


def add_options(command: argparse.ArgumentParser, seed: Callable[[str], Any]) -> None:
    """The options of the command; `seed` reads that."""
    command.add_argument("--p", metavar="NUMBERS", help="target law, numbers with commas between: 1/2,0.25,25%%")
    command.add_argument("--q", metavar="NUMBERS", help="draft law")
    command.add_argument("--random", type=seed, metavar="SEED", help="a pair that this seed gives")
    command.add_argument("--file", metavar="FILE", help='JSON: {"p": [...], "q": [...]}')
    command.add_argument("--break", dest="rule", metavar="RULE", help="with this wrong rule; --break list names them")
    command.add_argument("--draw", action="store_true", help="one draw as a tree with exact probabilities")
    command.add_argument("--float", dest="floats", action="store_true", help="each line in float64 as well")
    command.add_argument("--all", action="store_true", help="everything at once, without prompts, as in a pipe")
    command.add_argument("--why", action="store_true", help="--all, and why each line is allowed, as ? says it")
    command.add_argument("--json", action="store_true", help="the lines as JSON")
