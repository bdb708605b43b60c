"""The lessons say what the derivation says: every number in them is computed again here by another route."""

import re
from fractions import Fraction
from itertools import islice
from random import Random

import pytest

from exact import joint, total_variation
from exact.reading import Numbers
from exact.rules import NOTHING, RULES, WRONG, Way, emission, is_right_on, smallest_wrong
from exact.search import all_pairs, random_pair, smallest
from proof.evaluate import World
from proof.lessons import draw, wrong
from proof.lessons.bars import bars, marks
from proof.lessons.draw import added_up, tree, ways
from proof.lessons.floats import Watched, can_round, in_floats
from proof.lessons.screens import BY_RULE
from proof.lessons.story import closing
from proof.kernel import RULES as KERNEL_RULES
from proof.lessons.lesson import CHAPTER_OF, lesson, letters, rows, uses
from proof.lessons.numbers import with_numbers
from proof.lessons.without import candidates, without, without_each
from proof.lessons.wrong import broken, chance, lessons_of_rule, own_definitions, world_of_rule
from proof.notation import plain, python
from proof.rejection import STEPS, D, Z, alpha, step, world_of
from proof.statement import At, Delta, Iff, Name, Sum, Where, eq, relations
from proof.statement import walk as nodes

HALF = Fraction(1, 2)
EXAMPLE = (Numbers(Fraction(n, 6) for n in (3, 2, 1)), Numbers(Fraction(n, 6) for n in (1, 2, 3)))
EQUAL = (EXAMPLE[0], EXAMPLE[0])
PAIRS = [EXAMPLE, EQUAL, *(random_pair(V, 12, Random(V)) for V in (1, 2, 3, 4)), (Numbers([1, 0]), Numbers([0, 1]))]
SMALL = list(all_pairs(3, 4))


# ---- numbers in the place of letters


def evaluated(tree):
    """The text of an expression in numbers, read by Python with every integer in it a Fraction."""
    whole = re.sub(r"Fraction\((-?\d+), (\d+)\)", r"(\1/\2)", python(tree))
    return eval(re.sub(r"\d+", r"Fraction(\g<0>)", whole), {"Fraction": Fraction})


@pytest.mark.parametrize("pair", PAIRS)
def test_a_line_in_numbers_has_no_letter_left_and_the_same_value(pair):
    world = world_of(*pair)
    for s in (s for s in STEPS if lesson(s, world).applies):
        for relation in relations(s.statement):
            for at in world.assignments(relation):
                line = with_numbers(relation, world, at)
                assert not any(isinstance(tree, At | Name | Delta | Sum | Where) for tree in nodes(line))
                assert evaluated(line.a) == world.value(relation.a, at)
                assert evaluated(line.b) == world.value(relation.b, at)


def test_only_the_branch_that_is_taken_is_shown():
    world = world_of(Numbers([HALF, HALF]), Numbers([1, 0]))
    assert [row.line for row in rows(step("acceptance"), world)] == ["a(0) = min(1, (1/2)/1)", "a(1) = 1/4"]
    assert [row.either for row in rows(step("acceptance"), world)] == [False, True]


def test_a_sum_over_no_token_is_0():
    assert plain(with_numbers(Sum("x", At("p", "x"), 5), world_of(*EXAMPLE), {})) == "0"


# ---- the lessons


@pytest.mark.parametrize("pair", PAIRS)
def test_every_line_that_applies_holds(pair):
    world = world_of(*pair)
    for s in STEPS:
        shown = lesson(s, world)
        assert shown.applies == all(map(world.holds, s.hypotheses))
        assert shown.holds == (world.holds(s.statement) if shown.applies else True)
        assert not shown.fails


def test_sides_are_those_of_the_world():
    world = world_of(*EXAMPLE)
    for s in STEPS:
        shown = lesson(s, world)
        if shown.applies and not isinstance(s.statement, Iff):
            assert [(row.left, row.right) for row in shown.rows] == world.sides(s.statement)


def test_a_false_line_fails_and_shows_both_sides():
    false = lesson(step("emitted-law").__class__("false", eq(D("x"), At("q", "x")), "ring"), world_of(*EXAMPLE))
    assert false.fails
    assert [row.sides for row in false.rows] == ["1/2 is not 1/6", "1/3 = 1/3", "1/6 is not 1/2"]


