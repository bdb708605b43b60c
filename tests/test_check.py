"""The self-check: every group holds, every group can fail, and what it says about its coverage is true."""

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exact import grid, joint, rejection_law, total_variation
from exact.reading import Numbers, vector
from exact.rules import RULES
from exact.search import Pair, count_pairs, pairs
from numeric.audit import search
from numeric.mutants import stored_table
from proof import floating, progress
from proof.front import check, cli, walk
from proof import rejection as derivation
from exact.rules import law_of
from proof.front.check import broken, self_check
from proof.statement import eq
from proof.front.text_laws import Text, TextLaws, check_context, words_of
from proof.front.walk import walk_through

HALVES = Numbers([Fraction(1, 2), Fraction(1, 2)])
WORDS = words_of("The cat saw the dog and the dog saw the cat, and the cat ran, and the dog sat and the cat sat.")
RHYME = Text("a rhyme", WORDS, "0" * 16)


@pytest.fixture
def small(monkeypatch):
    """Limits that a test can afford."""
    monkeypatch.setattr(check, "SMALL", (2, 4))
    monkeypatch.setattr(check, "SINGLE", (2, 3))
    monkeypatch.setattr(check, "SAMPLES", ((4, 3),))
    monkeypatch.setattr(check, "ONE_IN", 10)
    monkeypatch.setattr(check, "GRIDS", (((1, 2, 3), 5), ((4,), 3)))
    monkeypatch.setattr(check, "DRAWN", 10)
    monkeypatch.setattr(check, "RUN", (2, 2))


def stages(run):
    """The groups that a check yields, and the progress it made: per stage, every (done, total)."""
    seen = {}
    groups = list(run(lambda stage, done, total: seen.setdefault(stage, []).append((done, total))))
    return groups, seen


# ---- can it reject?


def test_a_wrong_rule_is_rejected_at_the_smallest_pair():
    assert self_check() == (Pair(HALVES, Numbers([0, 1])), "the law is (1/4, 3/4)")


def test_a_right_rule_is_not_rejected_so_that_the_self_check_itself_can_fail():
    assert self_check("standard") is None
    assert self_check("no-fallback") is None


def test_a_grid_that_cannot_reject_is_no_check_and_nothing_runs(monkeypatch, capsys, tmp_path):
    (tmp_path / "text").write_text("a cat and a dog and a cat")
    monkeypatch.setattr(grid, "holds", lambda tile, _emitted: np.ones(tile.p.shape[1], bool))
    assert self_check() is None
    assert cli.main(["check", "--text", str(tmp_path / "text")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.split(" (")[0]) == ("", "samelaw: self-check: the rule redraw-from-p")


def test_a_grid_that_rejects_at_another_pair_is_no_check(monkeypatch):
    right = grid.holds
    monkeypatch.setattr(grid, "holds", lambda tile, emitted: right(tile, emitted) & (tile.p[0] != 1))
    assert self_check() is None


@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.breaks])
def test_every_wrong_rule_is_rejected(rule):
    V = 2 if rule != "low-precision-draft" else 3
    sample = [*pairs(V, 6), *pairs(3, 4)]
    assert any(broken(*pair, law_of(rule)) for pair in sample)


def test_the_first_broken_claim_is_named():
    p, q = HALVES, Numbers([Fraction(0), Fraction(1)])
    assert broken(p, q) is None
    assert broken(p, q, lambda p, _q: (p, Fraction(1, 2))) is None
    assert broken(p, q, lambda p, _q: (p, Fraction(1, 3))) == "alpha = 1/3, not 1/2"
    assert broken(p, q, lambda _p, q: (q, Fraction(1, 3))) == "alpha = 1/3, not 1/2"
    assert broken(p, q, lambda _p, q: (q, Fraction(1, 2))) == "the law is (0, 1)"
    assert broken(p, q, lambda p, _q: (p[:1], Fraction(1, 2))) == "the law sums to 1/2"
    assert broken(p, q, lambda _p, _q: ((1,), Fraction(1, 2))) == "the law is (1)"


# ---- exact


