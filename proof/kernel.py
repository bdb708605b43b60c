"""The kernel: accepts a derivation step by step, or rejects it and says why.

`check(steps)` recomputes every fact from its step and trusts no object handed to it.  A fact is a statement together
with the hypotheses that it needs; both are meant for every vocabulary of at least one token, every p and q, and every
token.  Thirteen rules make facts; each is a function below, with its soundness in its first line.  Nothing here
searches, simplifies or guesses: what a rule cannot decide, it rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from proof.evaluate import Definitions
from proof.normal import NotNormal, not_negative, vanishes
from proof.notation import plain
from proof.regions import Undecided, failing_region
from proof.statement import ZERO, Abs, At, Iff, Max, Name, Node, Relation, Statement, Step, Sum
from proof.statement import eq, factors, free_tokens, ge, gt, put, relations, shape
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
    if missing := [label for label in step.cites if label not in facts]:
        _no(f"cites {', '.join(missing)}, which no earlier step has established")
    if step.rule not in RULES:
        _no(f"there is no rule {step.rule}")
    if step.rule != "definition":
        for statement in (step.statement, *step.hypotheses, *step.coefficients):
            well_formed(statement, step, definitions)
    needed = RULES[step.rule](step, [facts[label] for label in step.cites], definitions)
    if loose := needed - set(step.hypotheses):
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
    if failed := failing_region(step.statement, frozenset(step.hypotheses), tuple(definitions.items())):
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
    """left - right is the sum of coefficient (>= 0 for an inequality) times (left - right) of the cited lines.

    They are compared as polynomials.  An equation follows from equations alone; >= 0 is what can be seen to be so.
    """
    if len(cited) != len(step.coefficients) or not isinstance(step.statement, Relation) or step.statement.sign == ">":
        _no("takes a relation = or >= and one coefficient for each citation")
    rest: Node = step.statement.a - step.statement.b
    for fact, coefficient in zip(cited, step.coefficients, strict=True):
        if not isinstance(fact.statement, Relation):
            _no("cites relations alone")
        scaled = not_negative(coefficient, frozenset(step.hypotheses))
        if fact.statement.sign != "=" and not (fact.statement.sign == step.statement.sign == ">=" and scaled):
            _no(f"an inequality is cited for an inequality >=, times what is >= 0, and not {plain(coefficient)}")
        rest = rest - coefficient * (fact.statement.a - fact.statement.b)
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
            if shape(step.statement) != shape(fact.statement):
                _no("changes the form of the statement")
            for mine, theirs in zip(relations(step.statement), relations(fact.statement), strict=True):
                _same(put(mine.a, equation.statement), put(theirs.a, equation.statement), step)
                _same(put(mine.b, equation.statement), put(theirs.b, equation.statement), step)
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


def product(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """The product of two numbers >= 0 is >= 0."""
    one, other = _count(cited, 2)
    match step.statement, one.statement, other.statement:
        case Relation(">=", a, b), Relation(">=", c, d), Relation(">=", e, f):
            _same(a - b, (c - d) * (e - f), step)
            return one.hypotheses | other.hypotheses
    _no("takes a >= 0 and b >= 0 to a b >= 0")


def modulus(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """The modulus of a product is the product of the moduli, and a factor that is >= 0 on sight is its own."""
    (fact,) = _count(cited, 1)
    match step.statement, fact.statement:
        case Relation("=", Abs(a), moduli), Relation("=", b, product) if a == b:
            mine, theirs, known = factors(moduli), factors(product), frozenset(step.hypotheses)
            fits = (m == Abs(f) or (m == f and not_negative(f, known)) for m, f in zip(mine, theirs, strict=False))
            if len(mine) == len(theirs) and all(fits):
                return fact.hypotheses
    _no("takes a = b c to |a| = |b| |c|, factor by factor")


def bound(step: Step, cited: list[Fact], _definitions: Definitions) -> Needs:
    """What is at least a and at least b is at least the larger; the modulus of a is the larger of a and -a."""
    one, other = _count(cited, 2)
    match step.statement, one.statement, other.statement:
        case Relation(">=", c, Abs() | Max() as top), Relation(">=", d, e), Relation(">=", f, g):
            a, b = (top.a, top.b if isinstance(top, Max) else ZERO - top.a)
            _same(c - a, d - e, step)
            _same(c - b, f - g, step)
            return one.hypotheses | other.hypotheses
    _no("takes c >= a and c >= b to c >= max(a, b)")


RULES: dict[str, Callable[[Step, list[Fact], Definitions], Needs]] = {
    rule.__name__: rule
    for rule in (
        hypothesis, definition, regions, summation, ring, zero_sum, substitution, cut, cases, equivalence,
        product, modulus, bound,
    )
}  # fmt: skip


# ---- what the rules share


def _count(cited: list[Fact], n: int) -> list[Fact]:
    return cited if len(cited) == n else _no(f"takes {n} citations, not {len(cited)}")


def _same(a: Node, b: Node, step: Step) -> None:
    if not vanishes(a - b, frozenset(step.hypotheses)):
        _no(f"{plain(a)} is not what the citation gives")
