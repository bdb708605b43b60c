"""What is well formed: a statement that means something, whatever it claims.

Every name is known and used as what it is, the one free token is x, and no denominator can be zero.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from proof.evaluate import Definitions
from proof.notation import plain
from proof.statement import KINDS, TOKENS, At, Div, Name, Node, Number, Relation, Statement, Step, Sum, Where
from proof.statement import children, free_tokens, gt, walk

PRIMITIVES = frozenset({"p", "q", "u", "f"})  # target, draft, acceptance where q = 0, law drawn from where Z = 0


class IllFormed(ValueError):
    """A statement, a definition or a step that means nothing."""


def ill_formed(reason: str) -> NoReturn:
    raise IllFormed(reason)


def made_of_nodes(step: Step) -> None:
    """Exact types alone: an object of a class made for the purpose could claim to equal anything."""
    if type(step) is not Step:
        ill_formed(f"{type(step).__name__} is no step")
    if {type(step.cites), type(step.hypotheses), type(step.coefficients)} != {tuple}:
        ill_formed("citations, hypotheses and coefficients are tuples")
    for tree in (step.statement, *step.hypotheses, *step.coefficients):
        for part in walk(tree) if isinstance(tree, Node) else [tree]:
            if type(part) not in KINDS or (isinstance(part, Number) and type(part.value) is not Fraction):
                ill_formed(f"{type(part).__name__} is not a node of the tree")


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
        case Div(_, b):
            nonzero = b.value != 0 if isinstance(b, Number) else gt(b, 0) in known
            if not nonzero:
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