def test_every_cited_line_is_told_with_its_number_and_every_letter_with_its_definition():
    for s in STEPS:
        assert len(uses(s)) == len(s.cites)
        for label, text in zip(s.cites, uses(s), strict=True):
            assert plain(step(label).statement) in text
        assert CHAPTER_OF[s.label]
    assert letters(step("accepted-mass")) == [
        "(3) m(x) = min(p(x), q(x))", "(4) a(x) = min(1, p(x)/q(x)) where q(x) > 0, otherwise u(x)",
    ]  # fmt: skip


# ---- without a hypothesis


def said(world, statement):
    try:
        return world.holds(statement)
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize(
    "label", ["accepted-mass", "residual-mass", "emitted-law", "alpha", "never-again", "law-in-masses"]
)
def test_the_pair_that_breaks_a_line_violates_one_hypothesis_alone(label):
    s = step(label)
    for hypothesis, lost in zip(s.hypotheses, without_each(s), strict=True):
        assert lost.hypothesis == plain(hypothesis)
        breaking = [
            pair
            for pair in candidates()
            if not said(w := world_of(*pair), hypothesis)
            and all(said(w, h) for h in s.hypotheses if h != hypothesis)
            and not said(w, s.statement)
        ]
        assert lost.pair == (breaking[0] if breaking else None)
        assert lost.row is None or not lost.row.holds


def test_a_line_that_needs_no_hypothesis_is_broken_by_none():
    assert all(lost.pair is None for lost in without_each(step("split-p")))
    assert without(step("redrawn-mass"), step("redrawn-mass").hypotheses[1]).pair is not None


def test_candidates_are_all_pairs_of_the_entries_simple_ones_first():
    found = candidates()
    assert len(found) == len({*found}) == 6**2 + 6**4
    assert [len(p) for p, _ in found] == sorted(len(p) for p, _ in found)


# ---- in floats


OPERATIONS = [f"__{r}{name}__" for name in ("add", "sub", "mul", "truediv") for r in ("", "r")]


def test_watched_floats_write_down_what_rounds_and_nothing_else():
    random, log = Random(5), []
    for _ in range(500):
        a, b = random.random(), random.choice([random.random(), 0.5, 2.0])
        for name in (
            "__add__",
            "__radd__",
            "__sub__",
            "__rsub__",
            "__mul__",
            "__rmul__",
            "__truediv__",
            "__rtruediv__",
        ):
            log.clear()
            got = getattr(Watched(a, log), name)(b)
            x, y = (b, a) if name.startswith("__r") else (a, b)
            sign = name.strip("_").removeprefix("r") if name.startswith("__r") else name.strip("_")
            exact = getattr(Fraction(x), f"__{sign}__")(Fraction(y))
            assert float(got) == getattr(x, f"__{sign}__")(y)
            assert bool(log) == (Fraction(float(got)) != exact)
            assert all(abs(entry.ulps) <= HALF or sign == "sub" for entry in log)


def test_a_line_without_operations_never_rounds():
    cannot = [s for s in STEPS if not can_round(s)]
    assert {"overlap", "rejection-mass", "emitted-law"} <= {s.label for s in cannot}
    for pair in (random_pair(4, 30, Random(i)) for i in range(20)):
        for s in cannot:
            if lesson(s, world_of(*pair)).applies:
                assert not any(row.rounded for row in in_floats(s, *pair))


def test_rounding_shows_in_floats_and_not_in_fractions():
    tenths = Numbers(Fraction(n, 10) for n in (1, 2, 7)), Numbers(Fraction(n, 10) for n in (3, 3, 4))
    residual_rows = in_floats(step("residual"), *tenths)
    assert [row.left for row in residual_rows] == [0.0, 0.0, 0.7 - 0.4]
    assert residual_rows[2].off[0] == (Fraction(0.7 - 0.4) - Fraction(3, 10)) / Fraction(2) ** -54
    thirds = Numbers(Fraction(n, 12) for n in (2, 1, 1, 8)), Numbers(Fraction(n, 12) for n in (1, 2, 7, 2))
    assert [s.label for s in STEPS[:20] if not all(row.holds for row in in_floats(s, *thirds))]
    assert all(lesson(s, world_of(*thirds)).holds for s in STEPS[:20])


