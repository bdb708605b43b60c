"""What the sums do: the law of the program on vectors that do not sum to 1, exactly, and how far it is from the target.

Float vectors hardly ever sum to 1.  These lines ask for no sum to be 1, only for positive ones.  They say what the
program emits on the numbers as given (F), and how far that is from the target over its own sum (P): the defect.
Nothing is rounded here; what rounding adds is another matter (`numeric/rounding.py`).

The letters go on from `proof/rejection.py`, whose coin and splits are shared: A, R, Q, S_p and S_q are the sums of
overlap, residual, excess, target and draft; G is the law of a redrawn token and H that of an accepted one.
"""

from __future__ import annotations

from fractions import Fraction

from exact.reading import Number as ExactNumber
from proof.evaluate import World
from proof.rejection import HALF, NON_NEGATIVE, THE_COIN, TWO_SPLITS, a, assume, by, combine, define, e, f, m, p, q, r
from proof.rejection import STEPS as FIRST
from proof.rejection import step, total
from proof.statement import ONE, ZERO, Abs, Delta, Function, Iff, Max, Name, Number, Statement, Step, Sum, Where
from proof.statement import eq, ge, gt

P, G, F, H = map(Function, ("P", "G", "F", "H"))
A, R, Q, S_p, S_q = map(Name, ("A", "R", "Q", "S_p", "S_q"))
ALPHA, TV_FP, TV_GH = map(Name, ("alpha'", "TV(F,P)", "TV(G,H)"))
PER_TOKEN, MASSES = (p, q, m, r, e, G, F, P), (A, R, Q, S_p, S_q, ALPHA, TV_FP, TV_GH)  # what an example shows

MASS: tuple[Statement, ...] = (gt(S_p, 0), gt(S_q, 0))
GIVEN = (*NON_NEGATIVE, *MASS)  # all that is asked of the two vectors
WITH_TARGET, WITH_DRAFT = (*NON_NEGATIVE, MASS[0]), (*NON_NEGATIVE, MASS[1])
SOME_LEFT, NONE_LEFT = gt(R, 0), eq(R, 0)  # the two cases: is there a residual to redraw from?
SAME_SUMS, DISJOINT, ALIKE = eq(S_p, S_q), eq(A, 0), eq(A * r("x"), R * m("x"))  # three ways to have no defect

MINUS = Number(Fraction(-1))
SURPLUS = S_q - S_p
SCALE = SURPLUS / (S_p * S_q)
RIGHT = eq(F("x"), p("x") / S_p)
BALANCED = eq(SURPLUS * (A * r("x") - R * m("x")), 0)
GAP = HALF * total(Abs(A * G("x") - m("x")))

SHARED = [  # nothing in these lines of the first derivation asks for a sum of 1
    *THE_COIN,
    *TWO_SPLITS,
    *map(step, ("sum-of-p", "sum-of-q", "sum-accepted", "residual-sign", "excess-sign", "sum-residual-sign")),
    step("rejected-mass-at-token"),
]