def test_the_small_pairs_are_counted_as_they_are_listed():
    V, d = check.SMALL
    assert (V, d) == (3, 12)
    assert check.count_all(V, d) == sum(1 for _ in check.all_pairs(V, d)) == 25_310
    assert max(len(p) for p, _ in check.all_pairs(V, d)) == V
    assert max(x.denominator for pair in check.all_pairs(V, d) for v in pair for x in v) == d


@pytest.mark.usefixtures("small")
def test_the_exact_groups_hold_and_say_what_they_cover():
    groups, seen = stages(lambda progress: check.exact_groups(0, progress))
    assert [g.coverage for g in groups] == [
        "every pair with V <= 2 and denominator <= 4",
        f"V = 4, denominator <= 3, a seeded 1 % of {count_pairs(4, 3):,}",
        "V <= 8, denominator <= 10^9, seeded",
    ]
    assert {(g.name, g.claim, g.failures) for g in groups} == {("exact", "dist == p and alpha == 1 - TV", ())}
    assert groups[0].count == sum(1 for V in (1, 2) for _ in pairs(V, 4))
    assert groups[2].count == 2000
    assert list(seen) == [f"exact, {g.coverage}" for g in groups]
    for group, steps in zip(groups, seen.values(), strict=True):
        assert [done for done, _ in steps] == list(range(1, group.count + 1))
        assert all(done <= total for done, total in steps)


@pytest.mark.parametrize("rule", ["redraw-from-p", "accept-all", "alpha-sum-pq", "unnormalised-residual"])
def test_the_exact_group_fails_on_a_wrong_law_and_names_each_pair(monkeypatch, rule):
    monkeypatch.setattr(check, "broken", lambda p, q: broken(p, q, law_of(rule)))
    group = check.exact_group("pairs", pairs(2, 3), 1, progress.silent)
    failing = [pair for pair in pairs(2, 3) if broken(*pair, law_of(rule))]
    assert group.count == count_pairs(2, 3)
    assert len(group.failures) == len(failing) > 0
    assert group.failures[0] == f"{check.at(failing[0])}: {broken(*failing[0], law_of(rule))}"


def test_the_samples_are_seeded():
    for sample in (check.large_pairs, lambda seed: check.sampled_pairs(4, 5, 100, seed)):
        assert list(sample(0)) == list(sample(0))
        assert list(sample(0)) != list(sample(1))


def test_the_large_pairs_are_laws_within_what_is_said_of_them():
    sample = list(check.large_pairs(0))
    assert len(sample) == 2000
    assert {sum(v) for pair in sample for v in pair} == {1}
    assert {len(p) for p, q in sample if len(p) == len(q)} == set(range(2, 9))
    assert max(x.denominator for pair in sample for v in pair for x in v) in range(10**8, 10**9)
    zeros = [(0 in p, 0 in q) for p, q in sample]
    assert set(zeros) == {(True, True), (True, False), (False, True), (False, False)}


def test_a_sample_is_about_the_share_that_is_said():
    assert (check.SAMPLES, check.ONE_IN) == (((4, 12), (5, 8)), 100)
    for V, d in check.SAMPLES:
        assert check.sample_size(V, d) == count_pairs(V, d) // 100
        assert f"{count_pairs(V, d):,}" in check.sampled(V, d)
    drawn = sum(1 for _ in check.sampled_pairs(4, 6, 100, 0))
    assert abs(drawn - check.sample_size(4, 6)) < 5 * check.sample_size(4, 6) ** 0.5


# ---- exact, by tiles

REJECTS = {"rejects": "redraw-from-p, at p = (1/2, 1/2), q = (0, 1)"}


def test_the_grids_are_those_that_are_promised():
    assert check.GRIDS == (((1, 2, 3, 4), 30), ((5,), 12))
    assert (check.count_all(4, 30), count_pairs(5, 12)) == (150_767_107, 7_036_376)


