"""The table of rules against the field cases, and every wrong rule against the theorem."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from exact import emitted_distribution, rejection_law, total_variation
from exact.reading import Numbers, read_laws
from exact.rules import RULES, WRONG, emission
from exact.search import count_pairs, pairs, smallest

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "data" / "field_cases.json").read_text())}
AUDIT = {"inclusive-test-at-u-zero", "draw-and-compare"}  # laws of a program, not of a rule
RENAMED = {"standard-rule": "standard", "standard-rule-disjoint": "standard", "zero-residual-reached": "no-fallback",
           "accept-everything": "accept-all", "resample-from-p": "redraw-from-p"}  # fmt: skip


def fractions(texts):
    return Numbers(Fraction(t) for t in texts)


def rule_of(case):
    return RULES[RENAMED.get(case["id"], case["id"])]


@pytest.mark.parametrize("name", sorted(CASES.keys() - AUDIT))
def test_a_field_case_has_its_exact_law(name):
    case = CASES[name]
    drawn_from = case.get("drawn_from") if name == "low-precision-draft" else None
    got = emission(rule_of(case), case["p"], case["q"], drawn_from)
    if "stuck" in case:
        assert got.stuck == Fraction(case["stuck"])
        return
    assert got.dist == fractions(case["emitted"])
    assert got.alpha == Fraction(case["alpha"])
    assert total_variation(got.dist, case["p"]) == Fraction(case["tv"])
    assert got.stuck == 0
    assert (case["verdict"] == "lossless") == (got.dist == fractions(case["p"]))


@pytest.mark.parametrize("name", sorted(n for n in CASES.keys() - AUDIT if "smallest" in CASES[n]))
def test_a_field_case_has_its_smallest_pair(name):
    case, want = CASES[name], CASES[name]["smallest"]
    rule = rule_of(case)
    (p, q), got = smallest(lambda p, q: e if (e := emission(rule, p, q)).dist != p else None)
    assert (p, q) == (fractions(want["p"]), fractions(want["q"]))
    assert (got.dist, got.alpha) == (fractions(want["emitted"]), Fraction(want["alpha"]))
    assert total_variation(got.dist, p) == Fraction(want["tv"])


def test_the_draft_of_a_field_case_is_the_rules_own():
    case = CASES["top-k-draft-raw-q"]
    assert RULES[case["id"]].draft(fractions(case["p"]), fractions(case["q"])) == list(fractions(case["drawn_from"]))


def test_wrong_rules_can_be_right_by_chance():
    case = CASES["resample-from-p"]["also_lossless_at"]
    assert emission(RULES["redraw-from-p"], case["p"], case["q"]).dist == fractions(case["p"])


def test_remove_only_the_rejected_has_no_counterexample_over_two_tokens():
    rule = RULES["remove-only-the-rejected"]
    assert all(emission(rule, p, q).dist == p for p, q in pairs(2, 12))


def differs(rule, p, q):
    got, (_, alpha) = emission(rule, p, q), emitted_distribution(p, q)
    return got if got.dist != p or got.alpha != alpha else None


@pytest.mark.parametrize("name", sorted(WRONG))
def test_every_wrong_rule_is_caught(name):
    tokens = 3 if name != "low-precision-draft" else 2
    assert smallest(lambda p, q: differs(WRONG[name], p, q), tokens=tokens) is not None


@pytest.mark.parametrize("name", sorted(RULES.keys() - WRONG.keys()))
def test_every_lossless_rule_is_lossless(name):
    assert all(emission(RULES[name], p, q).dist == p for V in (1, 2, 3) for p, q in pairs(V, 5))


def test_only_rules_that_are_the_same_on_laws_agree_everywhere():
    sample = [pair for V in (2, 3) for pair in pairs(V, 4)]
    laws = {name: [(e.dist, e.alpha) for e in (emission(r, p, q) for p, q in sample)] for name, r in RULES.items()}
    same = {(a, b) for a in laws for b in laws if a < b and laws[a] == laws[b]}
    assert same == {("no-fallback", "standard"), ("alpha-sum-pq", "one-hot-draft")}


def test_the_program_and_the_formula_agree_also_where_sums_are_not_1():
    """`emission` of the standard rule walks the branches; `rejection_law` works on the masses."""
    for p, q in pairs(3, 5):
        assert rejection_law(p, q)[0] == emission(RULES["standard"], p, q).dist == p
    p, q = ["3/4", "1/4", "1/8"], ["1/2", "3/8", "1/8"]
    dist, alpha = rejection_law(p, q)
    assert dist == emission(RULES["standard"], p, q).dist == fractions(["5/8", "1/4", "1/8"])
    assert alpha == emission(RULES["standard"], p, q).alpha == Fraction(7, 8)


def test_the_enumeration_is_the_one_that_the_plan_counts():
    sixths = [pair for V in (1, 2, 3) for pair in pairs(V, 6) if all((6 * x).denominator == 1 for x in pair.p + pair.q)]
    assert len(sixths) == len(set(sixths)) == 834
    assert [count_pairs(V, 5) for V in (1, 2, 3, 4)] == [len(list(pairs(V, 5))) for V in (1, 2, 3, 4)]
    assert all(read_laws(*pair) == pair for pair in sixths)
