"""What `samelaw audit --help` says, and the options; nothing heavy is imported for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

EXAMPLES = """\
examples:
  samelaw audit verifier.py:emit                  every pair with V <= 3 and denominator <= 6, and larger ones
  samelaw audit verifier.py:emit --p 1/2,1/2 --q 0,1
  samelaw audit verifier.py:emit --protocol global    it draws from np.random or random, and takes no rng
  samelaw audit verifier.py:verify --draft draft      drafter and verifier apart
  samelaw audit verifier.py:emit --steps 2        it emits up to 3 tokens, of 2 drafted ones
  samelaw audit verifier.py:emit --steps 1 --p '1/2,1/2;0,1;1,0' --q 1/2,1/2   p after no token, after 0, and after 1
  samelaw audit verifier.py:emit --uniform 24     the uniform is one of 2^24 points of [0,1)

the function (write a short one around your own code):
  emit(p, q, rng)        draws the draft from q, verifies it, and returns the token, or (token, accepted); p and q are
                         arrays [V], rng is like numpy.random.Generator and like random.Random
  emit(p, q)             with --protocol global
  verify(x, p, q, rng)   with --draft: x is the drafted token, q what the drafter reports
  draft(q, rng)          returns x, or (x, the q that it reports)
  emit(p, q, rng)        with --steps K: p and q are functions of the prefix, p([]) is the law of the first token; it
                         drafts K tokens and returns a list of 1 to K + 1
It is run many times, along every path of its random decisions. What it prints goes to stderr.

exit codes: 0 lossless on every pair tried, 1 a counterexample was found, 2 could not run, or not be followed exactly
"""


def add_options(command: argparse.ArgumentParser, seed: Callable[[str], Any]) -> None:
    """The options of the command; `seed` reads that."""
    command.add_argument("target", metavar="FILE.py:NAME", help="the verifier, see below; or module:name")
    command.add_argument("--draft", metavar="NAME", help="a drafter in the same file, or FILE.py:NAME")
    command.add_argument("--protocol", choices=("rng", "global"), default="rng", help="where it draws from")
    command.add_argument(
        "--arrays", choices=("fraction", "numpy", "float32"), help="of p and q (default: the first two)"
    )
    command.add_argument("--tokens", type=whole("tokens"), metavar="N", help="every pair with V <= N (default 3)")
    command.add_argument(
        "--denominator", type=whole("denominator"), metavar="D",
        help="and common denominator <= D (default 6, with --steps 3)",
    )  # fmt: skip
    command.add_argument("--uniform", default="ideal", metavar="GRID", help="ideal, 53, 24, '24 (0,1]' or '24 [0,1]'")
    command.add_argument(
        "--steps", type=whole("steps"), metavar="K", help="it emits up to K + 1 tokens, of K drafted ones"
    )
    command.add_argument("--p", metavar="NUMBERS", help="one pair alone: the target, as 1/2,0.25,25%%")
    command.add_argument("--q", metavar="NUMBERS", help="the draft; with --steps each may be one law, or one for every")
    command.add_argument("--seed", type=seed, metavar="N", help="of the larger pairs (default 0)")
    command.add_argument(
        "--max-paths", type=whole("max_paths"), metavar="N", help="for a pair (default 5000, with --steps 50000)"
    )
    command.add_argument("--seconds", type=whole("seconds"), metavar="S", help="for a pair (default 60)")
    command.add_argument("--json", action="store_true", help="the report as JSON")


def whole(name: str) -> Callable[[str], int]:
    """A reader of a whole number from 1 on.

    >>> whole("tokens")("3")
    3
    """

    def read(text: str) -> int:
        if not (text.isdecimal() and len(text) < 10 and int(text)):
            raise argparse.ArgumentTypeError(f"{name}={text}: it is a whole number from 1 on; give one such as 3")
        return int(text)

    return read
