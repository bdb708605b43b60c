"""One table of rules: the correct one and the wrong ones, each written once.

A rule is (law that the draft token comes from, acceptance probability per token, law that replaces a rejected
token).  One function, `emission`, gives the exact law of what a rule emits.  `breaks` is the label of the step of
the derivation (`proof/rejection.py`) that a wrong rule breaks first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from exact.reading import LawError, Number, Numbers, ratio, read_numbers
from exact.rejection import acceptance, overlap, replacement, residual
from exact.search import Pair, smallest

Vector = Sequence[Number]


def from_q(_p: Vector, q: Vector) -> Vector:
    """The draft token comes from q, as it should."""
    return normalised(q)


@dataclass(frozen=True)
class Rule:
    """name, one sentence, how the sampler differs, and the step it breaks ("" for a lossless rule)."""

    name: str
    sentence: str
    breaks: str
    accept: Callable[[Vector, Vector], Vector]
    replace: Callable[[Vector, Vector, int], Vector]  # x is the rejected token; what is missing to 1 is not emitted
    draft: Callable[[Vector, Vector], Vector] = from_q
    reports: Callable[[Vector, Vector], Number] | None = None  # the alpha it states, where that is not the true one

    @property
    def lossless(self) -> bool:
        return self.breaks in ("", ALPHA)


@dataclass(frozen=True)
class Emission:
    """What a rule does on one pair: dist [V], alpha as the rule reports it, stuck = 1 - sum(dist)."""

    dist: Numbers
    alpha: Number
    stuck: Number


def emission(rule: Rule, p: object, q: object, drawn_from: object = None) -> Emission:
    """The exact law of a rule: draft token, coin, replacement.  `drawn_from` is the true law of the draft token
    where that is neither q nor the rule's own.

    >>> emission(RULES["redraw-from-p"], ["1/2", "1/2"], [1, 0]).dist
    (Fraction(3, 4), Fraction(1, 4))
    """
    p, q = read_numbers(p, q)
    drafted = rule.draft(p, q) if drawn_from is None else read_numbers(drawn_from, q, names=("drawn_from", "q"))[0]
    accepted = [d * a for d, a in zip(drafted, rule.accept(p, q), strict=True)]
    dist = list(accepted)
    for x, rejected in enumerate(d - a for d, a in zip(drafted, accepted, strict=True)):
        if rejected:
            dist = [e + rejected * w for e, w in zip(dist, rule.replace(p, q, x), strict=True)]
    alpha = rule.reports(p, q) if rule.reports else sum(accepted)
    return Emission(Numbers(dist), alpha, 1 - sum(dist))


def is_right_on(rule: Rule, p: Numbers, q: Numbers) -> bool:
    """Whether it emits p on this pair of laws, and has the true alpha, where it states one of its own.

    >>> laws = Numbers([Fraction(1, 2), Fraction(1, 2)]), Numbers([Fraction(1), Fraction(0)])
    >>> is_right_on(RULES["standard"], *laws), is_right_on(RULES["alpha-sum-pq"], *laws)
    (True, True)
    >>> is_right_on(RULES["redraw-from-p"], *laws), is_right_on(RULES["alpha-is-tv"], laws[0], laws[0])
    (False, False)
    """
    got = emission(rule, p, q)
    return got.dist == tuple(p) and (rule.reports is None or got.alpha == sum(overlap(p, q)))


def smallest_wrong(rule: Rule) -> Pair:
    """The first pair, in the order of `exact.search`, on which the rule is not right; ArithmeticError if there is none.

    >>> [list(map(str, law)) for law in smallest_wrong(RULES["redraw-from-p"])]
    [['1/2', '1/2'], ['0', '1']]
    """
    found = smallest(lambda p, q: None if is_right_on(rule, p, q) else rule.name)
    if found is None:
        raise ArithmeticError(f"no small pair shows that {rule.name} is wrong")
    return found[0]


# ---- a rule as a program

NOTHING = -1


class Way(NamedTuple):
    """How one draw went: the draft token, whether it was accepted, the token that came out, or NOTHING."""

    draft: int
    accepted: bool
    emitted: int


def one_draw(rule: Rule, p: Numbers, q: Numbers, rng: Any) -> Way:
    """Draft, flip the coin, and redraw where it says no; rng is like numpy's Generator."""
    draft = drawn(rule.draft(p, q), rng)
    if rng.random() < rule.accept(p, q)[draft]:
        return Way(draft, True, draft)
    return Way(draft, False, drawn(rule.replace(p, q, draft), rng))


