"""What a combination of lines leaves of the line to be proved, as somebody would write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import TypeAlias

from proof.notation import plain
from proof.statement import ONE, TOKENS, ZERO, Add, Div, Mul, Node, Number, Sub, children, rebuild

Polynomial: TypeAlias = Mapping[tuple[tuple[Node, int], ...], Fraction]  # as `proof.normal` has it
MOST_TERMS, LONGEST = 12, 600  # terms and characters that are shown


def polynomial_text(polynomial: Polynomial) -> str:
    """The first terms, and how many more there are.

    >>> from proof.statement import At, Max, Name
    >>> p, q, Z = At("p", "x"), At("q", "x"), Name("Z")
    >>> polynomial_text({((p, 1),): Fraction(-1), ((q, 1), (Z, -1)): Fraction(1, 2)})
    '1/2 q(x)/Z - p(x)'
    >>> polynomial_text({((Max(Number(Fraction(1)) * p + Number(Fraction(-1)) * q, ZERO), 1),): Fraction(-1)})
    '-(p(x) - q(x))^+'
    """
    terms = positive_first([tidied(term(*item)) for item in polynomial.items()])
    texts = [term_text(x) for x in terms[:MOST_TERMS]]
    lengths = accumulate(map(len, texts))
    shown = texts[: max(1, sum(length <= LONGEST for length in lengths))]
    more = len(terms) - len(shown)
    text = " ".join(shown).removeprefix("+ ")
    text = f"-{text[2:]}" if text.startswith("- ") else text
    return re.sub(r"#(\d+)", bound_token, text) + (f" and {more} more term{'s' * (more > 1)}" if more else "")


def term_text(tree: Node) -> str:
    """With its sign; as a factor, since a case has no parentheses as a summand."""
    size = negated(tree) if is_negative(tree) else tree
    text = plain(size) if isinstance(size, Number) else plain(ONE * size).removeprefix("1 ")
    return f"{'-' if is_negative(tree) else '+'} {text}"


def bound_token(found: re.Match[str]) -> str:
    """The normal form calls them #0, #1 and so on; x is the token that is free."""
    depth = int(found[1]) + 1
    return TOKENS[depth] if depth < len(TOKENS) else found[0]


def term(monomial: tuple[tuple[Node, int], ...], coefficient: Fraction) -> Node:
    """Every atom that divides stands under the line."""
    one: Node = ONE
    over = reduce(Mul, (atom for atom, k in monomial for _ in range(k)), one)
    return Number(coefficient) * reduce(Div, (atom for atom, k in monomial for _ in range(-k)), over)


# ---- without the factors 1 and the signs of the normal form


def tidied(tree: Node) -> Node:
    """The same number, written shorter.

    >>> from proof.statement import At, Min
    >>> plain(tidied(ONE * Min(ONE * At("p", "x") * (ONE / (ONE * At("q", "x"))), ONE)))
    'min(p(x)/q(x), 1)'
    """
    if isinstance(tree, Add):
        return added([tidied(x) for x in summands(tree)])
    match rebuild(tree, [tidied(child) for child in children(tree)]):
        case Mul(a, b) if a == ONE:
            return b
        case Mul(a, b) if b == ONE:
            return a
        case Mul(a, Div(b, c)) if b == ONE:
            return Div(a, c)
        case Mul(Div(a, c), b):
            return Div(tidied(Mul(a, b)), c)
        case other:
            return other


def summands(tree: Node) -> list[Node]:
    return [*summands(tree.a), *summands(tree.b)] if isinstance(tree, Add) else [tree]


def added(terms: list[Node]) -> Node:
    first, *rest = positive_first(terms)
    start = Sub(ZERO, negated(first)) if is_negative(first) else first
    return reduce(lambda a, b: Sub(a, negated(b)) if is_negative(b) else Add(a, b), rest, start)


def positive_first(terms: list[Node]) -> list[Node]:
    """The same terms, but one without a sign comes first, where there is one."""
    first = next((i for i, x in enumerate(terms) if not is_negative(x)), 0)
    return [*terms[first : first + 1], *terms[:first], *terms[first + 1 :]]


def is_negative(tree: Node) -> bool:
    """By the number that a product begins with."""
    match tree:
        case Number(c):
            return c < 0
        case Mul(a, _) | Div(a, _):
            return is_negative(a)
    return False


def negated(tree: Node) -> Node:
    match tree:
        case Number(c):
            return Number(-c)
        case Mul(a, b):
            return tidied(Mul(negated(a), b))
        case Div(a, b):
            return tidied(Div(negated(a), b))
    return tree