@pytest.mark.usefixtures("small")
def test_the_grid_groups_hold_and_say_what_they_cover():
    groups, seen = stages(lambda progress: check.grid_groups(0, progress))
    assert [g.coverage for g in groups] == [
        "every pair with V <= 3 and denominator <= 5",
        "every pair with V = 4 and denominator <= 3",
        "every pair with V <= 2 and denominator <= 4, and 10 seeded ones over each denominator, "
        "with V = 3 up to 5 and with V = 4 up to 3",
    ]
    assert [g.count for g in groups] == [check.count_all(3, 5), count_pairs(4, 3), check.count_all(2, 4) + 10 * (5 + 3)]
    assert [(g.name, g.failures, g.figures) for g in groups] == [
        ("grid", (), REJECTS), ("grid", (), REJECTS), ("grid", (), {})
    ]  # fmt: skip
    assert list(seen) == [f"grid, {groups[0].coverage}", f"grid, {groups[1].coverage}", "grid, against exact"]
    for group, steps in zip(groups, seen.values(), strict=True):
        assert steps[-1] == (group.count, group.count)
        assert steps == sorted(steps)


@pytest.mark.parametrize("rule", ["redraw-from-p", "accept-all", "alpha-sum-pq", "unnormalised-residual"])
def test_the_grid_group_fails_on_a_wrong_law_and_names_the_first_pair_of_each_denominator(monkeypatch, rule):
    right, wrong = grid.sweep, grid.laws_of(law_of(rule))
    monkeypatch.setattr(grid, "sweep", lambda tokens, most, laws=wrong: right(tokens, most, laws))
    group = check.grid_group((1, 2, 3), 4, progress.silent)
    first = {}
    for pair in check.all_pairs(3, 4):
        reason = broken(*pair, law_of(rule))
        if reason:
            over = np.lcm.reduce([x.denominator for x in pair.p + pair.q])
            first.setdefault((len(pair.p), over), f"{check.at(pair)}: {reason}")
    assert group.count == check.count_all(3, 4)
    assert group.failures == tuple(first.values())


@pytest.mark.parametrize("times", [0, 2])
def test_a_grid_that_does_not_visit_every_pair_once_fails(monkeypatch, times):
    right = grid.tiles
    monkeypatch.setattr(grid, "tiles", lambda V, d: [*right(V, d)] * (times if (V, d) == (2, 3) else 1))
    group = check.grid_group((1, 2), 4, progress.silent)
    there, of_3 = check.count_all(2, 4), count_pairs(2, 3) - count_pairs(2, 2)
    visited = there + (times - 1) * of_3
    assert group.count == visited
    assert group.failures == (f"{visited} pairs were visited, and there are {there}",)


def test_a_grid_group_that_cannot_reject_fails(monkeypatch):
    monkeypatch.setattr(check, "smallest_of_grid", lambda _wrong: None)
    group = check.grid_group((1, 2), 2, progress.silent)
    assert group.failures == ("redraw-from-p was not rejected, so this check proves nothing",)
    assert group.figures == {}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rule", ["redraw-from-p", "alpha-sum-pq"])
def test_tiles_with_another_law_than_the_program_are_named(monkeypatch, rule):
    pairs_seen = [column.pair for column in check.tile_columns(0)]
    assert sorted(pairs_seen[: check.count_all(2, 4)]) == sorted(check.all_pairs(2, 4))
    monkeypatch.setattr(grid, "rejection_laws", grid.laws_of(law_of(rule)))
    group = check.tile_group(0)
    wrong = [pair for pair in pairs_seen if broken(*pair, law_of(rule))]
    assert len(group.failures) == len(wrong) > 10
    p, q = wrong[0]
    tile, program = (f"{vector(dist)} and alpha = {alpha}" for dist, alpha in (law_of(rule)(p, q), rejection_law(p, q)))
    assert group.failures[0] == f"{check.at(wrong[0])}: {tile} in the tile, not {program}"


# ---- programs


@pytest.mark.usefixtures("small")
def test_every_rule_as_a_program_has_the_law_of_the_rule():
    group, *_ = stages(lambda progress: [check.program_group(progress)])[0]
    assert (group.count, group.failures) == (22 * check.count_all(2, 2), ())
    covered = "every pair with V <= 2 and denominator <= 2"
    assert group.coverage == f"22 rules as programs, along every path of each, on {covered}"


@pytest.mark.usefixtures("small")
def test_a_rule_that_is_another_program_is_named(monkeypatch):
    sampler = search.sampler
    monkeypatch.setattr(search, "sampler", lambda rule: sampler(RULES["standard" if rule.breaks else rule.name]))
    failures = check.program_group().failures
    first = "redraw-from-p at p = (1/2, 1/2), q = (0, 1): (1/2, 1/2) with alpha = 1/2, not (1/4, 3/4)"
    assert failures[0] == first
    assert len({failure.split(" at ")[0] for failure in failures}) == 14


