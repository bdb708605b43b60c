"""Statements as data: a small tree of our own, read by the kernel, the evaluator, the paper and the lessons.

SymPy turns q*(p/q) into p before any checker has seen it, q = 0 included; a tree of our own does not.
A token variable is one letter of TOKENS.  A statement with a free token variable is meant for every token.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import count
from typing import TypeAlias

TOKENS = ("x", "y", "z", "t", "v", "w")


class Node:
    """A node of the tree; Python's operators build it."""

    def __add__(self, other: Operand) -> Add:
        return Add(self, node(other))

    def __radd__(self, other: Operand) -> Add:
        return Add(node(other), self)

    def __sub__(self, other: Operand) -> Sub:
        return Sub(self, node(other))

    def __rsub__(self, other: Operand) -> Sub:
        return Sub(node(other), self)

    def __mul__(self, other: Operand) -> Mul:
        return Mul(self, node(other))

    def __rmul__(self, other: Operand) -> Mul:
        return Mul(node(other), self)

    def __truediv__(self, other: Operand) -> Div:
        return Div(self, node(other))


Operand: TypeAlias = Node | int | Fraction


@dataclass(frozen=True)
class Number(Node):
    """A rational constant."""

    value: Fraction


@dataclass(frozen=True)
class Name(Node):
    """A named number, such as Z or alpha."""

    name: str


@dataclass(frozen=True)
class At(Node):
    """A named function of a token, such as p(x)."""

    function: str
    token: str


@dataclass(frozen=True)
class Delta(Node):
    """Kronecker's delta: 1 if the two tokens are the same, otherwise 0."""

    token: str
    other: str


@dataclass(frozen=True)
class Add(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Sub(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Mul(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Div(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Min(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Max(Node):
    a: Node
    b: Node


@dataclass(frozen=True)
class Abs(Node):
    a: Node


@dataclass(frozen=True)
class Sum(Node):
    """The sum of the body over the tokens start, ..., V-1."""

    token: str
    body: Node
    start: int = 0


@dataclass(frozen=True)
class Relation(Node):
    """a = b, a >= b or a > b."""

    sign: str
    a: Node
    b: Node


@dataclass(frozen=True)
class Where(Node):
    """`then` where the condition holds, `otherwise` where it does not; the other branch is not looked at."""

    condition: Relation
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class Iff(Node):
    """The one relation (for every token) if and only if the other (for every token)."""

    a: Relation
    b: Relation


Statement: TypeAlias = Relation | Iff


@dataclass(frozen=True)
class Step:
    """One line of a derivation: what it says, the rule that proves it from which earlier lines, and why in words."""

    label: str
    statement: Statement
    rule: str
    cites: tuple[str, ...] = ()
    prose: str = ""
    hypotheses: tuple[Statement, ...] = ()
    coefficients: tuple[Node, ...] = ()  # for `ring`: what each cited equation is multiplied by


ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


@dataclass(frozen=True)
class Function:
    """The name of a function of a token; calling it makes the node."""

    name: str

    def __call__(self, token: str) -> At:
        return At(self.name, token)


KINDS = frozenset({Number, Name, At, Delta, Add, Sub, Mul, Div, Min, Max, Abs, Sum, Relation, Where, Iff})


def node(value: Operand) -> Node:
    return value if isinstance(value, Node) else Number(Fraction(value))


def eq(a: Operand, b: Operand) -> Relation:
    return Relation("=", node(a), node(b))


def ge(a: Operand, b: Operand) -> Relation:
    return Relation(">=", node(a), node(b))


def gt(a: Operand, b: Operand) -> Relation:
    return Relation(">", node(a), node(b))


# ---- walking the tree


FIELDS = {kind: tuple(f.name for f in fields(kind)) for kind in KINDS}


def _names(tree: Node) -> tuple[str, ...]:
    return FIELDS.get(type(tree)) or tuple(f.name for f in fields(tree))  # type: ignore[arg-type]


def children(tree: Node) -> list[Node]:
    return [value for name in _names(tree) if isinstance(value := getattr(tree, name), Node)]


def rebuild(tree: Node, parts: list[Node]) -> Node:
    """The same node with other children, in the order of `children`."""
    names = [name for name in _names(tree) if isinstance(getattr(tree, name), Node)]
    return replace(tree, **dict(zip(names, parts, strict=True))) if names else tree  # type: ignore[type-var]


def walk(tree: Node) -> Iterator[Node]:
    yield tree
    for child in children(tree):
        yield from walk(child)


def free_tokens(tree: Node) -> frozenset[str]:
    """The token variables that no sum binds.

    >>> sorted(free_tokens(Sum("y", At("q", "y") * Delta("y", "x"))))
    ['x']
    """
    match tree:
        case At(_, token):
            return frozenset({token})
        case Delta(token, other):
            return frozenset({token, other})
        case Sum(token, body):
            return free_tokens(body) - {token}
    return frozenset().union(*map(free_tokens, children(tree)))


def _fresh(taken: frozenset[str]) -> str:
    """A token that is not taken: a letter, or a primed one where all letters are."""
    return next(t for primes in count() for letter in TOKENS if (t := letter + "'" * primes) not in taken)


def rename(tree: Node, x: str, y: str) -> Node:
    """The tree with the free token x called y; a sum that binds y binds another token first.

    >>> rename(Sum("y", Delta("y", "x")), "x", "y")
    Sum(token='z', body=Delta(token='z', other='y'), start=0)
    """
    match tree:
        case At(function, token):
            return At(function, y if token == x else token)
        case Delta(token, other):
            return Delta(y if token == x else token, y if other == x else other)
        case Sum(token, body, start) if x in free_tokens(tree):
            fresh = token if token != y else _fresh(free_tokens(body) | {x, y})
            return Sum(fresh, rename(rename(body, token, fresh), x, y), start)
        case Sum():
            return tree
    return rebuild(tree, [rename(child, x, y) for child in children(tree)])


def put(tree: Node, equation: Relation) -> Node:
    """The tree with the body of an equation, name = body or name(x) = body, in the place of the name.

    >>> put(Sum("y", At("g", "y")), eq(At("g", "x"), Name("Z") * At("p", "x")))
    Sum(token='y', body=Mul(a=Name(name='Z'), b=At(function='p', token='y')), start=0)
    """
    match equation.a, tree:
        case At(name, "x"), At(function, token) if name == function:
            return rename(equation.b, "x", token)
        case Name(name), Name(other) if name == other:
            return equation.b
    return rebuild(tree, [put(child, equation) for child in children(tree)])


# ---- the parts of a statement


def relations(statement: Statement) -> list[Relation]:
    """The relation that it is, or the two sides of an equivalence."""
    return [statement] if isinstance(statement, Relation) else [statement.a, statement.b]


def shape(statement: Statement) -> tuple[str, ...]:
    """What a substitution leaves as it is: the kind of statement, and its signs."""
    return (type(statement).__name__, *(r.sign for r in relations(statement)))


def factors(tree: Node) -> list[Node]:
    """The factors of a product as it is written, from left to right.

    >>> factors(Name("A") * (Name("B") * (Name("C") + 1)))[1:] == [Name("B"), Name("C") + 1]
    True
    """
    return [*factors(tree.a), *factors(tree.b)] if isinstance(tree, Mul) else [tree]
