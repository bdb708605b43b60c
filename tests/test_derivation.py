"""The two derivations: what they claim, under which hypotheses, and that every line is true where it is read out."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from exact import overlap, rejection_law, residual, total_variation
from exact.reading import Numbers
from exact.rules import ACCEPTED, ALPHA, REDRAWN, WRONG, emission
from exact.search import Pair, count_pairs, pairs, smallest
from proof import floating
from proof.evaluate import World
from proof.evidence import ENTRIES, evaluate_everywhere, undischarged, vector_pairs
from proof.floating import DISJOINT, GIVEN, NEW, NONE_LEFT, RIGHT, SAME_SUMS, SHARED, SOME_LEFT, TV_FP
from proof.floating import A, F, R, S_p, S_q, law_as_given
from proof.kernel import Rejected, check
from proof.mutate import fails
from proof.notation import plain
from proof.rejection import CHAPTERS, LAWS, NON_NEGATIVE, P_LAW, STEPS, THEOREM, definitions, derived_law, step
from proof.rejection import world_of
from proof.statement import Relation, eq, gt

BOTH = [*STEPS, *NEW]
FACTS = check(STEPS) | check(floating.STEPS)


def line(label):
    """The step of that label, of either derivation."""
    return next(s for s in BOTH if s.label == label)


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


AS_GIVEN = [  # what the issue claims of vectors that do not sum to 1
    ("D1", "unscaled-defect-if-some-left", "S_q F(x) - p(x) = (r(x) (S_q - S_p))/R", (*GIVEN[:2], GIVEN[3], SOME_LEFT)),
    ("D1", "unscaled-defect", "S_q F(x) - p(x) = (S_q - S_p) G(x)", (*GIVEN[:2], GIVEN[3])),
    ("D2", "defect-if-some-left", "F(x) - p(x)/S_p = (S_q - S_p)/(S_p S_q) (A r(x)/R - m(x))", (*GIVEN, SOME_LEFT)),
    ("D2", "defect", "F(x) - p(x)/S_p = (S_q - S_p)/(S_p S_q) (A G(x) - m(x))", GIVEN),
    ("D3", "defect-distance", "TV(F,P) = |S_q - S_p| A/(S_p S_q) TV(G,H)", (*GIVEN, gt(A, 0))),
    ("D3", "distance-by-target", "|S_q - S_p| >= S_p TV(F,P)", GIVEN),
    ("D3", "distance-by-draft", "|S_q - S_p| >= S_q TV(F,P)", GIVEN),
    ("D3", "defect-bound", "|S_q - S_p| >= max(S_p TV(F,P), S_q TV(F,P))", GIVEN),
    ("fallback", "right-if-none-left", "F(x) = p(x)/S_p", (*GIVEN, NONE_LEFT)),
    ("fallback", "nothing-to-redraw", "r(x) = 0", (*NON_NEGATIVE, NONE_LEFT)),
    ("corollary", "no-defect",
     "F(x) = p(x)/S_p for every x if and only if (S_q - S_p) (A r(x) - R m(x)) = 0 for every x", GIVEN),
    ("corollary", "right-if-same-sums", "F(x) = p(x)/S_p", (*GIVEN, SAME_SUMS)),
    ("corollary", "right-if-disjoint", "F(x) = p(x)/S_p", (*GIVEN, DISJOINT)),
    ("corollary", "right-if-alike", "F(x) = p(x)/S_p", (*GIVEN, floating.ALIKE)),
    ("law", "mass-formula", "F(x) = (m(x) + r(x) Q/R)/S_q", (*GIVEN[:2], GIVEN[3], SOME_LEFT)),
    ("law", "program-sign", "F(x) >= 0", GIVEN),
    ("law", "program-total", "sum_x F(x) = 1", GIVEN),
    ("law", "rate-in-masses", "alpha' = A/S_q", (*GIVEN[:2], GIVEN[3])),
]  # fmt: skip
MEANINGS_AS_GIVEN = {
    "overlap-total": "A = sum_x m(x)",
    "residual-sum": "R = sum_x r(x)",
    "excess-total": "Q = sum_x e(x)",
    "target-total": "S_p = sum_x p(x)",
    "draft-total": "S_q = sum_x q(x)",
    "target-law": "P(x) = p(x)/S_p where S_p > 0, otherwise f(x)",
    "redraw": "G(x) = r(x)/R where R > 0, otherwise P(x)",
    "program": "F(x) = sum_y q(y)/S_q (a(y) delta(y, x) + (1 - a(y)) G(x)) where S_q > 0, otherwise f(x)",
    "rate-as-given": "alpha' = sum_x q(x)/S_q a(x) where S_q > 0, otherwise 0",
    "accepted-law": "H(x) = m(x)/A where A > 0, otherwise f(x)",
    "distance": "TV(F,P) = 1/2 sum_x |F(x) - P(x)|",
    "redraw-distance": "TV(G,H) = 1/2 sum_x |G(x) - H(x)|",
}


@pytest.mark.parametrize(("claim", "label", "text", "hypotheses"), AS_GIVEN, ids=[f"{c[0]}-{c[1]}" for c in AS_GIVEN])
def test_a_claim_about_vectors_as_given_is_a_step_that_the_kernel_accepts(claim, label, text, hypotheses):
    assert claim in ("D1", "D2", "D3", "fallback", "corollary", "law")
    assert plain(FACTS[label].statement) == text
    assert FACTS[label].hypotheses == frozenset(hypotheses)


def test_the_names_of_the_second_derivation_mean_what_the_paper_says_they_mean():
    assert {s.label: plain(s.statement) for s in NEW if s.rule == "definition"} == MEANINGS_AS_GIVEN


def test_vectors_as_given_need_no_sum_of_1():
    assert [plain(h) for h in GIVEN] == ["p(x) >= 0", "q(x) >= 0", "S_p > 0", "S_q > 0"]
    assert not {P_LAW[1], LAWS[3], eq(S_p, 1), eq(S_q, 1)} & {h for s in floating.STEPS for h in s.hypotheses}


def test_what_must_stand_is_what_the_run_asks_for():
    assert undischarged(FACTS) == []
    assert {label for _, label, _, _ in AS_GIVEN if label in floating.CLAIMS} == floating.CLAIMS.keys()
    for label in floating.CLAIMS:
        without = {other: fact for other, fact in FACTS.items() if other != label}
        assert undischarged(without) == [f"{label} is not derived"]
        loose = replace(FACTS[label], hypotheses=FACTS[label].hypotheses | {eq(S_p, 1)})
        assert undischarged(FACTS | {label: loose}) == [f"{label} needs more than it may"]


def test_the_two_derivations_share_their_steps_and_no_other_label_or_name():
    assert [*SHARED, *NEW] == floating.STEPS
    assert all(s in STEPS for s in SHARED)
    assert not {s.label for s in STEPS} & {s.label for s in NEW}
    assert list(check(BOTH)) == [s.label for s in BOTH]  # one after the other, so that no name is defined twice


def test_the_law_as_given_where_both_sums_are_1_is_the_law_of_the_first_derivation():
    for pair in SMALL[::5]:
        assert law_as_given(world_of(*pair, floating.STEPS)) == derived_law(world_of(*pair))


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
    assert [*check(STEPS)] == [s.label for s in STEPS]
    assert [*check(floating.STEPS)] == [s.label for s in floating.STEPS]
    assert all(FACTS[s.label].statement == s.statement for s in BOTH)
    assert all(FACTS[s.label].hypotheses == frozenset(s.hypotheses) for s in BOTH)


def test_chapters_hold_all_steps_once():
    assert [s for chapter in CHAPTERS.values() for s in chapter] == STEPS
    assert [s for chapter in floating.CHAPTERS.values() for s in chapter] == NEW
    assert all(CHAPTERS.values())
    assert all(floating.CHAPTERS.values())
    assert len({s.label for s in BOTH}) == len(BOTH)


@pytest.mark.parametrize("steps", [STEPS, floating.STEPS], ids=["two laws", "as given"])
def test_citations_go_backwards_only(steps):
    earlier = set()
    for s in steps:
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


def test_every_step_of_the_second_derivation_is_cited_but_the_final_claims():
    cited = {label for s in NEW for label in s.cites}
    final = {"rate-in-masses", "program-sign", "program-total", "unscaled-defect-if-some-left", "no-defect",
             "right-if-same-sums", "right-if-disjoint", "right-if-alike", "defect-distance",
             "defect-bound"}  # fmt: skip
    read_by_the_programs = {"mass-formula"}
    what_is_asked_of_the_vectors = {"draft-sign", "target-has-mass", "draft-has-mass"}
    unfolded_by_the_regions = {"overlap", "acceptance", "residual", "excess"}
    uncited = {s.label for s in floating.STEPS} - cited - {label for s in SHARED for label in s.cites}
    assert uncited == final | read_by_the_programs | what_is_asked_of_the_vectors | unfolded_by_the_regions


def test_every_step_says_why():
    assert [s.label for s in BOTH if len(s.prose) < 10] == []
    assert [s.label for s in BOTH if not s.prose.endswith((".", "?"))] == []


def resting_on(label):
    """The steps that a step rests on, and the definitions before it."""
    steps = STEPS if line(label) in STEPS else floating.STEPS
    at = next(i for i, s in enumerate(steps) if s.label == label)
    wanted, needed = {*steps[at].cites}, []
    for s in reversed(steps[:at]):
        if s.rule == "definition" or s.label in wanted:
            wanted |= {*s.cites}
            needed.append(s)
    return needed[::-1]


@pytest.mark.parametrize("label", [s.label for s in BOTH])
def test_a_step_rests_on_what_it_cites_and_on_the_definitions_alone(label):
    assert check([*resting_on(label), line(label)])[label] == FACTS[label]


@pytest.mark.parametrize("label", [s.label for s in BOTH if s.hypotheses])
def test_no_hypothesis_can_be_dropped(label):
    before, whole = resting_on(label), line(label)
    for dropped in whole.hypotheses:
        with pytest.raises(Rejected) as verdict:
            check([*before, replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != dropped))])
        assert verdict.value.label == label, plain(dropped)


@pytest.mark.parametrize("label", [s.label for s in BOTH if s.cites])
def test_no_citation_can_be_dropped(label):
    before, whole = resting_on(label), line(label)
    for i, dropped in enumerate(whole.cites):
        cites, coefficients = (v[:i] + v[i + 1 :] for v in (whole.cites, whole.coefficients))
        with pytest.raises(Rejected) as verdict:
            check([*before, replace(whole, cites=cites, coefficients=coefficients)])
        assert verdict.value.label == label, dropped


def rejected(label, **changed):
    """Whether the kernel rejects the step with some of its fields changed."""
    try:
        check([*resting_on(label), replace(line(label), **changed)])
    except Rejected as verdict:
        return verdict.label == label
    return False


def test_a_wrong_defect_is_rejected():
    label, m, p, r = "defect-if-some-left", floating.m, floating.p, floating.r
    difference, scale = F("x") - p("x") / S_p, (S_q - S_p) / (S_p * S_q)
    accepted_part = A * (r("x") / R) - m("x")
    assert not rejected(label, statement=eq(difference, scale * accepted_part))
    for wrong in (
        eq(difference, scale * (m("x") - A * (r("x") / R))),
        eq(difference, (S_p - S_q) / (S_p * S_q) * accepted_part),
        eq(difference, (S_q - S_p) / (S_q * S_q) * accepted_part),
        eq(difference, scale * (A * (r("x") / R) + m("x"))),
        eq(difference, scale * (r("x") / R - m("x"))),
        eq(difference, scale * (R * (r("x") / R) - m("x"))),
        eq(F("x") - p("x") / S_q, scale * accepted_part),
        eq(F("x") - p("x"), scale * accepted_part),
        eq(difference, 0),
    ):
        assert rejected(label, statement=wrong), plain(wrong)
        assert any(fails(w, replace(line(label), statement=wrong)) for w in uneven_worlds()), plain(wrong)


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


def uneven_pairs():
    """Vectors with sums that differ, seeded: fractions, and floats as the dyadic rationals that they are."""
    random = Random(3)
    for V in (1, 2, 2, 3, 3, 4, 5, 8) * 6:
        d = random.randrange(1, 30)
        yield Pair(*(Numbers(Fraction(random.randrange(6), d) for _ in range(V)) for _ in "pq"))
    for V in (1, 2, 3, 4, 7) * 6:
        weights = [[random.random() * random.choice((0, 1, 1, 2.0**-40)) for _ in range(V)] for _ in "pq"]
        yield Pair(*(Numbers(Fraction(w / (sum(row) or 1)) for w in row) for row in weights))
    for p_, q_ in product([(1, 0, 0), (0, 2, 0), (0, 2, 2), (1, 1, 1), (3, 1, 2), (6, 2, 4), (1, 3, 5)], repeat=2):
        yield Pair(Numbers(map(Fraction, p_)), Numbers(map(Fraction, q_)))
    for row in (0.1,) * 10, (0.7, 0.2, 0.1), (0.3, 0.3, 0.3):  # with the draft next to the target, one ulp away
        near = (row[0] + 2.0**-53, *row[1:])
        yield Pair(*(Numbers(map(Fraction, v)) for v in ((*row, 2.0**-60), (*near, 0.0))))


UNEVEN = [pair for pair in uneven_pairs() if any(pair.p) and any(pair.q)]


def uneven_worlds():
    return [world_of(*pair, floating.STEPS) for pair in UNEVEN]


def test_the_uneven_pairs_reach_every_case_of_the_second_derivation():
    worlds = uneven_worlds()
    assert len(worlds) > 100
    assert sum(w.value(S_p) != w.value(S_q) for w in worlds) > 80
    assert sum(w.value(S_p) not in (1, w.value(S_q)) and w.value(S_q) != 1 for w in worlds) > 60
    for s in NEW:
        assert any(all(map(w.holds, s.hypotheses)) for w in worlds), s.label
    for case in (SOME_LEFT, NONE_LEFT, DISJOINT, SAME_SUMS, floating.ALIKE, RIGHT):
        reached = [w for w in worlds if all(map(w.holds, GIVEN))]
        assert {w.holds(case) for w in reached} == {True, False}, plain(case)


def test_every_line_of_the_second_derivation_holds_on_vectors_with_any_sums():
    assert [(s.label, w.primitives) for s in floating.STEPS for w in uneven_worlds() if fails(w, s)] == []


def test_every_equation_of_the_second_derivation_has_equal_sides_to_the_last_digit():
    for s in floating.STEPS:
        if isinstance(s.statement, Relation) and s.statement.sign == "=":
            for w in uneven_worlds()[::3]:
                if all(map(w.holds, s.hypotheses)):
                    assert all(left == right for left, right in w.sides(s.statement)), s.label


def test_the_program_computes_what_the_second_derivation_talks_about():
    for pair, w in zip(UNEVEN, uneven_worlds(), strict=True):
        dist, rate = rejection_law(*pair)
        assert law_as_given(w) == (tuple(dist), rate)
        assert rate == w.value(A) / w.value(S_q)
        as_read = [float(x) for x in pair.p], [float(x) for x in pair.q]
        if all(Fraction(f_) == x for row, v in zip(as_read, pair, strict=True) for f_, x in zip(row, v, strict=True)):
            assert rejection_law(*as_read) == (dist, rate)  # handed in as floats


def test_the_identities_of_the_issue_hold_in_numbers():
    """D1, D2, D3 and the corollary once more, computed from the program's law without the derivation."""
    defects = 0
    for target, draft in UNEVEN:
        dist, _ = rejection_law(target, draft)
        m_, r_, e_ = overlap(target, draft), residual(target, draft), residual(draft, target)
        A_, R_, Q_, S_p_, S_q_ = map(sum, (m_, r_, e_, target, draft))
        gaps = [d - x / S_p_ for d, x in zip(dist, target, strict=True)]
        distance = sum(map(abs, gaps)) / 2
        assert distance * max(S_p_, S_q_) <= abs(S_q_ - S_p_)
        assert distance == total_variation(tuple(dist), target)
        assert (sum(dist), min(dist) >= 0) == (1, True)
        if not R_:
            assert (gaps, r_) == ([0] * len(gaps), tuple([0] * len(gaps)))
            continue
        weights = [A_ * r_x / R_ - m_x for r_x, m_x in zip(r_, m_, strict=True)]
        assert gaps == [(S_q_ - S_p_) / (S_p_ * S_q_) * weight for weight in weights]
        assert [S_q_ * d - x for d, x in zip(dist, target, strict=True)] == [r_x * (S_q_ - S_p_) / R_ for r_x in r_]
        if A_:
            assert distance == abs(S_q_ - S_p_) * A_ / (S_p_ * S_q_) * total_variation(r_, m_)
        proportional = all(A_ * r_x == R_ * m_x for r_x, m_x in zip(r_, m_, strict=True))
        assert (not any(gaps)) == (S_p_ == S_q_ or A_ == 0 or proportional)
        defects += any(gaps)
        assert R_ + S_q_ == Q_ + S_p_
    assert defects > 50


