"""`samelaw check FILE.py:name` on functions that are right, wrong and ill-behaved (tests/data/candidates)."""

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from exact.reading import LawError
from exact.rules import RULES
from numeric.crosscheck import WITHIN
from proof.front import candidate, report, verdict
from proof.front.candidate import Answer, Candidate, Trouble
from proof.front.cases import (
    GROUPS,
    MOST_DENOMINATOR,
    MOST_TOKENS,
    DRILL,
    SMALL,
    Case,
    drill,
    drill_cases,
    edge_cases,
    given_case,
    same_bits,
    small_cases,
)
from proof.front.report import judge_function
from proof.rejection import STEPS

CANDIDATES = Path(__file__).parent / "data" / "candidates"
HALF = Fraction(1, 2)
ONE, UNIT_0, UNIT_1, FAIR = ["1"], ["1", "0"], ["0", "1"], ["1/2", "1/2"]

posix = pytest.mark.skipif(os.name != "posix", reason="process groups and fork are of POSIX")


@pytest.fixture(autouse=True)
def from_the_folder_of_the_candidates(monkeypatch):
    """So that a report names no path of this machine; and an import that hangs need not take thirty seconds."""
    monkeypatch.chdir(CANDIDATES)
    monkeypatch.setattr(candidate, "IMPORT_AT_LEAST", 1.0)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert children() == []


def children():
    """The states of the processes that this one started, zombies included."""
    return [state for parent, state in processes().values() if parent == os.getpid()]