THE_SUMS = [
    define("overlap-total", A, total(m("x")), "$A$ is the mass of the overlap."),
    define("residual-sum", R, total(r("x")), "$R$ is the mass of the residual, which was called $Z$ above."),
    define("excess-total", Q, total(e("x")),
           "$Q$ is the mass of the excess. For two laws it is the same number as $R$; here it need not be."),
    define("target-total", S_p, total(p("x")), "$S_p$ is the sum of the target as given."),
    define("draft-total", S_q, total(q("x")), "$S_q$ is the sum of the draft as given."),
    assume("target-sign", GIVEN[0], "No entry of the target is negative."),
    assume("draft-sign", GIVEN[1], "No entry of the draft is negative."),
    assume("target-has-mass", MASS[0], "The target is not 0 everywhere."),
    assume("draft-has-mass", MASS[1], "The draft is not 0 everywhere. Nothing else is asked of the two vectors."),
    combine("target-in-two", eq(S_p, A + R),
            {"target-total": 1, "sum-of-p": 1, "overlap-total": -1, "residual-sum": -1},
            "The sum of the target is overlap and residual.", NON_NEGATIVE),
    combine("draft-in-two", eq(S_q, A + Q),
            {"draft-total": 1, "sum-of-q": 1, "overlap-total": -1, "excess-total": -1},
            "The sum of the draft is overlap and excess. So the two sums differ as $R$ and $Q$ do.", NON_NEGATIVE),
    by("regions", "overlap-sign", ge(m("x"), 0), "", "The overlap is one of two numbers neither of which is negative.",
       NON_NEGATIVE),
    by("summation", "sum-overlap-sign", ge(total(m("x")), 0), "overlap-sign", "Add up over all tokens.", NON_NEGATIVE),
    combine("overlap-total-sign", ge(A, 0), {"sum-overlap-sign": 1, "overlap-total": 1},
            "So the mass of the overlap is not negative.", NON_NEGATIVE),
    combine("residual-sum-sign", ge(R, 0), {"sum-residual-sign": 1, "residual-sum": 1},
            "Nor is that of the residual.", NON_NEGATIVE),
    by("summation", "sum-excess-sign", ge(total(e("x")), 0), "excess-sign", "Add up the excess over all tokens.",
       NON_NEGATIVE),
    combine("excess-total-sign", ge(Q, 0), {"sum-excess-sign": 1, "excess-total": 1},
            "Its mass is not negative either.", NON_NEGATIVE),
]  # fmt: skip

THE_PROGRAM = [
    define("target-law", P("x"), Where(gt(S_p, 0), p("x") / S_p, f("x")),
           "The target over its own sum: the law that one would want."),
    define("redraw", G("x"), Where(gt(R, 0), r("x") / R, P("x")),
           "The law of the token that replaces a rejected one: the residual over its sum. Where there is no residual, "
           "$P$."),
    define("program", F("x"),
           Where(gt(S_q, 0), Sum("y", q("y") / S_q * (a("y") * Delta("y", "x") + (1 - a("y")) * G("x"))), f("x")),
           "The program on the numbers as given: draft $y$ from $q$ over its sum, accept it with the same $a(y)$, and "
           "otherwise emit a token drawn from $G$. $F(x)$ is the probability that $x$ comes out."),
    by("summation", "sum-rejected", eq(total(q("x") * (1 - a("x"))), total(e("x"))), "rejected-mass-at-token",
       "What is drafted and rejected adds up to the excess.", NON_NEGATIVE),
    combine("program-in-masses", eq(S_q * F("x"), m("x") + Q * G("x")),
            {"program": S_q, "accepted-mass": 1, "sum-rejected": G("x"), "excess-total": -1 * G("x")},
            "In masses, that is times $S_q$: token $x$ comes out with its overlap, which was drafted and accepted, and "
            "with its part of $Q$, which was rejected and redrawn.", WITH_DRAFT),
    define("rate-as-given", ALPHA, Where(gt(S_q, 0), total(q("x") / S_q * a("x")), ZERO),
           "$\\alpha'$ is the probability that the draft is accepted."),
    combine("rate-in-masses", eq(ALPHA, A / S_q),
            {"rate-as-given": 1, "sum-accepted": ONE / S_q, "overlap-total": MINUS / S_q},
            "It is the overlap over the sum of the draft.", WITH_DRAFT),
    combine("mass-formula", eq(F("x"), (m("x") + r("x") * (Q / R)) / S_q),
            {"program-in-masses": ONE / S_q, "redraw": Q / S_q},
            "Where there is a residual, $G$ is $r/R$. This is the formula that the exact program and the float "
            "programs compute.", (*WITH_DRAFT, SOME_LEFT)),
    combine("shared-if-some-left", eq(r("x"), R * G("x")), {"redraw": -1 * R},
            "Where the residual has mass, it is that mass times $G$, by the definition of $G$.", (SOME_LEFT,)),
    assume("none-left", NONE_LEFT, "The case without a residual."),
    combine("sum-none-left", eq(total(r("x")), 0), {"none-left": 1, "residual-sum": -1},
            "In that case the residual sums to 0.", (NONE_LEFT,)),
    by("zero_sum", "nothing-to-redraw", eq(r("x"), 0), "sum-none-left residual-sign", "And so no token has a residual.",
       (*NON_NEGATIVE, NONE_LEFT)),
    combine("shared-if-none-left", eq(r("x"), R * G("x")), {"nothing-to-redraw": 1, "none-left": -1 * G("x")},
            "Then both sides are 0.", (*NON_NEGATIVE, NONE_LEFT)),
    by("cases", "shared-residual", eq(r("x"), R * G("x")), "shared-if-some-left shared-if-none-left residual-sum-sign",
       "In both cases the residual is its mass times $G$.", NON_NEGATIVE),
    combine("redraw-from-target", eq(G("x"), p("x") / S_p), {"redraw": 1, "target-law": 1},
            "Without a residual, what is redrawn comes from the target over its sum.", (MASS[0], NONE_LEFT)),
]  # fmt: skip

