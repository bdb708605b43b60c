"""Where every bit of one float result comes from: a ledger that adds up exactly.

The result at one token less p/S_p is the defect plus the roundings of the named operations.  Each operation is put in
the place of its exact value, one after the other in the order of the program; what that does to dist is its share.
So the shares are exact rationals and, with the defect, add up to the whole with nothing left over.  Beside its share
each operation has its own rounding: computed less exact, on the very floats it was given, which is at most half a
unit in the last place, or for a sum in a tree what its height allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise as neighbours
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from exact.dyadic import SCALE, SHIFT, FloatLaw
from exact.reading import LawError, brief
from numeric.certificate import ulp
from numeric.crosscheck import law_near_1, read_pair
from numeric.rejection import rejection_law, rounded
from numeric.rounding import UP, Floats, float_power_up, power_up, precision, read_sums, roundings, row_sum, tree_height
from numeric.witnesses import witness

Values = Mapping[str, Fraction]


class Operation(NamedTuple):
    """A letter of the program, what it is in words, and its exact value from the values before it."""

    letter: str
    formula: str
    exact: Callable[[Values], Fraction]


class Entry(NamedTuple):
    """One operation: what came out, by how much that was rounded, how much it may be, and its share in dist."""

    letter: str
    formula: str
    computed: Fraction
    rounding: Fraction
    allowed: Fraction
    share: Fraction


@dataclass(frozen=True)
class Ledger:
    """result = p/S_p + defect + the shares of all entries, exactly."""

    token: int
    sums: str
    result: Fraction
    target: Fraction
    defect: Fraction
    entries: tuple[Entry, ...]

    @property
    def rounding(self) -> Fraction:
        return sum((entry.share for entry in self.entries), Fraction(0))

    @property
    def balance(self) -> Fraction:
        """What is left over: 0."""
        return self.result - self.target - self.defect - self.rounding

    def beyond(self) -> list[Entry]:
        """The entries that rounded more than they may: none."""
        return [entry for entry in self.entries if abs(entry.rounding) > entry.allowed]


def ledger(p: object, q: object, token: int, sums: str = "exact") -> Ledger:
    """The ledger of one token of `numeric.rejection_law(p, q, sums)`.

    p, q: one pair [V] of floats with sums within 1/4 of 1.  LawError where they, the token or sums are not as said.

    >>> tenths = [0.1, 0.2, 0.7]
    >>> book = ledger(tenths, [0.3, 0.3, 0.4], 2)
    >>> book.balance, book.beyond(), [entry.letter for entry in book.entries]
    (Fraction(0, 1), [], ['r', 'R', 'Q', 'S_q', 't', 'y', 'z', 'dist'])
    >>> book.result == Fraction(float(rejection_law(tenths, [0.3, 0.3, 0.4])[0][2]))
    True
    """
    a, b = read_pair(p, q)
    law, result = law_near_1(a, b), rejection_law(a, b, read_sums(sums))[0]
    if not (isinstance(token, Integral) and 0 <= token < len(a)):
        raise LawError(f"token={brief(token)}: a token of this pair is 0 to {len(a) - 1}; give one of these")
    program, computed = operations(law, a.dtype.name, token, sums), computed_letters(law, a.dtype.name, token, sums)
    if computed[program[-1].letter] != Fraction(float(result[token])):
        raise ArithmeticError(f"the ledger and the program differ at token {token}; please report this")
    target = Fraction(float(law.p[token])) * SCALE / law.S_p
    entries = tuple(booked(program, computed, law, a.dtype.name, sums))
    exact = law.dist[token]
    return Ledger(token, sums, Fraction(float(result[token])), target, exact - target, entries)


EXAMPLE = ("sums-differ", 1)  # a stored pair, and the token of it in whose result nearly every letter has a part


def example() -> Ledger:
    """The ledger that the paper prints."""
    name, token = EXAMPLE
    pair = witness(name)
    return ledger(pair.p, pair.q, token)


def booked(program: list[Operation], computed: Values, law: FloatLaw, dtype: str, sums: str) -> Iterator[Entry]:
    """One entry for each operation."""
    stages = [staged(program, computed, taken) for taken in range(len(program) + 1)]
    last = program[-1].letter
    for operation, (before, after) in zip(program, neighbours(stages), strict=True):
        letter, exact = operation.letter, before[operation.letter]
        allowed = most(operation, exact, law, dtype, sums)
        yield Entry(
            letter, operation.formula, computed[letter], computed[letter] - exact, allowed, after[last] - before[last]
        )


def staged(program: list[Operation], computed: Values, taken: int) -> Values:
    """All letters, the first `taken` of them as they were computed, the others exactly from those before."""
    values: dict[str, Fraction] = {}
    for i, (letter, _, exact) in enumerate(program):
        values[letter] = computed[letter] if i < taken else exact(values)
    return values


def most(operation: Operation, exact: Fraction, law: FloatLaw, dtype: str, sums: str) -> Fraction:
    """Half a unit in the last place; for a sum in the tree (1+u)^k - 1 of it, with k = h, or h + 1 of differences."""
    wide, *narrower = roundings(dtype, sums)
    if sums == "pairwise" and operation.letter in ("R", "Q", "S_q", "S_p"):
        k = tree_height(len(law.p)) + (operation.letter in "RQ")
        return exact * ((1 + precision(wide).u) ** k - 1)
    dtype_here = operation.letter if operation.letter in narrower else wide
    up = int(UP[wide])
    if operation.letter in "tc" and law.R * up <= SCALE:  # a quotient by an R so small that it may have been scaled up
        return max(ulp(exact, dtype_here), up * ulp(exact / up, dtype_here)) / 2
    return ulp(exact, dtype_here) / 2


# ---- the program in exact letters


def operations(law: FloatLaw, dtype: str, token: int, sums: str) -> list[Operation]:
    p, q = (Fraction(float(v[token])) for v in (law.p, law.q))
    R, Q, S_p, S_q = (Fraction(n, SCALE) for n in (law.R, law.Q, law.S_p, law.S_q))
    m, r = min(p, q), max(p - q, Fraction(0))
    scalars = sums == "scalars"
    narrowing = [
        Operation(name, f"dist as {name}", lambda v: list(v.values())[-1]) for name in roundings(dtype, sums)[1:]
    ]
    if not R:
        return without_residual(p, S_p, scalars) + narrowing
    residual = Operation("r", "(p-q)^+", lambda v: r)
    if scalars:
        return [residual, Operation("c", "Q / (R S_q)", lambda v: Q / (R * S_q)),
                Operation("s", "1 / S_q", lambda v: 1 / S_q), Operation("y", "r c", lambda v: v["r"] * v["c"]),
                Operation("z", "m s", lambda v: m * v["s"]),
                Operation("dist", "z + y", lambda v: v["z"] + v["y"]), *narrowing]  # fmt: skip
    return [residual, Operation("R", "sum of (p-q)^+", lambda v: R), Operation("Q", "sum of (q-p)^+", lambda v: Q),
            Operation("S_q", "sum of q", lambda v: S_q), Operation("t", "Q / R", lambda v: v["Q"] / v["R"]),
            Operation("y", "r t", lambda v: v["r"] * v["t"]), Operation("z", "m + y", lambda v: m + v["y"]),
            Operation("dist", "z / S_q", lambda v: v["z"] / v["S_q"]), *narrowing]  # fmt: skip


def without_residual(p: Fraction, S_p: Fraction, scalars: bool) -> list[Operation]:
    if scalars:
        return [Operation("s", "1 / S_p", lambda v: 1 / S_p), Operation("dist", "p s", lambda v: p * v["s"])]
    return [Operation("S_p", "sum of p", lambda v: S_p), Operation("dist", "p / S_p", lambda v: p / v["S_p"])]


# ---- the same letters in floats, as `numeric/rejection.py` computes them


def computed_letters(law: FloatLaw, dtype: str, token: int, sums: str) -> Values:
    """Every letter as it comes out, without the power of two that r and R are multiplied by."""
    wide, *narrower = roundings(dtype, sums)
    T = np.dtype(wide).type
    evaluate = without_residual_in_floats if not law.R else scalars_in_floats if sums == "scalars" else sums_in_floats
    with np.errstate(under="ignore"):
        letters, dist = evaluate(law, law.p.astype(T), law.q.astype(T), token, sums)
        for name in narrower:
            dist = dist.astype(name)
            letters[name] = fraction(dist)
    return letters


def sums_in_floats(law: FloatLaw, p: Floats, q: Floats, token: int, sums: str) -> tuple[dict[str, Fraction], Any]:
    T = p.dtype.type
    if sums == "pairwise":
        R, Q, S_q = (row_sum(x)[0] for x in (np.maximum(p - q, 0), np.maximum(q - p, 0), q))
        up = float_power_up(R)
        R = R * up
    else:
        up = T(power_up(law.R))
        R, Q, S_q = (T(rounded(n)) for n in (law.R * int(up), law.Q, law.S_q))
    m, r = min(p[token], q[token]), max(p[token] - q[token], T(0)) * up
    t = Q / R
    y = r * t
    dist = (m + y) / S_q
    scale = fraction(up)
    return {"r": fraction(r) / scale, "R": fraction(R) / scale, "Q": fraction(Q), "S_q": fraction(S_q),
            "t": fraction(t) * scale, "y": fraction(y), "z": fraction(m + y), "dist": fraction(dist)}, dist  # fmt: skip


def scalars_in_floats(law: FloatLaw, p: Floats, q: Floats, token: int, _sums: str) -> tuple[dict[str, Fraction], Any]:
    up = power_up(law.R)
    c, s = p.dtype.type((law.Q << SHIFT) / (law.R * up * law.S_q)), p.dtype.type(SCALE / law.S_q)
    m, r = min(p[token], q[token]), max(p[token] - q[token], 0.0) * up
    dist = r * c + m * s
    return {"r": fraction(r) / up, "c": fraction(c) * up, "s": fraction(s), "y": fraction(r * c),
            "z": fraction(m * s), "dist": fraction(dist)}, dist  # fmt: skip


def without_residual_in_floats(
    law: FloatLaw, p: Floats, _q: Floats, token: int, sums: str
) -> tuple[dict[str, Fraction], Any]:
    T = p.dtype.type
    if sums == "scalars":
        s = T(SCALE / law.S_p)
        return {"s": fraction(s), "dist": fraction(p[token] * s)}, p[token] * s
    S_p = row_sum(p)[0] if sums == "pairwise" else T(rounded(law.S_p))
    return {"S_p": fraction(S_p), "dist": fraction(p[token] / S_p)}, p[token] / S_p


def fraction(x: Any) -> Fraction:
    return Fraction(float(x))