@pytest.mark.parametrize("name", ["p", "q"])
def test_a_number_that_is_no_float_any_more_is_told_and_no_trace(name):
    near = Fraction(3, 10) + Fraction(1, 10**20), Fraction(7, 10) - Fraction(1, 10**20)
    tiny = Fraction(1, 10**320)
    pair = (Numbers(near), Numbers([Fraction(3, 10), Fraction(7, 10)])) if name == "p" else (
        Numbers([HALF, HALF]), Numbers([tiny, 1 - tiny]))  # fmt: skip
    rows_ = [row for s in STEPS if lesson(s, world_of(*pair)).applies for row in in_floats(s, *pair)]
    troubles = {row.trouble for row in rows_ if row.trouble}
    assert troubles == {"as floats this divides by 0" if name == "p" else "as floats a number on the way is too large"}
    assert not any(row.holds for row in rows_ if row.trouble)


def test_dyadic_numbers_do_not_round_where_the_quotients_are_dyadic():
    pair = Numbers([Fraction(1, 4), Fraction(3, 4)]), Numbers([HALF, HALF])
    for s in STEPS:
        if lesson(s, world_of(*pair)).applies:
            assert all(row.holds and not any(row.off) and not row.rounded for row in in_floats(s, *pair))


# ---- one draw


@pytest.mark.parametrize("pair", PAIRS)
def test_the_ways_of_a_draw_are_the_joint_law(pair):
    law = ways(*pair)
    assert law.map(lambda way: (way.draft, way.emitted)) == joint(*pair)
    assert [law.map(lambda way: way.emitted)[x] for x in range(len(pair[0]))] == list(pair[0])
    assert law.probability(lambda way: way.accepted) == 1 - total_variation(*pair)


def test_the_tree_multiplies_to_the_leaves():
    assert tree(ways(*EXAMPLE))[-1] == "        redraw token 0: 1  -> token 0 comes out: 1/2 * 2/3 * 1 = 1/3"
    leaves = [line.rpartition("= ")[2] for line in tree(ways(*EXAMPLE)) if "comes out" in line]
    assert sum(map(Fraction, leaves)) == 1
    assert added_up(ways(*EXAMPLE), EXAMPLE[0])[1].split() == ["0", "1/6", "1/3", "1/2", "1/2"]


def test_a_token_that_is_rejected_and_drawn_again_is_seen():
    rule = RULES["redraw-from-p"]
    law = ways(*EXAMPLE, rule)
    assert law[Way(2, False, 2)] == Fraction(1, 18)
    assert "1/18" in draw.questions(law, rule)[-1]


@pytest.mark.parametrize("name", RULES)
def test_the_draws_of_a_rule_emit_what_the_rule_emits(name):
    for p, q in PAIRS:
        got = emission(RULES[name], p, q)
        emitted = ways(p, q, RULES[name]).map(lambda way: way.emitted)
        assert tuple(emitted[x] for x in range(len(p))) == got.dist
        assert emitted[NOTHING] == got.stuck


# ---- wrong rules


@pytest.mark.parametrize("name", RULES)
def test_the_world_of_a_rule_emits_what_the_rule_emits(name):
    rule = RULES[name]
    for p, q in SMALL:
        world, got = world_of_rule(rule, p, q), emission(rule, p, q)
        assert tuple(world.value(D("x"), {"x": x}) for x in range(len(p))) == got.dist
        assert world.value(alpha) == got.alpha


@pytest.mark.parametrize("name", WRONG)
def test_where_a_rule_is_wrong_a_line_breaks_and_the_walk_stops_there(name):
    rule = WRONG[name]
    for p, q in islice(SMALL, 0, None, 3):
        found = broken(rule, p, q)
        if not is_right_on(rule, p, q):
            assert found is not None
        if found:
            walked = lessons_of_rule(rule, p, q)
            assert walked[-1] == found
            assert [x.step.label for x in walked[:-1] if x.fails and x.step.label not in own_definitions(rule)] == []


@pytest.mark.parametrize("name", WRONG)
def test_the_first_broken_line_is_the_one_that_the_table_names_or_one_on_the_way_to_it(name):
    rule = WRONG[name]
    found = broken(rule, *smallest_wrong(rule)).step
    on_the_way = {"redrawn-mass": {"redrawn-if-mass"}, "alpha": {"alpha-overlap"}, "accepted-mass": {"accepted-mass"}}
    assert found.label in on_the_way[rule.breaks]
    assert found.label == rule.breaks or found.label in {c for s in STEPS if s.label == rule.breaks for c in s.cites}


