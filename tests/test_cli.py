"""The command line as a person meets it: what it prints where, what it leaves behind, and how it ends."""

import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exact import LawError
from exact.rules import RULES
from proof import evidence
from proof.front import check, cli, files
from proof import rejection as derivation
from exact.rules import law_of
from proof.mutate import attack
from proof.paper import paper, pictures
from proof.statement import eq

ROOT = Path(__file__).parent.parent
ONE_PAIR = ["check", "--p", "1/2,1/3,1/6", "--q", "1/6,1/3,1/2"]
P, Q = ["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test stands in an empty folder of a user's."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def samelaw(*arguments, cwd, stdout=subprocess.PIPE, **environment):
    """`python -m samelaw` in another folder."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "samelaw", *arguments],
        cwd=cwd, stdout=stdout, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def save(name, content):
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


# ---- the doors


def test_alone_it_prints_a_line_for_each_person_and_two_for_engineer_and_learner(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == ["reader", "engineer", "samelaw", "learner", "samelaw"]
    assert all("samelaw " in line and len(line) <= 120 for line in out.splitlines())


def test_the_command_of_each_door_is_one_that_the_parser_takes():
    for line in cli.DOORS.splitlines():
        words = line.split("samelaw ")[1].split("  ")[0].split()
        assert cli.parser().parse_args(words).command == words[0]


@pytest.mark.parametrize("command", ["check", "prove"])
def test_help_has_examples_and_the_exit_codes_and_each_example_is_valid(run, command):
    code, out, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert "exit codes: 0 " in out
    examples = [line.split("  ")[1].split()[1:] for line in out.splitlines() if line.startswith("  samelaw ")]
    assert len(examples) >= 3
    for words in examples:
        assert cli.parser().parse_args(words).command == command


def test_help_and_version(run):
    for arguments in (["--help"], ["-h"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert {"check", "prove", "--version"} <= set(out.split())
    code, out, _ = run("--version")
    assert (code, out.split()[0], len(out.splitlines())) == (0, "samelaw", 1)


# ---- arguments that are none


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["frobnicate"], "frobnicate"),
        (["--frobnicate"], "--frobnicate"),
        (["check", "--frobnicate"], "--frobnicate"),
        (["check", "a.py:f", "b.py:g"], "b.py:g"),
        (["check", "--tex", "book.txt"], "--tex"),  # an abbreviation
        (["check", "--pairs"], "--pairs"),
        (["check", "--p", "1"], "--p and --q"),
        (["check", "--q", "1"], "--p and --q"),
        (["check", "--p", "1", "--q", "1", "--pairs", "a.json"], "one kind of input"),
        (["check", "--p", "1", "--q", "1", "--text", "a.txt"], "one kind of input"),
        (["check", "--pairs", "a.json", "--text", "a.txt"], "one kind of input"),
        (["check", "a.py:f", "--pairs", "a.json"], "one kind of input"),
        *((["check", "--temperature", value], "temperature=") for value in ("-1", "1e-400")),
        *((["check", "--temperature", value], f"temperature='{value}'") for value in ("nan", "inf", "hot", "")),
        *((["check", "--top-k", value], "top_k=") for value in ("0", "-1", "1.5", "x", "", "9" * 5000)),
        *((["check", "--top-p", value], "top_p=") for value in ("0", "1.01", "-0.5", "nan", "x", "")),
        (["check", "--temperature", "1"], "--temperature: it is for logits in a file"),
        (["check", "--p", "1", "--q", "1", "--top-k", "5"], "--top-k: it is for logits in a file"),
        (["check", "a.py:f", "--top-p", "0.9"], "--top-p: it is for logits in a file"),
        *((["check", "--timeout", value], f"timeout={value}") for value in ("0", "nan", "inf", "1e9", "x", "")),
        (["check", "--timeout=-1"], "timeout=-1"),
        *((["check", f"--seed={value}"], f"seed={value}") for value in ("x", "1.5", "-1", "", "9" * 5000)),
        (["prove", "extra"], "extra"),
        (["prove", "-o"], "-o"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused_by_name(refused, arguments, named):
    assert named in refused(*arguments)


@pytest.mark.parametrize("option", ["--pairs", "--text"])
def test_an_empty_value_is_a_mistake_and_not_the_default(refused, option):
    assert refused("check", option, "")
    assert refused("check", "--p", "", "--q", "")


# ---- one pair, line by line


def test_one_pair_is_walked_through_line_by_line(run):
    code, out, err = run(*ONE_PAIR)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "every line holds on this pair"
    assert [line for line in out.splitlines() if line.startswith("  emitted-law")]
    assert all(step.label in out for step in derivation.STEPS)


def test_the_same_input_gives_the_same_bytes(run):
    assert run(*ONE_PAIR) == run(*ONE_PAIR)
    assert run(*ONE_PAIR, "--json") == run(*ONE_PAIR, "--json")


def test_a_law_that_sums_to_5_6_is_refused_with_both_numbers(refused):
    line = refused("check", "--p", "1/2,1/3", "--q", "1,0")
    assert line.startswith("samelaw: p sums to 5/6: a law sums to exactly 1, this is 1/6 too little; mend it, ")


def test_decimals_on_the_command_line_are_exact(run):
    code, out, _ = run("check", "--p", "0.1,0.9", "--q", "90%, 1/10")
    assert code == 0
    assert "1/10" in out
    assert "3602879701896397" not in out
    assert out == run("check", "--p", "1/10,9/10", "--q", "9/10,0.1")[1]


@pytest.mark.parametrize(
    ("p", "q", "named"),
    [
        ("1/2,1/2", "1", "p has 2 entries but q has 1 entries"),
        ("1/2,1/2,", "1,0", "p[2]=''"),
        ("a,b", "1,0", "p[0]='a'"),
        ("1,0", "nan,1", "q[0]='nan'"),
        ("1,0", "3/2,-1/2", "q[1]=-1/2"),
        ("1e999999999,0", "1,0", "p[0]='1e999999999'"),
        ("1/0,0", "1,0", "p[0]='1/0'"),
        ("0.333,0.333,0.333", "1,0,0", "p sums to 999/1000"),
    ],
)
def test_numbers_that_are_no_laws_are_refused_by_name(refused, p, q, named):
    assert named in refused("check", "--p", p, "--q", q)


def test_a_program_that_departs_from_the_derivation_exits_1(run, monkeypatch):
    monkeypatch.setattr("proof.front.walk.emitted_distribution", law_of("redraw-from-p"))
    code, out, _ = run(*ONE_PAIR)
    assert code == 1
    assert "NOT the same law" in out


# ---- pairs from a file


def test_pairs_are_checked_row_by_row(run):
    save("pairs.json", [{"p": P, "q": Q}, {"p": P, "q": Q, "dist": P, "alpha": "2/3"}])
    code, out, err = run("check", "--pairs", "pairs.json")
    assert (code, err) == (0, "... pairs\n")
    assert out.splitlines()[0].startswith("can it reject? redraw-from-p, at p = (1/2, 1/2), q = (0, 1): ")
    assert [line.split(": ")[1] for line in out.splitlines() if line.startswith("row ")] == ["holds", "holds"]
    assert out.splitlines()[-1] == "2 hold, 0 wrong, 0 bad"


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"p": P, "q": Q}], 0),
        ([{"p": P, "q": Q}, {"p": P}], 2),
        ([{"p": P, "q": Q}, {"p": P, "q": Q, "dist": Q}], 1),
        ([{"p": P}, {"p": P, "q": Q, "dist": Q}], 1),
    ],
)
def test_an_output_that_is_wrong_outweighs_a_row_that_is_bad(run, rows, code):
    save("pairs.json", rows)
    assert run("check", "--pairs", "pairs.json")[0] == code
    assert run("check", "--pairs", "pairs.json", "--json")[0] == code


def test_strict_turns_a_note_into_a_failure(run):
    p, q = np.array([2.0**-66, *[1 / 6] * 6]), np.array([0.0, *[1 / 6] * 6])
    m, r = np.minimum(p, q), np.maximum(p - q, 0)
    np.savez("textbook.npz", p=p, q=q, dist=m + (1 - m.sum()) * r / r.sum())
    assert run("check", "--pairs", "textbook.npz")[0] == 0
    assert run("check", "--pairs", "textbook.npz", "--strict")[0] == 1


@pytest.mark.parametrize("name", ["nosuch.json", "nosuch.npz", "nosuch.npy", "nosuch.csv", "nosuch", ".", "a\0.json"])
def test_a_file_of_pairs_that_cannot_be_had_is_refused(refused, name):
    assert "pairs=" in refused("check", "--pairs", name)
    assert "pairs=" in refused("check", "--pairs", name, "--json")


LOGITS = {"p_logits": [0.0, 1.0, -1.0], "q_logits": [1.0, 0.5, float("-inf")]}


def test_a_file_that_cannot_be_had_is_told_in_words_that_read_well(refused):
    line = refused("check", "--pairs", "nosuch.json")
    assert line == (
        "samelaw: pairs=nosuch.json: this cannot be read as a file of pairs (No such file or directory); "
        "mend it, or give another"
    )


def test_logits_become_laws_by_the_settings_and_the_conversion_is_named(run):
    save("logits.json", LOGITS)
    code, out, _ = run("check", "--pairs", "logits.json")
    assert (code, "conversion at most " in out.replace("\n    ", " ")) == (0, True)
    code, out, _ = run(
        "check", "--pairs", "logits.json", "--temperature", "0.7", "--top-k", "2", "--top-p", ".9", "--json"
    )
    report = json.loads(out)
    assert (code, report["settings"]) == (0, {"temperature": "7/10", "top_k": 2, "top_p": "9/10"})
    assert set(report["pairs"][0]["conversion"]["p"]) == {"size", "token", "tv", "slack"}
    assert run("check", "--pairs", "logits.json", "--temperature", "0")[0] == 0


@pytest.mark.parametrize("option", [["--temperature", "1"], ["--top-k", "5"], ["--top-p", "0.9"]])
def test_settings_for_logits_are_refused_where_there_are_none(refused, option):
    save("pairs.json", {"p": P, "q": Q})
    assert f"{option[0]}: it is for p_logits and q_logits, and pairs.json has none" in refused(
        "check", "--pairs", "pairs.json", *option
    )


def test_a_sample_of_the_right_law_holds_and_one_of_another_is_a_counterexample(run):
    right, wrong = {"p": P, "q": Q, "counts": [500, 340, 160]}, {"p": P, "q": Q, "counts": [340, 340, 320]}
    for rows, code in (
        ([right], 0),
        ([wrong], 1),
        ([right, wrong], 1),
        ([right, {"p": P, "q": Q, "counts": [0] * 3}], 2),
    ):
        save("samples.json", rows)
        assert run("check", "--pairs", "samples.json")[0] == code
        assert run("check", "--pairs", "samples.json", "--json")[0] == code
    save("samples.json", [right, wrong])
    _, out, _ = run("check", "--pairs", "samples.json", "--json")
    report = json.loads(out)
    assert [row["sample"]["wrong"] for row in report["pairs"]] == [False, True]
    assert [row["sample"]["level"] for row in report["pairs"]] == [0.0005, 0.0005]  # two samples share 1/1000
    assert set(report["pairs"][0]["sample"]) == {
        "n", "test", "wrong", "p_value", "exact_p_value", "level", "cells", "statistic", "unseen_tv", "reason",
    }  # fmt: skip


def test_a_file_of_samples_is_judged_by_a_test_that_has_rejected_one(run, refused, monkeypatch):
    save("samples.json", {"p": P, "q": Q, "tokens": [0, 1, 2]})
    _, out, _ = run("check", "--pairs", "samples.json")
    assert out.count("can it reject? redraw-from-p") == 2
    assert "sample of 100: p-value 5.64E-7 (exact)" in out.replace("\n    ", " ")
    assert json.loads(run("check", "--pairs", "samples.json", "--json")[1])["rejects_samples"].endswith(" Rejected.")
    monkeypatch.setattr("numeric.samples.Sample.wrong", False)
    assert "was not rejected" in refused_after_the_first(run("check", "--pairs", "samples.json"))
    assert "was not rejected" in refused("check", "--pairs", "samples.json", "--json")


def refused_after_the_first(ran):
    """The line on stderr; on stdout is what the first self-check said, and no row."""
    code, out, err = ran
    assert (code, "row 0" in out) == (2, False)
    return err


def test_rows_are_told_as_they_are_judged_with_progress_for_each(run, monkeypatch):
    save("pairs.json", [{"p": P, "q": Q}] * 3)
    done = []
    monkeypatch.setattr("proof.front.cli.Meter.__call__", lambda _self, *stage: done.append(stage))
    assert run("check", "--pairs", "pairs.json")[0] == 0
    assert done == [("pairs", n, 3) for n in (1, 2, 3)]


@pytest.mark.parametrize("columns", [40, 60, 200])
def test_sentences_are_no_wider_than_columns_says(run, small, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    save("samples.json", {**LOGITS, "tokens": [0, 1, 1]})
    for arguments in (["check", "--pairs", "samples.json"], small):
        _, out, _ = run(*arguments)
        assert max(map(len, out.splitlines())) <= columns
        assert columns == 200 or max(map(len, out.splitlines())) > columns - 15


# ---- everything, on a small text


@pytest.fixture
def small(monkeypatch):
    """The full check, with limits that a test can afford, on a text of a line."""
    monkeypatch.setattr(check, "SMALL", (2, 3))
    monkeypatch.setattr(check, "SINGLE", (2, 2))
    monkeypatch.setattr(check, "STATED", (2, 2))
    monkeypatch.setattr(check, "GRIDS", (((1, 2), 4), ((3,), 3)))
    monkeypatch.setattr(check, "DRAWN", 3)
    monkeypatch.setattr(check, "RUN", (2, 2))
    monkeypatch.setattr(check, "SAMPLES", ((3, 6),))
    large = check.large_pairs
    monkeypatch.setattr(check, "large_pairs", lambda seed, _n=20: large(seed, 20))
    save("book.txt", "The cat saw the dog and the dog saw the cat, and the cat ran, and the dog sat and the cat sat.")
    return ["check", "--text", "book.txt"]


def test_the_full_check_counts_its_groups_apart_and_holds(run, small):
    code, out, err = run(*small)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "can it reject? redraw-from-p, at p = (1/2, 1/2), q = (0, 1): the law is (1/4, 3/4). Rejected."
    groups = [line for line in lines if "  ok  " in line]
    assert [line.split("  ")[0] for line in groups] == [
        *["exact"] * 3, *["grid"] * 3, "programs", *["numeric"] * 6, "formulas", *["statements"] * 2,
        "text", "text in floats",
    ]  # fmt: skip
    counts = [int(line[15:26].replace(",", "")) for line in groups]
    assert lines[-1] == f"holds on all {sum(counts):,} checks (seed 0)"
    stages = [line.split(",")[0].removeprefix("... ") for line in err.splitlines()]
    assert list(dict.fromkeys(stages)) == ["exact", "grid", "programs", "numeric", "formulas", "statements", "text"]


def test_verbose_prints_a_ledger_that_adds_up(run, small):
    code, out, _err = run(*small, "-v")
    assert code == 0
    ledger = out.splitlines()[
        out.splitlines().index(next(x for x in out.splitlines() if x.startswith("ledger of"))) : -1
    ]
    assert ledger[0].startswith(
        "ledger of our result at token 1 of the stored pair sums-differ, sums exact: 0.3333333333"
    )
    assert ledger[-1] == "  left over:                       0"
    assert json.loads(run(*small, "-v", "--json")[1])["ledger"] == ledger
    assert "ledger" not in json.loads(run(*small, "--json")[1])


def test_verbose_is_for_floats_that_are_checked(refused):
    assert refused(*ONE_PAIR, "-v") == (
        "samelaw: -v: it is for floats that are checked, with --pairs or with nothing; leave it out"
    )


def test_verbose_gives_each_float_row_its_ledger_and_the_laws_that_fit(run):
    rows = [{"p": [0.4, 0.3, 0.3], "q": [0.1, 0.2, 0.7], "dist": [0.4, 0.3, 0.3]}, {"p": P, "q": Q}]
    save("rows.json", json.dumps(rows))
    code, out, _err = run("check", "--pairs", "rows.json", "-v")
    assert code == 0
    assert "non-discriminating: the pair cannot tell it from p, p/S_p" in " ".join(out.split())
    assert out.count("ledger of our result") == out.count("  left over:                       0") == 1
    assert "ledger" not in run("check", "--pairs", "rows.json")[1]


def test_the_full_check_is_the_same_twice_and_another_with_another_seed(run, small):
    first = run(*small, "--json")
    assert first == run(*small, "--json", "--seed", "0")
    reports = [json.loads(first[1]), json.loads(run(*small, "--json", "--seed", "1")[1])]
    assert [report["seed"] for report in reports] == [0, 1]
    assert reports[0]["groups"] != reports[1]["groups"]
    assert [report["failures"] for report in reports] == [0, 0]
    assert reports[0]["rejects"].startswith("can it reject? redraw-from-p, at p = (1/2, 1/2), q = (0, 1): ")


def test_a_failure_of_any_group_exits_1_and_is_shown(run, small, monkeypatch):
    monkeypatch.setattr("numeric.crosscheck.rejection_law", lambda p, q, _sums: (q, float(np.minimum(p, q).sum())))
    code, out, _ = run(*small)
    assert code == 1
    assert "  p = (0, 1), q = (1, 0): wrong, dist[0]: wanted 0, got 1, off by 1" in out.splitlines()
    assert any(line.startswith("  and ") and line.endswith(" more") for line in out.splitlines())
    assert out.splitlines()[-1].endswith(" failures")


def test_a_check_that_cannot_reject_does_not_run(refused, small, monkeypatch):
    monkeypatch.setitem(RULES, "redraw-from-p", RULES["standard"])
    save("pairs.json", {"p": P, "q": Q})
    for arguments in (small, ["check", "--pairs", "pairs.json"]):
        assert "was not rejected" in refused(*arguments)


def test_a_check_that_lets_everything_pass_does_not_run(refused, small, monkeypatch):
    monkeypatch.setattr(check, "broken", lambda *_arguments: None)
    assert "was not rejected" in refused(*small)


@pytest.mark.parametrize(("text", "why"), [(None, "No such file"), ("", "5 English words"), ("two words", "3 too few")])
def test_a_text_that_is_missing_or_too_short_is_refused(refused, text, why):
    if text is not None:
        save("book.txt", text)
    line = refused("check", "--text", "book.txt")
    assert why in line
    assert "book.txt" in line


def test_a_text_that_is_no_text_is_refused(refused):
    Path("book.txt").write_bytes(b"caf\xe9 au lait")
    assert "a text is in UTF-8, byte 3 of 12 is not" in refused("check", "--text", "book.txt")
    assert "Is a directory" in refused("check", "--text", ".")


def test_a_python_without_its_language_reference_is_told_of_text(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    assert refused("check").endswith("give another text with --text FILE")


# ---- somebody's function


@pytest.mark.parametrize(
    "target", ["nosuch.py:f", "nosuch.module:f", "nosuch", "", ":", "a.py:", ":f", "broken.py:f", "empty.py:f", ".:f"]
)
def test_a_function_that_cannot_be_had_is_refused_in_one_line(run, target):
    save("broken.py", "def f(:")
    save("empty.py", "")
    code, out, err = run("check", target)
    assert (code, len((out + err).splitlines())) == (2, 1)
    assert f"target={target}: " in out + err
    code, out, _ = run("check", target, "--json")
    assert (code, type(json.loads(out or "{}"))) == (2, dict)


# ---- JSON


def test_with_json_there_is_one_object_on_stdout(run, small):
    save("pairs.json", [{"p": P, "q": Q}, {"p": [0.5, 0.5], "q": [1, 0]}, {"p": P}])
    save("right.py", "from exact import emitted_distribution")
    for arguments in (ONE_PAIR, ["check", "--pairs", "pairs.json"], small, ["check", "right.py:emitted_distribution"]):
        _, out, _ = run(*arguments, "--json")
        assert type(json.loads(out)) is dict
        assert "\x1b" not in out


def test_nothing_is_coloured_where_the_output_is_no_terminal(run):
    assert "\x1b" not in "".join(map(str, run(*ONE_PAIR)))


# ---- prove


def few_mutants(steps, **options):
    return attack(steps[:5], **options)


@pytest.fixture(scope="module")
def found():
    """What a small run of prove finds: few mutants, few tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "FULL", (2,))
        patch.setattr(evidence, "UP_TO_ORDER", 3)
        patch.setattr(evidence, "attack", few_mutants)
        return evidence.gather()


