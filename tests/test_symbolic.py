"""The proof at a fixed number of tokens: the code of exact.rejection_law on positive symbols, pattern by pattern."""

from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest
import sympy

from exact import Distribution, LawError, emitted_distribution, overlap, rejection_law, residual, total_variation
from exact.reading import Numbers
from exact.rules import RULES, emission
from exact.search import pairs
from proof import regions, symbolic
from proof.regions import REGIONS, Undecided, positive_symbols, region_of
from proof.symbolic import Failure, FixedV, expression, lossless_on, of_laws, patterns, possible, prove


def rule(name):
    """A rule of the table as a function of masses."""

    def law(p, q):
        got = emission(RULES[name], p, q)
        return got.dist, got.alpha

    return of_laws(law)


# ---- the six regions and their symbols

GRID = [Fraction(n, 6) for n in range(7)]
BY_HAND = {
    "(0,0)": lambda p, q: p == 0 and q == 0,
    "(s,0)": lambda p, q: p > 0 and q == 0,
    "(0,t)": lambda p, q: p == 0 and q > 0,
    "(s,s+t)": lambda p, q: 0 < p < q,
    "(s,s)": lambda p, q: p == q > 0,
    "(s+t,t)": lambda p, q: p > q > 0,
}


def test_every_pair_of_numbers_is_in_one_region_and_in_only_one():
    for p, q in product(GRID, GRID):
        assert [region for region, holds in BY_HAND.items() if holds(p, q)] == [region_of(p, q)]
    assert {region_of(p, q) for p, q in product(GRID, GRID)} == set(REGIONS) == set(BY_HAND)


@pytest.mark.parametrize("region", REGIONS)
def test_a_region_has_the_pairs_that_its_symbols_reach(region):
    p, q = regions.region_pair(region, *positive_symbols(["s", "t"]))
    reached = {(p.at(values), q.at(values)) for values in product(range(1, 7), repeat=2)}
    assert {region_of(*pair) for pair in reached} == {region}
    inside = {pair for pair in product(range(6), range(6)) if region_of(*pair) == region}
    assert inside <= reached


def test_min_max_and_abs_of_a_region_are_decided_and_right():
    for region in REGIONS:
        p, q = regions.region_pair(region, *positive_symbols(["s", "t"]))
        for values in product((1, 2, 5), repeat=2):
            a, b = p.at(values), q.at(values)
            assert min(p, q).at(values) == min(a, b)
            assert max(p - q, 0 * p).at(values) == max(a - b, 0)
            assert abs(p - q).at(values) == abs(a - b)


@pytest.mark.parametrize("compare", ["__lt__", "__le__", "__gt__", "__ge__"])
def test_an_order_that_depends_on_the_symbols_is_refused(compare):
    s, t = positive_symbols(["s", "t"])
    with pytest.raises(Undecided, match="sign of s - t"):
        getattr(s, compare)(t)


def test_a_free_symbol_has_no_sign():
    s, u = positive_symbols(["s"], ["u"])
    assert u - u == 0
    for undecided in (lambda: u > 0, lambda: u * u >= 0, lambda: max(u, s), lambda: abs(u), lambda: s / u):
        with pytest.raises(Undecided):
            undecided()


@pytest.mark.parametrize("number", [0.5, 1.0, float("nan"), "1/2", None, 1j])
def test_a_region_point_meets_no_float(number):
    s, _ = positive_symbols(["s", "t"])
    for refused in (lambda: s + number, lambda: number * s, lambda: s < number, lambda: s == number):
        with pytest.raises((Undecided, TypeError)):
            refused()


def test_a_region_point_divides_by_nothing_that_may_be_zero():
    s, t = positive_symbols(["s", "t"])
    for zero in (0 * s, 0, s - t):
        with pytest.raises(Undecided):
            s / zero


def test_region_points_are_a_field():
    s, t = positive_symbols(["s", "t"])
    a, b, c = s / (s + t), Fraction(2, 3) + t, 1 / (1 + s)
    assert (a + b) * c == a * c + b * c
    assert a - a == 0
    assert (a + b) + c == a + (b + c)
    assert (a / b) * b == a
    values = (2, 3)
    assert (a + b * c - a / b).at(values) == a.at(values) + b.at(values) * c.at(values) - a.at(values) / b.at(values)


# ---- an equation that depends on the values of the symbols


def test_an_equation_that_depends_on_the_symbols_is_refused():
    s, t = positive_symbols(["s", "t"])
    with pytest.raises(Undecided):
        assert s != t
    with pytest.raises(Undecided):
        bool(s - t)


