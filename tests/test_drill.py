"""`samelaw drill`: the files it writes, exercises 6 to 8, hints, and the command."""

import json
import re
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import pytest

import exact
from exact.reading import LawError
from exact.rules import RULES, emission
from exact.search import all_pairs
from proof.drills import bugs, code, exercises, files, finding, reasons, sampling
from proof.drills.exercises import EXERCISES, exercise
from proof.front import drill, drill_options
from proof.notation import plain, python
from proof.progress import silent
from proof.rejection import STEPS, Z, letter_of, r, step
from proof.statement import Iff, relations

NUMBERS = [x.number for x in EXERCISES]


@pytest.fixture
def drilled():
    """drilled("test", 1, file): exit code, text and object of the command, LawError and all."""
    command = ArgumentParser()
    drill_options.add_options(command, float)

    def drilled(*arguments):
        found, lines, facts = drill.run(command.parse_args([*map(str, arguments)]), silent)
        return found, "\n".join(lines), facts

    return drilled


@pytest.fixture
def written(tmp_path):
    """written(6, body): a file with that text."""

    def written(number, body):
        file = tmp_path / exercise(number).file
        file.write_text(f"import os\nimport numpy as np\nfrom fractions import Fraction\n\n{body}", encoding="utf-8")
        return file

    return written


# ---- the exercises


def test_there_are_eight_in_order_with_everything_that_they_need():
    assert NUMBERS == [1, 2, 3, 4, 5, 6, 7, 8]
    for x in EXERCISES:
        assert (files.STARTERS / f"{x.number}.txt").is_file()
        assert x.about
        assert x.hints[""]
        assert {*x.lines, *x.told} <= {s.label for s in STEPS}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_starter_has_a_statement_how_to_run_and_grade_it_and_no_mark_left(number):
    text, asked = files.starter(exercise(number)), exercise(number)
    assert text.startswith(f"# Exercise {number} of 8: ")
    assert f"# Run it:    python {asked.file}\n" in text
    assert f"# Grade it:  samelaw drill test {number} {asked.file}\n" in text
    assert not re.search(r"<<[\w-]+>>", text)
    assert max(map(len, text.splitlines())) <= 120
    assert text == files.starter(asked)
    compile(text, asked.file, "exec")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_starter_runs_alone_and_its_visible_tests_pass_with_the_reference_and_fail_without(number, tmp_path):
    asked = exercise(number)
    text = files.starter(asked)
    assert not run_alone(tmp_path / "unfilled.py", text) or asked.kind in (exercises.BUGS, exercises.PROOF)
    body = files.code(asked)
    opening = "def " + asked.name if body.startswith(("def", "from")) else asked.name + " = {"
    start = text.index(f"\n{opening}") + 1
    end = text.index('\n\n\nif __name__ == "__main__":') if asked.kind != exercises.BUGS else text.index("}\n") + 1
    assert run_alone(tmp_path / "filled.py", text[:start] + body + text[end:])


def run_alone(file, text):
    """Without anything of ours on the path."""
    file.write_text(text, encoding="utf-8")
    ended = subprocess.run([sys.executable, "-P", file], cwd=file.parent, capture_output=True, check=False, text=True)
    return ended.returncode == 0


@pytest.mark.parametrize("number", [1, 2, 3, 4, 7, 8])
def test_no_starter_gives_its_answer_away(number):
    text = squeezed(files.starter(exercise(number)))
    known = ("def ", "from ", "    V = ", "PAIRS = ", "REASONS = ", "}")
    body = [line for line in files.code(exercise(number)).splitlines() if not line.startswith(known) and line]
    assert body
    assert not [line for line in body if squeezed(line) in text]


@pytest.mark.parametrize("asked", EXERCISES, ids=lambda x: str(x.number))
def test_no_hint_gives_the_answer_away(asked):
    for text in (*asked.hints.values(), *exercises.COMMON.values()):
        for formula in formulas():
            assert squeezed(formula) not in squeezed(text)
        assert not re.search(r"\b(min|max|abs|maximum|minimum|sum)\(|\^\+|1 - |[pqr](\(x\)|\[x\])? [-/*] ", text)
        assert not any(label in text for label in sum((step(x).cites for x in reasons.PROVED), ()))
        assert not any(rule in text for rule in bugs.RULES_OF.values())
        assert not any(str(pair).strip("()") in text for pair in files.smallest_pairs().values())