def drawn(weights: Vector, rng: Any) -> int:
    """A token; NOTHING with what the weights leave of 1."""
    return int(rng.choice([*range(len(weights)), NOTHING], p=[*weights, 1 - sum(weights)]))


# ---- the pieces that the rules are made of


def normalised(weights: Vector, otherwise: Vector = ()) -> Vector:
    """The weights over their sum; where they have no mass, `otherwise` over its sum, or nothing at all."""
    total = sum(weights)
    if total:
        return [ratio(w, total) for w in weights]
    return normalised(otherwise) if otherwise else weights


def clipped_ratio(a: Vector, b: Vector, scale: int = 1) -> Vector:
    """min(1, scale a/b), 1 where b = 0."""
    return [min(Fraction(1), ratio(scale * x, y)) if y else Fraction(1) for x, y in zip(a, b, strict=True)]


def one_hot(x: int, V: int) -> Vector:
    return [Fraction(int(i == x)) for i in range(V)]


def argmax(v: Vector) -> int:
    return max(range(len(v)), key=lambda i: v[i])  # the first index on ties


def top_2(_p: Vector, q: Vector) -> Vector:
    kept = sorted(range(len(q)), key=lambda i: -q[i])[:2]
    return normalised([w if i in kept else 0 * w for i, w in enumerate(q)])


def rounded_to_8_bits(_p: Vector, q: Vector) -> Vector:
    return normalised([Fraction(int(256 * w + Fraction(1, 2)), 256) for w in q], q)


def from_residual(p: Vector, q: Vector, _x: int) -> Vector:
    return replacement(p, q)


def from_p(p: Vector, _q: Vector, _x: int) -> Vector:
    return normalised(p)


def without(v: Vector, x: int, taken: Number) -> Vector:
    """v less `taken` at token x alone, not below zero."""
    return [max(w - taken, 0 * w) if i == x else w for i, w in enumerate(v)]


def accept_all(_p: Vector, q: Vector) -> Vector:
    return [Fraction(1)] * len(q)


def standard_unless_unlikely(p: Vector, q: Vector) -> Vector:
    return [a if 2 * w >= 1 else 0 * a for a, w in zip(acceptance(p, q), q, strict=True)]


def p_where_dropped(p: Vector, q: Vector, x: int) -> Vector:
    return from_residual(p, q, x) if 2 * q[x] >= 1 else normalised(p)


def absolute_difference(p: Vector, q: Vector, _x: int) -> Vector:
    return normalised([abs(a - b) for a, b in zip(p, q, strict=True)], p)


def floored_residual(p: Vector, q: Vector, _x: int) -> Vector:
    return normalised([max(w, Fraction(1, 100_000)) for w in residual(p, q)])


def coin_again(p: Vector, q: Vector, x: int) -> Vector:
    """Inverse CDF of the residual at the coin itself, which is not below a(x), as x was rejected."""
    low, steps = acceptance(p, q)[x], [0 * p[0], *accumulate(from_residual(p, q, x))]
    return normalised([max(after, low) - max(before, low) for before, after in pairwise(steps)])


# ---- the table

