"""`samelaw audit` as a newcomer uses it: options, bad input of each kind, exit codes, and verifiers that misbehave."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from numeric.audit import following
from proof.front import audit, audit_options
from proof.front.cli import main, parser

ROOT = Path(__file__).parent.parent

GOOD = """
import random
import numpy as np

def good(p, q, rng):
    x = rng.choice(len(q), p=q)
    if rng.random() < min(1, p[x] / q[x]):
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False

def bad(p, q, rng):
    x = rng.choice(len(q), p=q)
    return (x, True) if rng.random() < p[x] / q[x] else (rng.choice(len(p), p=p), False)

def by_module(p, q):
    return good(p, q, np.random.default_rng(0))

def inclusive(p, q, rng):
    x = rng.choice(len(q), p=q)
    return x if rng.random() <= p[x] / q[x] else good(p, q, rng)[0] if 0 else rng.choice(
        len(p), p=np.maximum(p - q, 0) / np.maximum(p - q, 0).sum())

def draft(q, rng):
    return rng.choice(len(q), p=q)

def peaked(q, rng):
    return q.argmax()

def verify(x, p, q, rng):
    if rng.random() * q[x] < p[x]:
        return x, True
    residual = np.maximum(p - q, 0)
    return rng.choice(len(p), p=residual / residual.sum()), False

def sequence(p, q, rng):
    x = rng.choice(len(q([])), p=q([]))
    if rng.random() * q([])[x] < p([])[x]:
        return [x, rng.choice(len(p([x])), p=p([x]))]
    residual = np.maximum(p([]) - q([]), 0)
    return [rng.choice(len(residual), p=residual / residual.sum())]

def wrong_bonus(p, q, rng):
    tokens = sequence(p, q, rng)
    return [tokens[0], rng.choice(2, p=q([tokens[0]]))] if len(tokens) == 2 and len(p([])) == 2 else tokens

def prints(p, q, rng):
    print("noise on stdout")
    return good(p, q, rng)

def raises(p, q, rng):
    raise KeyError("mass")

def leaves(p, q, rng):
    raise SystemExit(0)

def hangs(p, q, rng):
    while True:
        pass

def changes(p, q, rng):
    token = good(p, q, rng)
    p[:] = 0
    return token

def loops(p, q, rng):
    while rng.random() < 0.5:
        pass
    return rng.choice(len(p), p=p)

def multiplies(p, q, rng):
    return int(rng.random() * rng.random() < p[0])

NUMBER = 3

class Engine:
    def emit(self, p, q, rng):
        return good(p, q, rng)

    @classmethod
    def of_class(cls, p, q, rng):
        return good(p, q, rng)

    @staticmethod
    def static(p, q, rng):
        return good(p, q, rng)

engine = Engine()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test stands in an empty folder of a user's, with one verifier."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [*sys.argv])
    Path("v.py").write_text(GOOD, encoding="utf-8")
    return tmp_path


@pytest.fixture
def soon(monkeypatch):
    """For what hangs alone: on a machine that has much else to do, other runs take that long as well."""
    monkeypatch.setattr(following, "RUN_SECONDS", 0.3)
    monkeypatch.setattr(following, "LATER_SECONDS", 0.1)


@pytest.fixture
def run(run):
    """run("good", ...): the exit code, and what came to stdout and to stderr; small searches."""

    def run_small(name, *arguments):
        small = [] if "--p" in arguments else ["--denominator", "2"]
        return run("audit", name if ":" in name else f"v.py:{name}", *small, *arguments)

    return run_small


# ---- the three exit codes


def test_a_right_one_is_0(run):
    code, out, err = run("good")
    assert code == 0
    assert out.startswith("samelaw audit v.py:good\nself-check: this audit rejects redraw-from-p at p = 1/2, 1/2 and q")
    assert "\nLOSSLESS on every pair tried" in out
    assert err.splitlines() == [
        "... every pair with V <= 3 and common denominator <= 2", "... V <= 6, denominator <= 1,000, seeded (0)",
    ]  # fmt: skip