A_LAW = [
    by("summation", "sum-shared", eq(total(r("x")), total(R * G("x"))), "shared-residual",
       "Is $F$ a law, whatever the sums are? First $G$. Add up the residual over all tokens.", NON_NEGATIVE),
    combine("redraw-total-if-some-left", eq(total(G("x")), 1), {"sum-shared": MINUS / R, "residual-sum": MINUS / R},
            "Where it has mass, divide by that mass: $G$ sums to 1.", (*NON_NEGATIVE, SOME_LEFT)),
    by("summation", "sum-redraw-from-target", eq(total(G("x")), total(p("x") / S_p)), "redraw-from-target",
       "Where it has none, $G$ sums to what the target over its sum does.", (MASS[0], NONE_LEFT)),
    combine("redraw-total-if-none-left", eq(total(G("x")), 1),
            {"sum-redraw-from-target": 1, "target-total": MINUS / S_p}, "And that is 1 as well.", (MASS[0], NONE_LEFT)),
    by("cases", "redraw-total", eq(total(G("x")), 1),
       "redraw-total-if-some-left redraw-total-if-none-left residual-sum-sign", "So $G$ always sums to 1.",
       WITH_TARGET),
    combine("redraw-sign-if-some-left", ge(G("x"), 0), {"redraw": 1, "residual-sign": ONE / R},
            "Where there is a residual, $G$ is not negative, as the residual is not.", (*NON_NEGATIVE, SOME_LEFT)),
    combine("redraw-sign-if-none-left", ge(G("x"), 0), {"redraw-from-target": 1, "target-sign": ONE / S_p},
            "Where there is none, it is not negative, as the target is not.", (GIVEN[0], MASS[0], NONE_LEFT)),
    by("cases", "redraw-sign", ge(G("x"), 0), "redraw-sign-if-some-left redraw-sign-if-none-left residual-sum-sign",
       "So $G$ is a law in both cases.", WITH_TARGET),
    by("product", "redrawn-sign", ge(Q * G("x"), 0), "excess-total-sign redraw-sign",
       "Now $F$. The mass that is redrawn is not negative.", WITH_TARGET),
    combine("program-sign", ge(F("x"), 0),
            {"program-in-masses": ONE / S_q, "overlap-sign": ONE / S_q, "redrawn-sign": ONE / S_q},
            "Neither is the probability that a token is emitted.", GIVEN),
    by("summation", "sum-program", eq(total(S_q * F("x")), total(m("x") + Q * G("x"))), "program-in-masses",
       "Add up the program in masses.", WITH_DRAFT),
    combine("program-total", eq(total(F("x")), 1),
            {"sum-program": ONE / S_q, "redraw-total": Q / S_q, "overlap-total": MINUS / S_q,
             "draft-in-two": MINUS / S_q},
            "Overlap and excess make up the sum of the draft, so that $F$ is a probability law for every two vectors: "
            "nothing has to be normalised first.", GIVEN),
]  # fmt: skip