@pytest.mark.parametrize("name", ["standard", "no-fallback", "one-hot-draft"])
def test_nothing_breaks_with_a_rule_that_is_right_but_what_it_does_in_another_way(name):
    if name != "one-hot-draft":  # which accepts with p, and is right where q is on one token alone
        assert all(broken(RULES[name], p, q) is None for p, q in SMALL)


@pytest.mark.parametrize("name", WRONG)
def test_where_a_wrong_rule_is_right_is_counted_and_explained(name):
    rule, found = WRONG[name], chance(WRONG[name])
    tried = list(all_pairs(3, 6))
    assert found.tried == len(tried)
    assert found.right == tuple(pair for pair in tried if is_right_on(rule, *pair))
    kinds = [kind for kind in wrong.KINDS if kind.name in found.kinds]
    for kind in kinds:
        members = [pair for pair in tried if kind.includes(*pair)]
        assert len(members) == found.kinds[kind.name] > 0
        assert {*members} <= {*found.right}
    assert found.others == tuple(pair for pair in found.right if not any(kind.includes(*pair) for kind in kinds))


def test_the_kinds_cover_as_much_as_all_kinds_that_are_right_do():
    for rule in WRONG.values():
        found, right = chance(rule), {*chance(rule).right}
        whole = [kind for kind in wrong.KINDS if {p for p in all_pairs(3, 6) if kind.includes(*p)} <= right]
        assert {*found.others} == {pair for pair in right if not any(kind.includes(*pair) for kind in whole)}
    assert chance(WRONG["redraw-from-p"]).kinds == {"a residual in the proportions of p": 234, "p = q": 69}


def test_what_breaks_is_the_smallest_pair():
    for rule in WRONG.values():
        assert smallest_wrong(rule) == smallest(lambda p, q, rule=rule: None if is_right_on(rule, p, q) else True)[0]
    with pytest.raises(ArithmeticError, match="no small pair shows that standard is wrong"):
        smallest_wrong(RULES["standard"])


# ---- sentences, held against numbers


def test_every_rule_of_the_kernel_is_told_in_words():
    assert {s.rule for s in STEPS} == {*BY_RULE} <= {*KERNEL_RULES}


def test_what_is_said_of_redrawing_from_p_is_so_on_every_pair():
    """Every token of p gets a share of the rejected mass; what one gets too much is missing at others."""
    for p, q in SMALL:
        world, law = world_of(p, q), emission(RULES["redraw-from-p"], p, q).dist
        shares = [law[x] - world.named("m", x) for x in range(len(p))]
        assert all(share > 0 or not world.value(Z) for share, wanted in zip(shares, p, strict=True) if wanted)
        assert sum(max(a - b, 0) for a, b in zip(law, p, strict=True)) == sum(
            max(b - a, 0) for a, b in zip(law, p, strict=True)
        )


def test_the_closing_table_adds_up_on_every_pair():
    for p, q in SMALL[::7]:
        for line in closing(p, q):
            for a, b, c, whole in re.findall(r"(\S+) \+ (\S+) \* (\S+) = (\S+)", line):
                assert Fraction(a) + Fraction(b) * Fraction(c) == Fraction(whole)


def test_the_six_ways_of_two_numbers_are_six():
    said = re.search(r"ways \((.*)\), and", BY_RULE["regions"])[1]
    assert len(re.split(r", or |, ", said)) == 6


# ---- bars


def test_bars_are_on_one_scale_and_never_hide_a_mass():
    lines = bars(world_of(*EXAMPLE))
    assert lines[1].endswith("###########+++++++++++++++++++++")
    assert lines[3].endswith("###########---------------------")
    thin = bars(world_of(Numbers([Fraction(1, 1000), Fraction(999, 1000)]), Numbers([0, 1])))
    assert thin[1].endswith("  +")
    assert marks(Fraction(1, 3), Fraction(1, 2), 30) == 20


def test_the_world_of_a_lesson_does_not_depend_on_an_earlier_one():
    first = [lesson(s, world_of(*EXAMPLE)) for s in STEPS]
    _ = [lesson(s, world_of(*EQUAL)) for s in STEPS]
    assert [lesson(s, world_of(*EXAMPLE)) for s in STEPS] == first
    assert isinstance(world_of(*EXAMPLE), World)