@pytest.fixture
def proved(monkeypatch, found):
    monkeypatch.setattr(evidence, "gather", lambda _progress: found)
    return found


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def shown_with(name, found):
    """A paper and its figures as files that `prove` would write, to compare with."""
    save(name, paper(found))
    for shown in pictures():
        figure = Path(name).parent / shown.path
        figure.parent.mkdir(parents=True, exist_ok=True)
        save(figure, shown.svg)


FIGURES = ["proof/figures/overlap.svg", "proof/figures/redraw-from-p.svg"]


def test_prove_writes_the_paper_and_its_figures_and_says_what_it_found(run, proved, folder):
    code, out, err = run("prove")
    assert (code, err) == (0, "")
    assert Path("paper.md").read_bytes() == paper(proved).encode()
    assert files_below(folder) == ["paper.md", *FIGURES]
    assert [Path(figure).read_bytes() for figure in FIGURES] == [shown.svg.encode() for shown in pictures()]
    lines = out.splitlines()
    assert lines[0] == f"kernel      {len(proved.facts)} lines accepted, for every vocabulary"
    assert lines[-2] == f"wrote {', '.join(FIGURES)}"
    assert lines[-1] == f"wrote paper.md: {len(paper(proved).splitlines()):,} lines"


def test_prove_writes_where_it_is_told_and_nowhere_else(run, proved, folder):
    assert run("prove", "-o", "proof.md")[0] == 0
    assert files_below(folder) == ["proof.md", *FIGURES]
    os.mkdir("deep")
    code, out, _ = run("prove", "--output", "deep/again.md")
    assert (code, out.splitlines()[-2]) == (0, f"wrote {', '.join(f'deep/{figure}' for figure in FIGURES)}")
    assert files_below("deep") == ["again.md", *FIGURES]
    assert Path("deep/again.md").read_bytes() == Path("proof.md").read_bytes() == paper(proved).encode()
    links = re.findall(r"^!\[.*\]\((.*)\)$", Path("deep/again.md").read_text(encoding="utf-8"), re.M)
    assert [Path("deep", link).read_bytes() for link in links] == [shown.svg.encode() for shown in pictures()]


