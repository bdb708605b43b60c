"""Two exact values: `Distribution`, a vector of probabilities, and `Law`, over outcomes of any kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any, overload

from exact.reading import (
    LawError,
    Number,
    Numbers,
    RegionNumber,
    brief,
    over_common_denominator,
    ratio,
    read_number,
    read_numbers,
    show,
)


@dataclass(frozen=True, eq=False)
class OnDemand(Sequence[Number]):
    """f(p_i, q_i) per token, computed when somebody looks: a long vector is seldom read to its end.

    >>> OnDemand(max, (1, 5), (3, 2))[:]
    (3, 5)
    """

    f: Callable[[Any, Any], Number]
    p: Any  # two vectors of one length, tuples or arrays
    q: Any

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple(map(self.f, self.p[i], self.q[i]))
        return self.f(self.p[index(i)], self.q[index(i)])

    def __len__(self) -> int:
        return len(self.p)

    def __iter__(self) -> Iterator[Number]:
        return map(self.f, self.p, self.q)


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Sequence[Fraction]):
    """Probabilities of the tokens 0..V-1, immutable: entry i is weights[i] / total.

    The weights are ints where the input was rational (unless those would be very long), so that nothing is reduced to
    lowest terms before somebody looks at it; of long vectors they are `OnDemand`.  It compares with any sequence of
    numbers; a float counts as the rational that it is.

    >>> dist = Distribution((3, 2, 1), 6)
    >>> dist
    Distribution(1/2, 1/3, 1/6)
    >>> dist[0], len(dist), dist == [0.5, Fraction(1, 3), Fraction(1, 6)], dist == [0.5, 1 / 3, 1 / 6]
    (Fraction(1, 2), 3, True, False)
    """

    weights: Sequence[Number]
    total: Number
    __array_ufunc__ = None  # numpy then leaves `array == dist` to __eq__ below

    @overload
    def __getitem__(self, i: int) -> Fraction: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Fraction, ...]: ...
    def __getitem__(self, i: int | slice) -> Fraction | tuple[Fraction, ...]:
        if isinstance(i, slice):
            return tuple(ratio(w, self.total) for w in self.weights[i])
        return ratio(self.weights[i], self.total)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            if isinstance(other, str | bytes | Mapping | Set) or not hasattr(other, "__len__"):
                return NotImplemented
            other = _as_distribution(other)
        return len(self) == len(other) and all(
            a * other.total == b * self.total for a, b in zip(self.weights, other.weights, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Distribution({', '.join(map(show, self))})"


def _as_distribution(values: Any) -> Distribution:
    """Any sequence of numbers, to compare with; empty, and so equal to no law, where an entry is no number."""
    try:
        return Distribution([x if isinstance(x, RegionNumber) else _no_text(x) for x in values], 1)
    except (LawError, TypeError):
        return Distribution([], 1)


def _no_text(x: object) -> Fraction:
    if isinstance(x, str):
        raise LawError(f"{x!r} is text")
    return read_number(x)


class Law(Mapping[Any, Fraction]):
    """An immutable exact law over any hashable outcomes; probabilities are read exactly and sum to exactly 1.

    Outcomes of probability zero do not count in `==`; an outcome given twice has both its probabilities.
    Raises LawError where the numbers are no law.

    >>> coin = Law({"heads": "1/3", "tails": "2/3"})
    >>> coin["heads"], coin["edge"]
    (Fraction(1, 3), Fraction(0, 1))
    >>> print(coin)
    | outcome | probability |
    |---|---|
    | heads | 1/3 |
    | tails | 2/3 |
    >>> Law({"a": "1/2", "b": "1/3"})
    Traceback (most recent call last):
    exact.reading.LawError: the law sums to 5/6: a law sums to exactly 1, this is 1/6 too little; mend it
    """

    __slots__ = ("_probability",)
    _probability: dict[Hashable, Fraction]

    def __init__(self, probabilities: Mapping[Any, object] | Iterable[tuple[Any, object]]) -> None:
        pairs = probabilities.items() if isinstance(probabilities, Mapping) else probabilities
        total: dict[Hashable, Fraction] = {}
        for outcome, value in _checked_pairs(pairs):
            total[outcome] = total.get(outcome, Fraction(0)) + value
        excess = sum(total.values(), Fraction(0)) - 1
        if excess:
            much = f"{show(abs(excess))} too {'much' if excess > 0 else 'little'}"
            raise LawError(f"the law sums to {show(excess + 1)}: a law sums to exactly 1, this is {much}; mend it")
        object.__setattr__(self, "_probability", total)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Law does not change: {name}={brief(value)} is refused; make another Law")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Law does not change: {name} is not deleted; make another Law")

    def __reduce__(self) -> tuple[type[Law], tuple[dict[Hashable, Fraction]]]:
        return Law, (self._probability,)

    def __getitem__(self, outcome: Hashable) -> Fraction:
        return self._probability.get(outcome, Fraction(0))

    def __contains__(self, outcome: object) -> bool:
        return outcome in self._probability

    def __iter__(self) -> Iterator[Any]:
        return iter(self._probability)

    def __len__(self) -> int:
        return len(self._probability)

    def __eq__(self, other: object) -> bool:
        return self._support() == other._support() if isinstance(other, Law) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._support().items()))

    def _support(self) -> dict[Hashable, Fraction]:
        return {x: pr for x, pr in self.items() if pr}

    def probability(self, event: Callable[[Any], bool]) -> Fraction:
        """The probability that the outcome is in the event (a predicate)."""
        return sum((pr for x, pr in self.items() if event(x)), Fraction(0))

    def given(self, event: Callable[[Any], bool]) -> Law:
        """The conditional law; LawError where the event has probability zero.

        >>> Law({1: "1/2", 2: "1/4", 3: "1/4"}).given(lambda x: x > 1)
        Law({2: '1/2', 3: '1/2'})
        """
        whole = self.probability(event)
        if not whole:
            raise LawError("event of probability 0: a condition has positive probability; condition on another event")
        return Law((x, pr / whole) for x, pr in self.items() if event(x))

    def map(self, f: Callable[[Any], Hashable]) -> Law:
        """The law of f(outcome).

        >>> Law({1: "1/2", 2: "1/4", 3: "1/4"}).map(lambda x: x % 2)
        Law({1: '3/4', 0: '1/4'})
        """
        return Law((f(x), pr) for x, pr in self.items())

    def __repr__(self) -> str:
        return f"Law({ {x: show(pr) for x, pr in self.items()} })"

    def __str__(self) -> str:
        rows = [f"| {str(x).replace('|', chr(92) + '|')} | {show(pr)} |" for x, pr in self.items()]
        return "\n".join(["| outcome | probability |", "|---|---|", *rows])


def _checked_pairs(pairs: Any) -> Iterator[tuple[Hashable, Fraction]]:
    try:
        listed = [(outcome, value) for outcome, value in pairs]
    except (TypeError, ValueError):
        raise LawError(f"law={brief(pairs)}: a law is a mapping or pairs (outcome, probability); give one") from None
    for outcome, value in listed:
        if not _has_hash(outcome):
            raise LawError(f"outcome={brief(outcome)}: an outcome is hashable; make it a tuple or a string")
        probability = read_number(value, f"law[{brief(outcome)}]")
        if probability < 0:
            shown, below = show(probability), show(-probability)
            raise LawError(
                f"law[{brief(outcome)}]={shown}: a probability is not negative, this is {below} below 0; mend it"
            )
        yield outcome, probability


def _has_hash(outcome: object) -> bool:
    try:
        hash(outcome)
    except Exception:  # a tuple is Hashable also where a member is not
        return False
    return True


def total_variation(a: Any, b: Any) -> Number:
    """TV(a, b) = (1/2) sum |a - b|, of two Laws or of two vectors (each read exactly, over its own sum).

    >>> total_variation(["1/2", "1/2"], [1, 0])
    Fraction(1, 2)
    >>> total_variation(Law({"a": 1}), Law({"b": 1}))
    Fraction(1, 1)
    """
    if isinstance(a, Law) and isinstance(b, Law):
        outcomes = list(dict.fromkeys([*a, *b]))
        a, b = Numbers(a[x] for x in outcomes), Numbers(b[x] for x in outcomes)
    a, b = over_common_denominator(*read_numbers(a, b, names=("a", "b")))
    S_a, S_b = sum(a), sum(b)
    gaps = (x * S_b - y * S_a for x, y in zip(a, b, strict=True))
    return ratio(sum(max(gap, -gap) for gap in gaps), 2 * S_a * S_b)