def formulas():
    """Every side of every equation, as it is written in text and in Python, but for single letters."""
    for s in STEPS:
        for relation in relations(s.statement):
            for side in (relation.a, relation.b):
                yield from (
                    text for text in (plain(side), python(side)) if len(text) > 5 and not text.startswith("sum_x r")
                )


def squeezed(text):
    return "".join(text.split())


def test_a_hint_goes_from_the_general_to_the_particular():
    assert len(exercise(1).hint("zero", 2)) == 2
    assert "Token 2 " in exercise(1).hint("zero", 2)[1]
    assert exercise(1).hint("") == [exercise(1).hints[""]]
    assert exercise(1).hint("chance") == [exercises.COMMON["chance"]]


# ---- the references, as code


def test_the_code_is_that_of_the_derivation():
    scope = {}
    for number in (1, 2, 3, 4):
        exec(files.solution(exercise(number)), scope)
    for p, q in all_pairs(3, 4):
        assert scope["accepted_mass"](p, q) == [*map(min, p, q)]
        assert scope["residual"](p, q) == [*exact.residual(p, q)]
        assert scope["acceptance_rate"](p, q) == 1 - exact.total_variation(p, q)
        dist, alpha = scope["emitted_distribution"](p, q)
        assert (tuple(dist), alpha) == (tuple(p), exact.emitted_distribution(p, q)[1])


def test_a_letter_is_defined_once_and_before_it_is_used():
    every = [s.statement.a for s in STEPS if s.rule == "definition"]
    found = re.findall(r"^    (\w+) = (.*)", code.function("f", every), re.MULTILINE)[1:]  # V is the first
    names = [name for name, _ in found]
    assert sorted(names) == sorted(map(letter_of, every))
    for i, (_, expression) in enumerate(found):
        assert {*re.findall(r"\w+", expression)} & {*names} <= {*names[:i]}