def test_a_wrong_one_is_1_with_rule_step_and_replay(run):
    code, out, _ = run("bad")
    assert code == 1
    assert "\nNOT LOSSLESS: dist: TV from the target is 1/4" in out
    assert "\nrule: redraw-from-p: " in out
    assert "\nbreaks: (" in out
    assert "\nreplay: samelaw audit v.py:bad --p 1/2,1/2 --q 0,1\n" in out


def test_what_cannot_be_followed_is_2_with_file_and_line(refused):
    line = GOOD.splitlines().index("    return int(rng.random() * rng.random() < p[0])") + 1
    assert f"v.py:{line}: " in refused("multiplies")


def test_the_help_has_examples_that_the_parser_takes_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    out = capsys.readouterr().out
    assert "exit codes: 0 lossless" in out
    lines = [line.strip() for line in audit_options.EXAMPLES.splitlines() if line.startswith("  samelaw audit")]
    assert len(lines) > 5
    for line in lines:
        assert parser().parse_args(shlex.split(line.split("   ")[0])[1:]).command == "audit"


# ---- every option


def test_arrays(run):
    assert "on Fractions the law == p" in run("good", "--arrays", "fraction")[1]
    assert "on Fractions" not in run("good", "--arrays", "numpy")[1]


def test_protocol(run):
    assert run("by_module", "--protocol", "global")[0] == 0


def test_tokens_denominator_and_seed(run):
    code, out, _ = run("good", "--tokens", 2, "--denominator", 3, "--seed", 5)
    assert code == 0
    assert "every pair with V <= 2 and common denominator <= 3" in out
    assert "seeded (5)" in out


def test_uniform(run):
    code, out, _ = run("inclusive", "--uniform", "24")
    assert code == 1
    assert "NOT LOSSLESS: nothing on the grid alone: token 0 comes out with probability 1/16777216" in " ".join(
        out.split()
    )
    assert "--p 0,1 --q 1,0 --uniform 24\n" in out
    assert run("inclusive")[0] == run("inclusive", "--uniform", "24 (0,1]")[0] == 0


def test_drafter_and_verifier_apart(run):
    assert run("verify", "--draft", "draft")[0] == 0
    assert run("verify", "--draft", "v.py:draft")[0] == 0
    code, out, _ = run("verify", "--draft", "peaked")
    assert code == 1
    assert "draft: it is not drawn from the q that it reports" in out
    assert "--draft peaked\n" in out


def test_steps(run):
    code, out, _ = run("sequence", "--steps", 1)
    assert code == 0
    assert "length    usual" in out
    assert run("wrong_bonus", "--steps", 1)[0] == 1


def test_one_pair(run):
    code, out, err = run("good", "--p", "1/2,0.25,25%", "--q", "0,1/2,1/2")
    assert (code, err) == (0, "")
    assert "LOSSLESS on this pair: the law is p." in out
    assert run("bad", "--p", "1/2,1/2", "--q", "0,1")[0] == 1


def test_numbers_that_do_not_sum_to_1_are_audited_and_said(run):
    code, out, _ = run("verify", "--draft", "draft", "--p", "499/1000,1/2", "--q", "1/2,1/2")
    assert code == 1
    assert "p sums to 999/1000: what is wanted is p over its sum" in out
    assert "raises ValueError" in out


@pytest.mark.parametrize("name", ["bad", "inclusive", "raises", "wrong_bonus"])
def test_the_replay_finds_the_same(run, name):
    more = {"inclusive": ["--uniform", "24"], "wrong_bonus": ["--steps", "1"]}.get(name, [])
    code, out, _ = run(name, *more, "--json")
    found = json.loads(out)
    words = shlex.split(found["replay"])
    assert (code, words[:2]) == (1, ["samelaw", "audit"])
    again = json.loads(run(words[2], *words[3:], "--json")[1])
    assert {key: again[key] for key in found["counterexample"]} == found["counterexample"]


def test_the_replay_of_laws_by_the_prefix(run):
    """Where the same laws after every prefix show nothing."""
    Path("w.py").write_text(GOOD.replace("p([x])), p=p([x])", "p([x])), p=p([0])"), encoding="utf-8")
    found = json.loads(run("w.py:sequence", "--steps", "1", "--json")[1])
    words = shlex.split(found["replay"])
    assert words[words.index("--p") + 1].count(";") == len(found["counterexample"]["p"]) - 1 > 0
    again = json.loads(run(words[2], *words[3:], "--json")[1])
    assert again["emitted"] == found["counterexample"]["emitted"]


