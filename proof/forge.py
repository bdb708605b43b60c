"""Forged derivations: each breaks one condition of the kernel, and each must be rejected.

A forgery is the true derivation (of two laws, or of vectors as given) with a few steps put in the place of one or after
the end, and the label at which it is to be rejected.  `attempt` says what the kernel made of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from proof import floating
from proof.floating import ALPHA, DISJOINT, GAP, GIVEN, MASS, RIGHT, SCALE, SOME_LEFT, SURPLUS, TV_FP, TV_GH
from proof.floating import A, F, G, H, P, Q, R, S_p, S_q
from proof.kernel import Rejected, check
from proof.rejection import E, EQUAL, LAWS, NON_NEGATIVE, STEPS, Z, a, beta, by, combine, define, e, m, p, q, r, rho
from proof.rejection import step, total
from proof.statement import ONE, ZERO, Abs, At, Delta, Iff, Max, Name, Node, Number, Relation, Step, Sum, Where
from proof.statement import eq, ge, gt

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


def instead(name: str, label: str, of: Sequence[Step] = STEPS, **changed: object) -> Forgery:
    """One step of a true derivation with some of its fields changed."""
    steps = [replace(s, **changed) if s.label == label else s for s in of]  # type: ignore[arg-type]
    return Forgery(name, steps, label)


def after(name: str, *forged: Step, of: Sequence[Step] = STEPS) -> Forgery:
    """Steps put after a true derivation; the last of them is the forged one."""
    return Forgery(name, [*of, *forged], forged[-1].label)


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


def doubly(inner: Node) -> Node:
    """A sum in a sum, which gets deeper when a case has been decided, and that is when the outer one has its token."""
    late = Where(gt(Where(gt(Z, 0), Z, ZERO), 0), total(p("x")) + total(q("x")), ZERO)
    return Sum("y", Sum("z", Abs(inner + late * total(q("x")) * q("z"))))


def forgeries() -> list[Forgery]:
    """Every forgery, made afresh."""
    return [*of_two_laws(), *of_vectors_as_given()]


def of_two_laws() -> list[Forgery]:
    """Forgeries of the derivation for two laws."""
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
        after("an inner sum that takes the token of an outer one, in a case that is decided late",
              combine("forged", eq(doubly(p("z") * p("y")), doubly(p("y") * p("y"))), {}, "", (gt(ONE * Z, 0),))),
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


def of_vectors_as_given() -> list[Forgery]:
    """Forgeries of the derivation for vectors with any sums: of its own rules, and of what it says."""
    modulus, gap = Abs(F("x") - P("x")), Abs(A * G("x") - m("x"))
    scale = ONE / (S_p * S_q)
    then, other = partial(after, of=floating.STEPS), partial(instead, of=floating.STEPS)
    return [
        then("a product with a factor of any sign",
              by("product", "forged", ge(A * SURPLUS, 0), "overlap-total-sign overlap-total-sign", "", NON_NEGATIVE)),
        then("a product of an inequality and an equation",
              by("product", "forged", ge(R * (S_p - A - R), 0), "residual-sum-sign target-in-two", "", NON_NEGATIVE)),
        then("a product as a strict inequality",
              by("product", "forged", gt(A * R, 0), "overlap-total-sign residual-sum-sign", "", NON_NEGATIVE)),
        then("a product without the hypotheses of its factors",
              by("product", "forged", ge(A * R, 0), "overlap-total-sign residual-sum-sign", "")),
        then("the modulus of a sum as the sum of the moduli",
              combine("one", eq(F("x") - P("x"), F("x") + (0 - P("x"))), {}, "", ()),
              by("modulus", "forged", eq(Abs(F("x") - P("x")), Abs(F("x")) + Abs(P("x"))), "one", "")),
        other("a factor of any sign taken out of a modulus", "modulus-in-factors",
              statement=eq(modulus, SURPLUS * scale * gap)),
        other("a factor left out of a modulus", "modulus-in-factors", statement=eq(modulus, Abs(SURPLUS) * gap)),
        then("a factor that may be 0 or more, but is not known to be, taken out of a modulus",
              combine("one", eq(A * G("x"), G("x") * A), {}, "", ()),
              by("modulus", "forged", eq(Abs(A * G("x")), Abs(G("x")) * A), "one", "")),
        then("the modulus of what the equation is not about",
              by("modulus", "forged", eq(Abs(P("x") - F("x")), Abs(SURPLUS) * scale * gap), "defect-in-factors", "",
                 GIVEN)),
        then("moduli of the two sides of an inequality",
              by("modulus", "forged", eq(Abs(A), Abs(Number(Fraction(0)))), "overlap-total-sign", "", NON_NEGATIVE)),
        other("a bound on a modulus from one side alone", "gap", cites=("gap-one-way", "gap-one-way")),
        other("a bound on a maximum from one of the two", "defect-bound",
              cites=("distance-by-target", "distance-by-target")),
        other("a bound turned round", "gap", statement=ge(gap, A * G("x") + m("x"))),
        then("a bound with the sum in the place of the larger",
              by("bound", "forged", ge(Abs(SURPLUS), S_p * TV_FP + S_q * TV_FP), "distance-by-target distance-by-draft",
                 "", GIVEN)),
        then("an inequality times a number of any sign",
              combine("forged", ge(SURPLUS * A, 0), {"overlap-total-sign": SURPLUS}, "", GIVEN)),
        then("an inequality times what is not known to be positive",
              combine("forged", ge(A * R, 0), {"overlap-total-sign": R}, "", NON_NEGATIVE)),
        then("an inequality times a value at a token",
              combine("forged", ge(p("x") * A, 0), {"overlap-total-sign": p("x")}, "", NON_NEGATIVE)),
        then("an inequality times the reciprocal of a negative number",
              combine("forged", ge(0, A / S_p), {"overlap-total-sign": Number(Fraction(-1)) / S_p}, "", GIVEN)),
        then("an equation from an inequality times a modulus",
              combine("forged", eq(Abs(SURPLUS) * A, 0), {"overlap-total-sign": Abs(SURPLUS)}, "", NON_NEGATIVE)),
        then("division by a product with a factor that may be 0",
              combine("forged", eq(A / (S_p * R), A / (S_p * R)), {}, "", GIVEN)),
        then("division by a difference of positive numbers",
              combine("forged", eq(A / SURPLUS, A / SURPLUS), {}, "", GIVEN)),
        then("a positive number cancelled against another one",
              combine("forged", eq(S_p * S_p / (S_p * S_q), S_p), {}, "", GIVEN)),
        other("the defect with its sign turned", "defect",
              statement=eq(F("x") - p("x") / S_p, SCALE * (m("x") - A * G("x")))),
        other("the defect with the sums exchanged", "defect",
              statement=eq(F("x") - p("x") / S_p, (S_p - S_q) / (S_p * S_q) * (A * G("x") - m("x")))),
        other("the defect over one of the two sums", "defect",
              statement=eq(F("x") - p("x") / S_p, SURPLUS / S_p * (A * G("x") - m("x")))),
        other("the weight R in the place of the rejected mass", "mass-formula",
              statement=eq(F("x"), (m("x") + r("x") * (R / R)) / S_q)),
        other("one less the overlap in the place of the rejected mass", "program-in-masses",
              statement=eq(S_q * F("x"), m("x") + (1 - A) * G("x"))),
        other("a residual taken for granted", "unscaled-defect-if-some-left", hypotheses=GIVEN),
        other("the program without its sum", "program",
              statement=eq(F("x"), Sum("y", q("y") / S_q * (a("y") * Delta("y", "x") + (1 - a("y")) * G("x"))))),
        other("acceptance as the overlap without the sum", "rate-in-masses", statement=eq(ALPHA, A)),
        other("no defect for any sums", "right-if-same-sums", hypotheses=GIVEN),
        other("no defect where there is a residual", "right-if-none-left", hypotheses=(*GIVEN, SOME_LEFT)),
        other("no defect from equal sums alone", "no-defect", statement=Iff(RIGHT, floating.SAME_SUMS)),
        other("nothing in common, of masses that may be negative", "nothing-in-common", hypotheses=(DISJOINT,)),
        other("the distance without the overlap as a factor", "defect-distance",
              statement=eq(TV_FP, Abs(SURPLUS) / (S_p * S_q) * TV_GH)),
        other("the distance of the laws where there is no overlap", "defect-in-laws", hypotheses=GIVEN),
        other("the distance bounded by half of what it can be", "gap-at-most-overlap", statement=ge(A / 2, GAP)),
        other("a bound by the sum of the sums", "distance-by-target", statement=ge(Abs(SURPLUS), (S_p + S_q) * TV_FP)),
        then("sums of 1 that nobody has assumed", combine("forged", eq(S_p, 1), {"target-total": 1}, "", GIVEN)),
        then("a sum that is positive because it is not negative",
              by("cut", "forged", MASS[0], "target-has-mass overlap-total-sign", "", NON_NEGATIVE)),
        then("the law of an accepted token where none is accepted",
              combine("forged", eq(m("x"), A * H("x")), {"accepted-law": -1 * A}, "", NON_NEGATIVE)),
        then("a defect bounded by the larger sum in the place of one over it",
              by("bound", "forged", ge(Abs(SURPLUS), Max(TV_FP, S_q * TV_FP)), "distance-by-target distance-by-draft",
                 "", GIVEN)),
        then("the second derivation's program taken for the first's",
              combine("forged", eq(F("x"), p("x")), {"program-in-masses": 1, "split-p": -1}, "", GIVEN)),
        then("the program right where Q is R, read as the sums being 1",
              combine("forged", eq(S_q, 1), {"draft-in-two": 1, "target-in-two": -1}, "", (*GIVEN, eq(Q, R)))),
    ]  # fmt: skip


def attempt(forgery: Forgery) -> str:
    """The label at which the kernel rejects a forgery; "" if it accepts it."""
    try:
        check(forgery.steps)
    except Rejected as verdict:
        return verdict.label
    return ""
