"""One pair: the law of a program is the law of its rule, rounding stays within the ball, and what is wrong is seen."""

import signal
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from exact import LawError
from exact.reading import Numbers, read_numbers
from exact.rejection import emitted_distribution
from exact.rules import RULES, WRONG, emission
from exact.search import all_pairs, random_pair
from exact.spans import IDEAL
from gallery.standard_rule import emit as standard
from numeric.audit import audit, following, pair
from numeric.audit.pair import ball_of, exactly
from numeric.audit.program import Program
from numeric.audit.search import sampler
from random import Random

P, Q = ["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]
HALF = Fraction(1, 2)
FITTING = [rule for rule in RULES.values() if not rule.reports]


@pytest.fixture
def audits():
    """audits(emit, p, q, arrays): as `audit`, of many pairs with one interception."""
    with following.following() as follow:

        def one(emit, p, q, arrays):
            return pair.audit_pair(Program(emit), *read_numbers(p, q), arrays, IDEAL, follow)

        yield one


def redraws_from_p(p, q, rng):
    x = rng.choice(len(q), p=q)
    return (x, True) if rng.random() < p[x] / q[x] else (rng.choice(len(p), p=p), False)


# ---- the law


@pytest.mark.parametrize("rule", FITTING, ids=lambda rule: rule.name)
def test_the_law_of_a_rule_as_a_program_is_the_law_of_the_rule(rule, audits):
    for p, q in all_pairs(3, 2):
        found, wanted = audits(sampler(rule), p, q, "fraction"), emission(rule, p, q)
        assert (found.dist, found.alpha, found.stuck) == (wanted.dist, wanted.alpha, wanted.stuck)


def test_the_standard_verifier_is_lossless_and_maximal():
    found = audit(standard, P, Q)
    dist, alpha = emitted_distribution(P, Q)
    assert (list(found.dist), found.alpha) == (list(dist), alpha)
    assert (found.lossless, found.maximal, found.tv, found.stuck, found.others) == (True, True, 0, 0, {})
    assert (found.arrays, found.ball, str(found.uniform)) == ("fraction", 0, "ideal")


def test_lossless_and_maximal_are_two_verdicts():
    def target_alone(p, _q, rng):
        return rng.choice(len(p), p=p), False

    seldom, often = audit(target_alone, P, Q), audit(redraws_from_p, P, Q)
    assert (seldom.lossless, seldom.maximal, seldom.beyond) == (True, False, -Fraction(2, 3))
    assert (often.lossless, often.maximal, often.tv) == (False, True, Fraction(1, 6))


def test_without_a_report_of_acceptance_alpha_is_unknown():
    found = audit(lambda p, q, rng: standard(p, q, rng)[0], P, Q)
    assert (found.alpha, found.maximal, found.beyond, found.lossless) == (None, None, 0, True)


def test_an_alpha_that_no_lossless_verifier_has_is_beyond():
    found = audit(lambda p, q, rng: (rng.choice(len(p), p=p), True), P, Q)
    assert (found.lossless, found.maximal, found.beyond) == (True, False, Fraction(1, 3))


@pytest.mark.parametrize(
    "returned", [(2, True), (np.int64(2), np.True_), ([2], [True]), (np.array([2]), np.array([True]))]
)
def test_token_and_acceptance_may_come_in_arrays(returned):
    found = audit(lambda p, q, rng: returned, P, Q)
    assert (found.dist, found.alpha) == ((0, 0, 1), 1)


@pytest.mark.parametrize("returned", [None, "a", 3, -1, (1, 2), [], (1, 1)])
def test_what_is_no_token_is_an_outcome(returned):
    found = audit(lambda p, q, rng: returned, P, Q)
    assert (sum(found.dist), found.stuck, len(found.others), found.lossless) == (0, 1, 1, False)


def test_stuck_is_the_probability_that_it_raises_or_exits():
    def emit(p, _q, rng):
        u = rng.random()
        if u < Fraction(1, 4):
            raise ValueError("no mass")
        if u < HALF:
            raise SystemExit(3)
        return rng.choice(len(p), p=p)

    found = audit(emit, P, Q)
    assert found.stuck == HALF
    assert {str(x): pr for x, pr in found.others.items()} == {
        "raises ValueError: no mass": Fraction(1, 4), "raises SystemExit: 3": Fraction(1, 4),
    }  # fmt: skip


def test_a_residual_without_mass_is_reached_where_the_sums_differ():
    def no_fallback(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / q[x]:
            return x
        residual = np.maximum(p - q, 0)
        return rng.choices(range(len(p)), weights=residual)[0]

    found = audit(no_fallback, ["499/1000", "1/2"], ["1/2", "1/2"])
    assert (found.stuck, found.target) == (Fraction(1, 1000), (Fraction(499, 999), Fraction(500, 999)))
    assert audit(standard, ["499/1000", "1/2"], ["1/2", "1/2"]).lossless


def test_where_the_sums_differ_the_right_rule_is_right_though_its_law_is_not_p():
    p, q = ["1/2", "1/4"], ["1/4", "3/4"]

    def by_weights(p, q, rng):
        x = rng.choices(range(len(q)), weights=q)[0]
        if rng.random() * q[x] < p[x]:
            return x
        return rng.choices(range(len(p)), weights=np.maximum(p - q, 0))[0]

    found = audit(by_weights, p, q)
    assert found.dist != found.target
    assert (found.lossless, found.rounding, found.defect > 0) == (True, 0, True)


# ---- protocols, arrays, draft and verify apart


def test_global_random_functions_and_python_s():
    import random

    def emit(p, q):
        x = np.random.choice(len(q), p=q)  # noqa: NPY002 - the one to be intercepted
        return (x, True) if random.random() < p[x] / q[x] else (np.random.choice(len(p), p=p), False)  # noqa: NPY002

    by_rng, by_module = audit(redraws_from_p, P, Q), audit(emit, P, Q, protocol="global")
    assert (by_rng.dist, by_rng.alpha) == (by_module.dist, by_module.alpha)


def test_draft_and_verify_apart():
    def verify(x, p, q, rng):
        if rng.random() < p[x] / q[x]:
            return x, True
        residual = np.maximum(p - q, 0)
        return rng.choice(len(p), p=residual / residual.sum()), False

    def draft(q, rng):
        return rng.choice(len(q), p=q)

    def sharper(q, rng):
        reported = q * q / (q * q).sum()
        return rng.choice(len(q), p=reported), reported

    for drafter in (draft, sharper):
        assert audit(verify, P, Q, draft=drafter).lossless
    assert not audit(verify, P, Q, draft=lambda q, rng: q.argmax()).lossless


def test_each_run_gets_its_own_arguments_and_a_change_is_seen():
    def zeroes(_p, q, rng):
        x = rng.choice(len(q), p=q)
        q[x] = 0
        return x

    for emit, arrays, changed in product((zeroes, standard), ("fraction", "numpy"), [{"q"}]):
        program, half = Program(emit), Numbers([HALF, HALF])
        with following.following() as follow:
            assert pair.audit_pair(program, half, half, arrays, IDEAL, follow).dist == (HALF, HALF)
        assert program.changed == (changed if emit is zeroes else set())


def test_the_formula_is_tried_first_and_floats_where_they_are_needed():
    def in_floats(p, _q, rng):
        return rng.choice(len(p), p=[float(x) for x in p])

    assert audit(standard, P, Q).arrays == "fraction"
    assert audit(in_floats, P, Q).arrays == "numpy"
    with pytest.raises(LawError, match="that rounds; audit it on floats"):
        audit(in_floats, P, Q, arrays="fraction")


def test_formula_and_floats_are_told_apart():
    """1e-20 is nothing next to 1/2 in a float, and it is a fault in the formula."""

    def emit(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / (q[x] + 1e-20):
            return x
        residual = np.maximum(p - q, 0)
        return rng.choice(len(p), p=residual / residual.sum())

    formula, floats = (audit(emit, ["1/2", "1/2"], ["1/4", "3/4"], arrays=kind) for kind in ("fraction", "numpy"))
    assert (formula.lossless, floats.lossless) == (False, True)
    assert 0 < formula.tv < Fraction(1, 10**19)


def test_floats_are_read_as_the_numbers_that_they_are():
    found = audit(standard, [0.1, 0.9], [0.9, 0.1], arrays="numpy")
    assert found.p == (Fraction(0.1), Fraction(0.9))
    assert (found.lossless, found.dist == found.target) == (True, False)
    assert 0 < found.rounding <= found.ball < Fraction(1, 10**13)
    assert found.right == tuple(emitted_distribution([0.1, 0.9], [0.9, 0.1])[0])


# ---- the ball: right programs do not leave it


def normalised(w, yes):
    return w / w.sum() if yes else w


def by_choices(w, rng):
    return rng.choices(range(len(w)), weights=w)[0]


def by_shares(w, rng):
    return by_choices(w / w.sum(), rng)


def by_running_sums(w, rng):
    c = np.cumsum(w)
    return int(np.searchsorted(c, rng.random() * c[-1], side="right"))


def by_a_loop(w, rng):
    total, reached = 0.0, 0.0
    for x in w:
        total += x
    u = rng.random()
    for i, x in enumerate(w):
        reached += x
        if u < reached / total:
            return i
    raise AssertionError


def right_programs():
    """Everything that the theorem calls right: p and q as they are or over their sums, and four ways to draw."""
    for p_too, q_too, r_p, r_q in product((False, True), repeat=4):
        for draw in (by_choices, by_shares, by_running_sums, by_a_loop):
            yield p_too, q_too, r_p, r_q, draw


def right(p_too, q_too, r_p, r_q, draw, by_ratio):
    def emit(p, q, rng):
        x = draw(q, rng)
        a, b = normalised(p, p_too)[x], normalised(q, q_too)[x]
        with np.errstate(all="ignore"):
            if (rng.random() < min(1, a / b)) if by_ratio else (rng.random() * b < a):
                return x, True
        residual = np.maximum(normalised(p, r_p) - normalised(q, r_q), 0)
        return draw(residual if residual.any() else p, rng), False

    return emit


TINY, ULP = 5e-324, 2.0**-53
ADVERSARIAL = {
    "thirds": ([1 / 3] * 3, [0.1, 0.2, 0.7]),
    "one ulp apart": ([0.5 + ULP, 0.25, 0.25 - ULP], [0.5, 0.25 + ULP / 2, 0.25 - ULP / 2]),
    "nearly equal": ([0.1, 0.2, 0.3, 0.4], [0.1 + ULP / 4, 0.2, 0.3 - ULP / 2, 0.4]),
    "subnormal": ([TINY, 3 * TINY, 1.0], [7 * TINY, TINY, 1.0]),
    "subnormal against large": ([TINY, 0.5, 0.5], [0.5, TINY, 0.5]),
    "1e-300": ([1e-300, 1 - 1e-9, 1e-9], [1 - 1e-9, 1e-300, 1e-9]),
    "disjoint": ([0.0, 0.3, 0.7], [1.0, 0.0, 0.0]),
    "one token": ([1.0], [1.0]),
    "sums off by 1e-8": ([0.3 + 1e-8, 0.7], [0.6, 0.4 - 1e-8]),
    "sums off, residual tiny": ([0.3 + 1e-12, 0.7], [0.3, 0.7 + 1e-8]),
    "sums off the other way": ([0.3, 0.7 - 1e-8], [0.3 - 1e-12, 0.7]),
    "subnormal sums off": ([TINY, 1 - 1e-8], [3 * TINY, 1 + 1e-8]),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_right_programs_stay_within_the_ball(name, audits):
    p, q = ADVERSARIAL[name]
    for i, style in enumerate(right_programs()):
        found = audits(right(*style, by_ratio=i % 3 > 0 or "subnormal" in name), p, q, "numpy")  # u * q would round
        assert found.stuck == 0, style
        assert found.rounding <= found.ball, (style, float(found.rounding), float(found.ball))
        assert (found.lossless, found.beyond) == (True, 0), style


def test_right_programs_stay_within_the_ball_on_random_pairs(audits):
    random = Random(4)
    styles = [*right_programs()]
    for _ in range(120):
        p, q = random_pair(random.randint(2, 6), random.choice((7, 1000, 10**9)), random)
        off = random.choice((0, 0, 1e-9))
        emit = right(*random.choice(styles), by_ratio=random.random() < 0.5)
        assert audits(emit, [float(x) * (1 + off) for x in p], [float(x) for x in q], "numpy").lossless


def test_the_ball_is_a_few_roundings():
    half = Numbers([HALF, HALF])
    u = Fraction(1, 2**53)
    assert ball_of(half, half) == 12 * 6 * u / (1 - 6 * u) + 32 * Fraction(1, 2**1075)
    assert float(ball_of(half, half)) == pytest.approx(8e-15, rel=0.01)


@pytest.mark.parametrize("rule", [rule for rule in WRONG.values() if not rule.reports], ids=lambda rule: rule.name)
def test_no_wrong_rule_is_within_the_ball_of_a_small_pair(rule):
    """Where the law of the rule is not p, it is out of the ball, on floats as well."""
    for p, q in all_pairs(3, 4):
        if emission(rule, p, q).dist == p:
            continue
        floats = [exactly(np.array([float(x) for x in law])) for law in (p, q)]
        gap = sum(abs(a - b) for a, b in zip(emission(rule, *floats).dist, floats[0], strict=True))
        assert gap > 2 * ball_of(*floats)


def test_a_wrong_program_leaves_the_ball():
    found = audit(redraws_from_p, [0.5, 0.5], [0.0, 1.0], arrays="numpy")
    assert (found.rounding > found.ball, found.lossless) == (True, False)


def test_a_small_bias_leaves_the_ball():
    """A hundred times the ball is still 1e-12, which no sample will ever show."""

    def biased(p, q, rng):
        return rng.choice(len(p), p=p) if rng.random() < 1 - 1e-12 else rng.choice(len(q), p=q)

    assert not audit(biased, [0.5, 0.5], [0.0, 1.0], arrays="numpy").lossless


def test_a_token_that_p_excludes_is_no_rounding():
    def floored(p, q, rng):
        x = rng.choice(len(q), p=q)
        if rng.random() < p[x] / q[x]:
            return x
        w = np.maximum(p - q, np.finfo(float).tiny)
        return rng.choice(len(p), p=w / w.sum())

    found = audit(floored, [0.0, 1.0], [1.0, 0.0], arrays="numpy")
    assert (found.is_near, found.lossless, found.excluded) == (True, False, {0: found.dist[0]})
    assert 0 < found.dist[0] < Fraction(1, 10**300)
    assert audit(floored, [0.5, 0.5], [1.0, 0.0], arrays="numpy").lossless


def test_floats_whose_sum_is_far_from_1_are_refused_and_the_text_says_by_how_much():
    with pytest.raises(LawError, match=r"p sums to 2: .* within 1.49e-08, this is off by 1; divide every entry"):
        audit(standard, [1.0, 1.0], [0.5, 0.5], arrays="numpy")


# ---- the grid


def inclusive(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() <= p[x] / q[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


@pytest.mark.parametrize(("uniform", "mass"), [("24", 24), ("53", 53), ("53 [0,1)", 53)])
@pytest.mark.parametrize("arrays", ["fraction", "numpy"])
def test_what_is_possible_on_the_grid_alone_is_a_fault(uniform, mass, arrays):
    found = audit(inclusive, [0, 1], [1, 0], uniform=uniform, arrays=arrays)
    assert found.on_grid_only == {0: Fraction(1, 2**mass)}
    assert (found.lossless, found.is_near) == (False, True)


def test_an_open_grid_and_an_ideal_uniform_do_not_have_it():
    assert audit(inclusive, [0, 1], [1, 0]).lossless
    assert audit(inclusive, [0, 1], [1, 0], uniform="24 (0,1]").lossless


def test_mass_that_the_grid_moves_between_tokens_is_no_fault():
    found = audit(standard, ["1/3", "2/3"], [1, 0], uniform="24")
    assert (found.lossless, found.dist == found.target, found.on_grid_only) == (True, False, {})
    assert found.dist[0] == Fraction(5592406, 2**24)
    assert found.ideal_dist == found.target


# ---- runs without end


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(following, "RUN_SECONDS", 0.3)
    monkeypatch.setattr(following, "LATER_SECONDS", 0.1)


def hangs(_p, q, rng):
    x = rng.choice(len(q), p=q)
    while x == 1:
        pass
    return x


class Stuck:
    """A random source whose choice is always the token on which `hangs` does."""

    def choice(self, *_args, **_options):
        return 1


STUCK = Stuck()


@pytest.mark.usefixtures("soon")
def test_a_run_without_end_is_an_outcome():
    found = audit(hangs, ["1/2", "1/2"], ["2/3", "1/3"])
    assert {str(x): pr for x, pr in found.others.items()} == {"does not return within 0.3 s": Fraction(1, 3)}
    assert (found.dist, found.lossless) == ((Fraction(2, 3), 0), False)


@pytest.mark.usefixtures("soon")
def test_a_run_that_catches_everything_is_rung_again():
    start = time.monotonic()

    def stubborn(_p, _q, _rng):
        for _ in range(3):
            try:
                hangs([1], [0, 1], STUCK)
            except BaseException:
                time.sleep(0.01)
        return 0

    assert audit(stubborn, [0, 1], [0, 1]).dist == (1, 0)
    assert time.monotonic() - start < 10


@pytest.mark.usefixtures("soon")
def test_a_generator_that_does_not_end_is_ended():
    def emit(p, _q, rng):
        yield rng.choice(len(p), p=p)
        while True:
            pass

    assert audit(emit, [1], [1]).stuck == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
def test_somebody_else_s_timer_goes_on():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 30)
        audit(standard, P, Q)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_loop_until_something_random_happens_is_refused_soon():
    def loop(p, _q, rng):
        while True:
            x = rng.integers(len(p))
            if rng.random() < p[x]:
                return x

    def coin(rng):
        while rng.random() < HALF:
            pass
        return 0

    for emit, limit in ((loop, "max_paths=5,000"), (lambda p, q, rng: coin(rng), "decisions in one run")):
        with pytest.raises(LawError, match=f"{limit}.* paths were run to their end, .* probability"):
            audit(emit, ["1/2", "1/2"], ["1/2", "1/2"], arrays="numpy")


# ---- options


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("arrays", "floats", "arrays='floats': p and q are made of one of fraction, numpy"),
        ("arrays", ["numpy"], r"arrays=\['numpy'\]"),
        ("protocol", "numpy", "protocol='numpy': it is one of rng, global"),
        ("uniform", "64 bits", "uniform='64 bits'"),
        ("uniform", 2.5, "uniform='2.5': "),
        ("max_paths", 0, "max_paths=0: it is a whole number from 1 on"),
        ("max_paths", 2.5, "max_paths=2.5"),
        ("seconds", 0, "seconds=0: it is a positive number"),
        ("seconds", "1", "seconds='1'"),
        ("seconds", float("inf"), "seconds=inf"),
        ("seconds", True, "seconds=True"),
        ("draft", 3, r"draft=3: it is a function \(q, rng\)"),
    ],
)
def test_an_option_that_is_not_as_said(option, value, text):
    emit = (lambda x, p, q, rng: x) if option == "draft" else standard
    with pytest.raises(LawError, match=text):
        audit(emit, P, Q, **{option: value})


@pytest.mark.parametrize(("p", "q", "text"), [([], [], "at least one token"), ([1, -1], [1, 0], "not negative"),
                                        ([1], [1, 0], "same length"), ([0, 0], [1, 0], "sum to 0"),
                                        (["a"], [1], "is no number"), (1, [1], "a law is a sequence")])  # fmt: skip
def test_a_pair_that_is_none(p, q, text):
    with pytest.raises(LawError, match=text):
        audit(standard, p, q)


def test_a_function_that_takes_other_arguments_is_no_verifier():
    class Engine:
        def emit(self, p, q, rng):
            return standard(p, q, rng)

        @classmethod
        def of_class(cls, p, q, rng):
            return standard(p, q, rng)

    with pytest.raises(LawError, match=r"it is called as emit\(p, q, rng\), and it takes \(self, p, q, rng\)"):
        audit(Engine.emit, P, Q)
    assert audit(Engine.of_class, P, Q).lossless
    assert audit(Engine().emit, P, Q).lossless
    with pytest.raises(LawError, match=r"emit\(p, q\)"):
        audit(standard, P, Q, protocol="global")
    with pytest.raises(LawError, match=r"emit\(x, p, q, rng\)"):
        audit(standard, P, Q, draft=lambda q, rng: 0)
    with pytest.raises(LawError, match="emit='standard'"):
        audit("standard", P, Q)


def test_more_paths_than_asked_for_are_refused_with_what_was_covered():
    with pytest.raises(LawError, match="max_paths=2: there are more paths; 2 paths were run to their end, "):
        audit(standard, P, Q, max_paths=2)


def test_a_refusal_says_file_and_line_of_the_verifier():
    def two_faced(p, _q, rng):
        return 0 if type(rng.random()) is float else rng.choice(len(p), p=p)

    line = two_faced.__code__.co_firstlineno
    with pytest.raises(LawError, match=f"^test_audit.py:{line}: "):
        audit(two_faced, P, Q, arrays="numpy")


def test_a_sum_that_is_off_leaves_no_room_for_another_law():
    """A ball that grows with the sums would hold any law: accept-all was within it at sums of 4/5."""
    with pytest.raises(LawError, match=r"p sums to .*: a law in float64 sums to 1 within"):
        audit(lambda p, q, rng: rng.choice(len(q), p=q), [0.5, 0.3], [0.3, 0.7], arrays="numpy")


def single_precision(p, q, rng):
    p, q = p.astype(np.float32), q.astype(np.float32)
    x = rng.choice(len(q), p=q / q.sum())
    if rng.random() < p[x] / q[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False


@pytest.mark.parametrize("wrong", [False, True])
def test_a_program_in_float32_is_judged_by_its_own_rounding(wrong):
    def emit(p, q, rng):
        return (rng.choice(len(q), p=q), True) if wrong else single_precision(p, q, rng)

    pairs = [*all_pairs(3, 5)][::9]
    found = [audit(emit, *pair, arrays="float32") for pair in pairs]
    assert all(x.lossless for x in found) is not wrong
    assert any(x.rounding for x in found)
    if not wrong:
        assert not all(audit(emit, *pair, arrays="numpy").lossless for pair in pairs)


def test_a_token_that_a_grid_loses_is_seen():
    found = audit(lambda p, q, rng: int((rng.random() * 8) % 1 >= p[0]), ["1/2", "1/2"], ["1/2", "1/2"], uniform="3")
    assert (found.is_near, found.lost_on_grid, found.lossless) == (True, (1,), False)
