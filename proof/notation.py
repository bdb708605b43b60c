"""A statement as text: plain for the terminal, TeX for the paper, Python for drills, from one walk over the tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proof.statement import ZERO, Abs, Add, At, Delta, Div, Iff, Max, Min, Mul, Name, Node, Number, Relation
from proof.statement import Sub, Sum, Where, free_tokens

SUM, PRODUCT, FACTOR = 1, 2, 3  # how tightly an expression holds together


@dataclass(frozen=True)
class Style:
    """The words of one notation; {} takes the parts in their order.  stacked: a quotient needs no parentheses."""

    letters: dict[str, str]
    signs: dict[str, str]
    at: str
    number: str
    product: str
    quotient: str
    stacked: bool
    positive: str
    minimum: str
    maximum: str
    absolute: str
    delta: str
    total: str
    total_from: str
    where: str
    iff: str
    every: str


PLAIN = Style(
    letters={},
    signs={"=": "=", ">=": ">=", ">": ">"},
    at="{}({})",
    number="{}/{}",
    product="{} {}",
    quotient="{}/{}",
    stacked=False,
    positive="({})^+",
    minimum="min({}, {})",
    maximum="max({}, {})",
    absolute="|{}|",
    delta="delta({}, {})",
    total="sum_{} {}",
    total_from="sum_({}>={}) {}",
    where="{} where {}, otherwise {}",
    iff="{} if and only if {}",
    every=" for every x",
)
TEX = Style(
    letters={
        "alpha": r"\alpha",
        "beta": r"\beta",
        "rho": r"\rho",
        "TV": r"\mathrm{TV}",
        "off": r"\mathrm{off}",
        "alpha'": r"\alpha'",
        "TV(F,P)": r"\mathrm{TV}(F, P)",
        "TV(G,H)": r"\mathrm{TV}(G, H)",
    },
    signs={"=": "=", ">=": r"\ge", ">": r"\gt"},
    at="{}({})",
    number=r"\frac{{{}}}{{{}}}",
    product=r"{} {}",
    quotient=r"\frac{{{}}}{{{}}}",
    stacked=True,
    positive="({})^+",
    minimum=r"\min({}, {})",
    maximum=r"\max({}, {})",
    absolute=r"\lvert {} \rvert",
    delta=r"\delta({}, {})",
    total=r"\sum_{} {}",
    total_from=r"\sum_{{{} \ge {}}} {}",
    where=r"{} \text{{ where }} {} \text{{, otherwise }} {}",
    iff=r"{} \iff {}",
    every=r" \text{ for every } x",
)
NUMBERS = replace(PLAIN, product="{} * {}")
PYTHON = replace(
    PLAIN,
    signs={"=": "==", ">=": ">=", ">": ">"},
    at="{}[{}]",
    number="Fraction({}, {})",
    product="{} * {}",
    quotient="{} / {}",
    positive="max({}, 0)",
    absolute="abs({})",
    delta="({} == {})",
    total="sum({1} for {0} in range(V))",
    total_from="sum({2} for {0} in range({1}, V))",
    where="{0} if {1} else {2}",
)


def plain(tree: Node) -> str:
    """Text for the terminal.

    >>> p, q = At("p", "x"), At("q", "x")
    >>> plain(Relation("=", q * (1 - Min(p, q)), Max(p - q, ZERO) + Sum("x", p - q) / 2))
    'q(x) (1 - min(p(x), q(x))) = (p(x) - q(x))^+ + (sum_x (p(x) - q(x)))/2'
    """
    return _write(tree, PLAIN)


def tex(tree: Node) -> str:
    r"""TeX between dollars.

    >>> tex(Div(At("p", "x"), Name("Z")) - Abs(Name("alpha")))
    '\\frac{p(x)}{Z} - \\lvert \\alpha \\rvert'
    """
    return _write(tree, TEX)


def in_numbers(tree: Node) -> str:
    """Text for the terminal where numbers stand in the place of letters.

    >>> from fractions import Fraction
    >>> in_numbers(Number(Fraction(1, 2)) * Min(Number(Fraction(1)), Number(Fraction(1, 3))))
    '1/2 * min(1, 1/3)'
    """
    return _write(tree, NUMBERS)


def python(tree: Node) -> str:
    """The expression as Python; a function of a token is a sequence there, V the number of tokens.

    >>> python(Sum("x", At("q", "x") * (1 - Max(At("p", "x") - Name("Z"), ZERO))))
    'sum(q[x] * (1 - max(p[x] - Z, 0)) for x in range(V))'
    """
    return _write(tree, PYTHON)


def plain_prose(prose: str) -> str:
    r"""A step's reason for the terminal, without TeX.

    >>> plain_prose(r"Where $q$ is 0, $\rho$ may be anything.")
    'Where q is 0, rho may be anything.'
    """
    return prose.replace("$", "").replace("\\", "")


def _write(tree: Node, style: Style, around: int = 0) -> str:
    text, holds = _text(tree, style), _holds(tree, style)
    return f"({text})" if holds < around else text


def _holds(tree: Node, style: Style) -> int:
    match tree:
        case Add() | Sub() | Where():
            return SUM
        case Sum() | Mul():
            return PRODUCT
        case Div():
            return FACTOR if style.stacked else PRODUCT
        case Number(c) if c < 0 or c.denominator > 1:
            return SUM if c < 0 else PRODUCT
    return FACTOR


def _ends_in_sum(tree: Node) -> bool:
    return isinstance(tree, Sum) or (isinstance(tree, Mul) and _ends_in_sum(tree.b))


def _text(tree: Node, style: Style) -> str:
    match tree:
        case Number(c) if c.denominator > 1:
            return style.number.format(c.numerator, c.denominator)
        case Number(c):
            return str(c)
        case Name(name):
            return style.letters.get(name, name)
        case At(function, token):
            return style.at.format(style.letters.get(function, function), token)
        case Delta(token, other):
            return style.delta.format(token, other)
        case Add(a, b):
            return f"{_write(a, style, SUM)} + {_write(b, style, SUM)}"
        case Sub(a, b):
            return f"{_write(a, style, SUM)} - {_write(b, style, PRODUCT)}"
        case Mul(a, b):  # a sum over tokens as the first factor would take in the second
            return style.product.format(
                _write(a, style, FACTOR if _ends_in_sum(a) else PRODUCT),
                _write(b, style, FACTOR if isinstance(b, Number) else PRODUCT),
            )
        case Div(a, b):
            around = 0 if style.stacked else FACTOR
            return style.quotient.format(_write(a, style, around), _write(b, style, around))
    return _special(tree, style)


def _special(tree: Node, style: Style) -> str:
    match tree:
        case Min(a, b):
            return style.minimum.format(_write(a, style), _write(b, style))
        case Max(a, b) if b == ZERO:
            return style.positive.format(_write(a, style))
        case Max(a, b):
            return style.maximum.format(_write(a, style), _write(b, style))
        case Abs(a):
            return style.absolute.format(_write(a, style))
        case Sum(token, body, 0):
            return style.total.format(token, _write(body, style, PRODUCT))
        case Sum(token, body, start):
            return style.total_from.format(token, start, _write(body, style, PRODUCT))
        case Where(condition, then, otherwise):
            parts = (then, condition, otherwise)
            return style.where.format(*(_write(x, style, PRODUCT if isinstance(x, Where) else 0) for x in parts))
        case Relation(sign, a, b):
            return f"{_write(a, style)} {style.signs[sign]} {_write(b, style)}"
        case Iff(a, b):
            return style.iff.format(
                *(_write(side, style) + (style.every if free_tokens(side) else "") for side in (a, b))
            )
    raise TypeError(f"{type(tree).__name__} has no notation")
