"""The derivation: the emitted token has the law p, for every vocabulary and every pair of laws p and q.

Each line is a `Step`: a statement, the rule of the kernel that proves it, the earlier lines it cites, the hypotheses
it stands under, and the reason in words (letters between dollars, as in TeX).  Nothing is typed a second time: paper,
lessons and checks read this list.

The letters: target p, draft q, overlap m = min(p,q), residual r = (p-q)^+, excess e = (q-p)^+, acceptance
probability a, law of the replacement rho, law of the emitted token D.  Two functions are arbitrary: u, the acceptance
where q = 0, and f, what is drawn from where the residual has no mass.  That they may be anything is part of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exact.reading import Number as ExactNumber
from exact.reading import Numbers, read_laws
from proof.evaluate import Definitions, World
from proof.statement import (
    ZERO,
    Abs,
    At,
    Delta,
    Function,
    Iff,
    Max,
    Min,
    Name,
    Node,
    Number,
    Relation,
    Statement,
    Step,
    Sum,
    Where,
    eq,
    ge,
    gt,
)

p, q, u, f = Function("p"), Function("q"), Function("u"), Function("f")
m, r, e, a, rho, D, E = map(Function, ("m", "r", "e", "a", "rho", "D", "E"))
Z, beta, alpha, TV, off = map(Name, ("Z", "beta", "alpha", "TV", "off"))
HALF = Number(Fraction(1, 2))
PER_TOKEN, MASSES = (p, q, a, m, r, e, rho, D), (Z, beta, alpha, TV)  # what an example shows, in this order


def total(body: Node) -> Sum:
    return Sum("x", body)


P_LAW: tuple[Statement, ...] = (ge(p("x"), 0), eq(total(p("x")), 1))
Q_LAW: tuple[Statement, ...] = (ge(q("x"), 0), eq(total(q("x")), 1))
NON_NEGATIVE = (P_LAW[0], Q_LAW[0])
LAWS = (*P_LAW, *Q_LAW)
EQUAL = eq(p("x"), q("x"))


def assume(label: str, statement: Statement, prose: str) -> Step:
    return Step(label, statement, "hypothesis", prose=prose, hypotheses=(statement,))


def define(label: str, name: Node, body: Node, prose: str) -> Step:
    return Step(label, eq(name, body), "definition", prose=prose)


def combine(
    label: str, statement: Relation, terms: dict[str, Node | int], prose: str, hypotheses: tuple[Statement, ...]
) -> Step:
    """A `ring` step: the statement is the sum of coefficient times cited equation."""
    coefficients = tuple(Number(Fraction(c)) if isinstance(c, int) else c for c in terms.values())
    return Step(label, statement, "ring", tuple(terms), prose, hypotheses, coefficients)


def by(
    rule: str, label: str, statement: Statement, cites: str, prose: str, hypotheses: tuple[Statement, ...] = ()
) -> Step:
    return Step(label, statement, rule, tuple(cites.split()), prose, hypotheses)


ASSUMPTIONS = [
    assume("p-sums-to-1", P_LAW[1], "The target is a law."),
    assume("q-sums-to-1", Q_LAW[1], "The draft is a law."),
]

THE_COIN = [
    define("overlap", m("x"), Min(p("x"), q("x")), "The overlap: what target and draft have in common at token $x$."),
    define(
        "acceptance",
        a("x"),
        Where(gt(q("x"), 0), Min(Number(Fraction(1)), p("x") / q("x")), u("x")),
        "The probability that a drafted token $x$ is accepted. Where $q$ is 0 the token is never drafted, so that any "
        "number $u$ may stand there.",
    ),
    by("regions", "accepted-mass", eq(q("x") * a("x"), m("x")), "",
       "Token $x$ is drafted and accepted with probability $q$ times $a$. If $q$ is at most $p$ the coin always says yes, and "
       "this is $q$. If $q$ is larger it is $q$ times $p/q$, which is $p$. Where $q$ is 0 both sides are 0, whatever $u$ is.",
       NON_NEGATIVE),
]  # fmt: skip

TWO_SPLITS = [
    define("residual", r("x"), Max(p("x") - q("x"), ZERO), "The residual: what the draft lacks of the target."),
    define("excess", e("x"), Max(q("x") - p("x"), ZERO), "The excess: what of the draft the target does not want."),
    by("regions", "split-p", eq(p("x"), m("x") + r("x")), "",
       "The target is overlap plus residual: if $p$ is at most $q$, the overlap is $p$ and the residual 0; otherwise the "
       "overlap is $q$ and the residual is the rest.", NON_NEGATIVE),
    by("regions", "split-q", eq(q("x"), m("x") + e("x")), "",
       "The draft is overlap plus excess, for the same reason with $p$ and $q$ exchanged.", NON_NEGATIVE),
]  # fmt: skip

RESIDUAL_MASS = [
    define("residual-total", Z, total(r("x")), "$Z$ is the mass of the residual."),
    by("summation", "sum-of-p", eq(total(p("x")), total(m("x")) + total(r("x"))), "split-p",
       "Add up the split of the target over all tokens.", NON_NEGATIVE),
    by("summation", "sum-of-q", eq(total(q("x")), total(m("x")) + total(e("x"))), "split-q",
       "Add up the split of the draft over all tokens.", NON_NEGATIVE),
    combine("residual-mass", eq(Z, 1 - total(m("x"))), {"residual-total": 1, "sum-of-p": -1, "p-sums-to-1": 1},
            "The target sums to 1, so that its residual has what the overlap leaves of 1.", (*NON_NEGATIVE, P_LAW[1])),
    combine("excess-mass", eq(Z, total(e("x"))), {"residual-mass": 1, "q-sums-to-1": -1, "sum-of-q": 1},
            "The draft sums to 1 as well, so that residual and excess have the same mass: the mass that sticks out on "
            "one side is missing on the other.", LAWS),
    by("summation", "sum-accepted", eq(total(q("x") * a("x")), total(m("x"))), "accepted-mass",
       "Add up the accepted mass over all tokens.", NON_NEGATIVE),
    define("rejection", beta, total(q("x") * (1 - a("x"))), "$\\beta$ is the probability that the draft is rejected."),
    combine("rejection-mass", eq(beta, Z),
            {"rejection": 1, "q-sums-to-1": 1, "sum-accepted": -1, "residual-mass": -1},
            "What is not accepted is rejected: $\\beta$ is 1 less the overlap, and that is $Z$. So rejection happens exactly "
            "as often as the residual has mass.", LAWS),
]  # fmt: skip

NO_RESIDUAL = [
    by("regions", "residual-sign", ge(r("x"), 0), "", "The residual is cut off at 0.", NON_NEGATIVE),
    by("regions", "excess-sign", ge(e("x"), 0), "", "The excess is cut off at 0.", NON_NEGATIVE),
    by("summation", "sum-residual-sign", ge(total(r("x")), 0), "residual-sign",
       "A sum of numbers that are not negative is not negative.", NON_NEGATIVE),
    combine("residual-mass-sign", ge(Z, 0), {"sum-residual-sign": 1, "residual-total": 1},
            "So the mass of the residual is positive or 0, and these are the two cases.", NON_NEGATIVE),
    assume("no-mass", eq(Z, 0), "The case without a residual."),
    combine("no-residual-total", eq(total(r("x")), 0), {"no-mass": 1, "residual-total": -1},
            "In that case the residual sums to 0.", (eq(Z, 0),)),
    by("zero_sum", "no-residual", eq(r("x"), 0), "no-residual-total residual-sign",
       "Numbers that are not negative sum to 0 only if each of them is 0, so no token has a residual.",
       (*NON_NEGATIVE, eq(Z, 0))),
    combine("no-excess-total", eq(total(e("x")), 0), {"no-mass": 1, "excess-mass": -1},
            "The excess has the same mass, which is 0.", (*LAWS, eq(Z, 0))),
    by("zero_sum", "no-excess", eq(e("x"), 0), "no-excess-total excess-sign",
       "For the same reason no token has an excess.", (*LAWS, eq(Z, 0))),
    combine("equal-if-no-mass", EQUAL, {"split-p": 1, "split-q": -1, "no-residual": 1, "no-excess": -1},
            "Both laws are then nothing but their overlap, and so they are the same law.", (*LAWS, eq(Z, 0))),
    by("regions", "no-residual-if-equal", eq(r("x"), 0), "",
       "The other way round: where the draft is the target, no token has a residual.",
       (*NON_NEGATIVE, EQUAL)),
    by("summation", "no-total-if-equal", eq(total(r("x")), 0), "no-residual-if-equal", "Then the residual has no mass.",
       (*NON_NEGATIVE, EQUAL)),
    combine("no-mass-if-equal", eq(Z, 0), {"residual-total": 1, "no-total-if-equal": 1}, "Its mass is $Z$.",
            (*NON_NEGATIVE, EQUAL)),
    by("equivalence", "zero-residual", Iff(eq(Z, 0), EQUAL), "equal-if-no-mass no-mass-if-equal",
       "The residual has no mass exactly when the draft is the target. Then nothing is ever rejected, and what would "
       "be drawn on rejection does not matter.", LAWS),
]  # fmt: skip

THE_LAW = [
    define("replacement", rho("x"), Where(gt(Z, 0), r("x") / Z, f("x")),
           "The law of the token that replaces a rejected one: the residual, normalised. Where it has no mass, any $f$."),
    define("emitted", D("x"), Sum("y", q("y") * (a("y") * Delta("y", "x") + (1 - a("y")) * rho("x"))),
           "The program: draft $y$ from $q$; with probability $a(y)$ emit $y$ itself, otherwise emit a token drawn from $\\rho$. "
           "$D(x)$ is the probability that $x$ comes out."),
    combine("two-branches", eq(D("x"), q("x") * a("x") + beta * rho("x")), {"emitted": 1, "rejection": -1 * rho("x")},
            "Token $x$ comes out in two ways: drafted and accepted, which is the one term of the sum with $y = x$, or redrawn "
            "after any rejection.", ()),
    assume("some-mass", gt(Z, 0), "The case with a residual."),
    combine("redrawn-if-mass", eq(beta * rho("x"), r("x")), {"rejection-mass": rho("x"), "replacement": Z},
            "Rejection has probability $Z$, and the replacement divides by the same $Z$: the two cancel.",
            (*LAWS, gt(Z, 0))),
    combine("redrawn-if-no-mass", eq(beta * rho("x"), r("x")),
            {"rejection-mass": rho("x"), "no-mass": rho("x"), "no-residual": -1},
            "Rejection has probability 0, the residual is 0, and so are both sides, whatever $f$ is.",
            (*LAWS, eq(Z, 0))),
    by("cases", "redrawn-mass", eq(beta * rho("x"), r("x")), "redrawn-if-mass redrawn-if-no-mass residual-mass-sign",
       "In both cases rejection and redraw together put exactly the residual on token $x$: no more and no less than "
       "what the accepted mass lacks.", LAWS),
    combine("law-in-masses", eq(D("x"), m("x") + total(e("x")) * (r("x") / Z)),
            {"two-branches": 1, "accepted-mass": 1, "rejection-mass": rho("x"), "excess-mass": rho("x"),
             "replacement": total(e("x"))},
            "In masses alone, where there is a residual: overlap, plus the rejected mass spread over the residual. "
            "This line, with the sums kept apart, is what the programs compute.", (*LAWS, gt(Z, 0))),
    combine("emitted-law", eq(D("x"), p("x")),
            {"two-branches": 1, "accepted-mass": 1, "redrawn-mass": 1, "split-p": -1},
            "Accepted mass is the overlap, redrawn mass is the residual, and the two add up to $p$.", LAWS),
]  # fmt: skip

ALPHA = [
    define("acceptance-rate", alpha, total(q("x") * a("x")), "$\\alpha$ is the probability that the draft is accepted."),
    combine("alpha-overlap", eq(alpha, total(m("x"))), {"acceptance-rate": 1, "sum-accepted": 1},
            "It is the mass of the overlap.", NON_NEGATIVE),
    define("total-variation", TV, HALF * total(Abs(p("x") - q("x"))), "The total variation between target and draft."),
    by("regions", "absolute-difference", eq(Abs(p("x") - q("x")), r("x") + e("x")), "",
       "Target and draft differ at $x$ by the residual or by the excess; one of the two is 0.", NON_NEGATIVE),
    by("summation", "sum-absolute", eq(total(Abs(p("x") - q("x"))), total(r("x")) + total(e("x"))),
       "absolute-difference", "Add up over all tokens.", NON_NEGATIVE),
    combine("tv-is-residual", eq(TV, Z),
            {"total-variation": 1, "sum-absolute": HALF, "residual-total": -1 * HALF, "excess-mass": -1 * HALF},
            "Residual and excess have mass $Z$ each, and the total variation is half of both.", LAWS),
    combine("alpha", eq(alpha, 1 - TV), {"alpha-overlap": 1, "residual-mass": 1, "tv-is-residual": 1},
            "So the draft is accepted with probability one minus the total variation.", LAWS),
    assume("always-accepted", eq(alpha, 1), "The case where every draft token is accepted."),
    combine("no-mass-if-accepted", eq(Z, 0), {"residual-mass": 1, "alpha-overlap": 1, "always-accepted": -1},
            "In that case the residual has no mass.", (*NON_NEGATIVE, P_LAW[1], eq(alpha, 1))),
    by("cut", "equal-if-accepted", EQUAL, "equal-if-no-mass no-mass-if-accepted", "And so the draft is the target.",
       (*LAWS, eq(alpha, 1))),
    combine("accepted-if-equal", eq(alpha, 1), {"alpha-overlap": 1, "residual-mass": 1, "no-mass-if-equal": -1},
            "The other way round: where the draft is the target, no residual is left, and $\\alpha$ is 1.",
            (*NON_NEGATIVE, P_LAW[1], EQUAL)),
    by("equivalence", "alpha-is-1", Iff(eq(alpha, 1), EQUAL), "equal-if-accepted accepted-if-equal",
       "Every draft token is accepted exactly when the draft is the target.", LAWS),
]  # fmt: skip

NEVER_AGAIN = [
    by("regions", "rejected-has-no-residual", eq(q("x") * (1 - a("x")) * r("x"), 0), "",
       "A token that can be rejected has $q$ larger than $p$, and so no residual; a token with a residual is always "
       "accepted when drafted.", NON_NEGATIVE),
    combine("never-if-mass", eq(q("x") * (1 - a("x")) * rho("x"), 0),
            {"rejected-has-no-residual": Number(Fraction(1)) / Z, "replacement": q("x") * (1 - a("x"))},
            "With a residual, divide by its mass: the same holds for the law of the replacement.",
            (*NON_NEGATIVE, gt(Z, 0))),
    combine("rejected-mass-at-token", eq(q("x") * (1 - a("x")), e("x")), {"split-q": 1, "accepted-mass": -1},
            "A token is drafted and rejected with probability $q - m$, the excess.", NON_NEGATIVE),
    combine("never-if-no-mass", eq(q("x") * (1 - a("x")) * rho("x"), 0),
            {"rejected-mass-at-token": rho("x"), "no-excess": rho("x")},
            "Without a residual there is no excess either, and nothing is rejected.", (*LAWS, eq(Z, 0))),
    by("cases", "never-again", eq(q("x") * (1 - a("x")) * rho("x"), 0),
       "never-if-mass never-if-no-mass residual-mass-sign",
       "That $x$ is drafted, rejected and then drawn again has probability 0: what is redrawn is never the token that was "
       "rejected.", LAWS),
]  # fmt: skip

ACCEPT_ALL = [
    define("accept-all", E("x"), Sum("y", q("y") * Delta("y", "x")), "The law of a program that emits every draft."),
    combine("accept-all-emits-q", eq(E("x"), q("x")), {"accept-all": 1}, "That law is $q$.", ()),
    define("accept-all-distance", off, HALF * total(Abs(E("x") - p("x"))),
           "Its distance from the target, in total variation."),
    by("substitution", "accept-all-distance-q", eq(off, HALF * total(Abs(q("x") - p("x")))),
       "accept-all-emits-q accept-all-distance", "Put $q$ in the place of $E$."),
    combine("accept-all-is-off", eq(off, TV), {"accept-all-distance-q": 1, "total-variation": -1},
            "So accepting every draft is off by exactly the total variation: what a sampler must preserve is the law "
            "of the emitted token, and not the draft.", ()),
    assume("accept-all-right", eq(E("x"), p("x")), "Suppose that accepting everything is lossless."),
    combine("equal-if-accept-all-right", EQUAL, {"accept-all-emits-q": 1, "accept-all-right": -1},
            "Then the draft is the target.",
            (eq(E("x"), p("x")),)),
    assume("equal", EQUAL, "Suppose that the draft is the target."),
    combine("accept-all-right-if-equal", eq(E("x"), p("x")), {"accept-all-emits-q": 1, "equal": -1},
            "Then accepting everything is lossless.", (EQUAL,)),
    by("equivalence", "accept-all-lossless", Iff(eq(E("x"), p("x")), EQUAL),
       "equal-if-accept-all-right accept-all-right-if-equal",
       "Accepting every draft is lossless only if there was nothing to do."),
]  # fmt: skip

CHAPTERS: dict[str, list[Step]] = {
    "Two laws": ASSUMPTIONS,
    "The coin": THE_COIN,
    "Two splits": TWO_SPLITS,
    "The mass of the residual": RESIDUAL_MASS,
    "No residual": NO_RESIDUAL,
    "The law of the emitted token": THE_LAW,
    "The acceptance probability": ALPHA,
    "A rejected token is not drawn again": NEVER_AGAIN,
    "Accepting every draft": ACCEPT_ALL,
}
STEPS = [step for chapter in CHAPTERS.values() for step in chapter]
EXAMPLE = read_laws(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])  # the pair that every reading shows
THEOREM = ("emitted-law", "alpha")  # what must stand, under LAWS alone


def step(label: str) -> Step:
    """The step of that label."""
    return next(s for s in STEPS if s.label == label)


def definitions(steps: Sequence[Step] = STEPS) -> Definitions:
    """The definitions of a derivation, for `proof.evaluate.World`.

    >>> sorted(definitions())
    ['D', 'E', 'TV', 'Z', 'a', 'alpha', 'beta', 'e', 'm', 'off', 'r', 'rho']
    """
    sides = {letter: s.statement for letter, s in defining(steps).items() if isinstance(s.statement, Relation)}
    return {letter: (getattr(line.a, "token", None), line.b) for letter, line in sides.items()}


def defining(steps: Sequence[Step] = STEPS) -> dict[str, Step]:
    """The step that defines each letter, in the order of the derivation.

    >>> defining()["Z"].label
    'residual-total'
    """
    relations = ((s, s.statement) for s in steps if s.rule == "definition")
    return {letter_of(line.a): s for s, line in relations if isinstance(line, Relation)}


def letter_of(tree: Node) -> str:
    """The name that a node is, of a number or of a function; "" for any other node."""
    return tree.name if isinstance(tree, Name) else tree.function if isinstance(tree, At) else ""


def arbitrary(V: int) -> dict[str, list[Fraction]]:
    """Some acceptance u where q = 0 and some fallback f: numbers that fit nothing else."""
    return {"u": [Fraction(1, x + 3) for x in range(V)], "f": [Fraction(2 * x + 1, V * V) for x in range(V)]}


def world_of(target: Numbers, draft: Numbers, steps: Sequence[Step] = STEPS) -> World:
    """A pair with some u and f, and the names that the steps define, to evaluate statements in."""
    return World({"p": target, "q": draft, **arbitrary(len(target))}, definitions(steps))


def derived_law(world: World) -> tuple[tuple[ExactNumber, ...], ExactNumber]:
    """D and alpha as the derivation defines them."""
    return tuple(world.value(D("x"), {"x": x}) for x in range(world.V)), world.value(alpha)