def test_a_rule_that_errs_on_one_line_of_pairs_is_not_proved():
    def errs_where_p_is_twice_q(p, q):
        return (q, 1) if p[0] == 2 * q[0] and q[0] > 0 else rejection_law(p, q)

    p, q = Numbers([Fraction(2, 3), Fraction(1, 3)]), Numbers([Fraction(1, 3), Fraction(2, 3)])
    assert errs_where_p_is_twice_q(p, q)[0] == q != p
    try:
        verdict = prove(2, errs_where_p_is_twice_q)
    except Undecided:
        return
    assert isinstance(verdict, Failure)


# ---- patterns


@pytest.mark.parametrize(("V", "proved"), [(1, 1), (2, 11), (3, 103), (4, 815)])
def test_the_theorem_at_few_tokens_on_every_pattern(V, proved):
    assert prove(V) == FixedV(V, proved, 6**V - proved, up_to_order=False)


def test_the_theorem_at_six_tokens_up_to_their_order():
    verdict = prove(6, up_to_order=True)
    assert verdict == FixedV(6, verdict.proved, verdict.impossible, up_to_order=True)
    assert verdict.proved + verdict.impossible == len(list(patterns(6, up_to_order=True))) == 462  # C(11, 6)


def test_the_possible_patterns_are_those_of_the_pairs_there_are():
    for V in (1, 2, 3):
        met = {tuple(map(region_of, p, q)) for p, q in pairs(V, 6)}
        assert met == {pattern for pattern in patterns(V) if possible(pattern)}


def test_a_count_by_hand_of_the_possible_patterns():
    """All patterns, less those with a residual and no excess, or the reverse, less the one without any mass."""
    for V in (2, 3, 4, 5):
        one_sided = 4**V - 2**V  # no residual, some excess; as many the other way round
        assert sum(map(possible, patterns(V))) == 6**V - 2 * one_sided - 1


def test_the_points_of_a_pattern_are_pairs_of_that_pattern_with_equal_sums():
    for pattern in filter(possible, patterns(3)):
        p, q = symbolic.pair_of(pattern)
        assert sum(p) == sum(q)
        values = [2, 3, 5, 7, 11, 13][: p[0].numer.ring.ngens]
        assert tuple(region_of(a.at(values), b.at(values)) for a, b in zip(p, q, strict=True)) == pattern


def test_the_points_of_a_pattern_reach_every_pair_in_it():
    """The flows t_ij = r_i e_j / Z and the common part give the pair back."""
    for p, q in pairs(3, 4):
        pattern = tuple(map(region_of, p, q))
        points_p, points_q = symbolic.pair_of(pattern)
        r, e = residual(p, q), residual(q, p)
        common = [m for m in overlap(p, q) if m]
        flows = [a * b / sum(r) for a in r if a for b in e if b]
        values = [*common, *flows]
        assert tuple(evaluated(x, values) for x in points_p) == p
        assert tuple(evaluated(x, values) for x in points_q) == q


def evaluated(point, values):
    """The value of a polynomial point at rational values of its symbols."""
    assert point.denom == 1
    terms = point.numer.terms()
    total = Fraction(0)
    for exponents, coefficient in terms:
        term = Fraction(int(coefficient))
        for value, k in zip(values, exponents, strict=False):
            term *= value**k
        total += term
    return total


# ---- the order of the tokens


def permuted(values, order):
    return Numbers(values[i] for i in order)


def law_follows(pattern, order):
    p, q = symbolic.pair_of(pattern)
    dist, alpha = rejection_law(p, q)
    moved, moved_alpha = rejection_law(permuted(p, order), permuted(q, order))
    return moved == Distribution(permuted(dist.weights, order), dist.total) and moved_alpha == alpha


def test_the_law_follows_the_order_of_three_tokens():
    for pattern in filter(possible, patterns(3)):
        for order in permutations(range(3)):
            assert law_follows(pattern, order), (pattern, order)


@pytest.mark.parametrize("V", [4, 6])
def test_the_law_follows_the_order_of_more_tokens(V):
    random, tried = Random(V), 0
    while tried < 30:
        pattern = tuple(random.choices(REGIONS, k=V))
        if possible(pattern):
            assert law_follows(pattern, random.sample(range(V), V)), pattern
            tried += 1


