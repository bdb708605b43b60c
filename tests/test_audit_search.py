"""The search: the smallest counterexample, what was covered, which rule it is, and where it stops."""

from fractions import Fraction

import numpy as np
import pytest

from exact import LawError
from exact.rules import RULES, SELF_CHECK_RULE, emission
from exact.search import all_pairs, count_all, smallest
from gallery.standard_rule import emit as standard
from numeric.audit import assert_lossless, audit_search, following, search
from numeric.audit.report import report
from numeric.audit.search import sampler, self_check

HALF = Fraction(1, 2)
FITTING = [rule for rule in RULES.values() if not rule.reports]


def accept_all(_p, q, rng):
    return rng.choice(len(q), p=q), True


def below(number, emit=standard, other=accept_all):
    """Right where the largest p is below the number, wrong elsewhere."""

    def emit_both(p, q, rng):
        return (emit if max(p) < number else other)(p, q, rng)

    return emit_both


# ---- the smallest, and the coverage


def test_a_right_verifier_holds_on_every_pair():
    found = audit_search(standard, denominator=4)
    assert (found.holds, found.lossless, found.smallest, found.witness, found.failures) == (True, True, None, None, 0)
    assert [(group.pairs, group.of) for group in found.coverage] == [(count_all(3, 4),) * 2, (40, 40)]
    assert all(t.formula.lossless and t.floats.lossless for t in found.tried)
    assert (found.dropped, found.stopped, found.overstated, found.not_maximal) == ({}, "", None, None)
    assert {rule.name for rule in found.rules} == {"standard", "no-fallback"}


@pytest.mark.parametrize("rule", [r for r in FITTING if r.breaks], ids=lambda rule: rule.name)
def test_the_smallest_counterexample_of_a_rule_is_that_of_its_law(rule):
    found = audit_search(sampler(rule), arrays="fraction", denominator=3)
    wanted = smallest(lambda p, q: "off" if emission(rule, p, q).dist != p else None, 3, 3)
    if wanted is None:
        assert all(t.lossless for t in found.tried if t.group == found.coverage[0].group)
    else:
        assert (found.smallest.p, found.smallest.q) == wanted[0]
        assert found.smallest.dist == emission(rule, *wanted[0]).dist


def test_three_tokens_are_needed_for_some_faults():
    def first_two_only(p, q, rng):
        """Right for two tokens: the residual is looked at for the two first alone."""
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / q[x]:
            return x
        residual = np.maximum(p - q, 0)
        return int(residual[:2].argmax()) if len(p) > 2 else rng.choice(len(p), p=residual / residual.sum())

    assert audit_search(first_two_only, tokens=2, denominator=3).coverage[0].pairs == count_all(2, 3)
    assert len(audit_search(first_two_only, denominator=3).smallest.p) == 3


def test_equal_pairs_and_disjoint_supports_are_among_them():
    seen = []
    audit_search(lambda p, q, rng: seen.append((*p, *q)) or rng.choice(len(p), p=p), denominator=2, arrays="fraction")
    assert (HALF, HALF, HALF, HALF) in seen
    assert (0, 1, 1, 0) in seen


def test_what_the_small_pairs_do_not_show_the_larger_ones_may():
    found = audit_search(below(Fraction(99, 100), accept_all, standard), denominator=1)
    assert all(t.lossless for t in found.tried if t.group == found.coverage[0].group)
    assert len(found.smallest.p) >= 2
    assert found.failures > 0


def test_the_pairs_come_smallest_first():
    tried = audit_search(accept_all, denominator=2, arrays="fraction").tried
    assert [(t.shown.p, t.shown.q) for t in tried[: count_all(3, 2)]] == [*all_pairs(3, 2)]


# ---- which rule


@pytest.mark.parametrize("rule", FITTING, ids=lambda rule: rule.name)
def test_a_rule_is_found_by_its_law(rule):
    found = audit_search(sampler(rule), arrays="fraction", denominator=4)
    assert rule in found.rules
    same = [r for r in found.rules if r is not rule]
    assert all(emission(r, *pair).dist == emission(rule, *pair).dist for r in same for pair in all_pairs(3, 2))


def test_a_rule_is_found_on_floats_too():
    found = audit_search(lambda p, q, rng: accept_all(p, q, rng)[0], arrays="numpy", denominator=3)
    assert [rule.name for rule in found.rules] == ["redraw-reversed", "accept-all"]  # both emit q
    found = audit_search(accept_all, arrays="numpy", denominator=3)
    assert [rule.name for rule in found.rules] == ["accept-all"]


def test_no_rule_is_named_where_one_pair_differs():
    found = audit_search(below(Fraction(1, 2), standard, accept_all), denominator=4, arrays="fraction")
    assert found.rules == ()


# ---- the draft by itself


