"""What an audit says: the first claim that fails, the table, the verdicts, the rule, the notes and the coverage."""

from fractions import Fraction

import numpy as np
import pytest

from exact.rules import rule_named
from exact.search import count_all
from numeric.audit import audit, audit_search, audit_sequence
from numeric.audit.report import claim_that_fails, report, single
from numeric.audit.search import sampler

HALF = Fraction(1, 2)


def standard(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


def returning(value):
    return lambda p, q, rng: value


def text_of(emit, **options):
    return "\n".join(report(audit_search(emit, **{"denominator": 2, **options})))


def paragraphs(emit, **options):
    return text_of(emit, **options).split("\n\n")


# ---- the claim that fails


def raises(_p, _q, _rng):
    raise ValueError("nothing to draw from")


@pytest.mark.parametrize(
    ("emit", "p", "q", "claim", "how"),
    [
        (raises, [1], [1], "emits a token", "raises ValueError: nothing to draw from, with probability 1"),
        (returning(None), [1], [1], "emits a token", "it returns None, with probability 1"),
        (returning((0, 1)), [1], [1], "emits a token", "it returns (0, 1), with probability 1"),
        (returning("a"), [1], [1], "emits a token", "it returns 'a', with probability 1"),
        (returning(1), [1], [1], "ids in range", "token 1 comes out with probability 1"),
        (returning(-1), [1], [1], "ids in range", "token -1 comes out with probability 1"),
        (returning(0), [HALF, HALF], [HALF, HALF], "identical draft",
         "TV from the target is 1/2; token 0: wanted 1/2, got 1"),
        (returning(0), [HALF, HALF], [0, 1], "dist", "TV from the target is 1/2; token 0: wanted 1/2, got 1"),
    ],
)  # fmt: skip
def test_the_first_claim_that_fails(emit, p, q, claim, how):
    assert claim_that_fails(audit(emit, p, q)) == (claim, how)


def test_what_the_grid_alone_does_and_what_p_excludes():
    def inclusive(p, q, rng):
        x = rng.choice(len(q), p=q)
        return x if rng.random() <= p[x] / q[x] else p.argmax()

    claim, how = claim_that_fails(audit(inclusive, [0, 1], [1, 0], uniform="24"))
    assert claim == "nothing on the grid alone"
    assert how == (
        "token 0 comes out with probability 1/16777216 on the grid 24 [0,1), never with an ideal uniform number"
    )

    def floored(p, _q, rng):
        w = np.maximum(p, 5e-324)
        return rng.choice(len(p), p=w)

    claim, how = claim_that_fails(audit(floored, [0, 1], [1, 0], arrays="numpy"))
    assert claim == "nothing that p excludes"
    assert how == "token 0 comes out with probability about 4.94066E-324, and with 0 by p"


# ---- the blocks, in order


def test_a_wrong_verifier_from_top_to_bottom():
    found = audit_search(sampler(rule_named("redraw-from-p")), denominator=2)
    text = "\n".join(report(found, ["breaks: a step"], "samelaw audit x.py:emit"))
    head, table, verdicts, rule, replay, coverage = text.split("\n\n")
    assert head.splitlines() == [
        "NOT LOSSLESS: dist: TV from the target is 1/4; token 0: wanted 1/2, got 1/4", "p = 1/2, 1/2", "q = 0, 1",
    ]  # fmt: skip
    assert table.splitlines() == [
        "token  wanted  got  off by", "0      1/2     1/4  -1/4", "1      1/2     3/4  1/4", "alpha  <= 1/2  1/2  0",
    ]  # fmt: skip
    tried = len(found.tried)
    assert verdicts.splitlines() == [
        f"lossless  no       not so on {found.failures} of {tried} pairs", "maximal   yes      alpha == 1 - TV(p, q)",
        "stuck     no       a token on every path",
    ]  # fmt: skip
    assert rule.startswith("rule: redraw-from-p: on rejection draw from p instead of the residual; it emits the same")
    assert rule.endswith("breaks: a step")
    assert replay == "replay: samelaw audit x.py:emit"
    assert coverage.splitlines()[0] == "run  pairs"
    assert "every pair with V <= 3 and common denominator <= 2" in coverage
    assert coverage.endswith("paths a pair, each with its exact probability; uniform: ideal")


def test_a_right_verifier_says_that_it_is_no_proof():
    head, verdicts, *_ = paragraphs(standard)
    assert head.startswith("LOSSLESS on every pair tried:")
    assert head.endswith("not a proof for every pair.")
    assert "on Fractions the law == p; on floats its exact law is" in " ".join(verdicts.split())


def test_rounding_is_told_with_its_bound_and_its_defect():
    verdicts = " ".join(paragraphs(standard, denominator=6)[1].split())
    assert "on floats its exact law is within 3.33E-17 in TV of the right one, which is rounding" in verdicts
    assert "(a right program can come to 4.22E-15: numeric/audit/pair.py)" in verdicts
    assert "the sums of p and q as floats make another 3.33E-17" in verdicts


def test_too_much_acceptance_is_shown_with_its_pair():
    head, table, verdicts, *_ = paragraphs(
        lambda x, p, q, rng: (rng.choice(len(p), p=p), True), draft=lambda q, rng: rng.choice(len(q), p=q)
    )
    assert head.splitlines() == [
        "WRONG: alpha: 1 is reported as accepted, and a lossless verifier accepts a draft from q with at most",
        "1 - TV(p, q) = 0", "p = 0, 1", "q = 1, 0",
    ]  # fmt: skip
    assert table.splitlines()[-1] == "alpha  <= 0    1    1"
    assert "maximal   no       alpha = 1 where 1 - TV(p, q) = 0, at p = 0, 1, q = 1, 0" in verdicts


def test_too_little_acceptance_is_no_fault_and_is_told():
    verdicts = paragraphs(lambda p, q, rng: (rng.choice(len(p), p=p), False))[1]
    assert "maximal   no       alpha = 0 where 1 - TV(p, q) = 1, at p = 1, q = 1" in verdicts


def test_without_acceptance_the_text_says_how_to_have_it():
    assert "maximal   unknown  acceptance is not reported; return (token, accepted) to" in text_of(
        lambda p, q, rng: rng.choice(len(p), p=p)
    )


def test_rules_that_the_pairs_do_not_tell_apart():
    text = " ".join(text_of(lambda p, q, rng: rng.choice(len(q), p=q)).split())
    assert "known rules: redraw-reversed, accept-all; the pairs tried do not tell these apart" in text
    assert "if acceptance is reported, they may" in text


def test_no_known_rule():
    assert "no known rule: none of the table emits this on every pair tried." in text_of(lambda p, q, rng: 0)


def test_an_id_out_of_range_is_in_the_table_of_what_is_no_token():
    text = text_of(lambda p, q, rng: len(p))
    assert "no token: token 1, out of range, with probability 1" in text
    assert "stuck     yes      no token with probability up to 1" in text


def test_an_argument_that_is_changed_is_noted_and_is_no_fault():
    def in_place(p, q, rng):
        x = standard(p, q, rng)
        q *= 0
        return x

    text = " ".join(text_of(in_place).split())
    assert text.startswith("LOSSLESS")
    assert "It changes its argument q in place. Every run here got a copy of its own" in text
    assert "changes its argument" not in text_of(standard)


def test_a_draft_that_is_not_from_its_q():
    text = text_of(lambda x, p, q, rng: rng.choice(len(p), p=p), draft=lambda q, rng: 0)
    assert text.startswith("WRONG: the draft is not drawn from the q that it reports")
    assert "draft: it is not drawn from the q that it reports; TV 1\n" in text
    assert "  drawn from  1, 0\n  reported    0, 1" in text


def test_code_that_is_audited_on_floats_alone_says_why():
    text = " ".join(text_of(lambda p, q, rng: standard(p.astype(float), q, rng)).split())
    assert "The formula by itself is not audited (" in text
    assert "a float is made of the number" in text


def test_a_formula_that_is_off_is_told_where_floats_hold():
    def emit(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / (q[x] + 1e-20):
            return x
        residual = np.maximum(p - q, 0) if (p != q).any() else p
        return rng.choice(len(p), p=residual / residual.sum())

    text = " ".join(text_of(emit).split())
    assert text.startswith("LOSSLESS")
    assert "On Fractions the code is not lossless, and on floats it is, up to rounding" in text
    assert "The formula: dist: TV from the target is" in text


def test_the_grid_is_explained_where_there_is_one():
    text = " ".join(text_of(standard, uniform="24").split())
    assert "A uniform number is a point of the grid 24 [0,1), where the program compares it" in text
    assert "emits the same with an ideal uniform number on every pair" in text
    assert text.endswith("uniform: 24 [0,1)")
    assert "grid" not in text_of(standard)


def test_where_it_stopped_the_coverage_says_so():
    def emit(p, q, rng):
        return float(rng.random()) if len(p) == 3 else rng.choice(len(q), p=q)

    text, tried, of = text_of(emit), count_all(2, 2), count_all(3, 2)
    assert f"{tried} of {of}  every pair with V <= 3 and common denominator <= 2" in text
    assert "0 of 40   V <= 6, denominator <= 1,000, seeded (0)" in text
    assert f"The search stopped there: from pair {tried + 1} on: " in text


def test_a_long_table_is_cut():
    text = "\n".join(single(audit(lambda p, q, rng: 0, [Fraction(1, 40)] * 40, [Fraction(1, 40)] * 40)))
    assert "(8 rows are left out)" in text
    assert len(text.splitlines()) < 50


@pytest.mark.parametrize("width", [40, 60, 100])
def test_columns_are_respected(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = report(audit_search(sampler(rule_named("redraw-from-p")), denominator=2, arrays="fraction"))
    assert max(map(len, lines)) <= max(width, 60)


# ---- sequences


def test_a_sequence_says_how_long_it_is_and_shows_what_is_off():
    def one_too_few(_p, q, rng):
        return [rng.choice(len(q([])), p=q([]))]

    head, table, verdicts, *rest = paragraphs(one_too_few, steps=1)
    assert head.splitlines() == [
        "NOT LOSSLESS: dist: TV from the target is 1; tokens 0 1: wanted 0, got 1",
        "p = 0, 1 after every prefix", "q = 1, 0 after every prefix",
    ]  # fmt: skip
    assert table.splitlines()[0].split() == ["tokens", "wanted", "got", "off", "by"]
    assert "length    shorter  tokens on average, next to the standard rule token by token: more on 0 and" in verdicts
    assert not any("rule" in block for block in rest)


def test_laws_that_depend_on_the_prefix_are_listed():
    def emit(_p, _q, _rng):
        return [0, 0]

    laws = {(): ["1/2", "1/2"], (0,): ["1/3", "2/3"], (1,): [1, 0]}
    text = "\n".join(single(audit_sequence(emit, laws.get, laws.get, 1)))
    assert "p() = 1/2, 1/2\np(0) = 1/3, 2/3\np(1) = 1, 0\nq() = 1/2, 1/2\n" in text
    assert "tokens a call: 2 on average; of the standard rule token by token 2" in text


# ---- one pair


def test_one_pair_that_holds():
    lines = single(audit(standard, ["1/2", "1/2"], [0, 1]))
    assert lines[0] == "LOSSLESS on this pair: the law is p."
    assert lines[-1] == "maximal: yes; 2 paths, each with its exact probability; uniform: ideal"


def test_one_pair_on_floats_and_on_a_grid():
    on_floats = single(audit(standard, ["1/3", "2/3"], [1, 0], arrays="numpy"))[0]
    assert on_floats.startswith("LOSSLESS on this pair: ")
    on_grid = single(audit(standard, ["1/3", "2/3"], [1, 0], uniform="24"))[0]
    assert on_grid == "LOSSLESS on this pair: what is off is the grid of the uniform numbers."


def test_numbers_that_do_not_sum_to_1_are_said():
    lines = single(audit(standard, ["499/1000", "1/2"], ["1/2", "1/2"]))
    assert "p sums to 999/1000: what is wanted is p over its sum" in lines
    assert not any("sums to" in line for line in single(audit(standard, [0.1, 0.9], [0.9, 0.1], arrays="numpy")))


def test_too_much_acceptance_on_one_pair():
    head = single(audit(lambda p, q, rng: (1, True), [0, 1], [1, 0]), overstated=True)[0]
    assert head.startswith("WRONG: alpha: 1 is reported as accepted")