def test_limits(refused, run):
    assert "max_paths=1: there are more paths" in refused("good", "--max-paths", 1)
    assert run("good", "--seconds", 30)[0] == 0


def test_columns_are_respected(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, run("bad")[1].splitlines())) <= 62


# ---- json


def test_json_is_one_object_with_everything(run):
    code, out, _ = run("bad", "--json")
    found = json.loads(out)
    assert (code, found["exit_code"], found["lossless"], found["holds"], found["maximal"]) == (1, 1, False, False, True)
    assert found["rules"] == ["redraw-from-p"]
    assert found["self_check"] == {"rule": "redraw-from-p", "p": ["1/2", "1/2"], "q": ["0", "1"]}
    smallest = found["counterexample"]
    assert (smallest["p"], smallest["emitted"], smallest["alpha"], smallest["tv"]) == (
        ["1/2", "1/2"], ["1/4", "3/4"], "1/2", "1/4",
    )  # fmt: skip
    assert smallest["claim"] == "dist"
    assert found["coverage"][1] == {"group": "V <= 6, denominator <= 1,000, seeded (0)", "pairs": 40, "of": 40}
    assert all(not isinstance(x, float) for x in smallest.values())


def test_json_of_one_pair_of_a_sequence_and_of_what_holds(run):
    one = json.loads(run("good", "--p", "1/2,1/2", "--q", "0,1", "--json")[1])
    assert (one["exit_code"], one["lossless"], one["claim"], one["paths"]) == (0, True, None, 2)
    block = json.loads(run("wrong_bonus", "--steps", 1, "--json")[1])["counterexample"]
    assert block["outcomes"][0] == "0 0"
    assert set(block["p"]) == {"", "0", "1"}
    right = json.loads(run("good", "--json")[1])
    assert (right["holds"], right["counterexample"], right["replay"], right["stopped"]) == (True, None, None, None)


def test_json_is_one_object_also_where_it_cannot_run(run):
    for arguments in (["multiplies"], ["no_such"], ["nowhere.py:emit"]):
        code, out, err = run(*arguments, "--json")
        found = json.loads(out)
        assert (code, found["exit_code"]) == (2, 2)
        assert f"samelaw: {found['error']}" in err


# ---- verifiers that misbehave


def test_what_it_prints_goes_to_stderr(run):
    code, out, err = run("prints", "--json")
    assert (code, json.loads(out)["holds"]) == (0, True)
    assert "noise on stdout" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("raises", "emits a token: raises KeyError: 'mass', with probability 1"),
        ("leaves", "emits a token: raises SystemExit: 0, with probability 1"),
        ("hangs", "emits a token: does not return within 0.3 s, with probability 1"),
    ],
)
@pytest.mark.usefixtures("soon")
def test_one_that_gives_no_token_is_a_counterexample(run, name, text):
    code, out, _ = run(name)
    assert code == 1
    assert f"NOT LOSSLESS: {text}" in out


@pytest.mark.usefixtures("soon")
def test_where_a_run_hangs_the_search_stops(run):
    out = run("hangs")[1]
    assert "The search stopped there: a run did not return." in out
    assert "1 of " in out.splitlines()[-4]


def test_one_that_changes_its_input_is_noted(run):
    code, out, _ = run("changes")
    assert code == 0
    assert "It changes its argument p in place." in out


def test_one_that_loops_until_something_happens_is_refused(refused):
    assert "decisions in one run" in refused("loops")


@pytest.mark.parametrize("name", ["Engine.of_class", "Engine.static", "engine.emit"])
def test_methods(run, name):
    assert run(name)[0] == 0


def test_a_method_without_its_instance(refused):
    said = refused("Engine.emit")
    assert "emit: it is called as emit(p, q, rng), and it takes (self, p, q, rng)" in said