@pytest.mark.usefixtures("proved")
def test_prove_to_a_device_writes_no_figures(run, folder):
    code, out, _ = run("prove", "-o", os.devnull)
    assert (code, out.splitlines()[-1].split(":")[0]) == (0, f"wrote {os.devnull}")
    assert "figures" not in out
    assert os.listdir(folder) == []


@pytest.mark.usefixtures("proved")
def test_a_figure_that_cannot_be_written_at_the_end_leaves_no_paper(refused, folder, monkeypatch):
    real = files.write_whole

    def full(path, text):
        if path == FIGURES[1]:
            raise LawError(f"output={path}: it cannot be written (No space left on device); name another file")
        real(path, text)

    monkeypatch.setattr(files, "write_whole", full)
    assert "No space left" in refused("prove", "--json")
    assert files_below(folder) == [FIGURES[0]]
    assert Path(FIGURES[0]).read_text() == pictures()[0].svg


def test_prove_shows_progress_on_stderr_only(run, monkeypatch):
    monkeypatch.setattr(evidence, "FULL", (2,))
    monkeypatch.setattr(evidence, "UP_TO_ORDER", 3)
    monkeypatch.setattr(evidence, "attack", few_mutants)
    code, out, err = run("prove")
    assert code == 0
    assert err.splitlines() == ["... kernel", "... values", "... mutants", "... fixed V"]
    assert "..." not in out