def verify(x, p, q, rng):
    if rng.random() * q[x] < p[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


def top_2(q):
    kept = np.argsort(-q, kind="stable")[:2]
    cut = 0 * q
    cut[kept] = q[kept]
    return cut / cut.sum()


def test_a_draft_that_is_not_from_the_q_that_it_reports():
    found = audit_search(verify, draft=lambda q, rng: rng.choice(len(q), p=top_2(q)), denominator=3)
    third = Fraction(1, 3)
    assert found.draft._asdict() == {
        "q": (third,) * 3, "drawn_from": (HALF, HALF, 0), "reported": (third,) * 3, "tv": third,
    }  # fmt: skip
    assert (found.holds, [rule.name for rule in found.rules]) == (False, ["top-k-draft-raw-q"])


def test_a_draft_that_reports_what_it_draws_from():
    def draft(q, rng):
        return rng.choice(len(q), p=top_2(q)), top_2(q)

    found = audit_search(verify, draft=draft, denominator=3)
    assert (found.draft, found.holds) == (None, True)
    assert {t.shown.most for t in found.tried if len(t.shown.q) > 2 and 0 not in t.shown.q} == {None}


def test_a_wrong_report_fails_though_the_tokens_are_right():
    """The verifier draws from p alone, so that no token shows it."""
    found = audit_search(lambda x, p, q, rng: rng.choice(len(p), p=p), draft=lambda q, rng: 0, denominator=2)
    assert (found.lossless, found.holds, found.draft.tv) == (True, False, 1)
    with pytest.raises(AssertionError, match="the draft is not drawn from the q that it reports"):
        assert_lossless(lambda x, p, q, rng: rng.choice(len(p), p=p), draft=lambda q, rng: 0, denominator=2)


@pytest.mark.parametrize("reported", [[0, 0], ["a"], 3])
def test_a_report_that_is_no_law(reported):
    with pytest.raises(LawError, match="the q that draft reports"):
        audit_search(verify, draft=lambda q, rng: (0, reported), denominator=1)


# ---- arrays


def test_code_that_asks_for_floats_is_audited_on_floats():
    def emit(p, q, rng):
        return standard(p.astype(float), q.astype(float), rng)

    found = audit_search(emit, denominator=2)
    assert "that rounds; audit it on floats" in found.dropped["fraction"]
    assert all(t.formula is None and t.floats.lossless for t in found.tried)


def test_code_that_raises_on_fractions_alone_is_audited_on_floats():
    def emit(p, q, rng):
        if p.dtype == object:
            raise TypeError("no floats")
        return standard(p, q, rng)

    found = audit_search(emit, denominator=2)
    assert found.lossless
    assert "fraction" in found.dropped
    assert all(t.formula is None for t in found.tried)


def test_what_raises_on_both_is_a_counterexample():
    def emit(_p, _q, _rng):
        raise RuntimeError("no")

    found = audit_search(emit, denominator=1)
    assert (found.lossless, found.smallest.stuck) == (False, 1)


def test_formula_and_floats_that_differ():
    def emit(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / (q[x] + 1e-20):
            return x
        residual = np.maximum(p - q, 0)
        return rng.choice(len(p), p=(residual if residual.any() else p) / (residual if residual.any() else p).sum())

    found = audit_search(emit, denominator=3)
    assert (found.lossless, found.formula_differs is not None) == (True, True)


# ---- where it stops


def test_a_run_that_does_not_return_stops_the_search(monkeypatch):
    monkeypatch.setattr(following, "RUN_SECONDS", 0.3)
    monkeypatch.setattr(following, "LATER_SECONDS", 0.1)

    def emit(p, q, rng):
        x = rng.choice(len(q), p=q)
        while len(q) == 2 and x == 1:
            pass
        return standard(p, q, rng)

    found = audit_search(emit, denominator=2)
    assert (found.stopped, found.lossless) == ("a run did not return", False)
    assert [(group.pairs, group.of) for group in found.coverage] == [(2, count_all(3, 2)), (0, 40)]
    assert [str(x) for x in found.smallest.others] == ["does not return within 0.3 s"]


def test_a_counterexample_stays_one_where_a_later_pair_cannot_be_followed():
    def emit(p, q, rng):
        if len(p) == 3:
            return float(rng.random())
        return accept_all(p, q, rng)

    found = audit_search(emit, denominator=2)
    assert (found.lossless, found.smallest.tv) == (False, 1)
    assert "a float is taken out of a uniform number" in found.stopped
    assert found.coverage[0].pairs == count_all(2, 2) < found.coverage[0].of
    assert found.dropped["numpy"].startswith(f"from pair {count_all(2, 2) + 1} on: ")


def test_without_a_counterexample_it_is_refused_and_the_text_says_how_far_it_came():
    def emit(p, q, rng):
        if len(p) == 3:
            return float(rng.random())
        return standard(p, q, rng)

    with pytest.raises(LawError, match=rf"a float is taken .*lossless on the {count_all(2, 2)} before"):
        audit_search(emit, denominator=2)


# ---- the same again


def test_the_report_is_the_same_again():
    once, again = (report(audit_search(accept_all, denominator=2)) for _ in range(2))
    assert once == again


def test_the_seed_gives_the_larger_pairs():
    first, other = (audit_search(accept_all, denominator=1, seed=seed) for seed in (0, 1))
    pairs = [[t.shown.p for t in found.tried if "seeded" in t.group] for found in (first, other)]
    assert pairs[0] != pairs[1]
    assert "seeded (1)" in other.coverage[1].group
    assert max(map(len, pairs[0])) <= 6
    assert all(x.denominator <= 1000 for law in pairs[0] for x in law if isinstance(x, Fraction))


def test_progress_says_how_far_it_is():
    said = []
    found = audit_search(accept_all, denominator=1, arrays="fraction", progress=lambda *where: said.append(where))
    assert len(said) == len(found.tried)
    assert said[-1] == (found.coverage[1].group, 40, 40)


# ---- self-check, assert_lossless


def test_the_self_check_rejects_a_wrong_rule():
    found = self_check()
    assert (found.p, found.q, found.dist) == ((HALF, HALF), (0, 1), (Fraction(1, 4), Fraction(3, 4)))


def test_an_audit_that_cannot_reject_does_not_run(monkeypatch):
    monkeypatch.setattr(search, "sampler", lambda _rule: standard)
    with pytest.raises(LawError, match=f"self-check: the rule {SELF_CHECK_RULE} was not rejected"):
        self_check()
    with pytest.raises(LawError, match="self-check"):
        assert_lossless(standard)


def test_assert_lossless():
    assert_lossless(standard, denominator=2)
    with pytest.raises(AssertionError) as failed:
        assert_lossless(accept_all, denominator=2)
    lines = str(failed.value).splitlines()
    assert lines[:3] == [
        "NOT LOSSLESS: dist: TV from the target is 1; token 0: wanted 0, got 1", "p = 0, 1", "q = 1, 0",
    ]  # fmt: skip
    assert lines[4].split() == ["token", "wanted", "got", "off", "by"]


def test_assert_lossless_refuses_too_much_acceptance():
    def draft(q, rng):
        return rng.choice(len(q), p=q)

    with pytest.raises(AssertionError, match="WRONG: alpha: 1 is reported as accepted"):
        assert_lossless(lambda x, p, q, rng: (rng.choice(len(p), p=p), True), draft=draft, denominator=2)


def test_a_draft_of_its_own_may_be_accepted_more_often_than_one_from_q():
    """argmax q, accepted with probability p: lossless, and its flag is honest."""

    def greedy(p, q, rng):
        x = int(q.argmax())
        if rng.random() < p[x]:
            return x, True
        rest = p * (np.arange(len(p)) != x)
        return rng.choice(len(p), p=rest / rest.sum()), False

    found = audit_search(greedy, denominator=2)
    assert (found.holds, found.overstated) == (True, None)
    assert found.more_than_most is not None


def test_a_draft_that_draws_its_law_first_and_reports_that_is_honest():
    def draft(q, rng):
        other = q[::-1] if rng.random() < 0.5 else q
        return rng.choice(len(q), p=other), other

    assert audit_search(lambda x, p, q, rng: rng.choice(len(p), p=p), draft=draft, denominator=2).draft is None


# ---- options


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("tokens", 0, "tokens=0: it is a whole number from 1 on"),
        ("tokens", 2.0, "tokens=2.0"),
        ("tokens", True, "tokens=True"),
        ("denominator", 0, "denominator=0: it is a whole number from 1 on"),
        ("denominator", -3, "denominator=-3"),
        ("tokens", 17, "tokens=17, denominator=6: at most"),
        ("denominator", 100, "tokens=3, denominator=100: at most 100,000 pairs"),
        ("seed", -1, "seed=-1: it is a whole number from 0 on"),
        ("seed", 0.5, "seed=0.5"),
        ("steps", 0, "steps=0: it is a whole number from 1 on"),
        ("max_paths", 0, "max_paths=0: it is a whole number from 1 on"),
        ("seconds", -1, "seconds=-1: it is a positive number"),
        ("arrays", "torch", "arrays='torch'"),
        ("protocol", "local", "protocol='local'"),
        ("uniform", "", "uniform=''"),
        ("uniform", None, "uniform='None'"),
    ],
)
def test_an_option_that_is_not_as_said(option, value, text):
    with pytest.raises(LawError, match=text):
        audit_search(standard, **{option: value})


def test_a_program_that_keeps_a_state_has_no_verdict_on_any_numbers():
    calls = iter(range(10**9))

    def first_call_differs(p, _q, rng):
        return 0 if next(calls) == 0 else rng.choice(len(p), p=p)

    with pytest.raises(LawError, match="keeps a state"):
        audit_search(first_call_differs, denominator=2)


@pytest.mark.parametrize("arrays", ["fraction", "numpy"])
def test_gumbel_noise_on_a_residual_is_followed_where_logarithms_stay_exact(arrays):
    def emit(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / q[x]:
            return x, True
        return int(np.argmax(np.log(np.maximum(p - q, 0)) + rng.gumbel(size=len(p)))), False

    if arrays == "numpy":
        with pytest.raises(LawError, match="irrational"):
            audit_search(emit, denominator=3, arrays=arrays)
    else:
        assert audit_search(emit, denominator=3, arrays=arrays).holds
