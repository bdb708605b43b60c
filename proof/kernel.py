"""The kernel: accepts a derivation step by step, or rejects it and says why.

`check(steps)` recomputes every fact from its step and trusts no object handed to it.  A fact is a statement together
with the hypotheses that it needs; both are meant for every vocabulary of at least one token, every p and q, and every
token.  Ten rules make facts; each is a function below, with its soundness in its first line.  Nothing here searches,
simplifies or guesses: what a rule cannot decide, it rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from proof.evaluate import Definitions
from proof.normal import NotNormal, vanishes
from proof.notation import plain
from proof.regions import Undecided, failing_region
from proof.statement import ZERO, At, Iff, Name, Node, Number, Relation, Statement, Step, Sum
from proof.statement import children, eq, free_tokens, ge, gt, rebuild, rename
from proof.wellformed import PRIMITIVES, IllFormed, made_of_nodes, well_formed

NON_NEGATIVE = frozenset({ge(At("p", "x"), 0), ge(At("q", "x"), 0)})


@dataclass(frozen=True)
class Fact:
    """What a step has established: the statement, wherever the hypotheses hold."""

    hypotheses: frozenset[Statement]
    statement: Statement


class Rejected(Exception):
    """A step that is not accepted; `label` names it."""

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(f"step {label}: {reason}")
        self.label, self.reason = label, reason


class _No(Exception):
    """A rule refuses; `check` turns it into Rejected with the label."""


def _no(reason: str) -> NoReturn:
    raise _No(reason)


def check(steps: Sequence[Step]) -> dict[str, Fact]:
    """The facts of a derivation, by label; Rejected at the first step that does not follow."""
    facts: dict[str, Fact] = {}
    definitions: Definitions = {}
    for step in steps:
        try:
            copy = made_of_nodes(step)
            facts[copy.label] = _fact(copy, facts, definitions)
        except (_No, IllFormed, NotNormal, Undecided, RecursionError, ValueError) as refusal:
            raise Rejected(getattr(step, "label", ""), str(refusal)) from None
    return facts


def _fact(step: Step, facts: dict[str, Fact], definitions: Definitions) -> Fact:
    if step.label in facts:
        _no("an earlier step has this label")
    missing = [label for label in step.cites if label not in facts]
    if missing:
        _no(f"cites {', '.join(missing)}, which no earlier step has established")
    if step.rule not in RULES:
        _no(f"there is no rule {step.rule}")
    if step.rule != "definition":
        for statement in (step.statement, *step.hypotheses, *step.coefficients):
            well_formed(statement, step, definitions)
    needed = RULES[step.rule](step, [facts[label] for label in step.cites], definitions)
    loose = needed - set(step.hypotheses)
    if loose:
        _no(f"needs what it does not state as a hypothesis: {'; '.join(sorted(map(plain, loose)))}")
    return Fact(frozenset(step.hypotheses), step.statement)


# ---- the rules: each returns the hypotheses that its conclusion needs

Needs = frozenset[Statement]
NONE: Needs = frozenset()


def hypothesis(step: Step, _cited: list[Fact], _definitions: Definitions) -> Needs:
    """A statement holds where it is assumed."""
    return frozenset({step.statement})


def definition(step: Step, _cited: list[Fact], definitions: Definitions) -> Needs:
    """A new name for an expression in names that are known says nothing about the old ones."""
    match step.statement:
        case Relation("=", Name(name), body) if not free_tokens(body):
            token = None
        case Relation("=", At(name, "x" as token), body) if free_tokens(body) <= {"x"}:
            pass
        case _:
            _no("a definition is name = body or name(x) = body, with no other token free")
    if name in definitions or name in PRIMITIVES:
        _no(f"{name} has a meaning already")
    well_formed(body, Step(step.label, eq(body, body), step.rule), definitions)
    definitions[name] = (token, body)
    return NONE


def regions(step: Step, _cited: list[Fact], definitions: Definitions) -> Needs:
    """Six regions hold every pair of numbers p(x), q(x) >= 0; a relation that is decided true in each is true."""
    failed = failing_region(step.statement, frozenset(step.hypotheses), tuple(definitions.items()))
    if failed:
        _no(failed)
    return NON_NEGATIVE


def summation(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """What holds at every token holds for the sums over the tokens (= and >= alone)."""
    (fact,) = _count(cited, 1)
    match step.statement, fact.statement:
        case Relation(sign, a, b), Relation(other, c, d) if sign == other and sign in ("=", ">="):
            _same(a, Sum("x", c), step)
            _same(b, Sum("x", d), step)
            return fact.hypotheses
    _no("sums up an equation or an inequality >= and nothing else")


def ring(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """left - right is the sum of coefficient times (left - right) of the cited equations, as polynomials.

    An inequality may be cited with a constant coefficient >= 0, in the proof of an inequality.
    """
    if len(cited) != len(step.coefficients) or not isinstance(step.statement, Relation):
        _no("takes a relation and one coefficient for each citation")
    rest: Node = step.statement.a - step.statement.b
    for fact, coefficient in zip(cited, step.coefficients, strict=True):
        if not isinstance(fact.statement, Relation):
            _no("cites relations alone")
        constant = isinstance(coefficient, Number) and coefficient.value >= 0
        if fact.statement.sign != "=" and not (fact.statement.sign == step.statement.sign == ">=" and constant):
            _no(f"an inequality is cited with a constant >= 0 for an inequality >=, not with {plain(coefficient)}")
        rest = rest - coefficient * (fact.statement.a - fact.statement.b)
    if step.statement.sign == ">":
        _no("proves = and >= alone")
    if not vanishes(rest, frozenset(step.hypotheses)):
        _no("the citations with these coefficients do not add up to the statement")
    return NONE.union(*(fact.hypotheses for fact in cited))


def zero_sum(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """A sum of numbers >= 0 that is 0 has only zeros."""
    total, sign = _count(cited, 2)
    match step.statement, total.statement, sign.statement:
        case Relation("=", a, zero), Relation("=", c, d), Relation(">=", e, floor) if zero == floor == ZERO and a == e:
            _same(c - d, Sum("x", a), step)
            return total.hypotheses | sign.hypotheses
    _no("takes sum a = 0 and a >= 0 to a = 0")


def substitution(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """Equals may be put for equals: the cited equation, name = body, is put into the statement and the other fact."""
    equation, fact = _count(cited, 2)
    match equation.statement:
        case Relation("=", Name() | At(_, "x") as name, body) if free_tokens(body) <= free_tokens(name):
            pairs = zip(_relations(step.statement), _relations(fact.statement), strict=False)
            if _shape(step.statement) != _shape(fact.statement):
                _no("changes the form of the statement")
            for mine, theirs in pairs:
                _same(_put(mine.a, equation.statement), _put(theirs.a, equation.statement), step)
                _same(_put(mine.b, equation.statement), _put(theirs.b, equation.statement), step)
            return equation.hypotheses | fact.hypotheses
    _no("puts in an equation name = body")


def cut(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """A hypothesis that another fact proves is not needed."""
    fact, proves = _count(cited, 2)
    if step.statement != fact.statement or proves.statement not in fact.hypotheses:
        _no("keeps the statement of the first citation and discharges the second from its hypotheses")
    return (fact.hypotheses - {proves.statement}) | proves.hypotheses


def cases(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """A number >= 0 (one number, not one for each token) is > 0 or = 0; what holds in both cases holds."""
    positive, zero, sign = _count(cited, 3)
    match sign.statement:
        case Relation(">=", a, b) if (
            b == ZERO and not free_tokens(a) and step.statement == positive.statement == zero.statement
        ):
            return (positive.hypotheses - {gt(a, 0)}) | (zero.hypotheses - {eq(a, 0)}) | sign.hypotheses
    _no("takes the same statement under a > 0 and under a = 0, and a >= 0, for one number a")


def equivalence(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """A iff B, from B under the hypothesis A and A under the hypothesis B."""
    there, back = _count(cited, 2)
    match step.statement:
        case Iff(a, b) if there.statement == b and back.statement == a:
            return (there.hypotheses - {a}) | (back.hypotheses - {b})
    _no("takes B under A, and A under B, to A iff B")


RULES: dict[str, Callable[[Step, list[Fact], Definitions], Needs]] = {
    rule.__name__: rule
    for rule in (
        hypothesis, definition, regions, summation, ring, zero_sum, substitution, cut, cases, equivalence,
    )
}  # fmt: skip


# ---- what the rules share


def _count(cited: list[Fact], n: int) -> list[Fact]:
    return cited if len(cited) == n else _no(f"takes {n} citations, not {len(cited)}")


def _same(a: Node, b: Node, step: Step) -> None:
    if not vanishes(a - b, frozenset(step.hypotheses)):
        _no(f"{plain(a)} is not what the citation gives")


def _relations(statement: Statement) -> list[Relation]:
    return [statement] if isinstance(statement, Relation) else [statement.a, statement.b]


def _shape(statement: Statement) -> tuple[str, ...]:
    return (type(statement).__name__, *(r.sign for r in _relations(statement)))


def _put(tree: Node, equation: Relation) -> Node:
    match equation.a, tree:
        case At(name, "x"), At(function, token) if name == function:
            return rename(equation.b, "x", token)
        case Name(name), Name(other) if name == other:
            return equation.b
    return rebuild(tree, [_put(child, equation) for child in children(tree)])
