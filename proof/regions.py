"""The six regions of a pair (p(x), q(x)) of non-negative numbers, and rational functions of positive symbols.

With positive s and t a pair is one of (0,0), (s,0), (0,t), (s,s+t), (s,s), (s+t,t), and of only one.  In each of them
every min, max and |.| of p and q is decided, so that quotients of polynomials in positive symbols remain.  The sign
of such a quotient is decided where all coefficients have one sign; any other sign is refused, never guessed.

SymPy's polynomials with integer coefficients do the arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import Any, NoReturn

from sympy import ZZ, Symbol
from sympy.polys.rings import PolyRing

from exact.reading import RegionNumber
from proof.evaluate import World
from proof.statement import Node, Relation, Statement, Sum, free_tokens


class Undecided(ArithmeticError):
    """The sign of an expression follows from nothing that is known, or a denominator may be zero."""


class Point(RegionNumber):
    """A quotient of polynomials with integer coefficients, in symbols that are positive but for those in `free`.

    Every comparison is decided for all values of the symbols, or raises.  Common factors are cancelled where they
    would pile up: in sums of unlike quotients.
    """

    __slots__ = ("denom", "free", "numer")

    def __init__(self, numer: Any, denom: Any, free: frozenset[int] = frozenset()) -> None:
        self.numer, self.denom, self.free = numer, denom, free

    def _read(self, other: Any) -> Point:
        if isinstance(other, Point):
            return other
        if not isinstance(other, Rational):
            raise Undecided(f"a region point meets exact numbers alone, not {other!r}")
        one = self.denom.ring.one
        return Point(one * int(other.numerator), one * int(other.denominator), self.free)

    def __add__(self, other: Any) -> Point:
        other = self._read(other)
        if self.denom == other.denom:
            return Point(self.numer + other.numer, self.denom, self.free)
        numer, denom = self.numer * other.denom + other.numer * self.denom, self.denom * other.denom
        if self.denom != 1 and other.denom != 1:
            numer, denom = numer.cancel(denom)
        return Point(numer, denom, self.free)

    __radd__ = __add__

    def __neg__(self) -> Point:
        return Point(-self.numer, self.denom, self.free)

    def __sub__(self, other: Any) -> Point:
        return self + -self._read(other)

    def __rsub__(self, other: Any) -> Point:
        return self._read(other) - self

    def __mul__(self, other: Any) -> Point:
        other = self._read(other)
        return Point(self.numer * other.numer, self.denom * other.denom, self.free)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Point:
        other = self._read(other)
        if other.sign() == 0:
            raise Undecided("a denominator is zero here")
        return Point(self.numer * other.denom, self.denom * other.numer, self.free)

    def __rtruediv__(self, other: Any) -> Point:
        return self._read(other) / self

    def __abs__(self) -> Point:
        return max(self, -self)

    def sign(self) -> int:
        """-1, 0 or 1; Undecided where the coefficients have both signs or a free symbol takes part."""
        return self._polynomial_sign(self.numer) * self._polynomial_sign(self.denom) if self.numer else 0

    def _polynomial_sign(self, polynomial: Any) -> int:
        signs = {1 if coefficient > 0 else -1 for coefficient in polynomial.coeffs()}
        if len(signs) != 1 or (self.free and any(m[i] for m in polynomial.monoms() for i in self.free)):
            raise Undecided(f"the sign of {polynomial.as_expr()} is not decided")
        return signs.pop()

    def __eq__(self, other: object) -> bool:
        return bool((self - other).sign() == 0)

    def vanishes(self) -> bool:
        """Whether this is zero as an expression, whatever the symbols are."""
        return not self.numer

    __hash__ = None  # type: ignore[assignment]  # equal points may look different

    def __lt__(self, other: Any) -> bool:
        return bool((self - other).sign() < 0)

    def __le__(self, other: Any) -> bool:
        return bool((self - other).sign() <= 0)

    def __gt__(self, other: Any) -> bool:
        return bool((self - other).sign() > 0)

    def __ge__(self, other: Any) -> bool:
        return bool((self - other).sign() >= 0)

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __int__(self) -> NoReturn:
        raise Undecided("a region point is no whole number")

    def at(self, values: Sequence[int]) -> Fraction:
        """The value where the symbols are these integers."""
        return Fraction(int(self.numer(*values)), int(self.denom(*values)))

    def __repr__(self) -> str:
        return f"({self.numer.as_expr()})/({self.denom.as_expr()})" if self.denom != 1 else str(self.numer.as_expr())


def positive_symbols(names: list[str], free: list[str] | None = None) -> list[Point]:
    """One Point for each name, positive, and then one for each free name, of any sign.

    >>> s, t = positive_symbols(["s", "t"])
    >>> s < s + t, max(s - t - s, 0 * s), s / (s + t) < 1
    (True, 0, True)
    >>> s < t
    Traceback (most recent call last):
    proof.regions.Undecided: the sign of s - t is not decided
    """
    symbols = [Symbol(name, positive=True) for name in names] + [Symbol(name, real=True) for name in free or []]
    ring = PolyRing(symbols, ZZ)
    unsigned = frozenset(range(len(names), len(symbols)))
    return [Point(generator, ring.one, unsigned) for generator in ring.gens]


REGIONS = ("(0,0)", "(s,0)", "(0,t)", "(s,s+t)", "(s,s)", "(s+t,t)")


def region_pair(region: str, s: Point, t: Point) -> tuple[Point, Point]:
    """The pair (p(x), q(x)) of a region."""
    parts = {"0": 0 * s, "s": s, "t": t, "s+t": s + t}
    p, q = region.strip("()").split(",")
    return parts[p], parts[q]


def region_of(p: Any, q: Any) -> str:
    """The one region that a pair of non-negative numbers is in.

    >>> region_of(1, 3), region_of(0, 0)
    ('(s,s+t)', '(0,0)')
    """
    if q == 0:
        return "(0,0)" if p == 0 else "(s,0)"
    if p == 0:
        return "(0,t)"
    return "(s,s)" if p == q else "(s,s+t)" if p < q else "(s+t,t)"


# ---- a statement at one token


class _OneToken(World):
    """A world of one token that stands for any: nothing in it can be summed, counted or compared with another token."""

    def named(self, name: str, token: int | None) -> Point:
        return super().named(name, token) if token is not None else _elsewhere(name)  # type: ignore[no-any-return]

    def total(self, tree: Sum, tokens: Mapping[str, int]) -> NoReturn:  # noqa: ARG002
        _elsewhere(f"a sum over {tree.token}")


def _elsewhere(what: str) -> NoReturn:
    raise Undecided(f"{what} is not decided at one token")


@cache
def failing_region(
    statement: Statement, hypotheses: frozenset[Statement], definitions: tuple[tuple[str, tuple[str | None, Node]], ...]
) -> str:
    """The first region where the statement is not decided true, "" if there is none."""
    if not isinstance(statement, Relation) or free_tokens(statement) != {"x"}:
        return "regions decide a relation at a token x"
    s, t, u, f = positive_symbols(["s", "t"], ["u", "f"])
    local = [h for h in hypotheses if isinstance(h, Relation) and free_tokens(h) == {"x"}]
    for region in REGIONS:
        p, q = region_pair(region, s, t)
        world = _OneToken({"p": [p], "q": [q], "u": [u], "f": [f]}, dict(definitions))
        if all(map(world.holds, local)) and not world.holds(statement):
            return f"fails where (p(x), q(x)) is {region}"
    return ""
