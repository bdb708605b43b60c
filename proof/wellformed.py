"""What is well formed: a statement that means something, whatever it claims.

Every name is known and used as what it is, the one free token is x, and no denominator can be zero.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any, NoReturn

from proof.evaluate import Definitions
from proof.notation import plain
from proof.statement import KINDS, TOKENS, At, Div, Iff, Mul, Name, Node, Number, Relation, Statement, Step, Sum, Where
from proof.statement import children, free_tokens, gt, walk

PRIMITIVES = frozenset({"p", "q", "u", "f"})  # target, draft, acceptance where q = 0, law drawn from where Z = 0


class IllFormed(ValueError):
    """A statement, a definition or a step that means nothing."""


def ill_formed(reason: str) -> NoReturn:
    raise IllFormed(reason)


STATEMENTS = frozenset({Relation, Iff})
SORTS = {"Node": KINDS - STATEMENTS, "Relation": frozenset({Relation})}


def made_of_nodes(step: Step) -> Step:
    """The step built anew from exact types alone: no object handed in is kept.

    An object of a class made for the purpose could claim to equal anything, and one of ours can be changed later.
    """
    if type(step) is not Step:
        ill_formed(f"{type(step).__name__} is no step")
    if {type(step.cites), type(step.hypotheses), type(step.coefficients)} != {tuple}:
        ill_formed("citations, hypotheses and coefficients are tuples")
    if {type(text) for text in (step.label, step.rule, step.prose, *step.cites)} != {str}:
        ill_formed("label, rule, prose and citations are text")
    return Step(
        step.label,
        _anew(step.statement, STATEMENTS),
        step.rule,
        step.cites,
        step.prose,
        tuple(_anew(h, STATEMENTS) for h in step.hypotheses),
        tuple(_anew(c, SORTS["Node"]) for c in step.coefficients),
    )


def _anew(value: Any, kinds: frozenset[type]) -> Any:
    if type(value) not in kinds:
        ill_formed(f"{type(value).__name__} cannot stand here in a statement")
    parts = []
    for field in fields(value):
        part = getattr(value, field.name, None)
        if field.type in SORTS:
            part = _anew(part, SORTS[field.type])
        elif type(part).__name__ != field.type or type(part) not in (str, int, Fraction):
            ill_formed(f"{field.name} of {type(value).__name__} is a {field.type}, not a {type(part).__name__}")
        elif type(part) is Fraction:
            n, d = part.numerator, part.denominator
            if not (type(n) is type(d) is int and d > 0):
                ill_formed("a number is a quotient of two ints")
            part = Fraction(n, d)
        parts.append(part)
    return type(value)(*parts)


def well_formed(tree: Node, step: Step, definitions: Definitions) -> None:
    """Every name is known and used as what it is, the one free token is x, and no denominator can be zero."""
    if not free_tokens(tree) <= {"x"}:
        ill_formed(f"the free token is called x, here {sorted(free_tokens(tree))}")
    for part in walk(tree):
        match part:
            case At(function, token) if token not in TOKENS or not _is_function(function, definitions):
                ill_formed(f"{function}({token}) is not a known function of a token")
            case Name(name) if name not in definitions or definitions[name][0] is not None:
                ill_formed(f"{name} is not a defined number")
            case Sum(token, _, start) if token not in TOKENS or start < 0:
                ill_formed(f"no sum runs over {token} from {start}")
            case Relation(sign) if sign not in ("=", ">=", ">"):
                ill_formed(f"{sign} is not a relation")
    _denominators(tree, frozenset(step.hypotheses))


def _is_function(name: str, definitions: Definitions) -> bool:
    return name in PRIMITIVES or (name in definitions and definitions[name][0] is not None)


def _denominators(tree: Node, known: frozenset[Statement]) -> None:
    match tree:
        case Div(_, b) if not _nonzero(b, known):
            ill_formed(f"the denominator {plain(b)} may be zero here")
        case Where(condition, then, otherwise):
            _denominators(condition, known)
            _denominators(then, known | {condition})
            _denominators(otherwise, known)
            return
        case Sum(token, body):  # a condition on the outer token of the same name says nothing of the inner one
            _denominators(body, frozenset(k for k in known if token not in free_tokens(k)))
            return
    for child in children(tree):
        _denominators(child, known)


def _nonzero(tree: Node, known: frozenset[Statement]) -> bool:
    """A number other than 0, what is assumed to be positive, or a product of such."""
    match tree:
        case Number(c):
            return c != 0
        case Mul(a, b) if _nonzero(a, known) and _nonzero(b, known):
            return True
    return gt(tree, 0) in known
