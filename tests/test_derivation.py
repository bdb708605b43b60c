"""The derivation itself: what it claims, under which hypotheses, and that every line is true where it is read out."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from exact import overlap, residual, total_variation
from exact.rules import ACCEPTED, ALPHA, REDRAWN, WRONG, emission
from exact.search import count_pairs, pairs, smallest
from proof.evaluate import World
from proof.evidence import evaluate_everywhere
from proof.kernel import Rejected, check
from proof.mutate import fails
from proof.notation import plain
from proof.rejection import CHAPTERS, LAWS, NON_NEGATIVE, P_LAW, STEPS, THEOREM, definitions, step
from proof.statement import Relation, eq

FACTS = check(STEPS)


# ---- what is claimed

CLAIMS = [  # claim of the issue, label, the statement, its hypotheses
    (1, "accepted-mass", "q(x) a(x) = m(x)", NON_NEGATIVE),
    (2, "split-p", "p(x) = m(x) + r(x)", NON_NEGATIVE),
    (2, "split-q", "q(x) = m(x) + e(x)", NON_NEGATIVE),
    (3, "residual-mass", "Z = 1 - sum_x m(x)", (*NON_NEGATIVE, P_LAW[1])),
    (3, "excess-mass", "Z = sum_x e(x)", LAWS),
    (3, "rejection-mass", "beta = Z", LAWS),
    (4, "redrawn-mass", "beta rho(x) = r(x)", LAWS),
    (4, "emitted-law", "D(x) = p(x)", LAWS),
    (5, "zero-residual", "Z = 0 if and only if p(x) = q(x) for every x", LAWS),
    (6, "alpha-overlap", "alpha = sum_x m(x)", NON_NEGATIVE),
    (6, "alpha", "alpha = 1 - TV", LAWS),
    (6, "alpha-is-1", "alpha = 1 if and only if p(x) = q(x) for every x", LAWS),
    (7, "never-again", "q(x) (1 - a(x)) rho(x) = 0", LAWS),
    (8, "accept-all-is-off", "off = TV", ()),
    (8, "accept-all-lossless", "E(x) = p(x) for every x if and only if p(x) = q(x) for every x", ()),
]
DEFINITIONS = {
    "overlap": "m(x) = min(p(x), q(x))",
    "acceptance": "a(x) = min(1, p(x)/q(x)) where q(x) > 0, otherwise u(x)",
    "residual": "r(x) = (p(x) - q(x))^+",
    "excess": "e(x) = (q(x) - p(x))^+",
    "residual-total": "Z = sum_x r(x)",
    "rejection": "beta = sum_x q(x) (1 - a(x))",
    "replacement": "rho(x) = r(x)/Z where Z > 0, otherwise f(x)",
    "emitted": "D(x) = sum_y q(y) (a(y) delta(y, x) + (1 - a(y)) rho(x))",
    "acceptance-rate": "alpha = sum_x q(x) a(x)",
    "total-variation": "TV = 1/2 sum_x |p(x) - q(x)|",
    "accept-all": "E(x) = sum_y q(y) delta(y, x)",
    "accept-all-distance": "off = 1/2 sum_x |E(x) - p(x)|",
}


@pytest.mark.parametrize(("claim", "label", "text", "hypotheses"), CLAIMS, ids=[f"{c[0]}-{c[1]}" for c in CLAIMS])
def test_a_claim_of_the_issue_is_a_step_that_the_kernel_accepts(claim, label, text, hypotheses):
    assert claim in range(1, 9)
    assert plain(FACTS[label].statement) == text
    assert FACTS[label].hypotheses == frozenset(hypotheses)


def test_all_eight_claims_are_there():
    assert {claim for claim, *_ in CLAIMS} == set(range(1, 9))


def test_the_names_mean_what_the_paper_says_they_mean():
    assert {s.label: plain(s.statement) for s in STEPS if s.rule == "definition"} == DEFINITIONS


def test_the_theorem_needs_that_p_and_q_are_laws_and_nothing_else():
    assert {label: FACTS[label].hypotheses for label in THEOREM} == dict.fromkeys(THEOREM, frozenset(LAWS))


def test_accepting_every_draft_needs_no_hypothesis_at_all():
    assert FACTS["accept-all-is-off"].hypotheses == FACTS["accept-all-lossless"].hypotheses == frozenset()


def test_the_case_without_a_residual_is_derived_from_its_case_and_not_assumed():
    assert FACTS["redrawn-if-mass"].hypotheses ^ FACTS["redrawn-if-no-mass"].hypotheses == {
        step("some-mass").statement,
        step("no-mass").statement,
    }


# ---- how the steps hang together


def test_every_step_becomes_a_fact_with_its_own_statement_and_hypotheses():
    assert list(FACTS) == [s.label for s in STEPS]
    assert all(FACTS[s.label].statement == s.statement for s in STEPS)
    assert all(FACTS[s.label].hypotheses == frozenset(s.hypotheses) for s in STEPS)


def test_chapters_hold_all_steps_once():
    assert [s for chapter in CHAPTERS.values() for s in chapter] == STEPS
    assert all(CHAPTERS.values())
    assert len({s.label for s in STEPS}) == len(STEPS)


def test_citations_go_backwards_only():
    earlier = set()
    for s in STEPS:
        assert set(s.cites) <= earlier, s.label
        earlier.add(s.label)


def test_every_step_is_cited_but_the_final_claims():
    cited = {label for s in STEPS for label in s.cites}
    final = {"zero-residual", "emitted-law", "alpha", "alpha-is-1", "never-again",
             "accept-all-is-off", "accept-all-lossless"}  # fmt: skip
    read_by_the_programs = {"law-in-masses"}
    opens_a_case = {"some-mass"}
    unfolded_by_the_regions = {"overlap", "acceptance", "residual", "excess"}
    assert {s.label for s in STEPS} - cited == final | read_by_the_programs | opens_a_case | unfolded_by_the_regions


def test_every_step_says_why():
    assert [s.label for s in STEPS if len(s.prose) < 10] == []


def resting_on(label):
    """The steps that a step rests on, and the definitions before it."""
    at = next(i for i, s in enumerate(STEPS) if s.label == label)
    wanted, needed = {*STEPS[at].cites}, []
    for s in reversed(STEPS[:at]):
        if s.rule == "definition" or s.label in wanted:
            wanted |= {*s.cites}
            needed.append(s)
    return needed[::-1]


@pytest.mark.parametrize("label", [s.label for s in STEPS])
def test_a_step_rests_on_what_it_cites_and_on_the_definitions_alone(label):
    assert check([*resting_on(label), step(label)])[label] == FACTS[label]


@pytest.mark.parametrize("label", [s.label for s in STEPS if s.hypotheses])
def test_no_hypothesis_can_be_dropped(label):
    before, whole = resting_on(label), step(label)
    for dropped in whole.hypotheses:
        with pytest.raises(Rejected) as verdict:
            check([*before, replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != dropped))])
        assert verdict.value.label == label, plain(dropped)


@pytest.mark.parametrize("label", [s.label for s in STEPS if s.cites])
def test_no_citation_can_be_dropped(label):
    before, whole = resting_on(label), step(label)
    for i, dropped in enumerate(whole.cites):
        cites, coefficients = (v[:i] + v[i + 1 :] for v in (whole.cites, whole.coefficients))
        with pytest.raises(Rejected) as verdict:
            check([*before, replace(whole, cites=cites, coefficients=coefficients)])
        assert verdict.value.label == label, dropped


# ---- every line read with numbers in it

SMALL = [pair for V in (1, 2, 3) for pair in pairs(V, 4)]
ARBITRARY = {  # acceptance where q = 0, and what is drawn without a residual: neither need be a law or in [0, 1]
    "inside": ([Fraction(1, 3), Fraction(2, 5), Fraction(1, 7)], [Fraction(1, 4), Fraction(1, 6), Fraction(7, 12)]),
    "nothing": ([Fraction(0)] * 3, [Fraction(0)] * 3),
    "too large": ([Fraction(7), Fraction(3, 2), Fraction(11, 5)], [Fraction(5), Fraction(2), Fraction(9)]),
    "negative": ([Fraction(-1), Fraction(-5, 3), Fraction(-1, 9)], [Fraction(-2), Fraction(1, 2), Fraction(-7)]),
}
MEANING = definitions()


def world(pair, arbitrary="inside"):
    u, f = ARBITRARY[arbitrary]
    return World({"p": pair.p, "q": pair.q, "u": u[: len(pair.p)], "f": f[: len(pair.p)]}, MEANING)


@pytest.fixture(scope="module", params=ARBITRARY)
def worlds(request):
    return [world(pair, request.param) for pair in (SMALL if request.param == "inside" else SMALL[::2])]


def test_the_small_pairs_are_all_of_them():
    assert len(SMALL) == sum(count_pairs(V, 4) for V in (1, 2, 3)) == 354


def test_every_line_holds_on_the_small_pairs_whatever_u_and_f_are(worlds):
    assert [(s.label, w.primitives) for s in STEPS for w in worlds if fails(w, s)] == []


def test_every_equation_has_equal_sides_to_the_last_digit(worlds):
    for s in STEPS:
        if isinstance(s.statement, Relation) and s.statement.sign == "=":
            for w in worlds[::7]:
                if all(map(w.holds, s.hypotheses)):
                    assert all(left == right for left, right in w.sides(s.statement)), s.label


def test_both_cases_and_every_assumption_are_met_by_some_small_pair():
    reached = [world(pair) for pair in SMALL]
    assert all(any(all(map(w.holds, s.hypotheses)) for w in reached) for s in STEPS)
    assert all(any(not w.holds(s.statement) for w in reached) for s in STEPS if s.label in ("some-mass", "no-mass"))


@pytest.mark.parametrize(
    "wrong",
    [
        eq(step("emitted-law").statement.a, step("split-q").statement.a),  # D = q
        eq(step("alpha").statement.a, step("total-variation").statement.a),  # alpha = TV
        eq(step("residual-mass").statement.a, step("alpha-overlap").statement.b),  # Z = sum m
        eq(step("never-again").statement.a, step("redrawn-mass").statement.b),  # rejected and redrawn: r
    ],
    ids=plain,
)
def test_a_wrong_line_is_caught_by_the_same_reading(wrong, worlds):
    assert any(fails(w, replace(step("emitted-law"), statement=wrong)) for w in worlds)


def test_a_line_that_divides_by_zero_counts_as_false():
    dividing = replace(step("law-in-masses"), hypotheses=LAWS)
    assert [w.primitives["p"] == w.primitives["q"] for w in map(world, SMALL) if fails(w, dividing)] == [True] * sum(
        pair.p == pair.q for pair in SMALL
    )


def test_no_line_says_only_that_something_is_itself():
    assert [s.label for s in STEPS if isinstance(s.statement, Relation) and s.statement.a == s.statement.b] == []


# ---- what each wrong rule breaks, computed and not typed


def what_breaks(rule, p, q):
    """The first line of the derivation that does not hold of this rule on this pair."""
    d, a, tokens = rule.draft(p, q), rule.accept(p, q), range(len(p))
    accepted = tuple(d[x] * a[x] for x in tokens)
    rejected = [d[x] - accepted[x] for x in tokens]
    redrawn = tuple(sum(rejected[x] * rule.replace(p, q, x)[y] for x in tokens if rejected[x]) for y in tokens)
    if accepted != overlap(p, q):
        return ACCEPTED
    if redrawn != residual(p, q):
        return REDRAWN
    return ALPHA if emission(rule, p, q).alpha != 1 - total_variation(p, q) else ""


def is_wrong_at(rule, p, q):
    got = emission(rule, p, q)
    return True if got.dist != p or got.alpha != 1 - total_variation(p, q) else None


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_breaks_the_line_that_the_table_names(name):
    rule = WRONG[name]
    (p, q), _ = smallest(lambda p, q: is_wrong_at(rule, p, q))
    assert what_breaks(rule, p, q) == rule.breaks


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_breaks_no_line_on_a_pair_is_right_on_it(name):
    rule = WRONG[name]
    for p, q in SMALL[::3]:
        assert what_breaks(rule, p, q) or not is_wrong_at(rule, p, q)


def test_the_broken_lines_are_steps_of_the_derivation():
    assert {rule.breaks for rule in WRONG.values()} == {ACCEPTED, REDRAWN, ALPHA} <= FACTS.keys()


def test_both_branches_together_are_the_law(worlds):
    """Claim 4 once more, without the names: accepted mass plus redrawn mass, added up by hand."""
    for w in worlds[::5]:
        p, q, tokens = w.primitives["p"], w.primitives["q"], range(w.V)
        a, rho = [w.named("a", x) for x in tokens], [w.named("rho", x) for x in tokens]
        emitted = [Fraction(0)] * w.V
        for drafted, redrawn in product(tokens, tokens):
            emitted[redrawn] += q[drafted] * (1 - a[drafted]) * rho[redrawn]
        assert [emitted[x] + q[x] * a[x] for x in tokens] == [*p]


def test_a_program_with_another_law_than_the_derivation_is_found(monkeypatch):
    monkeypatch.setattr("proof.evidence.rejection_law", lambda p, q: (p, Fraction(0)))
    _, false = evaluate_everywhere(STEPS)
    assert any(reason.startswith("the program and the derivation differ at p=(1), q=(1)") for reason in false)