def test_an_importable_module(run, monkeypatch):
    monkeypatch.syspath_prepend(".")
    Path("their_module.py").write_text(GOOD, encoding="utf-8")
    assert run("their_module:good")[0] == 0


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["v.py:no_such"], "there is no 'no_such' in it (it has good, bad, by_module, "),
        (["v.py:NUMBER"], "'NUMBER' is of type int, which cannot be called"),
        (["nowhere.py:emit"], "there is no such file"),
        (["v.py:"], "a target is FILE.py:name or module:name"),
        (["no_such_module:emit"], "importing it raises ModuleNotFoundError"),
        (["good", "--draft", "no_such"], "there is no 'no_such' in it"),
        (["good", "--draft", "draft"], "it is called as emit(x, p, q, rng), and it takes (p, q, rng)"),
        (["good", "--protocol", "global"], "it is called as emit(p, q), and it takes (p, q, rng)"),
        (["good", "--protocol", "numpy"], "argument --protocol: invalid choice: 'numpy'"),
        (["good", "--arrays", "torch"], "argument --arrays: invalid choice: 'torch'"),
        (["good", "--tokens", "0"], "tokens=0: it is a whole number from 1 on"),
        (["good", "--tokens", "x"], "tokens=x: it is a whole number from 1 on"),
        (["good", "--tokens", "99"], "tokens=99, denominator=2: at most 100,000 pairs"),
        (["good", "--denominator", "0"], "denominator=0: it is a whole number"),
        (["good", "--denominator", "1.5"], "denominator=1.5: it is a whole number"),
        (["good", "--seed", "-1"], "seed=-1: it is a whole number from 0 on"),
        (["good", "--steps", "0"], "steps=0: it is a whole number from 1 on"),
        (["good", "--steps", "9"], "steps=9: at most 5 tokens are drafted here"),
        (["verify", "--draft", "draft", "--steps", "1"], "--draft and --steps"),
        (["good", "--max-paths", "0"], "max_paths=0: it is a whole number"),
        (["good", "--seconds", "0"], "seconds=0: it is a whole number"),
        (["good", "--uniform", "real"], "uniform='real': a uniform number is ideal, or has"),
        (["good", "--p", "1/2,1/2"], "--p and --q: a pair has both"),
        (["good", "--p", "1/2,1/2", "--q", "1"], "give both the same length"),
        (["good", "--p", "1,x", "--q", "1,0"], "'x'"),
        (["good", "--p", "2,-1", "--q", "1,0"], "a probability is not negative"),
        (["good", "--p", "0,0", "--q", "1,0"], "the entries sum to 0"),
        (["good", "--p", "1,1", "--q", "1,0", "--arrays", "numpy"], "p sums to 2: a law in float64 sums to 1 within"),
        (["good", "--p", "1", "--q", "1", "--seed", "1"], "--seed and --p: of one pair there is no search"),
        (["sequence", "--steps", "1", "--p", "1,0;1,0", "--q", "1,0"], "--p has 2 laws: with --steps 1 and 2 tokens"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_that_says_what_to_do(refused, arguments, text):
    assert text in refused(*arguments)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("def emit(:\n", "importing it raises SyntaxError"),
        ("import no_such_package\n", "importing it raises ModuleNotFoundError: No module named 'no_such_package'"),
        ("raise SystemExit(0)\n", "importing it raises SystemExit"),
        ("1 / 0\n", "importing it raises ZeroDivisionError: division by zero (broken.py, line 1)"),
    ],
)
def test_a_file_that_cannot_be_imported(refused, code, text):
    Path("broken.py").write_text(code, encoding="utf-8")
    assert text in refused("broken.py:emit")


def test_an_audit_that_cannot_reject_does_not_run(refused, monkeypatch):
    from numeric.audit import search

    monkeypatch.setattr(search, "sampler", lambda _rule: lambda p, q, rng: rng.choice(len(p), p=p))
    assert "self-check: the rule redraw-from-p was not rejected" in refused("good")


# ---- as a process


def test_as_a_process_without_a_terminal(folder):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "samelaw", "audit", "v.py:bad", "--denominator", "2"],
        cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )  # fmt: skip
    again = subprocess.run(
        [sys.executable, "-W", "error", "-m", "samelaw", "audit", "v.py:bad", "--denominator", "2"],
        cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, again.stdout)
    assert "\x1b" not in done.stdout + done.stderr


def test_json_values_are_text():
    assert audit.exact_json({(0, 1): (1, 2)}) == {"0 1": ["1", "2"]}