def test_the_pairs_drawn_for_the_tiles_are_seeded(monkeypatch):
    monkeypatch.setattr(check, "SMALL", (1, 1))
    assert list(check.tile_columns(0)) == list(check.tile_columns(0))
    assert list(check.tile_columns(0)) != list(check.tile_columns(1))


# ---- statements


def test_every_statement_holds_on_the_sample():
    laws, given = check.statement_groups(0)
    assert laws.failures == given.failures == ()
    assert laws.count == given.count == check.count_all(3, 4) + 100
    assert laws.coverage.startswith(f"{len(derivation.STEPS)} lines on every pair with V <= 3 and denominator <= 4, ")
    assert given.coverage.startswith(f"{len(floating.NEW)} lines for any sums on the same pairs, ")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(check, "STATED", (2, 4))
    monkeypatch.setattr(check, "large_pairs", lambda _seed, _n: iter(()))
    return [*check.all_pairs(2, 4)]


def test_a_false_statement_fails_and_is_named(monkeypatch, few):
    step = derivation.step("emitted-law")
    false = replace(step, statement=eq(derivation.D("x"), derivation.q("x")))
    monkeypatch.setattr(derivation, "STEPS", [*derivation.STEPS, false])
    laws, _given = check.statement_groups(0)
    assert laws.failures == tuple(f"{check.at(pair)}: emitted-law fails" for pair in few if pair.p != pair.q)


def test_a_false_statement_on_any_sums_fails_and_is_named(monkeypatch, few):
    step = next(s for s in floating.NEW if s.label == "unscaled-defect")
    false = replace(step, statement=eq(step.statement.a, 0))
    monkeypatch.setattr(floating, "NEW", [*floating.NEW, false])
    scaled = [*check.scaled_pairs(0, few)]
    wrong = [pair for pair in scaled if sum(pair.p) != sum(pair.q)]
    assert 0 < len(wrong) < len(scaled)
    _laws, given = check.statement_groups(0)
    assert given.failures == tuple(f"{check.at(pair)}: unscaled-defect fails" for pair in wrong)


# ---- floats


@pytest.mark.usefixtures("small")
def test_the_numeric_groups_hold_and_say_what_they_cover():
    groups, seen = stages(lambda progress: check.numeric_groups(0, progress, strict=True))
    assert [g.coverage for g in groups] == [
        "every pair with V <= 2 and denominator <= 4, in float64, sums exact",
        "every pair with V <= 2 and denominator <= 3, in float32, sums exact",
        "every pair with V <= 2 and denominator <= 3, in float64, sums scalars",
        "every pair with V <= 2 and denominator <= 3, in float64, sums pairwise",
        f"V = 4, denominator <= 3, a seeded 1 % of {count_pairs(4, 3):,}, in float64, sums exact",
        "V <= 8, denominator <= 10^9, seeded, in float64, sums exact",
    ]
    assert [g.failures for g in groups] == [()] * 6
    assert sum(g.count for g in groups) == sum(map(len, seen.values()))
    assert groups[1].count == count_pairs(1, 3) + count_pairs(2, 3)
    assert all(set(g.figures) == {"largest rounding", "largest defect"} for g in groups)


def few_floats():
    return check.Floats("float64", "exact", "pairs", pairs(2, 2), 1)


def test_the_numeric_group_fails_on_a_wrong_program(monkeypatch):
    monkeypatch.setattr("numeric.crosscheck.rejection_law", lambda p, q, _sums: (q, float(np.minimum(p, q).sum())))
    group = check.numeric_group(few_floats(), progress.silent, strict=False)
    unequal = [pair for pair in pairs(2, 2) if pair.p != pair.q]
    assert len(group.failures) == len(unequal)
    assert group.failures[0].startswith(f"{check.at(unequal[0])}: wrong, dist[0]: wanted ")


