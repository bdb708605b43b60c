"""Several tokens: the joint law, emissions that are cut short, and how long they are on average."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from exact import LawError
from exact.reading import Numbers
from exact.search import random_pair
from numeric.audit import audit_search, audit_sequence
from numeric.audit.search import position_cases
from numeric.audit.sequence import constant, prefixes, random_contexts, usual_length

HALF = Fraction(1, 2)
P, Q = Numbers([HALF, HALF]), Numbers([Fraction(0), Fraction(1)])
STEPS = 2


def p_of(_prefix):
    return P


def q_of(_prefix):
    return Q


def sample(weights, rng):
    return rng.choice(len(weights), p=weights / weights.sum())


def verified(p, q, rng, bonus=True, at=len, coins=None):
    """Token by token; `at` says from the row of which position the residual comes."""
    drafts = []
    for _ in range(STEPS):
        drafts = [*drafts, sample(q(drafts), rng)]
    for i, x in enumerate(drafts):
        u = coins if coins is not None else rng.random()
        if u * q(drafts[:i])[x] >= p(drafts[:i])[x]:
            row = drafts[: at(drafts[:i])]
            residual = np.maximum(p(row) - q(row), 0)
            return [*drafts[:i], sample(residual if residual.any() else p(row), rng)]
    return [*drafts, sample(p(drafts), rng)] if bonus else drafts


def laws(seed, V=2, d=5):
    contexts = random_contexts(V, d, STEPS, Random(seed))
    return contexts.p.__getitem__, contexts.q.__getitem__


@pytest.mark.parametrize("seed", range(6))
def test_token_by_token_is_lossless_where_laws_depend_on_the_prefix(seed):
    found = audit_sequence(verified, *laws(seed), STEPS)
    assert (found.dist == found.target, found.lossless, found.maximal) == (True, True, None)
    assert (sum(found.dist), len(found.outcomes), found.stuck) == (1, 8, 0)


def test_the_target_is_the_product_along_the_prefix():
    p, q = laws(3)
    found = audit_sequence(verified, p, q, STEPS)
    for x, wanted in zip(found.outcomes, found.target, strict=True):
        assert wanted == p(())[x[0]] * p(x[:1])[x[1]] * p(x[:2])[x[2]]


@pytest.mark.parametrize("bonus", [True, False])
def test_what_is_not_emitted_is_drawn_from_the_target(bonus):
    """Without a bonus token a call emits one less, and is lossless as well."""
    found = audit_sequence(lambda p, q, rng: verified(p, q, rng, bonus), *laws(1), STEPS)
    assert found.lossless
    missing = 0 if bonus else found.usual_length - found.got.length
    assert (missing > 0) is not bonus


def test_one_coin_for_two_positions_is_right_at_the_first_token_and_wrong_as_a_block():
    def one_coin(p, q, rng):
        return verified(p, q, rng, coins=rng.random())

    found = audit_sequence(one_coin, p_of, q_of, STEPS)
    first = [sum(pr for x, pr in zip(found.outcomes, found.dist, strict=True) if x[0] == y) for y in (0, 1)]
    assert (first, found.lossless, found.tv) == ([HALF, HALF], False, Fraction(1, 4))


def test_the_residual_of_another_position_is_seen_only_where_laws_depend_on_the_prefix():
    def early(p, q, rng):
        return verified(p, q, rng, at=lambda row: max(len(row) - 1, 0))

    assert audit_sequence(early, p_of, q_of, STEPS).lossless
    assert not all(audit_sequence(early, *laws(seed), STEPS).lossless for seed in range(6))


def test_on_floats_it_is_rounding():
    found = [audit_sequence(verified, *laws(seed, V=3, d=7), STEPS, arrays="numpy") for seed in range(3)]
    assert all(x.lossless and x.rounding <= x.ball < Fraction(1, 10**12) for x in found)
    assert any(x.rounding for x in found)


@pytest.mark.parametrize(
    ("returned", "lossless"), [([0, 1, 1], False), ([], False), ([0, 1, 1, 1], False), ([0, 2], False), ("ab", False)]
)
def test_what_is_no_emission_is_an_outcome(returned, lossless):
    found = audit_sequence(lambda p, q, rng: returned, p_of, q_of, STEPS)
    assert (found.lossless, found.stuck) == (lossless, 0 if returned == [0, 1, 1] else 1)


@pytest.mark.parametrize("wrap", [lambda x: (x, len(x)), lambda x: [x], np.array, lambda x: (np.array(x), 0), iter])
def test_ways_to_return_tokens(wrap):
    assert audit_sequence(lambda p, q, rng: wrap(verified(p, q, rng)), *laws(1), STEPS).lossless


def test_one_token_may_come_alone():
    assert audit_sequence(lambda p, q, rng: sample(p([]), rng), *laws(1), STEPS).lossless


def test_a_prefix_that_is_too_long_is_the_program_s_own_error():
    found = audit_sequence(lambda p, q, rng: p([0] * 3), p_of, q_of, STEPS)
    assert [x.kind for x in found.others] == ["IndexError"]


# ---- how long


def test_the_standard_rule_emits_one_token_more_for_each_draft_that_it_accepts():
    found = audit_sequence(verified, p_of, q_of, STEPS)
    assert found.got.length == found.usual_length == 1 + HALF + Fraction(1, 4)


@pytest.mark.parametrize("seed", range(4))
def test_its_length_is_the_mean_over_all_paths(seed):
    """By another way: from the law of the emissions themselves."""
    p, q = random_pair(3, 6, Random(seed))
    found = audit_sequence(verified, lambda _: p, lambda _: q, STEPS)
    alpha = sum(map(min, p, q))
    assert found.got.length == found.usual_length == usual_length(*constant(p, q, STEPS), STEPS) == 1 + alpha + alpha**2


def test_global_protocol():
    def emit(p, _q):
        return [np.random.choice(len(p([])), p=p([]))]  # noqa: NPY002 - the one to be intercepted

    assert audit_sequence(emit, *laws(1), STEPS, protocol="global").lossless


# ---- bad input


@pytest.mark.parametrize("steps", [0, 6, -1, 1.5, True, "2", None])
def test_steps(steps):
    with pytest.raises(LawError, match="steps="):
        audit_sequence(verified, p_of, q_of, steps)


def test_p_and_q_are_functions():
    with pytest.raises(LawError, match=r"p=.*: of a sequence it is a function of the prefix"):
        audit_sequence(verified, P, q_of, STEPS)
    with pytest.raises(LawError, match=r"q=.*: of a sequence it is a function of the prefix"):
        audit_sequence(verified, p_of, Q, STEPS)


def test_all_laws_are_over_the_same_tokens():
    with pytest.raises(LawError, match=r"p\(0,\) has 3 entries but q\(0,\) has 2"):
        audit_sequence(verified, lambda x: [1, 0, 0] if x else P, q_of, STEPS)
    with pytest.raises(LawError, match=r"p\(0,\) has 3 entries but p\(\) has 2"):
        audit_sequence(verified, lambda x: [1, 0, 0] if x else P, lambda x: [1, 0, 0] if x else Q, STEPS)


def test_too_many_sequences():
    with pytest.raises(LawError, match="steps=5 with 6 tokens: that is 46,656 sequences"):
        audit_sequence(verified, lambda _: [1, 0, 0, 0, 0, 0], lambda _: [1, 0, 0, 0, 0, 0], 5)
    with pytest.raises(LawError, match="steps=5 with 6 tokens"):
        audit_search(verified, steps=5, tokens=6)


# ---- the search


def test_the_search_of_sequences_finds_the_smallest():
    def wrong_bonus(p, q, rng):
        drafts = verified(p, q, rng, bonus=False)
        return [*drafts, sample(q(drafts), rng)] if len(drafts) == STEPS else drafts

    found = audit_search(wrong_bonus, steps=STEPS, denominator=2, tokens=2)
    assert found.smallest is next(t.shown for t in found.tried if not t.lossless)
    assert len(found.smallest.outcomes[0]) == STEPS + 1
    assert (found.rules, found.steps) == ((), STEPS)


def test_the_search_of_a_right_one_holds():
    found = audit_search(verified, steps=STEPS, denominator=2, tokens=2)
    assert (found.holds, found.failures, found.smallest) == (True, 0, None)
    assert [(group.pairs, group.of) for group in found.coverage] == [(10, 10), (243, 243), (40, 40)]
    assert all(t.formula.lossless and t.floats.lossless for t in found.tried)


def test_draft_and_steps_together_are_refused():
    with pytest.raises(LawError, match="draft= and steps=: of a sequence emit draws its drafts itself"):
        audit_search(lambda x, p, q, rng: x, draft=lambda q, rng: 0, steps=1)


def test_laws_by_the_position_alone_are_all_tried_and_sure_ones_first():
    cases, said = position_cases(2, Random(0))
    assert (len(cases), said) == (243, "")
    assert len({tuple(sorted(case.p.items())) + tuple(sorted(case.q.items())) for case in cases}) == 243
    assert all(len({case.p[x] for x in prefixes(2, 2) if len(x) == i}) == 1 for case in cases for i in range(3))
    uncertain = [sum(1 for x in ((), (0,), (0, 0)) if Fraction(1, 2) in case.p[x]) for case in cases]
    assert uncertain[0] == 0
    assert [len(position_cases(steps, Random(0))[0]) for steps in (1, 3)] == [27, 243]
    assert position_cases(3, Random(0))[1] == ", a seeded 243 of them"
