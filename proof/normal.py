"""The normal form of an expression: a polynomial over atoms, with sums taken apart by linearity.

normal(expression) is a dict {monomial: coefficient}; a monomial is a sorted tuple of (atom, exponent).  Atoms are
names, values at a token, and whatever is not a polynomial (min, max, |.|, quotients), with normal parts inside.
Only laws of rings and of finite sums are used: distributivity, sum (a f + g) = a sum f + sum g, and
sum_x f(x) delta(x,y) = f(y).  Two expressions with the same normal form are equal, whatever p and q are.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache, reduce
from itertools import count
from typing import TypeAlias

from proof.statement import (
    ONE,
    ZERO,
    Abs,
    Add,
    At,
    Delta,
    Div,
    Max,
    Min,
    Mul,
    Name,
    Node,
    Number,
    Relation,
    Statement,
    Sub,
    Sum,
    Where,
    eq,
    free_tokens,
    gt,
    rename,
    walk,
)

Monomial: TypeAlias = tuple[tuple[Node, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Known: TypeAlias = frozenset[Statement]


class NotNormal(ArithmeticError):
    """An expression that has no normal form: a number divided by the number zero."""


def vanishes(tree: Node, known: Known = frozenset()) -> bool:
    """Whether the expression is zero by the laws above, the hypotheses `known` deciding Z > 0 and Z = 0.

    >>> p, q = At("p", "x"), At("q", "x")
    >>> vanishes(Sum("x", p - q) - (Sum("y", At("p", "y")) - Sum("x", q)))
    True
    >>> vanishes(Sum("x", p) - p)
    False
    """
    return not normal(tree, known)


def not_negative(tree: Node, known: Known = frozenset()) -> bool:
    """Whether the expression is >= 0 on sight: sums and products of positive constants, of powers of names that
    `known` says are > 0, and of moduli, and nothing else.

    >>> A, d, known = Name("A"), Name("d"), frozenset({gt(Name("A"), 0)})
    >>> not_negative(2 * Abs(d) / A, known), not_negative(d, known), not_negative(A - Abs(d), known)
    (True, False, False)
    """

    def atom_is(atom: Node, exponent: int) -> bool:
        return gt(atom, 0) in known if isinstance(atom, Name) else isinstance(atom, Abs) and exponent > 0

    return all(c > 0 and all(atom_is(*power) for power in m) for m, c in normal(tree, known).items())


def normal(tree: Node, known: Known = frozenset()) -> Polynomial:
    return dict(_normal(tree, known))


@cache
def _normal(tree: Node, known: Known) -> tuple[tuple[Monomial, Fraction], ...]:
    return tuple(_polynomial(tree, known).items())


def _polynomial(tree: Node, known: Known) -> Polynomial:
    match tree:
        case Number(c):
            return {(): c} if c else {}
        case Name() | At():
            return {((tree, 1),): Fraction(1)}
        case Delta(x, y):
            return {(): Fraction(1)} if x == y else {((Delta(*sorted((x, y))), 1),): Fraction(1)}
        case Add(a, b):
            return _add(normal(a, known), normal(b, known))
        case Sub(a, b):
            return _add(normal(a, known), _scale(normal(b, known), Fraction(-1)))
        case Mul(a, b):
            return _multiply(normal(a, known), normal(b, known))
        case Div(a, b):
            return _multiply(normal(a, known), _inverse(normal(b, known), known))
        case Min(a, b) | Max(a, b):
            parts = sorted((_tree(normal(a, known)), _tree(normal(b, known))), key=repr)
            return {((type(tree)(*parts), 1),): Fraction(1)}
        case Abs(a):
            return {((Abs(_tree(_unsigned(normal(a, known)))), 1),): Fraction(1)}
        case Sum(token, body, start):
            return _sum(token, normal(body, known), start, known)
        case Where(condition, then, otherwise):
            return _where(condition, then, otherwise, known)
    raise NotNormal(f"{type(tree).__name__} is no expression")


# ---- polynomials


def _collect(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
    total: Polynomial = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {monomial: total[monomial] for monomial in sorted(total, key=repr) if total[monomial]}


def _add(a: Polynomial, b: Polynomial) -> Polynomial:
    return _collect([*a.items(), *b.items()])


def _scale(a: Polynomial, c: Fraction) -> Polynomial:
    return {monomial: c * coefficient for monomial, coefficient in a.items()}


def _multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    return _collect((_product(m, n), c * d) for m, c in a.items() for n, d in b.items())


def _product(m: Monomial, n: Monomial) -> Monomial:
    exponents = dict(m)
    for atom, k in n:
        exponents[atom] = exponents.get(atom, 0) + k
    return tuple((atom, exponents[atom]) for atom in sorted(exponents, key=repr) if exponents[atom])


def _unsigned(a: Polynomial) -> Polynomial:
    """|a| = |-a|: of the two the one whose first coefficient is positive."""
    return _scale(a, Fraction(-1)) if a and next(iter(a.values())) < 0 else a


def _inverse(a: Polynomial, known: Known) -> Polynomial:
    """1/a: of a number times names known to be positive (so that they cancel), or of anything else as an atom."""
    match list(a.items()):
        case []:
            raise NotNormal("a denominator is the number zero")
        case [(monomial, c)] if all(isinstance(atom, Name) and gt(atom, 0) in known for atom, _ in monomial):
            return {tuple((atom, -k) for atom, k in monomial): 1 / c}
    return {((Div(ONE, _tree(a)), 1),): Fraction(1)}


def _tree(a: Polynomial) -> Node:
    """The polynomial as an expression again, the same for equal polynomials."""
    return reduce(Add, (_term(m, c) for m, c in a.items())) if a else ZERO


def _term(monomial: Monomial, coefficient: Fraction) -> Node:
    factors = [atom if k > 0 else Div(ONE, atom) for atom, k in monomial for _ in range(abs(k))]
    start: Node = Number(coefficient)
    return reduce(Mul, factors, start)


# ---- sums over the tokens, and cases


def _sum(token: str, body: Polynomial, start: int, known: Known) -> Polynomial:
    terms = (_scale(_sum_of_term(token, m, start, known), c) for m, c in body.items())
    return reduce(_add, terms, {})


def _sum_of_term(token: str, monomial: Monomial, start: int, known: Known) -> Polynomial:
    """The factors without the token come out; a delta puts its other token in the place of this one."""
    outside = tuple((atom, k) for atom, k in monomial if token not in free_tokens(atom))
    inside = tuple((atom, k) for atom, k in monomial if token in free_tokens(atom))
    delta = next((atom for atom, _ in inside if isinstance(atom, Delta)), None)
    if delta is not None and start == 0:
        other = delta.other if delta.token == token else delta.token
        rest = _term(tuple((atom, k if atom != delta else k - 1) for atom, k in inside), Fraction(1))
        return _multiply({outside: Fraction(1)}, normal(rename(rest, token, other), known))
    return {_product(outside, ((_canonical_sum(token, inside, start, known), 1),)): Fraction(1)}


def _canonical_sum(token: str, inside: Monomial, start: int, known: Known) -> Sum:
    """The bound token is called by the depth of the sum, or the next number that is not free in it: no capture."""
    body = _term(inside, Fraction(1))
    depth = sum(isinstance(part, Sum) for part in walk(body))
    bound = next(t for k in count(depth) if (t := f"#{k}") not in free_tokens(body) - {token})
    return Sum(bound, _tree(normal(rename(body, token, bound), known)), start)


def _where(condition: Relation, then: Node, otherwise: Node, known: Known) -> Polynomial:
    if condition in known:
        return normal(then, known)
    if condition.sign == ">" and eq(condition.a, condition.b) in known:
        return normal(otherwise, known)
    parts = (_tree(normal(part, known)) for part in (condition.a, condition.b, then, otherwise))
    a, b, yes, no = parts
    return {((Where(Relation(condition.sign, a, b), yes, no), 1),): Fraction(1)}