def test_a_badly_conditioned_program_is_counted_and_fails_when_strict(monkeypatch):
    def slightly_off(p, q, _sums):
        dist, alpha = rejection_law(p.tolist(), q.tolist())
        return np.array([float(x) for x in dist]) * (1 + 2.0**-45), float(alpha)

    monkeypatch.setattr("numeric.crosscheck.rejection_law", slightly_off)
    monkeypatch.setattr("numeric.crosscheck.Judge.ball", lambda _judge: Fraction(1))
    lax, strict = (check.numeric_group(few_floats(), progress.silent, strict) for strict in (False, True))
    assert lax.failures == ()
    assert int(lax.figures["not certified, though near"]) == len(strict.failures) == count_pairs(2, 2)


def test_the_formula_group_holds_and_fails_on_a_survivor_and_on_a_false_alarm(monkeypatch):
    group = check.formula_group()
    assert (group.failures, group.count) == ((), len(stored_table()))
    rows = stored_table()
    wrong, right = next(r for r in rows if not r.correct), next(r for r in rows if r.correct)
    changed = {wrong: wrong._replace(witnesses=(), bits=()), right: right._replace(bits=("grid",))}
    monkeypatch.setattr("numeric.mutants.stored_table", lambda: [changed.get(row, row) for row in rows])
    assert check.formula_group().failures == (
        f"{wrong.name} is wrong and was not seen", f"{right.name} is correct and was not passed")  # fmt: skip


# ---- text


def test_the_text_groups_hold_and_say_what_they_cover():
    groups, seen = stages(lambda progress: check.text_groups(RHYME, progress, strict=True))
    exact, floats = groups
    laws = TextLaws(WORDS)
    tokens = sum(len(c.tokens) for c in laws)
    assert exact.coverage == f"every context of a rhyme, digest {'0' * 16}: {len(WORDS)} words, {tokens} tokens"
    assert (exact.failures, floats.failures) == ((), ())
    assert exact.count == floats.count == len(laws)
    assert seen == {"text": [(done, len(laws)) for done in range(1, len(laws) + 1)]}


def test_the_text_group_fails_on_a_wrong_law_and_names_the_context(monkeypatch):
    monkeypatch.setattr(check, "check_context", lambda context: check_context(context, law_of("redraw-from-p")))
    exact, floats = check.text_groups(RHYME)
    assert floats.failures == ()
    wrong = [c for c in TextLaws(WORDS) if check_context(c, law_of("redraw-from-p")).reason]
    assert len(exact.failures) == len(wrong) > 0
    assert {failure.split(":")[0] for failure in exact.failures} == {" ".join(c.words) for c in wrong}


def test_the_text_in_floats_fails_on_a_wrong_program(monkeypatch):
    monkeypatch.setattr("numeric.crosscheck.rejection_law", lambda p, q, _sums: (q, float(np.minimum(p, q).sum())))
    exact, floats = check.text_groups(RHYME)
    assert exact.failures == ()
    assert len(floats.failures) == sum(c.p != c.q for c in TextLaws(WORDS)) > 0
    assert floats.failures[0].startswith("after '")


def test_the_figures_of_a_text_are_those_of_its_alphas():
    exact, _ = check.text_groups(RHYME)
    alphas = sorted(1 - total_variation(c.p, c.q) for c in TextLaws(WORDS))
    shown = exact.figures["alpha: smallest, quartiles, largest"].split(", ")
    assert [float(shown[0]), float(shown[-1])] == [round(float(alphas[0]), 3), round(float(alphas[-1]), 3)]
    assert float(exact.figures["alpha: mean"]) == float(f"{float(sum(alphas) / len(alphas)):.3g}")


# ---- one pair, line by line

SMALL_PAIRS = [pair for V in (1, 2, 3) for pair in pairs(V, 3)]


def test_every_line_that_applies_holds_on_every_small_pair():
    for pair in SMALL_PAIRS:
        walked = walk_through(*pair)
        assert (walked.holds, walked.agrees, walked.failing) == (True, True, [])
        assert walked.lines()[-1] == walked.verdict() == "every line holds on this pair"


def test_a_line_does_not_apply_exactly_where_a_hypothesis_of_its_fails():
    for p, q in SMALL_PAIRS:
        lines = {line.label: line for lines in walk_through(p, q).chapters.values() for line in lines}
        assert list(lines) == [step.label for step in derivation.STEPS]
        assert lines["some-mass"].applies == (p != q) != lines["no-mass"].applies
        assert lines["emitted-law"].applies
        assert lines["accept-all-right"].applies == (p == q)


