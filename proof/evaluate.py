"""The value of a statement at given numbers: both sides computed by exact arithmetic, token by token.

A `World` says what p, q, the arbitrary acceptance u where q = 0 and the arbitrary fallback law f are; defined names
are computed from their definitions.  The same reading runs on Fractions (checks, counterexamples, lessons) and on the
region points of the kernel.  A division by zero raises ZeroDivisionError: there the expression says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from exact.reading import Number as ExactNumber
from proof.statement import (
    Abs,
    Add,
    At,
    Delta,
    Div,
    Iff,
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
    free_tokens,
)

Definitions = dict[str, tuple[str | None, Node]]  # name -> (its token, or None for a number; body)


class World:
    """Numbers for the primitives, one vector [V] each, and the definitions of all other names.

    >>> world = World({"p": [Fraction(1), Fraction(0)], "q": [Fraction(1, 3), Fraction(2, 3)]}, {})
    >>> p, q = At("p", "x"), At("q", "x")
    >>> world.value(Sum("x", Min(p, q)))
    Fraction(1, 3)
    >>> world.holds(Relation("=", p, q))
    False
    """

    def __init__(self, primitives: Mapping[str, Sequence[ExactNumber]], definitions: Definitions) -> None:
        self.primitives, self.definitions = primitives, definitions
        self.V = len(primitives["p"])
        self._known: dict[tuple[str, int | None], ExactNumber] = {}

    def named(self, name: str, token: int | None) -> ExactNumber:
        """The value of a name (token None) or of a function at a token; each is computed once."""
        if name in self.primitives and token is not None:
            return self.primitives[name][token]
        if (name, token) not in self._known:
            variable, body = self.definitions[name]
            inside = {} if variable is None or token is None else {variable: token}
            self._known[name, token] = self.value(body, inside)
        return self._known[name, token]

    def total(self, tree: Sum, tokens: Mapping[str, int]) -> ExactNumber:
        terms = (self.value(tree.body, {**tokens, tree.token: x}) for x in range(tree.start, self.V))
        return sum(terms, 0 * self.primitives["p"][0])

    def value(self, tree: Node, tokens: Mapping[str, int] | None = None) -> ExactNumber:
        """The number that an expression is, where its free tokens are `tokens`."""
        at = tokens or {}
        match tree:
            case Number(c):
                return c
            case Name(name):
                return self.named(name, None)
            case At(function, token):
                return self.named(function, at[token])
            case Delta(token, other):
                return Fraction(int(at[token] == at[other]))
            case Sum():
                return self.total(tree, at)
            case Abs(a):
                return max(self.value(a, at), -self.value(a, at))
            case Where(condition, then, otherwise):
                return self.value(then if self.at_tokens(condition, at) else otherwise, at)
        return self._binary(tree, at)

    def _binary(self, tree: Node, at: Mapping[str, int]) -> ExactNumber:
        match tree:
            case Add(a, b):
                return self.value(a, at) + self.value(b, at)
            case Sub(a, b):
                return self.value(a, at) - self.value(b, at)
            case Mul(a, b):
                return self.value(a, at) * self.value(b, at)
            case Div(a, b):
                return self.value(a, at) / self.value(b, at)
            case Min(a, b):
                return min(self.value(a, at), self.value(b, at))
            case Max(a, b):
                return max(self.value(a, at), self.value(b, at))
        raise TypeError(f"{type(tree).__name__} is no expression")

    def at_tokens(self, relation: Relation, tokens: Mapping[str, int]) -> bool:
        """Whether a relation holds where its free tokens are `tokens`."""
        a, b = self.value(relation.a, tokens), self.value(relation.b, tokens)
        return bool(a == b if relation.sign == "=" else a > b if relation.sign == ">" else a >= b)

    def assignments(self, relation: Relation) -> Iterator[dict[str, int]]:
        """Every choice of tokens for the free variables of a relation; one empty choice where it has none."""
        free = sorted(free_tokens(relation))
        return (dict(zip(free, xs, strict=True)) for xs in product(range(self.V), repeat=len(free)))

    def holds(self, statement: Statement) -> bool:
        """Whether a statement holds here, for every token."""
        if isinstance(statement, Iff):
            return self.holds(statement.a) == self.holds(statement.b)
        return all(self.at_tokens(statement, tokens) for tokens in self.assignments(statement))

    def sides(self, relation: Relation) -> list[tuple[ExactNumber, ExactNumber]]:
        """Both sides, for every token where a token is free."""
        return [(self.value(relation.a, t), self.value(relation.b, t)) for t in self.assignments(relation)]
