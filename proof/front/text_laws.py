"""Next-word laws from English text, exactly rational: real input for the exact checks.

The words of a text are cut in two halves.  The draft knows the first, q(w) = bigram(w | v), or its unigrams where v
has no successor there.  The target knows the second, p(w) = trigram(w | u, v)/2 + bigram(w | v)/2.  A context is a
pair of words (u, v) that has a successor in the second half, so the target never needs to back off.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from math import lcm
from os import PathLike
from pathlib import Path
from statistics import mean
from typing import NamedTuple, TypeAlias, TypeVar

from exact.law import Distribution, total_variation
from exact.reading import LawError, Number, Numbers, show
from exact.rejection import rejection_law

FEWEST_WORDS = 5  # two for the draft and three for one trigram of the target


@dataclass(frozen=True)
class Text:
    """Where the words came from, the words, and the first 16 hex digits of the sha256 of the text in UTF-8."""

    name: str
    words: tuple[str, ...] = field(repr=False)
    digest: str


def read_text(path: str | PathLike[str] | None = None) -> Text:
    """The words of a UTF-8 file, or of the language reference inside Python (other versions, other words).

    Raises LawError where there is no such text, or fewer than five words in it.
    """
    name = repr(str(path)) if path is not None else "pydoc_data.topics"
    data = _file(path, name) if path is not None else _language_reference()
    words = words_of(_decoded(data, name))
    if len(words) < FEWEST_WORDS:
        raise LawError(
            f"text={name}: a text here has at least {FEWEST_WORDS} English words, this has {len(words)}, "
            f"{FEWEST_WORDS - len(words)} too few; give a longer one"
        )
    return Text(name, words, sha256(data).hexdigest()[:16])


def words_of(text: str) -> tuple[str, ...]:
    """The lowercased runs of letters and apostrophes.

    >>> words_of("It isn't 1 law; it's TWO.")
    ('it', "isn't", 'law', "it's", 'two')
    """
    return tuple(re.findall(r"[a-z']+", text.lower()))


def _language_reference() -> bytes:
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise LawError(
            "text=pydoc_data.topics: the default text is part of Python, and this Python comes without it; "
            "give another text with --text FILE"
        ) from None
    return "\n".join(topic for _, topic in sorted(topics.items()) if isinstance(topic, str)).encode()


def _file(path: str | PathLike[str], name: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        why = getattr(error, "strerror", None) or error
        raise LawError(f"text={name}: a text is a file that can be read ({why}); give one with --text FILE") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise LawError(
            f"text={name}: a text is in UTF-8, byte {error.start} of {len(data)} is not; convert it, or give another"
        ) from None


# ---- the laws

Counts: TypeAlias = Counter[str]
Before = TypeVar("Before")  # a word, or two


@dataclass(frozen=True)
class Context:
    """The next word after words = (u, v): p and q are ints [V] over one common total, both sums equal to it.

    The tokens are the union of the two supports, those of the target first.
    """

    words: tuple[str, str]
    tokens: tuple[str, ...]
    p: Numbers
    q: Numbers
    total: int

    @property
    def p_float(self) -> list[float]:
        """p as probabilities [V], each rounded once to the nearest float64 (int / int rounds correctly)."""
        return [w / self.total for w in self.p]

    @property
    def q_float(self) -> list[float]:
        """q as probabilities [V], each rounded once to the nearest float64."""
        return [w / self.total for w in self.q]


class TextLaws:
    """Every context of a text, in the order in which the second half first shows it; len() says how many.

    >>> laws = TextLaws("the cat saw the dog the cat sat the cat ran".split())
    >>> len(laws), next(iter(laws))
    (3, Context(words=('the', 'cat'), tokens=('sat', 'ran', 'saw'), p=(2, 2, 0), q=(0, 0, 4), total=4))
    """

    def __init__(self, words: Sequence[str]) -> None:
        first, second = words[: len(words) // 2], words[len(words) // 2 :]
        self._unigram = Counter(first)
        self._draft_bigram = _successors(pairwise(first))
        self._bigram = _successors(pairwise(second))
        self._trigram = _successors(zip(pairwise(second), second[2:], strict=False))

    def __len__(self) -> int:
        return len(self._trigram)

    def __iter__(self) -> Iterator[Context]:
        return (self.context(u, v) for u, v in self._trigram)

    def context(self, u: str, v: str) -> Context:
        """The laws of the next word after u, v; a KeyError where the second half has no successor of them."""
        trigram, bigram, draft = self._trigram[u, v], self._bigram[v], self._draft_bigram.get(v, self._unigram)
        n_3, n_2, n_q = trigram.total(), bigram.total(), draft.total()
        total = lcm(2 * n_3, 2 * n_2, n_q)
        a, b, c = total // (2 * n_3), total // (2 * n_2), total // n_q
        tokens = tuple({**bigram, **draft})  # every successor of (u, v) is one of v
        p = [a * trigram[w] + b * n for w, n in bigram.items()] + [0] * (len(tokens) - len(bigram))
        q = [c * draft[w] for w in tokens]
        return Context((u, v), tokens, Numbers(p), Numbers(q), total)


def _successors(pairs: Iterable[tuple[Before, str]]) -> dict[Before, Counts]:
    counts: dict[Before, Counts] = {}
    for before, w in pairs:
        counts.setdefault(before, Counter())[w] += 1
    return counts


# ---- the check

VerifierLaw: TypeAlias = Callable[[Numbers, Numbers], tuple[Sequence[Number], Number]]  # (p, q) -> (dist, alpha)


class Checked(NamedTuple):
    """One context: its size V, whether each side gives mass to tokens that the other never proposes, alpha =
    1 - TV(p, q), and the first observable claim that fails there ("" where all hold)."""

    words: tuple[str, str]
    V: int
    two_sided: bool
    alpha: Fraction
    reason: str


@dataclass(frozen=True)
class TextCheck:
    """What was checked and what came out, exactly."""

    checked: tuple[Checked, ...] = field(repr=False)

    @property
    def contexts(self) -> int:
        return len(self.checked)

    @property
    def tokens(self) -> int:
        """The sizes of all contexts together."""
        return sum(c.V for c in self.checked)

    @property
    def two_sided(self) -> int:
        return sum(c.two_sided for c in self.checked)

    @property
    def failures(self) -> tuple[Checked, ...]:
        """The contexts with a broken claim, fewest tokens first; `TextLaws.context` gives their p and q."""
        return tuple(sorted((c for c in self.checked if c.reason), key=lambda c: c.V))

    @cached_property
    def alphas(self) -> tuple[Fraction, ...]:
        """Every alpha, ascending."""
        return tuple(sorted(c.alpha for c in self.checked))

    def quartile(self, k: int) -> Fraction:
        """k = 0..4: the smallest alpha, lower quartile, median, upper quartile, largest; always one of the alphas."""
        return self.alphas[k * (self.contexts - 1) // 4]

    @property
    def mean(self) -> Fraction:
        return mean(self.alphas)  # exact: the mean of Fractions is a Fraction

    @property
    def share_zero(self) -> Fraction:
        """The share of contexts in which no draft token is ever accepted."""
        return Fraction(self.alphas.count(Fraction(0)), self.contexts)


def check_contexts(
    laws: TextLaws | Sequence[Context],
    law: VerifierLaw = rejection_law,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> TextCheck:
    """Every context: law(p, q) is the pair (p, 1 - TV), compared with ==.  Calls progress(done, len(laws))."""
    checked = []
    for done, context in enumerate(laws, 1):
        checked.append(check_context(context, law))
        progress(done, len(laws))
    return TextCheck(tuple(checked))


def check_context(context: Context, law: VerifierLaw = rejection_law) -> Checked:
    p, q = context.p, context.q
    wanted = 1 - total_variation(p, q)
    reason = broken_claim(context, wanted, *law(p, q))
    return Checked(context.words, len(p), 0 in p and 0 in q, wanted, reason)


def broken_claim(context: Context, wanted: Fraction, dist: Sequence[Number], alpha: Number) -> str:
    """The first observable claim that fails, "" where all hold: dist is p and alpha is as wanted."""
    target = Distribution(context.p, context.total)
    if target == dist and alpha == wanted:
        return ""
    for token, mass in zip(context.tokens, dist, strict=True):
        if mass < 0:
            return f"non-negative: {token!r} has -{show(-mass)}, {show(-mass)} below 0"
    if (mass := sum(dist)) != 1:
        return f"sums to 1: dist sums to {show(mass)}, off by {show(mass - 1)}"
    if alpha != wanted:
        return f"alpha: wanted {show(wanted)}, got {show(alpha)}, off by {show(alpha - wanted)}"
    token, p, mass = next((w, p, e) for w, p, e in zip(context.tokens, target, dist, strict=True) if p != e)
    return f"dist: {token!r} wanted {show(p)}, got {show(mass)}, off by {show(mass - p)}"