@pytest.mark.parametrize("name", ["redraw-from-p", "remove-only-the-rejected"])
def test_the_verdict_does_not_depend_on_the_order_of_tokens(name):
    law = rule(name)
    verdicts = {pattern: lossless_on(pattern, law) for pattern in patterns(3) if possible(pattern)}
    assert all(verdicts[tuple(sorted(pattern))] == verdict for pattern, verdict in verdicts.items())
    assert all(possible(pattern) == possible(tuple(sorted(pattern))) for pattern in patterns(3))


def test_one_pattern_of_each_order_stands_for_all():
    assert {tuple(sorted(pattern)) for pattern in patterns(4)} == {tuple(sorted(c)) for c in patterns(4, True)}
    assert len(list(patterns(4, True))) == len({tuple(sorted(pattern)) for pattern in patterns(4)})


# ---- wrong rules

FAIL_AT_2 = [
    "redraw-from-p", "redraw-from-q", "redraw-reversed", "redraw-uniform", "unnormalised-residual",
    "absolute-difference", "residual-floored", "accept-all", "accept-iff-p-at-least-q", "ratio-upside-down",
    "accept-with-p", "alpha-sum-pq", "alpha-is-tv",
]  # fmt: skip


@pytest.mark.parametrize("name", FAIL_AT_2)
def test_a_wrong_rule_fails_on_a_pair_of_its_pattern(name):
    failure = prove(2, rule(name))
    assert isinstance(failure, Failure)
    assert_really_fails(name, failure)


def assert_really_fails(name, failure):
    p, q = failure.pair
    assert sum(p) == sum(q) == 1
    assert tuple(map(region_of, p, q)) == failure.pattern
    got = emission(RULES[name], p, q)
    assert got.dist != p or got.alpha != 1 - total_variation(p, q)


def test_removing_only_the_rejected_token_is_right_at_two_tokens_and_wrong_at_three():
    law = rule("remove-only-the-rejected")
    assert prove(2, law) == prove(2)
    failure = prove(3, law)
    assert isinstance(failure, Failure)
    assert_really_fails("remove-only-the-rejected", failure)


@pytest.mark.parametrize("name", ["standard", "no-fallback"])
def test_a_right_rule_of_the_table_is_proved(name):
    assert prove(2, rule(name)) == prove(2)


@pytest.mark.parametrize("name", ["lenience-2", "greedy-draft-soft-q", "low-confidence-draft-dropped"])
def test_a_rule_that_asks_what_a_pattern_does_not_decide_is_undecided_and_not_proved(name):
    with pytest.raises(Undecided, match="not decided"):
        prove(2, rule(name))


def test_the_target_itself_is_the_law_so_returning_it_is_no_proof_of_the_algorithm():
    """What is proved is about the code that is run; a function that returns p is lossless by the same test."""
    assert prove(2, lambda p, q: (Distribution(p, sum(p)), 1 - total_variation(p, q))) == prove(2)


# ---- the law as an expression


def rational(values):
    return [sympy.Rational(v.numerator, v.denominator) for v in values]


@pytest.mark.parametrize(("V", "most"), [(2, 6), (3, 3)])
def test_the_expression_has_the_value_of_the_exact_program(V, most):
    for p, q in pairs(V, most):
        if p != q:
            dist, alpha = emitted_distribution(p, q)
            got, got_alpha = expression(rational(p), rational(q))
            assert [Fraction(x.p, x.q) for x in got] == dist
            assert Fraction(got_alpha.p, got_alpha.q) == alpha


def test_the_expression_in_symbols_has_the_value_of_the_exact_program():
    symbols = sympy.symbols("p:3 q:3")
    dist, alpha = expression(symbols[:3], symbols[3:])
    assert any(x.has(sympy.Min) for x in dist)
    for p, q in [pair for pair in pairs(3, 4) if pair.p != pair.q][::40]:
        values = dict(zip(symbols, rational([*p, *q]), strict=True))
        want, want_alpha = emitted_distribution(p, q)
        assert [x.subs(values) for x in dist] == rational(want)
        assert alpha.subs(values) == rational([want_alpha])[0]


def test_the_expression_is_not_the_target_in_disguise():
    p, q = sympy.symbols("p:2"), sympy.symbols("q:2")
    dist, _ = expression(p, q)
    assert dist != p
    assert all(x.free_symbols == {*p, *q} for x in dist)


@pytest.mark.parametrize(("p", "q"), [([], []), ([1], [1, 0]), ([1, 0], [1])])
def test_the_expression_needs_two_vectors_of_one_length(p, q):
    with pytest.raises(LawError, match="entries"):
        expression(p, q)