def test_what_exercise_5_starts_from_is_the_reference_without_its_case():
    right, broken = (files.code(exercise(5)), files.mendable(exercise(5)))
    changed = [(a, b) for a, b in zip(right.splitlines(), broken.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0][0].replace(" if Z > 0 else p[x]", "") == changed[0][1]


def test_an_expression_with_a_token_is_returned_as_a_list():
    source = code.function("f", [Z, r("x") / 2])
    scope = {}
    exec(source, scope)
    assert scope["f"]([1, 0], [0, 1]) == (1, [0.5, 0])


# ---- exercise 6

DRAFT = "def emit(p, q, rng):\n    x = rng.choice(len(q), p=q)\n"
HALF = f"{DRAFT}    if rng.random() * q[x] < p[x]:\n        return x, True\n"
REST = "    r = np.maximum(p - q, 0)\n    return rng.choice(len(p), p=r / r.sum()), False\n"
FROM_P = "    return rng.choice(len(p), p=p)"
GOOD = {
    "product": HALF + REST,
    "quotient": f"{DRAFT}    if rng.random() < min(1, p[x] / q[x]):\n        return (int(x), True)\n"
    "    r = [max(a - b, 0) for a, b in zip(p, q)]\n"
    "    return int(rng.choice(len(p), p=[w / sum(r) for w in r])), False",
    "inverse CDF": HALF.replace(
        "x = rng.choice(len(q), p=q)",
        "s = np.cumsum(q)\n    x = np.searchsorted(s, rng.random() * s[-1], side='right')",
    )
    + REST,
}
SWAPPED = (HALF + REST).replace("True", "None").replace("False", "True").replace("None", "False")
BAD = {  # body, kind of fault, what is said
    "p and never mind": (f"def emit(p, q, rng):\n{FROM_P}, True", sampling.FLAG, "(5)"),
    "always redrawn": (f"def emit(p, q, rng):\n{FROM_P}, False", sampling.FLAG, "(5)"),
    "no flag": (f"{(HALF + REST).replace(', True', '').replace(', False', '')}", sampling.FLAG, "(5)"),
    "flag apart": (f"def emit(p, q, rng):\n{FROM_P}, rng.random() < np.minimum(p, q).sum()", sampling.FLAG, "(5)"),
    "flags swapped": (SWAPPED, sampling.FLAG, "(5)"),
    "the draft": (f"{DRAFT}    return x, True", sampling.LAW, "token  wanted  got  off by"),
    "redraws from p": (f"{HALF}{FROM_P}, False", sampling.LAW, "redraw-from-p"),
    "unnormalised": (HALF + REST.replace(" / r.sum()", ""), sampling.RUNS, "raises ValueError"),
    "not filled in": ("def emit(p, q, rng):\n    raise NotImplementedError", sampling.UNFINISHED, "not filled in"),
    "out of range": ("def emit(p, q, rng):\n    return len(p), True", sampling.LAW, "ids in range"),
}


@pytest.mark.parametrize("how", GOOD)
def test_a_right_sampler_passes(drilled, written, how):
    found, text, facts = drilled("test", 6, written(6, GOOD[how]))
    assert (found, facts["exit_code"], facts["audit"]["lossless"], facts["way"]) == (0, 0, True, None)
    assert "PASSED: exercise 6, emit." in text


@pytest.mark.parametrize("how", BAD)
def test_a_wrong_sampler_is_caught_and_told_why(written, how):
    body, kind, said = BAD[how]
    found = sampling.grade(exercise(6), str(written(6, body)), silent)
    text = "\n".join(sampling.lines(exercise(6), found))
    assert not found.passed
    assert found.kind == kind
    assert "NOT YET: " in text
    assert said in text
    assert "hint: " in text


def test_a_sampler_with_a_state_cannot_be_graded(drilled, written):
    with pytest.raises(LawError, match="state"):
        drilled("test", 6, written(6, "n = [0]\ndef emit(p, q, rng):\n    n[0] += 1\n    return n[0] % 2, True"))


# ---- exercise 7


@pytest.mark.parametrize("name", bugs.VERIFIERS)
def test_a_verifier_has_the_law_of_its_rule_and_its_smallest_pair_is_the_smallest(name):
    rule = RULES[bugs.RULES_OF[name]]
    for p, q in all_pairs(3, 3):
        assert bugs.emitted(name, p, q) == tuple(emission(rule, p, q).dist)
        if bugs.emitted(name, p, q) != p:
            assert bugs.size(bugs.smallest_pair(name)) <= bugs.size(finding.Pair(p, q))
    assert bugs.emitted(name, *bugs.smallest_pair(name)) != bugs.smallest_pair(name).p


def test_the_five_are_five_rules_of_five_sizes():
    assert len({*bugs.RULES_OF.values()}) == len(bugs.VERIFIERS) == 5
    assert len({bugs.size(bugs.smallest_pair(name)) for name in bugs.VERIFIERS}) == 5


@pytest.mark.parametrize("name", bugs.VERIFIERS)
def test_every_pair_as_small_as_the_smallest_is_right_and_no_other(name):
    least = bugs.size(bugs.smallest_pair(name))
    for p, q in all_pairs(3, 3):
        found = finding.judge(name, [[*map(str, p)], [*map(str, q)]])
        shows = bugs.emitted(name, p, q) != p
        assert (found.kind == "") == (shows and bugs.size(finding.Pair(p, q)) == least)
        assert (found.kind == finding.SHOWS) == (not shows)


@pytest.mark.parametrize(
    ("pair", "kind"),
    [
        (None, finding.NONE),
        ([["1/2", "1/2"], ["1/2", "1/2"]], finding.SHOWS),
        ([["1/3", "2/3"], ["0", "1"]], finding.SMALLER),
        ([["1/2", "1/4"], ["0", "1"]], finding.UNREADABLE),
        ([["1/2", "1/2"], ["0", "0", "1"]], finding.UNREADABLE),
        ([["x", "1"], ["0", "1"]], finding.UNREADABLE),
        ([["3/2", "-1/2"], ["0", "1"]], finding.UNREADABLE),
        ([["1/2", "1/2"]], finding.UNREADABLE),
        ("1/2", finding.UNREADABLE),
    ],
)
def test_what_is_wrong_with_a_pair_is_told(pair, kind):
    assert finding.judge("verifier_b", pair).kind == kind


def test_pairs_may_be_written_in_any_numbers(drilled, written):
    _, text, facts = drilled(
        "test",
        7,
        written(
            7,
            """PAIRS = {
        "verifier_a": ([0, 1], [1.0, 0.0]), "verifier_b": (np.array([0.5, 0.5]), (1, 0)),
        "verifier_c": [[Fraction(1, 3), Fraction(2, 3)], ["1/3", "2/3"]],
        "verifier_d": (["1/2", 0, "0.5"], [0, "1/2", 0.5]), "verifier_e": (["1/3"] * 3, [0, 0, 1]), "verifier_f": 1}""",
        ),
    )
    assert [v["right"] for v in facts["verifiers"]] == [True] * 5 + [False]
    assert "verifier_f  NOT YET: there is no verifier of that name" in text


def test_the_learners_own_verifiers_are_not_asked(drilled, written):
    """A file that mends or breaks its copy of a verifier gets the same grade."""
    body = files.code(exercise(7)) + "\n\ndef verifier_a(p, q, rng):\n    return 7\n"
    assert drilled("test", 7, written(7, body))[0] == 0


# ---- exercise 8

RIGHT_REASON = {"two-branches": 1, "accepted-mass": 1, "redrawn-mass": 1, "split-p": -1}


def test_the_reasons_of_the_derivation_are_accepted_and_others_too():
    for label, reason in files.reasons().items():
        assert reasons.judge(label, reason) is None
    assert reasons.judge("emitted-law", {**RIGHT_REASON, "excess-mass": 0}) is None
    longer = {**RIGHT_REASON, "rejection-mass": "D(x)", "excess-mass": "D(x)", "residual-mass": 0}
    assert reasons.judge("emitted-law", longer).kind == reasons.ADDS
    around = {"rejection": "rho(x)", "emitted": 1, "accepted-mass": 1, "redrawn-mass": 1, "split-p": "0 - 1"}
    around["rejection"] = "-rho(x)"
    assert reasons.judge("emitted-law", around) is None  # two-branches, taken apart
    assert reasons.judge("redrawn-if-mass", {"rejection-mass": "rho(x)", "replacement": "1 * Z"}) is None
    by_excess = {"rejection-mass": "rho(x)", "excess-mass": "rho(x)", "replacement": "sum(e(x))"}
    assert reasons.judge("redrawn-if-mass", by_excess).kind == reasons.ADDS


@pytest.mark.parametrize(
    ("label", "reason", "kind", "said"),
    [
        ("emitted-law", None, reasons.NONE, "no reason yet"),
        ("emitted-law", {}, reasons.ADDS, "left over is D(x) - p(x)"),
        ("emitted-law", {"emitted-law": 1}, reasons.MISSING, "emitted-law: no line before emitted-law has that name"),
        ("redrawn-if-mass", {"redrawn-mass": 1}, reasons.MISSING, "redrawn-mass: no line before"),
        ("redrawn-if-mass", {"emitted-law": 1, "two-branches": -1}, reasons.MISSING, "emitted-law: no line before"),
        ("emitted-law", {"nonsense": 1}, reasons.MISSING, "nonsense: no line before"),
        ("emitted-law", {"residual-sign": 1}, reasons.MISSING, "residual-sign is no equation"),
        ("emitted-law", {**RIGHT_REASON, "split-p": 1}, reasons.ADDS, "left over is 2 m(x) - 2 p(x) + 2 r(x)"),
        ("emitted-law", {"two-branches": 1, "accepted-mass": 1, "redrawn-if-mass": 1, "split-p": -1},
         reasons.HYPOTHESIS, "holds only where Z > 0"),
        ("emitted-law", {"equal-if-no-mass": 1}, reasons.HYPOTHESIS, "holds only where Z = 0"),
        ("redrawn-if-mass", {"rejection-mass": "rho(x)"}, reasons.ADDS, "left over is "),
        ("redrawn-if-mass", {"rejection-mass": "rho(x)", "replacement": "1/beta"}, reasons.ADDS, "beta may be zero"),
        ("emitted-law", {"two-branches": "rho(x"}, reasons.UNREADABLE, "a coefficient is a number, or an expression"),
        ("emitted-law", {"two-branches": "kappa"}, reasons.UNREADABLE, "kappa is none of the letters"),
        ("emitted-law", {"two-branches": "__import__('os')"}, reasons.UNREADABLE, "a coefficient is a number"),
        ("emitted-law", ["two-branches"], reasons.UNREADABLE, "a reason is a dict"),
        ("emitted-law", {"two-branches": None}, reasons.UNREADABLE, "a coefficient is a number"),
        ("emitted-law", {"two-branches": "rho(y)"}, reasons.ADDS, "the free token is called x"),
    ],
)  # fmt: skip
def test_a_wrong_reason_is_refused_in_plain_words(label, reason, kind, said):
    found = reasons.judge(label, reason)
    assert found is not None
    assert (found.kind, said in found.text) == (kind, True), found


def test_the_lines_that_are_listed_are_those_of_the_derivation_up_to_the_last():
    labels = [line.partition(":")[0] for line in reasons.listed()]
    wanted = [s.label for s in STEPS[: reasons.position("emitted-law") + 1] if not isinstance(s.statement, Iff)]
    assert labels == [x for x in wanted if step(x).statement.sign == "="]
    assert [line for line in reasons.listed() if "TO BE PROVED" in line] == [
        f"redrawn-if-mass: {plain(step('redrawn-if-mass').statement)}   [Z > 0]   TO BE PROVED",
        f"emitted-law: {plain(step('emitted-law').statement)}   TO BE PROVED",
    ]


def test_reasons_with_fractions_in_them(drilled, written):
    body = files.code(exercise(8)).replace('"split-p": -1', '"split-p": -Fraction(1), "overlap": 0.0')
    found, text, facts = drilled("test", 8, written(8, body))
    assert found == 0
    assert [line["proved"] for line in facts["lines"]] == [True, True]
    assert "PASSED: exercise 8" in text


@pytest.mark.parametrize(
    ("grader", "blind"), [(finding, lambda *_: finding.Found("", "", "")), (reasons, lambda *_: None)]
)
def test_a_grader_that_cannot_reject_does_not_run(monkeypatch, grader, blind):
    monkeypatch.setattr(grader, "judge", blind)
    with pytest.raises(LawError, match="this grader proves nothing"):
        grader.self_check_text()


# ---- the command


def test_it_lists_the_exercises(drilled):
    found, text, facts = drilled()
    assert found == 0
    assert [line.split()[:2] for line in text.splitlines()[:8]] == [[str(x.number), x.name] for x in EXERCISES]
    assert [x["file"] for x in facts["exercises"]] == [x.file for x in EXERCISES]
    assert drilled("list") == (found, text, facts)


@pytest.mark.parametrize("number", NUMBERS)
def test_start_writes_the_starter_and_never_overwrites(drilled, tmp_path, number):
    folder = tmp_path / "new" / "folder"
    found, text, facts = drilled("start", number, folder)
    file = folder / exercise(number).file
    assert (found, facts["wrote"]) == (0, str(file))
    assert file.read_text(encoding="utf-8") == files.starter(exercise(number))
    assert f"samelaw drill test {number} {file}" in text
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(LawError, match="it exists, and is not overwritten; name another folder"):
        drilled("start", number, folder)
    assert file.read_text(encoding="utf-8") == "mine"
    assert [*folder.iterdir()] == [file]


def test_start_does_not_write_through_a_link(drilled, tmp_path):
    (tmp_path / exercise(1).file).symlink_to(tmp_path / "nowhere")
    with pytest.raises(LawError, match="it exists"):
        drilled("start", 1, tmp_path)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("number", NUMBERS)
def test_solution_shows_the_reference_and_the_reference_passes(drilled, number):
    found, text, facts = drilled("start", number, "--solution")
    assert (found, facts["solution"]) == (0, text + "\n")
    assert files.code(exercise(number)) in text
    found, text, facts = drilled("test", number, "--solution")
    assert (found, facts["exit_code"], facts["exercise"]) == (0, 0, number)
    assert f"PASSED: exercise {number}, " in text
    assert text.splitlines()[1].startswith("self-check: this grader rejects ")


@pytest.mark.parametrize("number", NUMBERS)
def test_an_unfilled_starter_is_not_yet_right(drilled, tmp_path, number):
    drilled("start", number, tmp_path)
    found, text, facts = drilled("test", number, tmp_path / exercise(number).file)
    assert (found, facts["exit_code"]) == (1, 1)
    assert "NOT YET: " in text
    assert "hint: " in text
    json.dumps(facts)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["start", "0", "DIR"], "exercise=0: it is a number from 1 to 8"),
        (["start", "9", "DIR"], "exercise=9: it is a number from 1 to 8"),
        (["test", "one", "FILE"], "exercise=one: it is a number from 1 to 8"),
        (["test", "1", "MISSING.py"], "there is no such file; mend the path"),
        (["test", "1", "DIR"], "this is a folder; mend the path"),
        (["start", "1", "FILE"], "it cannot be made"),
        (["start", "1", ""], "folder=: it cannot be made"),
        (["test", "2", "FILE"], "there is no 'residual' in it (it has something); mend the name"),
        (["test", "6", "FILE"], "there is no 'emit' in it"),
        (["test", "7", "FILE"], "there is no dict 'PAIRS' in it; mend the name"),
        (["test", "8", "FILE"], "there is no dict 'REASONS' in it; mend the name"),
        (["test", "1", "BROKEN.py"], "importing it raises SyntaxError"),
        (["test", "7", "BROKEN.py"], "importing it raises SyntaxError"),
        (["start"], "start: it takes the number of an exercise and DIR"),
        (["test"], "test: it takes the number of an exercise and FILE"),
        (["start", "1"], "DIR is missing"),
        (["test", "1"], "FILE is missing"),
        (["test", "1", "FILE", "--solution"], "--solution: it stands in the place of FILE"),
        (["start", "1", "DIR", "--solution"], "--solution: it stands in the place of DIR"),
        (["list", "1"], "list: it takes nothing more"),
        (["--solution"], "list: it takes nothing more"),
    ],
)
def test_bad_input_is_refused_and_with_json_is_an_object(drilled, tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    Path("DIR").mkdir()
    Path("FILE").write_text("def something():\n    pass\n", encoding="utf-8")
    Path("BROKEN.py").write_text("def accepted_mass(:\n", encoding="utf-8")
    Path("FILE").rename("FILE.py")
    given = ["FILE.py" if x == "FILE" else x for x in arguments]
    with pytest.raises(LawError) as refused:
        drilled(*given)
    assert said in str(refused.value)
    assert drilled(*given, "--json") == (2, "", {"exit_code": 2, "error": str(refused.value)})
    assert capsys.readouterr().err == f"samelaw: {refused.value}\n"
    assert not [*Path("DIR").iterdir()]


def test_exit_codes_and_the_report_for_a_program(drilled, written):
    found, text, facts = drilled("test", 1, written(1, "def accepted_mass(p, q):\n    return q\n"))
    assert found == facts["exit_code"] == 1
    first = facts["counterexample"]
    assert (first["p"], first["q"], first["line"]) == (["0", "1"], ["1", "0"], "accepted-mass")
    assert first["table"][0] == {"token": "0", "wanted": "0", "got": "1", "off by": "1"}
    assert facts["rules"] == ["accept-all"]
    assert [f"hint: {hint}" in " ".join(text.split()) for hint in first["hints"]] == [True, True]
    assert json.loads(json.dumps(facts)) == facts


def test_what_a_file_prints_and_where_it_stands_do_not_matter(drilled, written, monkeypatch, capsys):
    body = "print('noise')\ndef accepted_mass(p, q):\n    print('more')\n    return np.minimum(p, q)\n"
    file = written(1, body)
    monkeypatch.chdir(file.parent)
    assert drilled("test", 1, file.name)[0] == 0
    assert capsys.readouterr() == ("", "")


def test_help_imports_nothing_heavy():
    script = (
        "import sys, argparse\nfrom proof.front.drill_options import add_options\n"
        "add_options(argparse.ArgumentParser(), float)\n"
        "assert not {'numpy', 'sympy', 'proof.rejection'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parent.parent)


def test_sympy_is_not_imported_but_for_exercise_8():
    script = (
        "import sys, argparse\nfrom proof.front import drill, drill_options\nfrom proof.progress import silent\n"
        "command = argparse.ArgumentParser()\ndrill_options.add_options(command, float)\n"
        "for words in ([], *(['test', n, '--solution'] for n in '134567')):\n"
        "    assert drill.run(command.parse_args(words), silent)[0] == 0\n"
        "assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parent.parent)


def test_width_is_kept(drilled, written, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for number, body in ((3, "def emitted_distribution(p, q):\n    return p, 1\n"), (6, BAD["redraws from p"][0])):
        text = drilled("test", number, written(number, body))[1]
        assert max(map(len, text.splitlines())) <= 100
        assert sum(len(line) > 60 for line in text.splitlines()) <= 3  # a line of the paper, a table


def test_arrays_of_numpy_are_read_as_what_they_are():
    from proof.drills.child import written as as_text

    assert as_text({"a": np.array([0.5, 0.25]), "b": (1, None, "x", float("nan"))}) == {
        "a": ["1/2", "1/4"], "b": ["1", None, "x", "nan"],
    }  # fmt: skip
