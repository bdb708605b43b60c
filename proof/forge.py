"""Forged derivations: each breaks one condition of the kernel, and each must be rejected.

A forgery is the true derivation with a few steps put in the place of one or after the end, and the label at which it
is to be rejected.  `attempt` says what the kernel made of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from proof.kernel import Rejected, check
from proof.rejection import E, EQUAL, LAWS, NON_NEGATIVE, STEPS, Z, a, beta, by, combine, define, e, p, q, r, rho
from proof.rejection import step, total
from proof.statement import At, Delta, Iff, Name, Number, Relation, Step, Sum, eq, ge, gt

W = Name("W")


@dataclass(frozen=True)
class Forgery:
    """What is forged, the derivation, and the label of the step that must not be accepted."""

    name: str
    steps: Sequence[Step]
    label: str


class Liar(Relation):
    """A relation that claims to equal any other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(EQUAL)


def instead(name: str, label: str, **changed: object) -> Forgery:
    """One step of the true derivation with some of its fields changed."""
    steps = [replace(s, **changed) if s.label == label else s for s in STEPS]  # type: ignore[arg-type]
    return Forgery(name, steps, label)


def after(name: str, *forged: Step) -> Forgery:
    """Steps put after the true derivation; the last of them is the forged one."""
    return Forgery(name, [*STEPS, *forged], forged[-1].label)


def moved(name: str, label: str, before: str) -> Forgery:
    """A step put before another one that it rests on."""
    steps: list[Step] = []
    for s in STEPS:
        steps += [step(label), s] if s.label == before else [] if s.label == label else [s]
    return Forgery(name, steps, label)


def without_mass(label: str, sign: str) -> Step:
    """W = 0 (or > 0) for each token's own excess, as the two cases of a false case split."""
    claim = Relation(sign, e("x"), Number(Fraction(0)))
    return Step(label, claim, "hypothesis", hypotheses=(claim,))


def forgeries() -> list[Forgery]:
    """Every forgery, made afresh."""
    never = eq(p("x"), q("x"))
    return [
        instead("cites a label that does not exist", "residual-mass", cites=("residual-total", "sum-of-p", "nothing")),
        moved("cites a later step", "sum-of-p", before="split-p"),
        instead("cites itself", "emitted-law", cites=("two-branches", "accepted-mass", "redrawn-mass", "emitted-law")),
        after("two steps cite each other",
              by("cut", "one", never, "other other", "", LAWS), by("cut", "one", never, "one one", "", LAWS)),
        instead("a wrong coefficient", "excess-mass", coefficients=tuple(Number(Fraction(c)) for c in (1, 1, 1))),
        instead("a coefficient short", "excess-mass", coefficients=(Number(Fraction(1)),) * 2),
        instead("an unknown rule", "emitted-law", rule="obvious"),
        instead("no rule at all: a claim as a hypothesis it does not state", "alpha", rule="hypothesis", cites=()),
        instead("a hypothesis left undischarged: Z = 0", "equal-if-no-mass", hypotheses=LAWS),
        instead("a hypothesis left undischarged: the draft sums to 1", "emitted-law", hypotheses=LAWS[:3]),
        instead("non-negativity left out of a case split by regions", "accepted-mass", hypotheses=()),
        after("a definition that mentions itself", define("forged", W, W + 1, "")),
        after("a definition of a primitive", define("forged", p("x"), q("x"), "")),
        after("a name defined twice", define("forged", Z, total(p("x")), "")),
        after("a number defined by a token", define("forged", W, p("x"), "")),
        after("a definition that divides by what may be zero", define("forged", W, beta / Z, "")),
        after("a definition of an expression", define("forged", Z + beta, total(p("x")), "")),
        after("an unknown function", combine("forged", eq(At("g", "x"), At("g", "x")), {}, "", ())),
        after("a number used as a function", combine("forged", eq(At("Z", "x"), At("Z", "x")), {}, "", ())),
        after("a label used twice", combine("alpha", eq(Z, Z), {}, "", ())),
        after("division by Z without Z > 0", combine("forged", eq(Z / Z, 1), {}, "", ())),
        after("the same on both sides, divided by what may be zero",
              combine("forged", eq(beta / Z, beta / Z), {}, "", ())),
        after("a case split on each token's own sign",
              by("regions", "one", ge(e("x"), 0), "", "", NON_NEGATIVE),
              without_mass("two", ">"), without_mass("three", "="),
              by("cases", "forged", eq(r("x"), r("x")), "two three one", "", NON_NEGATIVE)),
        after("both cases the same",
              by("cases", "forged", eq(beta * rho("x"), r("x")), "redrawn-if-mass redrawn-if-mass residual-mass-sign",
                 "", LAWS)),
        after("a sum that is 0 of terms of any sign",
              combine("one", eq(total(p("x") - q("x")), 0), {"p-sums-to-1": 1, "q-sums-to-1": -1}, "", LAWS),
              by("zero_sum", "forged", eq(p("x") - q("x"), 0), "one residual-sign", "", LAWS)),
        after("an inequality with a negative coefficient",
              combine("forged", ge(0, Z), {"residual-mass-sign": -1}, "", NON_NEGATIVE)),
        after("a strict inequality added up",
              Step("one", gt(p("x"), 0), "hypothesis", hypotheses=(gt(p("x"), 0),)),
              by("summation", "forged", gt(total(p("x")), 0), "one", "", (gt(p("x"), 0),))),
        after("an equation proved from an inequality",
              combine("forged", eq(Z, 0), {"residual-mass-sign": 1}, "", NON_NEGATIVE)),
        after("a token put where a sum binds it",
              Step("one", eq(Z, p("x")), "hypothesis", hypotheses=(eq(Z, p("x")),)),
              combine("two", eq(total(Z), total(Z)), {}, "", ()),
              by("substitution", "forged", eq(total(p("x")), total(Z)), "one two", "", (eq(Z, p("x")),))),
        after("a delta that a shortened sum misses",
              combine("forged", eq(Sum("y", q("y") * Delta("y", "x"), 1), q("x")), {}, "", ())),
        after("a product of sums as the sum of products",
              combine("forged", eq(total(p("x") * q("x")), total(p("x")) * total(q("x"))), {}, "", ())),
        after("a sum decided at one token",
              by("regions", "forged", ge(total(p("x")), p("x")), "", "", NON_NEGATIVE)),
        after("one direction used as both",
              by("equivalence", "forged", Iff(eq(Z, 0), EQUAL), "equal-if-no-mass equal-if-no-mass", "", LAWS)),
        after("a cut with a statement that proves something else",
              by("cut", "forged", EQUAL, "equal-if-no-mass rejection-mass", "", LAWS)),
        after("a free token that is not x", combine("forged", eq(p("y"), p("y")), {}, "", ())),
        after("a relation of a class that claims to equal any other",
              Step("one", Liar("=", p("x"), q("x")), "hypothesis", hypotheses=(EQUAL,))),
        after("a number that is no Fraction",
              combine("forged", eq(Number(0.1), Number(0.1)), {}, "", ())),  # type: ignore[arg-type]
        after("the law of the wrong program",
              combine("forged", eq(E("x"), p("x")), {"accept-all-emits-q": 1}, "", LAWS)),
        after("acceptance read where q is 0",
              by("regions", "forged", eq(a("x"), 1), "", "", (*NON_NEGATIVE, eq(q("x"), 0)))),
    ]  # fmt: skip


def attempt(forgery: Forgery) -> str:
    """The label at which the kernel rejects a forgery; "" if it accepts it."""
    try:
        check(forgery.steps)
    except Rejected as verdict:
        return verdict.label
    return ""