DEFECT = [
    combine("unscaled-defect", eq(S_q * F("x") - p("x"), SURPLUS * G("x")),
            {"program-in-masses": 1, "split-p": -1, "shared-residual": -1, "draft-in-two": -1 * G("x"),
             "target-in-two": G("x")},
            "In masses the program emits $m$ and $Q$ times $G$, while the target is $m$ and $R$ times $G$. They differ "
            "by $Q - R$ times $G$, and $Q - R$ is the difference of the two sums.", WITH_DRAFT),
    combine("unscaled-defect-if-some-left", eq(S_q * F("x") - p("x"), r("x") * SURPLUS / R),
            {"unscaled-defect": 1, "redraw": SURPLUS}, "Where there is a residual, $G$ is $r/R$.",
            (*WITH_DRAFT, SOME_LEFT)),
    combine("defect", eq(F("x") - p("x") / S_p, SCALE * (A * G("x") - m("x"))),
            {"unscaled-defect": ONE / S_q, "target-in-two": SCALE * G("x"), "split-p": -1 * SCALE,
             "shared-residual": -1 * SCALE},
            "The *defect* is what the program emits, less the target over its sum. One factor is the difference of the "
            "two sums, the other the difference between what is redrawn and what is accepted.", GIVEN),
    combine("defect-if-some-left", eq(F("x") - p("x") / S_p, SCALE * (A * (r("x") / R) - m("x"))),
            {"defect": 1, "redraw": SCALE * A}, "Where there is a residual, $G$ is $r/R$.", (*GIVEN, SOME_LEFT)),
]  # fmt: skip

NO_DEFECT = [
    combine("right-if-none-left", RIGHT, {"unscaled-defect": ONE / S_q, "redraw-from-target": SURPLUS / S_q},
            "Without a residual there is no defect, whatever the sums are: the overlap is the target then, and what is "
            "redrawn comes from the target over its sum.", (*GIVEN, NONE_LEFT)),
    by("hypothesis", "right", RIGHT, "",
       "When else is there none? Suppose that the program emits the target over its sum.", (MASS[0], RIGHT)),
    combine("balanced-if-right", BALANCED,
            {"right": S_p * S_q * R, "defect": -1 * S_p * S_q * R, "shared-residual": SURPLUS * A},
            "Then this product is 0 at every token.", (*GIVEN, RIGHT)),
    assume("balanced", BALANCED, "The other way round: suppose that it is."),
    combine("right-if-balanced-and-some-left", RIGHT,
            {"defect-if-some-left": 1, "balanced": ONE / (S_p * S_q * R)},
            "Where there is a residual, the defect is that product, divided.", (*GIVEN, BALANCED, SOME_LEFT)),
    by("cases", "right-if-balanced", RIGHT, "right-if-balanced-and-some-left right-if-none-left residual-sum-sign",
       "Where there is none, there is no defect anyway.", (*GIVEN, BALANCED)),
    by("equivalence", "no-defect", Iff(RIGHT, BALANCED), "balanced-if-right right-if-balanced",
       "So there is no defect exactly when that product is 0 at every token: when the two sums are equal, or $A r$ is "
       "$R m$ throughout.", GIVEN),
    assume("same-sums", SAME_SUMS, "First, suppose that the two sums are the same number, whatever it is."),
    combine("balanced-if-same-sums", BALANCED, {"same-sums": R * m("x") - A * r("x")},
            "Then the first factor is 0.", (SAME_SUMS,)),
    by("cut", "right-if-same-sums", RIGHT, "right-if-balanced balanced-if-same-sums",
       "And so there is no defect. What the theorem needs is that the sums are equal, not that they are 1.",
       (*GIVEN, SAME_SUMS)),
    assume("disjoint", DISJOINT, "Second, suppose that target and draft have nothing in common."),
    combine("sum-disjoint", eq(total(m("x")), 0), {"disjoint": 1, "overlap-total": -1}, "Then the overlap sums to 0.",
            (DISJOINT,)),
    by("zero_sum", "nothing-in-common", eq(m("x"), 0), "sum-disjoint overlap-sign", "So it is 0 at every token.",
       (*NON_NEGATIVE, DISJOINT)),
    combine("balanced-if-disjoint", BALANCED,
            {"disjoint": SURPLUS * r("x"), "nothing-in-common": -1 * SURPLUS * R},
            "Both terms of the second factor are then 0.", (*NON_NEGATIVE, DISJOINT)),
    by("cut", "right-if-disjoint", RIGHT, "right-if-balanced balanced-if-disjoint",
       "And so there is no defect: every draft is rejected, and every token comes from the target over its sum.",
       (*GIVEN, DISJOINT)),
    assume("alike", ALIKE, "Third, suppose that the residual is proportional to the overlap."),
    combine("balanced-if-alike", BALANCED, {"alike": SURPLUS}, "Then the second factor is 0.", (ALIKE,)),
    by("cut", "right-if-alike", RIGHT, "right-if-balanced balanced-if-alike",
       "And so there is no defect: accepted and redrawn tokens have the same law, and how many there are of each does "
       "not matter.", (*GIVEN, ALIKE)),
]  # fmt: skip