def processes():
    """pid -> (parent, state); the files of Linux, as a slim image has no ps."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended since
            state, parent = path.read_text().rpartition(") ")[2].split()[:2]
            found[int(path.parent.name)] = int(parent), state
    return found


def assert_in_this_order(text, parts):
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def judged(target, **options):
    return judge_function(target if ":" in target else f"{target}.py:emitted", **options)


def one_pair(target, p=ONE, q=ONE, **options):
    return judged(target, pair=(p, q), **options)


@cache
def in_full(name):
    """All pairs take seconds, and nothing about them changes from test to test."""
    return judged(name)


# ---- right


@pytest.mark.parametrize(
    "name", ["right", "right_float32", "right_float16", "right_fractions", "textbook", "returns_p", "uses_ours"]
)
def test_right(name):
    result = in_full(name)
    assert result.exit_code == 0
    assert "HOLDS: no pair tried tells it from the exact law" in result.text()
    assert set(result.as_json()["claims"].values()) == {0}
    assert [(c["run"], c["planned"]) for c in result.as_json()["coverage"]] == [
        (350, 350), (66, 66), (6, 6), (1503, 1503),
    ]  # fmt: skip


def test_ours_is_within_the_bound_everywhere():
    """Started where the tests are, `numeric` is found because the root of our packages ends the path."""
    rounding = judged("numeric:emitted_distribution", strict=True).as_json()["rounding"]
    assert rounding["within_the_bound"]["pairs"] == 1925
    assert rounding["near_not_certified"]["pairs"] == 0


def test_bad_conditioning_is_a_note_and_fails_when_strict():
    ten_tenths = next(c for c in verdict.witness_cases() if c.name == "ten-tenths")
    pair = [list(map(float, law)) for law in (ten_tenths.p, ten_tenths.q)]
    result = one_pair("textbook", *pair)
    assert result.exit_code == 0
    text = " ".join(result.text().split())
    assert "note: on 1 of 1 pairs a token is farther from the exact law" in text
    assert "that a correct float program can reach (numeric/crosscheck.py)" in text
    assert "ulp (p = 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 8.673617379884035e-19; q = " in text
    assert one_pair("textbook", *pair, strict=True).exit_code == 1


def test_float32_is_judged_as_float32_unless_strict():
    case = next(drill_cases())
    p, q = (x.astype(np.float32) for x in case.floats)
    m = np.minimum(p, q)
    residual = np.maximum(p - q, 0)
    dist = m + residual / residual.sum() * np.maximum(q - p, 0).sum()
    answer = Answer(tuple(map(Fraction, dist.tolist())), Fraction(float(m.sum())), "float32", "float32")
    assert verdict.judge(case, answer).failures == ()
    assert verdict.judge(case, answer, strict=True).failures
    assert verdict.judge(case, answer._replace(dtype="float64")).failures
    assert "note: it returns float32" in one_pair("right_float32").text()


def test_p_itself_is_the_law_and_the_report_says_what_that_means():
    assert "dist is p itself, bit for bit, on every pair" in one_pair("returns_p", FAIR, UNIT_0).text()
    assert "bit for bit" not in in_full("right").text()


# ---- wrong: the rule and the smallest pair


@pytest.mark.parametrize(
    ("name", "claim", "p", "q", "rule"),
    [
        ("redraw_from_p", "dist", FAIR, UNIT_1, "redraw-from-p"),
        ("accept_all", "alpha", UNIT_1, UNIT_0, "accept-all"),
        ("unnormalised", "sums to 1", UNIT_1, FAIR, "unnormalised-residual"),
        ("alpha_is_tv", "alpha", ONE, ONE, "alpha-is-tv"),
        ("alpha_sum_pq", "alpha", FAIR, FAIR, "alpha-sum-pq"),
        ("accept_all_right_alpha", "dist", UNIT_1, UNIT_0, "redraw-reversed"),
    ],
)
def test_wrong_by_a_known_rule(name, claim, p, q, rule):
    result = in_full(name)
    found = result.as_json()["counterexample"]
    assert result.exit_code == 1
    assert (found["claim"], found["p"], found["q"]) == (claim, p, q)
    assert [r["name"] for r in found["rules"]] == [rule]
    assert found["only_alpha"] is (RULES[rule].breaks == "alpha")


@pytest.mark.parametrize(
    ("name", "claim", "p", "q"),
    [
        ("guarded", "sums to 1", UNIT_1, UNIT_0),
        ("nan_when_equal", "identical draft", ONE, ONE),
        ("mutates", "runs", ONE, ONE),
        ("raises_on_disjoint", "runs", UNIT_1, UNIT_0),
        ("only_from_4_tokens", "identical draft", ["0", "0", "0", "1"], ["0", "0", "0", "1"]),
        ("from_10_tokens", "dist", ["0"] * 9 + ["1"], ["1"] + ["0"] * 9),
    ],
)
def test_wrong_by_no_known_rule(name, claim, p, q):
    result = in_full(name)
    found = result.as_json()["counterexample"]
    assert result.exit_code == 1
    assert (found["claim"], found["p"], found["q"], found["rules"]) == (claim, p, q, [])
    assert ("no known rule" in result.text()) is (claim != "runs")


def test_a_rule_keeps_its_name_where_floats_lose_it_on_a_witness():
    """(1-a) * r underflows to 0 for the least residual there is, r / R does not."""
    product, quotient = (" ".join(in_full(f"accept_iff.py:{n}_first").text().split()) for n in ("product", "quotient"))
    same = "rule: accept-iff-p-at-least-q: accept when p >= q, without a coin; on rejection draw from the residual; it"
    assert f"{same} gives the same dist and alpha on every pair tried but 1 float witness (1,924 of 1,925)." in product
    assert f"{same} gives the same dist and alpha on every pair tried (1,925)." in quotient
    found = in_full("accept_iff.py:product_first").as_json()["counterexample"]
    assert ([rule["name"] for rule in found["rules"]], found["float_witnesses_unlike_the_rule"]) == (
        ["accept-iff-p-at-least-q"], 1,
    )  # fmt: skip


def test_the_tokens_of_one_rule_with_the_alpha_of_another():
    found = in_full("accept_iff_right_alpha")
    assert found.as_json()["counterexample"]["rules"] == []
    assert found.as_json()["counterexample"]["rules_of_dist_alone"] == ["accept-iff-p-at-least-q"]
    assert "no known rule: on every pair tried (1,925) dist is that of accept-iff-p-at-least-q" in found.text()


@pytest.mark.parametrize("name", sorted(verdict.WRONG))
def test_every_wrong_rule_of_the_table_is_rejected_and_named(name):
    """On pairs of up to three tokens and the smaller ones of the drill."""
    cases = [*small_cases(), *islice((c for c in drill_cases() if len(c.p) < 8), 20)]
    tried = [verdict.judge(c, verdict.in_process(RULES[name], c)) for c in cases]
    assert any(t.failures for t in tried)
    assert [rule.name for rule in verdict.known_rules(tried)] == [name]


@pytest.mark.parametrize("name", ["standard", "no-fallback", "one-hot-draft"])
def test_a_lossless_rule_holds_where_its_draft_is_one_hot(name):
    for case in small_cases():
        if set(case.q) <= {0, 1}:
            assert not verdict.judge(case, verdict.in_process(RULES[name], case)).failures


# ---- the text


def test_a_failure_says_everything_in_order():
    text = one_pair("redraw_from_p", FAIR, UNIT_1).text()
    parts = [
        "samelaw check redraw_from_p.py:emitted",
        "self-check: this checker rejects redraw-from-p at p = 1/2, 1/2 and q = 0, 1",
        "WRONG: dist: token 0: wanted 1/2, got 0.25\n",
        "p = 1/2, 1/2\nq = 0, 1\n",
        "token  wanted  got   off by",
        "0      1/2     0.25  -1/4",
        "alpha  1/2     0.5   0",
        "replay: samelaw check redraw_from_p.py:emitted --p 1/2,1/2 --q 0,1\n",
        "dist             1      1",
    ]
    assert_in_this_order(text, parts)


def test_a_known_rule_is_named_with_its_step():
    text = in_full("unnormalised").text()
    assert (
        "0      0       0.0   0       0\n1      1       0.75  -1/4    3/4\nalpha  1/2     0.5   0       1/2\n" in text
    )
    table, rule, breaks, replay = (
        text.index(s) for s in ("token  wanted", "\nrule: unnorm", "\nbreaks: (", "\nreplay")
    )
    assert table < rule < breaks < replay
    assert "redrawn-mass: beta rho(x) = r(x)." in text


@pytest.mark.parametrize(("name", "alone"), [("cached_by_length", False), ("every_7th", False), ("by_chance", True)])
def test_an_answer_that_depends_on_earlier_calls_or_on_chance(name, alone):
    """`alone`: is the pair by itself judged wrong as well, and a replay of use?"""
    result = judged(f"depends.py:{name}")
    text, found = " ".join(result.text().split()), result.as_json()["counterexample"]
    assert result.exit_code == 1
    assert found["depends_on_earlier_calls_or_chance"] is True
    assert "The answer depends on earlier calls or on chance: the same p and q gave another answer" in text
    assert (found["replay"] is not None, "replay: samelaw" in text, "replay: none: " in text) == (
        alone, alone, not alone,
    )  # fmt: skip


def test_a_file_that_can_be_imported_only_once(tmp_path):
    code = "open(__file__ + '.seen', 'x')\ndef f(p, q): return p, 0.5\n"  # 'x': fails where it is there
    (tmp_path / "once.py").write_text(code)
    result = one_pair(f"{tmp_path / 'once.py'}:f")
    found = result.as_json()["counterexample"]
    assert (result.exit_code, found["claim"]) == (1, "alpha")
    assert found["depends_on_earlier_calls_or_chance"] is True


@pytest.mark.parametrize("name", ["redraw_from_p", "nan_when_equal", "mutates", "raises_on_disjoint"])
def test_an_answer_that_depends_on_p_and_q_alone(name):
    assert in_full(name).as_json()["counterexample"]["depends_on_earlier_calls_or_chance"] is False
    assert "chance" not in in_full(name).text()


def test_the_letters_of_the_broken_step_are_told_with_their_numbers_at_the_pair():
    text = " ".join(in_full("redraw_from_p").text().split())
    parts = [
        "redrawn-mass: beta rho(x) = r(x).",
        "beta = sum_x q(x) (1 - a(x)): beta is the probability that the draft is rejected.",
        "rho(x) = r(x)/Z where Z > 0, otherwise f(x): The law of the token that replaces a rejected one: the residual",
        "r(x) = (p(x) - q(x))^+: The residual: what the draft lacks of the target.",
        "the right rule has beta = 1/2; rho(x) = 1, 0; r(x) = 1/2, 0; a(x) = any, 1/2; Z = 1/2.",
    ]
    assert_in_this_order(text, parts)


def test_the_number_of_a_step_is_the_one_of_the_paper():
    number = [s.label for s in STEPS].index("redrawn-mass") + 1
    assert f"breaks: ({number}) of paper.md, redrawn-mass: " in in_full("redraw_from_p").text()


def test_what_fails_when_strict_shows_how_far_it_is_off():
    ten_tenths = next(c for c in verdict.witness_cases() if c.name == "ten-tenths")
    strict = judged("textbook", pair=tuple(list(map(float, law)) for law in (ten_tenths.p, ten_tenths.q)), strict=True)
    offs = [row["off by"] for row in strict.as_json()["counterexample"]["table"]]
    assert "rounding" not in offs
    assert any(off not in ("0", "-") for off in offs)


def test_claims_are_counted_where_the_call_ran():
    lines = one_pair("strange.py:eighth").text().splitlines() + one_pair("mutates").text().splitlines()
    assert [line for line in lines if line.startswith("identical draft")] == ["identical draft  0      0"] * 2


def test_the_coverage_says_how_many_tokens():
    assert [(c["fewest_tokens"], c["most_tokens"]) for c in in_full("right").as_json()["coverage"]] == [
        (2, 39), (1, 37), (3, 11), (1, 3),
    ]  # fmt: skip
    assert "350    the drill's own pairs (seed 0: 300, seed 1: 50), V 2 to 39\n" in in_full("right").text()
    assert "\n1    the given pair, V 2\n" in one_pair("right", FAIR, FAIR).text()


def test_only_alpha_is_said():
    assert "The tokens are right, alpha is not" in one_pair("alpha_is_tv").text()


@pytest.mark.parametrize("columns", ["60", "100"])
def test_the_width(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    lines = one_pair("redraw_from_p", FAIR, UNIT_1).text().splitlines()
    assert all(len(line) <= int(columns) for line in lines if not line.startswith(("replay", "1  ")))


def test_the_same_twice():
    """Also where the message of an exception has an address in it."""
    first, second = in_full("raises_on_disjoint"), judged("raises_on_disjoint")
    assert first.text() == second.text()
    assert json.dumps(first.as_json()) == json.dumps(second.as_json())
    assert "raises ValueError: nothing in common: <object object at 0x...> (raises_on_disjoint.py, line 9)" in " ".join(
        first.text().split()
    )


@pytest.mark.parametrize("name", ["right", "redraw_from_p", "nan_when_equal", "mutates", "missing"])
def test_json_round_trip(name):
    result = one_pair(name)
    assert json.loads(json.dumps(result.as_json(), allow_nan=False)) == result.as_json()
    assert result.as_json()["exit_code"] == result.exit_code


@pytest.mark.parametrize("name", ["redraw_from_p", "nan_when_equal", "only_from_4_tokens", "mutates"])
def test_a_replay_gives_the_same(name):
    found = in_full(name).as_json()["counterexample"]
    again = one_pair(name, found["p"], found["q"]).as_json()["counterexample"]
    assert all(again[key] == found[key] for key in ("claim", "reason", "p", "q", "replay"))


def test_a_replay_of_floats_gives_the_very_floats():
    case = next(drill_cases())
    again = given_case(tuple(report.texts(law) for law in (case.p, case.q)))
    assert (again.p, again.q) == (case.p, case.q)


def test_progress():
    seen = []
    judged("accept_all", progress=lambda *at: seen.append(at))
    assert seen[0] == (DRILL, 1, 350)
    assert seen[-1] == (SMALL, 1503, 1503)


# ---- ill-behaved


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dist_only", "returns ndarray: wanted the pair (dist, alpha)"),
        ("nothing", "returns None: wanted the pair (dist, alpha)"),
        ("three", "returns tuple of 3: wanted the pair (dist, alpha)"),
        ("one_longer", "dist has the shape (3,): wanted (2,)"),
        ("two_dimensions", "dist has the shape (1, 2): wanted (2,)"),
        ("strings", "alpha is of type str: wanted numbers"),
        ("truth", "dist[0] is of type bool: wanted a number"),
        ("vector_alpha", "alpha has the shape (1,): wanted one number"),
        (
            "eighth",
            "dist is float8_e4m3fn: rounding is bounded for bfloat16, float16, float32, float64; return one of these",
        ),
        ("infinite", "dist[0] is nan"),
        ("unreadable", "returns what cannot be read (RuntimeError)"),
        ("exits", "raises SystemExit: enough (strange.py, line 72)"),
        ("interrupts", "raises KeyboardInterrupt (strange.py, line 76)"),
        ("dies", "ends the process (exit status 3)"),
        pytest.param("kills", "ends the process (SIGKILL)", marks=posix),
    ],
)
def test_nonsense_on_a_valid_pair(name, reason):
    result = one_pair(f"strange.py:{name}", UNIT_1, UNIT_0)
    found = result.as_json()["counterexample"]
    assert (result.exit_code, found["claim"], found["reason"]) == (1, "runs", reason)


@pytest.mark.parametrize("name", ["prints_a_lot", "right"])
def test_output_of_the_function_disturbs_nobody(name, capfd):
    assert one_pair(f"strange.py:{name}").exit_code == 0
    assert capfd.readouterr() == ("", "")


@posix
@pytest.mark.parametrize("name", ["stays", "leaves_children"])
def test_never_returns(name):
    result = judged(f"strange.py:{name}", timeout=0.3)
    found = result.as_json()["counterexample"]
    assert (result.exit_code, found["p"], found["q"]) == (1, ONE, ONE)
    assert found["reason"] == "does not return within 0.3 s"
    assert [c["run"] for c in result.as_json()["coverage"]] == [1, 0, 0, 1]
    assert "the rest is not run" in " ".join(result.text().split())
    assert found["replay"].endswith("--p 1 --q 1 --timeout 0.3")


def test_the_process_after_one_that_ended_goes_on():
    with Candidate("strange.py:dies_on_disjoint") as somebody:
        assert somebody.call([0.0, 1.0], [1.0, 0.0]) == Trouble("ends the process (exit status 3)", ended=True)
        assert somebody.call([1.0], [1.0]) == Answer((Fraction(1),), Fraction(1))


def test_no_process_is_left_after_an_interrupt():
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judged("right", progress=interrupt)
    assert children() == []
    assert threading.active_count() == 1


def test_no_process_is_left_after_an_interrupt_while_importing(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(candidate.Process, "receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        judged("import_hangs")
    assert children() == []


# ---- could not run


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("right.py", "a target is FILE.py:name or module:name; add the name of the function"),
        ("right.py:", "a target is FILE.py:name or module:name; add the name of the function"),
        ("right.py:f(p)", "a target is FILE.py:name or module:name; add the name of the function"),
        ("missing.py:f", "a target is in a file that can be read, and there is no such file; mend the path"),
        (".:f", "a target is in a file that can be read, and this is a folder; mend the path"),
        ("right.py:emittd", "there is no 'emittd' in it (it has emitted); mend the name"),
        ("redraw_from_p:f", "there is no 'f' in it (it has emitted); mend the name"),
        ("strange.py:not_callable", "'not_callable' is of type int, which cannot be called (it has right, dist_only"),
        ("no_such_module:f", "importing it raises ModuleNotFoundError: No module named 'no_such_module'; mend it, or"),
        ("import_error.py:emitted", "importing it raises ModuleNotFoundError: No module named "
                                    "'there_is_no_such_module' (import_error.py, line 1); mend it, or install"),
        ("import_error:emitted", "importing it raises ModuleNotFoundError: No module named "
                                 "'there_is_no_such_module' (import_error.py, line 1); mend it, or install"),
        ("syntax_error.py:emitted", "importing it raises SyntaxError: "),
        ("import_exits.py:emitted", "importing it raises SystemExit: 0 (import_exits.py, line 3); mend it"),
        ("import_dies.py:emitted", "importing it ends the process (exit status 7); mend it"),
        ("import_hangs.py:emitted", "importing it does not end within 1 s; mend it"),
    ],
)  # fmt: skip
def test_could_not_run(target, reason):
    result = judge_function(target, timeout=0.5)
    assert result.exit_code == 2
    assert result.text().startswith(f"could not run: target={target}: {reason}")
    assert "\n" not in result.text()
    assert result.as_json()["error"] in result.text()


def test_no_python_at_all(tmp_path):
    (tmp_path / "noise.py").write_bytes(bytes(range(256)))
    result = judge_function(f"{tmp_path / 'noise.py'}:f")
    assert result.exit_code == 2
    assert "importing it raises SyntaxError" in result.text()


@pytest.mark.parametrize(
    ("p", "q", "reason"),
    [
        (["1/2", "1/3"], FAIR, "p sums to 5/6"),
        (FAIR, ["x", "1"], "q[0]='x': this is no number"),
        (["2", "-1"], FAIR, "p[1]=-1: a probability is not negative"),
        (["1e400", "0"], FAIR, "p sums to about 1.00000E+400"),
        (ONE, FAIR, "p has 1 tokens but q has 2"),
        ([], [], "p=[]: a law has at least one token"),
    ],
)
def test_a_pair_that_is_none(p, q, reason):
    result = one_pair("right", p, q)
    assert result.exit_code == 2
    assert reason in result.text()


# ---- the checker checks itself


def test_the_self_check_rejects_the_wrong_rule():
    rejected = verdict.self_check()
    assert (rejected.case.p, rejected.case.q) == ((HALF, HALF), (0, 1))


def test_a_checker_that_cannot_reject_exits_2(monkeypatch):
    monkeypatch.setattr(verdict, "SELF_CHECK_RULE", "standard")
    result = one_pair("redraw_from_p")
    assert result.exit_code == 2
    assert "self-check: standard passed as the exact law on 1,503 pairs" in result.text()


def test_a_checker_that_rejects_everything_exits_2(monkeypatch):
    monkeypatch.setattr(verdict, "cross_checks", lambda *_: (_ for _ in ()).throw(LawError("broken")))
    assert one_pair("right").exit_code == 2
    monkeypatch.undo()
    monkeypatch.setitem(RULES, "standard", RULES["redraw-from-p"])
    assert "the correct rule is rejected" in judge_function("right:emitted").text()


# ---- the pairs


def test_the_pairs_of_the_drill():
    """As the drill makes them; there are as many as it has, and its laws are laws."""
    cases = list(drill_cases())
    rng = np.random.default_rng(0)
    V = int(rng.integers(2, 40))
    p, q = rng.dirichlet(np.ones(V)), rng.dirichlet(np.ones(V) * 0.3)
    assert [x.tobytes() for x in cases[0].floats] == [p.tobytes(), q.tobytes()]
    assert len(cases) == 350
    assert len(list(drill(1, 50))) == 50


def test_the_figures_of_the_drill():
    case = next(drill_cases())
    alpha = Fraction(float(np.minimum(*case.floats).sum()))
    for off, claims in ((0, set()), (Fraction(2, 10**12), {"sums to 1", "dist"})):
        dist = (case.p[0] + off, *case.p[1:])
        assert {f.claim for f in verdict.judge(case, Answer(dist, alpha)).failures} == claims
    below = (case.p[0] + case.p[1] + Fraction(1, 10**14), -Fraction(1, 10**14), *case.p[2:])
    assert "non-negative" in {f.claim for f in verdict.judge(case, Answer(below, alpha)).failures}


def test_edge_cases_are_what_they_say():
    cases = {c.name: c for c in edge_cases()}
    assert all(sum(c.p) == sum(c.q) == 1 for name, c in cases.items() if "seed" not in name)
    assert all(same_bits(c) for name, c in cases.items() if name.startswith("identical"))
    assert {len(c.p) for c in cases.values()} >= {1, 2, 3, 4, 5}
    assert not any(map(min, cases["disjoint supports"].p, cases["disjoint supports"].q))


def test_small_cases_are_the_whole_enumeration_smallest_first():
    cases = list(small_cases())
    sizes = [len(c.p) for c in cases]
    assert sizes == sorted(sizes)
    assert sizes.count(1) == 1
    assert f"V <= {MOST_TOKENS} and common denominator <= {MOST_DENOMINATOR}" in SMALL
    assert len(set(GROUPS)) == len(GROUPS)


def test_numbers_of_any_kind_are_read_exactly():
    with Candidate("strange.py:mixed") as somebody:
        answer = somebody.call([0.1, 0.9], [0.1, 0.9])
    assert answer.dist == (Fraction(1, 3), Fraction(1, 10))
    assert answer.alpha == Fraction(float(np.float32(0.1)))
    assert (answer.dtype, answer.alpha_dtype) == ("", "float32")


def test_a_verdict_within_the_bound_is_one_of_the_cross_check():
    case = Case(SMALL, "", *([[HALF, HALF]] * 2))
    tried = verdict.judge(case, Answer((HALF, HALF), Fraction(1)))
    assert tried.on_dist.verdict == tried.on_alpha.verdict == WITHIN


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_a_parent_that_is_killed_leaves_no_child():
    """The child ends by itself when its pipe does, also in the middle of a call."""
    code = (
        "from proof.front.candidate import Candidate; import os\n"
        "with Candidate('strange.py:stays', 60) as c:\n"
        "    print(c._process._child.pid, flush=True)\n"
        "    c.call([1.0], [1.0])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(candidate.__file__).parents[2])}
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    with parent:
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        if not alive(child):
            return
        threading.Event().wait(0.05)
    pytest.fail("the child is still there")


def alive(pid):
    return processes().get(pid, (0, "Z"))[1] != "Z"  # an orphan that ended is for init to wait for