def test_prove_check_holds_where_the_files_are_the_same(run, proved):
    shown_with("paper.md", proved)
    for arguments in (["prove", "--check"], ["prove", "--check", "paper.md"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert out.splitlines()[-3:] == [f"{path} is what this run gives" for path in ("paper.md", *FIGURES)]


@pytest.mark.parametrize("figure", FIGURES)
def test_prove_check_names_a_figure_in_which_one_byte_differs(run, proved, figure):
    os.mkdir("deep")
    shown_with("deep/paper.md", proved)
    right = Path("deep", figure).read_bytes()
    for at, byte in ((right.index(b"1/3"), b"2"), (right.index(b"1/3"), b"\xff"), (len(right) - 1, b"")):
        changed = right[:at] + byte + right[at + 1 :]
        Path("deep", figure).write_bytes(changed)
        code, out, _ = run("prove", "--check", "deep/paper.md")
        assert code == 1
        assert re.findall(r"^(?:--- )?(.*?)(?: differs.*)?$", out.splitlines()[5]) == [f"deep/{figure}"]
        assert "deep/paper.md is what this run gives" in out.splitlines()
        assert f"deep/{figure} is what this run gives" not in out.splitlines()
        assert Path("deep", figure).read_bytes() == changed
        assert run("prove", "--check", "deep/paper.md", "--json")[0] == 1


def test_prove_check_names_a_figure_that_is_missing(run, proved):
    shown_with("paper.md", proved)
    os.unlink(FIGURES[1])
    code, out, _ = run("prove", "--check")
    assert code == 1
    assert f"{FIGURES[1]} is missing; samelaw prove writes it" in out.splitlines()
    assert f"{FIGURES[0]} is what this run gives" in out.splitlines()
    assert not os.path.exists(FIGURES[1])


def test_prove_check_prints_the_difference_and_exits_1_and_writes_nothing(run, proved):
    old = paper(proved).replace("same law", "like law", 1)
    shown_with("paper.md", proved)
    save("paper.md", old)
    code, out, _ = run("prove", "--check")
    assert code == 1
    assert "--- paper.md" in out
    assert "+++ this run" in out
    assert sum(line.startswith("-") and "like law" in line for line in out.splitlines()) == 1
    assert Path("paper.md").read_text(encoding="utf-8") == old


@pytest.mark.parametrize("change", [lambda text: text[:-1], lambda text: text.replace("\n", "\r\n")])
def test_prove_check_names_a_difference_that_cannot_be_seen(run, proved, change):
    shown_with("paper.md", proved)
    Path("paper.md").write_bytes(change(paper(proved)).encode())
    code, out, _ = run("prove", "--check")
    assert (code, out.splitlines()[-3]) == (1, "paper.md differs only in how its lines end")


def test_prove_check_of_a_file_that_cannot_be_read_is_refused_before_the_work(refused, monkeypatch):
    monkeypatch.setattr(evidence, "gather", lambda _progress: pytest.fail("it should not begin"))
    Path("latin.md").write_bytes(b"caf\xe9")
    for name, why in (("nosuch.md", "No such file"), (".", "Is a directory"), ("latin.md", "byte 3"), ("a\0b", "null")):
        assert why in refused("prove", "--check", name)
    assert refused("prove", "--check", "")


def test_prove_to_a_place_that_cannot_be_written_is_refused_before_the_work(refused, monkeypatch):
    monkeypatch.setattr(evidence, "gather", lambda _progress: pytest.fail("it should not begin"))
    for name in (".", "", "nosuch/paper.md", "a\0b", "x" * 300):
        assert "output=" in refused("prove", "-o", name)


def test_figures_that_cannot_be_written_are_refused_before_the_work(refused, monkeypatch, folder):
    monkeypatch.setattr(evidence, "gather", lambda _progress: pytest.fail("it should not begin"))
    for name in ("a", "b", "c", "d"):
        os.mkdir(name)
    save("a/proof", "a file")
    os.mkdir("b/proof")
    save("b/proof/figures", "a file")
    os.makedirs(f"c/{FIGURES[1]}")
    assert "output=a/proof/figures: it cannot be written (Not a directory)" in refused("prove", "-o", "a/paper.md")
    assert f"output=b/{FIGURES[0]}: it cannot be written (Not a directory)" in refused("prove", "-o", "b/paper.md")
    assert f"output=c/{FIGURES[1]}: an output is a file, this is a folder" in refused("prove", "-o", "c/paper.md")
    assert files_below(folder) == ["a/proof", "b/proof/figures"]
    os.makedirs("d/proof/figures")
    protected = {os.path.realpath("d/proof/figures"), os.path.realpath("a")}
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) not in protected)  # root may write anywhere
    assert f"output=d/{FIGURES[0]}: its folder is missing or not to be" in refused("prove", "-o", "d/paper.md")
    assert "output=a/paper.md: its folder is missing or not to be" in refused("prove", "-o", "a/paper.md")
    assert files_below(folder) == ["a/proof", "b/proof/figures"]
    assert sorted(os.listdir(folder)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--check", "other.md"]])
def test_prove_gives_one_json_object_whatever_the_outcome(run, proved, arguments):
    shown_with("paper.md", proved)
    save("other.md", "another text")
    code, out, _ = run("prove", *arguments, "--json")
    report = json.loads(out)
    assert report.get("figures", FIGURES) == FIGURES
    assert report["steps"] == len(proved.facts) >= len(derivation.STEPS)
    assert report["mutants"] == len(proved.mutants)
    assert code == (1 if "other.md" in arguments else 0)


@pytest.mark.usefixtures("proved")
def test_prove_that_cannot_write_at_the_end_says_so_and_prints_no_json(refused, monkeypatch):
    def full(_path, _text):
        raise LawError("output=paper.md: it cannot be written (No space left on device); name another file")

    monkeypatch.setattr(files, "write_whole", full)
    assert "No space left" in refused("prove", "--json")


def test_a_forged_derivation_is_not_proved_and_nothing_is_written(run, monkeypatch, folder):
    at = next(i for i, step in enumerate(derivation.STEPS) if step.label == "emitted-law")
    forged = [*derivation.STEPS]
    forged[at] = replace(forged[at], statement=eq(derivation.D("x"), derivation.q("x")))
    real = evidence.gather
    monkeypatch.setattr(evidence, "gather", lambda progress: real(progress, forged))
    for arguments in (["prove"], ["prove", "--json"]):
        code, out, err = run(*arguments)
        assert (code, out) == (1, "")
        assert "not proved: step emitted-law: " in err.splitlines()[-1]
    assert os.listdir(folder) == []


def test_a_hole_in_the_kernel_is_not_proved_and_nothing_is_written(run, monkeypatch, folder, found):
    monkeypatch.setattr(evidence, "gather", lambda _progress: replace(found, problems=["the kernel accepts a forgery"]))
    code, _, err = run("prove")
    assert (code, err) == (1, "not proved: the kernel accepts a forgery\n")
    code, out, _ = run("prove", "--json")
    assert (code, json.loads(out)["problems"]) == (1, ["the kernel accepts a forgery"])
    assert os.listdir(folder) == []


# ---- how it ends


def test_ctrl_c_ends_it_with_one_line_and_nothing_written(refused, monkeypatch, folder):
    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(evidence, "gather", interrupted)
    monkeypatch.setattr("proof.front.walk.self_check", interrupted)
    assert refused("prove") == refused(*ONE_PAIR) == "samelaw: interrupted; nothing was written"
    assert os.listdir(folder) == []


@pytest.mark.parametrize("arguments", [[], ["check", "--help"], ONE_PAIR, [*ONE_PAIR, "--json"]])
def test_a_reader_who_goes_away_and_a_full_disk_leave_no_trace(folder, arguments):
    read, write = os.pipe()
    os.close(read)
    gone = samelaw(*arguments, cwd=folder, stdout=write)
    os.close(write)
    assert (gone.returncode, gone.stderr) == (2, "")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as disk:
            full = samelaw(*arguments, cwd=folder, stdout=disk)
        assert (full.returncode, len(full.stderr.splitlines())) == (2, 1)
        assert full.stderr.startswith("samelaw: the output cannot be read or written (")


def test_a_plain_terminal_of_ascii_is_enough(folder):
    for arguments in ([], ["check", "--help"], ["prove", "--help"], ONE_PAIR):
        done = samelaw(*arguments, cwd=folder, PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (0, "")
    assert samelaw("check", "--pairs", "é.json", cwd=folder, PYTHONIOENCODING="ascii").returncode == 2


def test_the_output_does_not_depend_on_the_process(folder, run):
    for seed in ("0", "1"):
        assert samelaw(*ONE_PAIR, cwd=folder, PYTHONHASHSEED=seed).stdout == run(*ONE_PAIR)[1]


# ---- whole or not at all


def modes(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_text_is_written_in_utf_8_with_plain_ends_of_lines(folder):
    files.write_whole("new.md", "½ + ½ = 1\n")
    assert Path("new.md").read_bytes() == "½ + ½ = 1\n".encode()
    assert files.read_text("new.md") == "½ + ½ = 1\n"
    assert os.listdir(folder) == ["new.md"]


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(folder):
    Path("usual").touch()
    files.write_whole("new.md", "new")
    assert modes("new.md") == modes("usual")
    os.chmod("new.md", 0o640)
    files.write_whole("new.md", "newer")
    assert (modes("new.md"), files.read_text("new.md")) == (0o640, "newer")
    assert sorted(os.listdir(folder)) == ["new.md", "usual"]


def test_a_link_stays_a_link_to_the_new_text(folder):
    (folder / "deep").mkdir()
    save("deep/real.md", "old")
    os.symlink("deep/real.md", "link.md")
    files.write_whole("link.md", "new")
    assert os.readlink("link.md") == "deep/real.md"
    assert Path("deep/real.md").read_text() == "new"
    assert os.listdir("deep") == ["real.md"]


def test_a_link_to_nothing_yet_makes_the_file_that_it_names():
    os.symlink("real.md", "link.md")
    files.write_whole("link.md", "new")
    assert (os.readlink("link.md"), Path("real.md").read_text()) == ("real.md", "new")
    os.symlink("nosuch/real.md", "lost.md")
    with pytest.raises(LawError, match="its folder is missing"):
        files.write_whole("lost.md", "new")


def test_a_device_is_written_to_and_never_replaced():
    for _ in range(2):
        files.write_whole(os.devnull, "text")
        assert not os.path.isfile(os.devnull)
    read, write = os.pipe()
    files.write_whole(f"/dev/fd/{write}", "text")
    os.close(write)
    with open(read) as pipe:
        assert pipe.read() == "text"


class HalfWritten:
    """A file on a disk that is full after three characters."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.file.close()

    def write(self, text):
        self.file.write(text[:3])
        raise OSError(28, os.strerror(28))


@pytest.mark.parametrize("old", ["old", None])
@pytest.mark.parametrize("fault", ["write", "chmod", "replace", "interrupt"])
def test_where_writing_fails_the_old_text_stays_and_nothing_is_left_behind(folder, monkeypatch, old, fault):
    if old:
        save("paper.md", old)
    error = KeyboardInterrupt() if fault == "interrupt" else OSError(28, os.strerror(28))

    def failing(*_arguments):
        raise error

    with monkeypatch.context() as patch:
        if fault == "write":
            fdopen = os.fdopen
            patch.setattr(os, "fdopen", lambda *arguments, **options: HalfWritten(fdopen(*arguments, **options)))
        else:
            patch.setattr(os, "replace" if fault == "interrupt" else fault, failing)
        with pytest.raises(KeyboardInterrupt if fault == "interrupt" else LawError) as caught:
            files.write_whole("paper.md", "a new text")
    assert fault == "interrupt" or str(caught.value) == (
        "output=paper.md: it cannot be written (No space left on device); name another file"
    )
    assert os.listdir(folder) == (["paper.md"] if old else [])
    assert old is None or Path("paper.md").read_text() == old


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".", "this is a folder"),
        ("", "this is empty"),
        ("nosuch/paper.md", "its folder is missing"),
        ("file/paper.md", "Not a directory"),
        ("a\0b", "null byte"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_place_that_cannot_hold_a_file_is_refused(path, why):
    save("file", "")
    for attempt in (files.require_writable, lambda path: files.write_whole(path, "text")):
        with pytest.raises(LawError, match=why) as error:
            attempt(path)
        assert str(error.value).startswith(f"output={path}: ")


def test_a_name_as_long_as_a_name_may_be_is_written(folder):
    name = "x" * 255
    files.write_whole(name, "text")
    assert os.listdir(folder) == [name]


def test_what_is_write_protected_stays(monkeypatch):
    save("paper.md", "old")
    os.mkdir("shelf")
    protected = {"paper.md", os.path.realpath("shelf")}
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) not in protected)  # root may write anywhere
    with pytest.raises(LawError, match="it is write-protected"):
        files.write_whole("paper.md", "new")
    with pytest.raises(LawError, match="its folder is missing or not to be written to"):
        files.write_whole("shelf/paper.md", "new")
    assert (Path("paper.md").read_text(), os.listdir("shelf")) == ("old", [])


def test_a_text_to_compare_with_is_read_or_refused(monkeypatch):
    Path("latin.md").write_bytes(b"caf\xe9")
    for path, why in (
        ("nosuch", "No such file"),
        (".", "Is a directory"),
        ("latin.md", "byte 3 is not"),
        ("\0", "null"),
    ):
        with pytest.raises(LawError, match=why) as error:
            files.read_text(path)
        assert str(error.value).startswith(f"file={path}: ")

    def denied(*_arguments, **_options):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("io.open", denied)
    with pytest.raises(LawError, match="Permission denied"):
        files.read_text("latin.md")


def test_the_walk_of_one_pair_shows_first_that_it_can_reject(run, monkeypatch):
    _, out, _ = run(*ONE_PAIR)
    assert out.splitlines()[0].startswith("can it reject? redraw-from-p, at p = (1/2, 1/2), q = (0, 1): ")
    monkeypatch.setattr("proof.front.walk.law_of", lambda rule: law_of("standard"))
    code, out, err = run(*ONE_PAIR)
    assert (code, out) == (2, "")
    assert err.startswith("samelaw: self-check: ")


def test_a_law_that_starts_with_a_minus_sign_is_read_as_a_law(refused):
    assert refused("check", "--p", "-1,2", "--q", "1,0").startswith("samelaw: p[0]=-1: a probability is not negative")


def test_the_walk_says_which_of_its_numbers_are_arbitrary(run):
    assert "are arbitrary numbers" not in run(*ONE_PAIR)[1]
    assert "are arbitrary numbers" in run("check", "--p", "1,0", "--q", "1,0")[1]