def test_the_bound_is_reached():
    """No smaller factor would do: on some pair the bound is an equality."""
    reached = [w for w in uneven_worlds() if w.value(TV_FP) and w.sides(line("distance-by-target").statement)[0][0]]
    ratios = [w.value(S_p) * w.value(TV_FP) / abs(w.value(S_q) - w.value(S_p)) for w in reached]
    assert max(ratios) == 1


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
    for steps, derived in ((STEPS, derived_law), (floating.STEPS, law_as_given)):
        false = evaluate_everywhere(steps, SMALL[:9], derived)
        assert any(reason.startswith("the program and the derivation differ at p=(1), q=(1)") for reason in false)


def test_a_false_line_is_found_where_every_line_is_evaluated():
    wrong = replace(line("defect"), statement=eq(line("defect").statement.b, line("defect").statement.b * 2))
    steps = [wrong if s.label == "defect" else s for s in floating.STEPS]
    uneven = [pair for pair in vector_pairs(2) if sum(pair.p) != sum(pair.q)]
    assert any(reason.startswith("defect fails at p=") for reason in evaluate_everywhere(steps, uneven, law_as_given))
    assert evaluate_everywhere(floating.STEPS, uneven[::5], law_as_given) == []


def test_the_vectors_of_the_evidence_are_all_of_them_and_few_of_them_are_laws():
    found = [*vector_pairs(3)]
    assert len(found) == len(set(found)) == sum((len(ENTRIES) ** V - 1) ** 2 for V in (1, 2, 3)) == 744
    assert sum(sum(p_) == sum(q_) == 1 for p_, q_ in found) == 21
    assert all(any(p_) and any(q_) for p_, q_ in found)