ACCEPTED, REDRAWN, ALPHA = "accepted-mass", "redrawn-mass", "alpha"  # labels of the derivation

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("standard", "accept with probability min(1, p/q), on rejection draw from the residual (p-q)^+", "",
             acceptance, from_residual),
        Rule("no-fallback", "the standard rule, with nothing to draw from where the residual has no mass", "",
             acceptance, lambda p, q, x: normalised(residual(p, q))),
        Rule("one-hot-draft", "accept token x with probability p(x), whatever q is; on rejection draw from p without x",
             "", lambda p, q: normalised(p), lambda p, q, x: normalised(without(p, x, p[x]), p)),
        Rule("redraw-from-p", "on rejection draw from p instead of the residual", REDRAWN, acceptance, from_p),
        Rule("redraw-from-q", "on rejection draw from q instead of the residual", REDRAWN,
             acceptance, lambda p, q, x: normalised(q)),
        Rule("redraw-reversed", "on rejection draw from (q-p)^+ instead of (p-q)^+", REDRAWN,
             acceptance, lambda p, q, x: replacement(q, p)),
        Rule("redraw-uniform", "on rejection draw any token with the same probability", REDRAWN,
             acceptance, lambda p, q, x: normalised([Fraction(1)] * len(p))),
        Rule("unnormalised-residual", "the residual is used without dividing by its mass", REDRAWN,
             acceptance, lambda p, q, x: residual(p, q)),
        Rule("absolute-difference", "on rejection draw from the absolute difference of p and q", REDRAWN,
             acceptance, absolute_difference),
        Rule("residual-floored", "every residual entry is raised to at least 1/100000 before normalising", REDRAWN,
             acceptance, floored_residual),
        Rule("remove-only-the-rejected", "the residual subtracts q at the rejected token only", REDRAWN,
             acceptance, lambda p, q, x: normalised(without(p, x, q[x]), p)),
        Rule("coin-reused-for-residual", "the coin that rejected also draws from the residual, by inverse CDF", REDRAWN,
             acceptance, coin_again),
        Rule("accept-all", "every draft token is accepted", ACCEPTED, accept_all, from_residual),
        Rule("accept-iff-p-at-least-q", "accept when p >= q, without a coin; on rejection draw from the residual",
             ACCEPTED, lambda p, q: [Fraction(int(a >= b)) for a, b in zip(p, q, strict=True)], from_residual),
        Rule("ratio-upside-down", "accept with probability min(1, q/p); on rejection draw from the residual", ACCEPTED,
             lambda p, q: clipped_ratio(q, p), from_residual),
        Rule("accept-with-p", "accept with probability p, without the ratio; on rejection draw from the residual",
             ACCEPTED, lambda p, q: normalised(p), from_residual),
        Rule("lenience-2", "accept with probability min(1, 2p/q); on rejection draw from the residual", ACCEPTED,
             lambda p, q: clipped_ratio(p, q, 2), from_residual),
        Rule("lenience-2-resample-p", "accept with probability min(1, 2p/q); on rejection draw from p", ACCEPTED,
             lambda p, q: clipped_ratio(p, q, 2), from_p),
        Rule("low-confidence-draft-dropped", "a draft token with q < 1/2 is dropped unseen and p is sampled instead",
             ACCEPTED, standard_unless_unlikely, p_where_dropped),
        Rule("greedy-draft-soft-q", "the draft token is argmax q, while ratio and residual use q", ACCEPTED,
             acceptance, from_residual, draft=lambda p, q: one_hot(argmax(q), len(q))),
        Rule("top-k-draft-raw-q", "the draft comes from the top 2 of q, while ratio and residual use the uncut q",
             ACCEPTED, acceptance, from_residual, draft=top_2),
        Rule("low-precision-draft", "the draft comes from q rounded to 8 bits, while ratio and residual use q",
             ACCEPTED, acceptance, from_residual, draft=rounded_to_8_bits),
        Rule("alpha-sum-pq", "the right tokens, but alpha is reported as sum p q", ALPHA, acceptance, from_residual,
             reports=lambda p, q: sum(a * b for a, b in zip(normalised(p), normalised(q), strict=True))),
        Rule("alpha-is-tv", "the right tokens, but alpha is reported as the total variation, its complement", ALPHA,
             acceptance, from_residual, reports=lambda p, q: 1 - sum(overlap(normalised(p), normalised(q)))),
    )
}  # fmt: skip

WRONG = {name: rule for name, rule in RULES.items() if rule.breaks}
SELF_CHECK_RULE = "redraw-from-p"  # the wrong one that every checker must reject before it may say anything


def rule_named(name: str) -> Rule:
    """The rule of that name; LawError with the names there are.

    >>> rule_named("redraw-from-p").sentence
    'on rejection draw from p instead of the residual'
    """
    if name not in RULES:
        raise LawError(f"rule={name}: it is not in the table; take one of {', '.join(RULES)}")
    return RULES[name]


def law_of(name: str) -> Callable[[Numbers, Numbers], tuple[Numbers, Number]]:
    """The rule of that name as a function (p, q) -> (dist, alpha), as the checks take it."""

    def law(p: Numbers, q: Numbers) -> tuple[Numbers, Number]:
        emitted = emission(rule_named(name), p, q)
        return emitted.dist, emitted.alpha

    return law
