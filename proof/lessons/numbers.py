"""A statement with numbers in the place of its letters: what a learner would write down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce

from proof.evaluate import World
from proof.notation import in_numbers
from proof.statement import ZERO, Add, At, Delta, Name, Node, Number, Sum, Where, children, rebuild


def with_numbers(tree: Node, world: World, tokens: Mapping[str, int], without_zeros: bool = False) -> Node:
    """The tree where letters are numbers, sums are written out, and only the branch taken is left.

    without_zeros: the terms of a sum that are 0 are left out.

    >>> p, q = At("p", "x"), At("q", "x")
    >>> world = World({"p": [Fraction(1, 2), Fraction(1, 2)], "q": [Fraction(1), Fraction(0)]}, {})
    >>> in_numbers(with_numbers(Sum("x", p * q), world, {}))
    '1/2 * 1 + 1/2 * 0'
    >>> in_numbers(with_numbers(Sum("x", p * q), world, {}, without_zeros=True))
    '1/2 * 1'
    """

    def put(part: Node, at: Mapping[str, int]) -> Node:
        return with_numbers(part, world, at, without_zeros)

    match tree:
        case At(function, token):
            return Number(Fraction(world.named(function, tokens[token])))
        case Name() | Delta():
            return Number(Fraction(world.value(tree, tokens)))
        case Sum(token, body, start):
            places = [{**tokens, token: x} for x in range(start, world.V)]
            terms = [put(body, at) for at in places if not (without_zeros and world.value(body, at) == 0)]
            return reduce(Add, terms) if terms else ZERO
        case Where(condition, then, otherwise):
            return put(then if world.at_tokens(condition, tokens) else otherwise, tokens)
    return rebuild(tree, [put(child, tokens) for child in children(tree)])


def defined(name: Node, tokens: Mapping[str, int]) -> str:
    """The name that a definition defines, at a token.

    >>> defined(At("m", "x"), {"x": 2}), defined(Name("Z"), {})
    ('m(2)', 'Z')
    """
    return in_numbers(At(name.function, str(tokens[name.token])) if isinstance(name, At) else name)
