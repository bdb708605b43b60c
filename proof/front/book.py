"""The ledger of one float result, for a terminal: where it comes from, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from exact.reading import figure
from numeric.ledger import EXAMPLE, Ledger, example


def example_text() -> str:
    """The ledger of one token of a stored pair, the one of the paper."""
    return "\n".join(text(example(), f"the stored pair {EXAMPLE[0]}"))


def text(book: Ledger, pair: str) -> Iterator[str]:
    """
    >>> from numeric.ledger import ledger
    >>> print("\\n".join(text(ledger([0.5, 0.5], [0.5, 0.5], 0), "two halves")))
    ledger of our result at token 0 of two halves, sums exact: 0.5, less p/S_p: 0
      letter  operation         rounded by  at most        share
      S_p     sum of p                   0  1.11E-16           0
      dist    p / S_p                    0  5.55E-17           0
      rounding, the sum of the shares: 0
      defect, exact law less p/S_p:    0
      left over:                       0
    """
    yield (
        f"ledger of our result at token {book.token} of {pair}, sums {book.sums}: {float(book.result)}, "
        f"less p/S_p: {figure(book.result - book.target)}"
    )
    yield line("letter", "operation", "rounded by", "at most", "share")
    for e in book.entries:
        yield line(e.letter, e.formula, figure(e.rounding), figure(e.allowed), figure(e.share))
    yield from sums(book.rounding, book.defect, book.balance)


def line(letter: str, formula: str, rounding: str, most: str, share: str) -> str:
    return f"  {letter:7} {formula:16} {rounding:>11}  {most:9} {share:>10}"


def sums(rounding: Fraction, defect: Fraction, left: Fraction) -> Iterator[str]:
    yield f"  rounding, the sum of the shares: {figure(rounding)}"
    yield f"  defect, exact law less p/S_p:    {figure(defect)}"
    yield f"  left over:                       {figure(left)}"