DISTANCE = [
    define("accepted-law", H("x"), Where(gt(A, 0), m("x") / A, f("x")),
           "The law of a token that was accepted: the overlap over its sum. Where there is none, any $f$."),
    define("distance", TV_FP, HALF * total(Abs(F("x") - P("x"))),
           "How far is the program from the target over its sum? Their total variation."),
    define("redraw-distance", TV_GH, HALF * total(Abs(G("x") - H("x"))),
           "And how far is what is redrawn from what is accepted?"),
    combine("defect-in-laws", eq(F("x") - P("x"), SURPLUS * (A / (S_p * S_q)) * (G("x") - H("x"))),
            {"defect": 1, "target-law": -1, "accepted-law": SCALE * A},
            "The defect once more: where there is an overlap, it is $A$ times $H$.", (*GIVEN, gt(A, 0))),
    by("modulus", "modulus-in-laws",
       eq(Abs(F("x") - P("x")), Abs(SURPLUS) * (A / (S_p * S_q)) * Abs(G("x") - H("x"))), "defect-in-laws",
       "Take moduli, factor by factor.", (*GIVEN, gt(A, 0))),
    by("summation", "sum-modulus-in-laws",
       eq(total(Abs(F("x") - P("x"))), total(Abs(SURPLUS) * (A / (S_p * S_q)) * Abs(G("x") - H("x")))),
       "modulus-in-laws", "Add up over all tokens.", (*GIVEN, gt(A, 0))),
    combine("defect-distance", eq(TV_FP, Abs(SURPLUS) * (A / (S_p * S_q)) * TV_GH),
            {"distance": 1, "sum-modulus-in-laws": HALF, "redraw-distance": -1 * Abs(SURPLUS) * (A / (S_p * S_q))},
            "Half of that is the distance, exactly. Where there is a residual, the last factor is the total variation "
            "between $r/R$ and $m/A$.", (*GIVEN, gt(A, 0))),
    combine("defect-in-factors", eq(F("x") - P("x"), SURPLUS * (ONE / (S_p * S_q)) * (A * G("x") - m("x"))),
            {"defect": 1, "target-law": -1},
            "For a bound that holds without an overlap as well, write the defect in three factors.", GIVEN),
    by("modulus", "modulus-in-factors",
       eq(Abs(F("x") - P("x")), Abs(SURPLUS) * (ONE / (S_p * S_q)) * Abs(A * G("x") - m("x"))), "defect-in-factors",
       "Take moduli.", GIVEN),
    by("summation", "sum-modulus-in-factors",
       eq(total(Abs(F("x") - P("x"))), total(Abs(SURPLUS) * (ONE / (S_p * S_q)) * Abs(A * G("x") - m("x")))),
       "modulus-in-factors", "Add up over all tokens.", GIVEN),
    combine("distance-in-factors", eq(TV_FP, Abs(SURPLUS) / (S_p * S_q) * GAP),
            {"distance": 1, "sum-modulus-in-factors": HALF}, "Half of that is the distance.", GIVEN),
    by("product", "accepted-as-redrawn-sign", ge(A * G("x"), 0), "overlap-total-sign redraw-sign",
       "Now for the last factor. $A G$ is not negative.", WITH_TARGET),
    combine("gap-one-way", ge(A * G("x") + m("x"), A * G("x") - m("x")), {"overlap-sign": 2},
            "Nor is $m$, so that the sum of the two is at least their difference, taken one way.", NON_NEGATIVE),
    combine("gap-other-way", ge(A * G("x") + m("x"), m("x") - A * G("x")), {"accepted-as-redrawn-sign": 2},
            "And taken the other way.", WITH_TARGET),
    by("bound", "gap", ge(A * G("x") + m("x"), Abs(A * G("x") - m("x"))), "gap-one-way gap-other-way",
       "So it is at least the modulus of the difference.", WITH_TARGET),
    by("summation", "sum-gap", ge(total(A * G("x") + m("x")), total(Abs(A * G("x") - m("x")))), "gap",
       "Add up over all tokens.", WITH_TARGET),
    combine("gap-at-most-overlap", ge(A, GAP), {"sum-gap": HALF, "redraw-total": MINUS / 2 * A, "overlap-total": HALF},
            "$A G$ and $m$ sum to $A$ each, and half of the two is $A$.", WITH_TARGET),
    combine("distance-by-target", ge(Abs(SURPLUS), S_p * TV_FP),
            {"gap-at-most-overlap": Abs(SURPLUS) / S_q, "excess-total-sign": Abs(SURPLUS) / S_q,
             "draft-in-two": Abs(SURPLUS) / S_q, "distance-in-factors": -1 * S_p},
            "Since $A$ is at most $S_q$, the distance is at most the difference of the sums over the sum of the "
            "target.", GIVEN),
    combine("distance-by-draft", ge(Abs(SURPLUS), S_q * TV_FP),
            {"gap-at-most-overlap": Abs(SURPLUS) / S_p, "residual-sum-sign": Abs(SURPLUS) / S_p,
             "target-in-two": Abs(SURPLUS) / S_p, "distance-in-factors": -1 * S_q},
            "Since $A$ is at most $S_p$, it is at most the difference of the sums over the sum of the draft.", GIVEN),
    by("bound", "defect-bound", ge(Abs(SURPLUS), Max(S_p * TV_FP, S_q * TV_FP)),
       "distance-by-target distance-by-draft",
       "Together: the distance is at most the difference of the two sums, divided by the larger of them.", GIVEN),
]  # fmt: skip