def test_the_table_has_a_row_for_each_token():
    walked = walk_through(Numbers([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]), Numbers([0, 0, Fraction(1)]))
    assert [row[0] for row in walked.table] == ["x", "0", "1", "2"]
    assert [row[1:3] for row in walked.table[1:]] == [("1/2", "0"), ("1/3", "0"), ("1/6", "1")]
    widths = {len(line) for line in walked.lines()[:4]}
    assert len(widths) == 1


def test_one_token_walks_too():
    walked = walk_through(Numbers([Fraction(1)]), Numbers([Fraction(1)]))
    assert walked.holds
    assert walked.table[1][:3] == ("0", "1", "1")


def test_numbers_that_floats_would_spoil_walk_exactly():
    p = Numbers([Fraction(1, 10)] * 3 + [Fraction(7, 10)])
    q = Numbers([Fraction(0.1), Fraction(0.2), 1 - Fraction(0.1) - Fraction(0.2), Fraction(0)])
    walked = walk_through(p, q)
    assert (walked.holds, sum(q)) == (True, 1)
    assert walked.table[1][1:3] == ("1/10", "3602879701896397/36028797018963968")


@pytest.mark.parametrize("rule", ["redraw-from-p", "accept-all", "alpha-sum-pq"])
def test_a_program_that_departs_from_the_derivation_is_reported(monkeypatch, rule):
    monkeypatch.setattr(walk, "emitted_distribution", law_of(rule))
    walked = walk_through(Numbers([Fraction(1, 3), Fraction(2, 3)]), HALVES)
    assert (walked.holds, walked.agrees, walked.failing) == (False, False, [])
    assert "exact.emitted_distribution gives NOT the same law and acceptance probability." in walked.lines()
    assert walked.lines()[-1] == "every line holds on this pair, but the program gives another law"


def test_a_joint_law_that_departs_from_the_derivation_is_reported(monkeypatch):
    monkeypatch.setattr(walk, "joint", lambda p, q: joint(q, p))
    assert not walk_through(Numbers([Fraction(1, 3), Fraction(2, 3)]), HALVES).agrees


def test_a_false_line_is_reported_with_both_sides(monkeypatch):
    false = replace(derivation.step("emitted-law"), statement=eq(derivation.D("x"), derivation.q("x")))
    monkeypatch.setattr(walk, "CHAPTERS", {"a chapter": [false]})
    walked = walk_through(HALVES, Numbers([Fraction(0), Fraction(1)]))
    [line] = walked.chapters["a chapter"]
    assert (line.applies, line.holds, line.values) == (True, False, "(1/2, 1/2) = (0, 1): FAILS")
    assert walked.lines()[-1] == "on this pair these lines do not hold: emitted-law"


# ---- progress


class Screen:
    """Stands for stderr."""

    def __init__(self, terminal):
        self.isatty, self.text = lambda: terminal, ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def shown(monkeypatch, terminal):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    meter = progress.Meter()
    for stage in ("one", "two"):
        for done in range(1, 101):
            meter(stage, done, 100)
    meter.end()
    return screen.text


def test_where_nobody_watches_progress_is_one_plain_line_for_each_stage(monkeypatch):
    assert shown(monkeypatch, terminal=False) == "... one\n... two\n"


def test_on_a_terminal_progress_is_one_line_that_is_wiped_at_the_end(monkeypatch):
    monkeypatch.setattr(progress, "monotonic", iter(range(1000)).__next__)
    text = shown(monkeypatch, terminal=True)
    assert text.startswith("\rone: 1 of 100\x1b[K\rone: 2 of 100\x1b[K")
    assert text.endswith("\rtwo: 100 of 100\x1b[K\r\x1b[K")
    assert "\n" not in text


def test_progress_is_silent_where_nothing_is_said(monkeypatch):
    screen = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    progress.Meter().end()
    assert check.exact_group("pairs", pairs(2, 2), 1, progress.silent).failures == ()
    assert screen.text == ""


def test_a_negative_mass_is_named_before_anything_else():
    p = Numbers([Fraction(1), Fraction(0)])
    assert broken(p, p, lambda p, q: ([Fraction(3, 2), Fraction(-1, 2)], 7)) == "token 1 has the probability -1/2"