CHAPTERS: dict[str, list[Step]] = {
    "Sums that are not 1": THE_SUMS,
    "The program on the numbers as given": THE_PROGRAM,
    "What it emits is a law": A_LAW,
    "The defect": DEFECT,
    "When there is no defect": NO_DEFECT,
    "How large the defect is": DISTANCE,
}
NEW = [step for chapter in CHAPTERS.values() for step in chapter]
STEPS = [*SHARED, *NEW]
LINES = [*FIRST, *NEW]
NUMBER = {step.label: n for n, step in enumerate(LINES, 1)}  # of every line of paper.md
CLAIMS: dict[str, tuple[Statement, ...]] = {  # what must stand, and the most that each may assume
    "rate-in-masses": GIVEN,
    "mass-formula": (*GIVEN, SOME_LEFT),
    "program-sign": GIVEN,
    "program-total": GIVEN,
    "unscaled-defect-if-some-left": (*GIVEN, SOME_LEFT),
    "defect-if-some-left": (*GIVEN, SOME_LEFT),
    "right-if-none-left": (*GIVEN, NONE_LEFT),
    "no-defect": GIVEN,
    "right-if-same-sums": (*GIVEN, SAME_SUMS),
    "right-if-disjoint": (*GIVEN, DISJOINT),
    "right-if-alike": (*GIVEN, ALIKE),
    "defect-distance": (*GIVEN, gt(A, 0)),
    "defect-bound": GIVEN,
}


def law_as_given(world: World) -> tuple[tuple[ExactNumber, ...], ExactNumber]:
    """F and alpha' as the derivation defines them."""
    return tuple(world.value(F("x"), {"x": x}) for x in range(world.V)), world.value(ALPHA)
