"""`samelaw drill`: the files it writes, exercises 6 to 8, hints, and the command."""

import json
import re
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exact
from exact.reading import LawError, Numbers
from exact.rules import RULES, emission
from exact.search import all_pairs
from proof.drills import bugs, code, exercises, files, finding, reasons, sampling
from proof.drills.exercises import EXERCISES, exercise
from proof.drills.hints import hint_lines, hints_of
from proof.drills.leftover import added, polynomial_text, term, tidied
from proof.front import drill, drill_options
from proof.normal import normal
from proof.notation import plain, python
from proof.progress import silent
from proof.rejection import STEPS, Z, letter_of, r, step, world_of
from proof.statement import Abs, At, Iff, Max, Min, Name, Sum, node, relations

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
    "plain inverse CDF": HALF.replace(
        "x = rng.choice(len(q), p=q)", "x = np.searchsorted(np.cumsum(q), rng.random(), side='right')"
    )
    + REST,
    "rounds by itself": HALF + "    r = np.maximum(p - q, 0)\n"
    "    return rng.choice(len(p), p=[float(t / sum(r)) for t in r]), False\n",
    "prints and asks": "print('noise', flush=True)\n" + (HALF + REST).replace("    x =", "    print(p)\n    x =", 1),
}
SWAPPED = (HALF + REST).replace("True", "None").replace("False", "True").replace("None", "False")
BAD = {  # body, kind of fault, what is said
    "p and never mind": (f"def emit(p, q, rng):\n{FROM_P}, True", sampling.FLAG, "(5)"),
    "always redrawn": (f"def emit(p, q, rng):\n{FROM_P}, False", sampling.FLAG, "(5)"),
    "flag apart": (f"def emit(p, q, rng):\n{FROM_P}, rng.random() < np.minimum(p, q).sum()", sampling.FLAG, "(5)"),
    "flags swapped": (SWAPPED, sampling.FLAG, "(5)"),
    "the draft": (f"{DRAFT}    return x, True", sampling.LAW, "token  wanted  got  off by"),
    "redraws from p": (f"{HALF}{FROM_P}, False", sampling.LAW, "redraw-from-p"),
    "unnormalised": (HALF + REST.replace(" / r.sum()", ""), sampling.RUNS, "raises ValueError"),
    "not filled in": ("def emit(p, q, rng):\n    raise NotImplementedError", sampling.UNFINISHED, "not filled in"),
    "out of range": ("def emit(p, q, rng):\n    return len(p), True", sampling.FORM, "ids in range"),
    "a triple": (f"{DRAFT}    return x, True, 1", sampling.FORM, "NOT YET"),
    "no return": (f"{DRAFT}", sampling.FORM, "NOT YET"),
    "four tokens": (f"def emit(p, q, rng):\n    if len(p) > 3:\n    {FROM_P}, True\n"
                    + (HALF + REST).partition("\n")[2], sampling.FLAG, "(5)"),
    "threshold": (HALF + REST.replace("    return", f"    if r.sum() < 1e-4:\n    {FROM_P}, False\n    return", 1),
                  sampling.FLAG, "(38)"),
    "token alone": ((HALF + REST).replace(", True", "").replace(", False", ""), sampling.FLAG,
                    "return the pair (token, accepted)"),
    "retries": (f"{HALF}    return emit(p, q, rng)", sampling.ENDLESS, "RecursionError"),
    "its own seed": ((HALF + REST).replace("    x =", "    rng = np.random.default_rng(0)\n    x =", 1), sampling.SEED,
                     "emits the same token for ever"),
    "changes p": (HALF + REST.replace("    return", "    p[0] += 0\n    p[:] = 0\n    return", 1), sampling.INPUT,
                  "changes its argument p in place"),
}  # fmt: skip


@pytest.mark.parametrize("how", GOOD)
def test_a_right_sampler_passes(drilled, written, how):
    found, text, facts = drilled("test", 6, written(6, GOOD[how]))
    assert (found, facts["exit_code"], facts["way"]) == (0, 0, None)
    assert facts["audit"]["lossless"] == (how != "plain inverse CDF")  # whose sums of floats may end below 1
    assert ("a sum of floats may end below 1" in " ".join(text.split())) == (how == "plain inverse CDF")
    assert "PASSED: exercise 6, emit." in text


@pytest.mark.parametrize("how", BAD)
def test_a_wrong_sampler_is_caught_and_told_why(written, how):
    body, kind, said = BAD[how]
    found = sampling.grade(exercise(6), str(written(6, body)))
    text = "\n".join(sampling.lines(exercise(6), found))
    assert not found.passed
    assert found.kind == kind
    assert "NOT YET: " in text
    assert said in text
    assert "hint: " in text


def test_a_sampler_with_a_state_cannot_be_graded(drilled, written):
    with pytest.raises(LawError, match="state"):
        drilled("test", 6, written(6, "n = [0]\ndef emit(p, q, rng):\n    n[0] += 1\n    return n[0] % 2, True"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import os\nos._exit(0)", "NOT YET: it ends the program (exit status 0)"),
        ("while True:\n    pass", "NOT YET: it is not through within 1 s"),
        ("def emit(p, q, rng):\n    import os\n    os._exit(0)", "NOT YET: "),
    ],
)
def test_a_sampler_that_ends_the_program_or_never_ends_is_graded(drilled, written, monkeypatch, body, said):
    monkeypatch.setattr("proof.drills.apart.AT_LEAST", 1.0)
    monkeypatch.setattr("proof.drills.apart.TIMES", 0)
    code, text, facts = drilled("test", 6, written(6, body))
    assert code == facts["exit_code"] == 1
    assert said in text


def test_a_run_that_never_ends_has_the_time_that_is_given(drilled, written):
    code, text, _ = drilled(
        "test", 6, written(6, "def emit(p, q, rng):\n    while True:\n        pass"), "--timeout", "0.5"
    )
    assert code == 1
    assert "does not return within 0.5 s" in text
    assert "Is there a loop that never ends" in " ".join(text.split())


@pytest.mark.parametrize("how", ["its own seed", "p and never mind", "redraws from p", "the draft"])
def test_what_fails_its_visible_test_by_far_is_not_passed(written, how):
    """The visible test of exercise 6 counts: what it sees, the grader sees as well."""
    file = written(6, BAD[how][0])
    assert not sampling.grade(exercise(6), str(file)).passed


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


def test_a_pair_of_more_tokens_than_needed_is_not_followed(monkeypatch):
    monkeypatch.setattr(finding, "emitted", lambda *_: pytest.fail("it is followed"))
    uniform, first = ["1/300"] * 300, [1] + [0] * 299
    said = "the pair has 300 tokens; there is a smaller pair that shows it"
    for name in bugs.VERIFIERS:
        assert finding.judge(name, [uniform, first]) == finding.Found(name, finding.SMALLER, said)
        assert bugs.size(bugs.smallest_pair(name))[0] < finding.MOST_TOKENS


PAIRS_OF_OTHER_THINGS = """PAIRS = {
    "verifier_a": ([1 / 3, 2 / 3], [0, 1]), "verifier_b": (x for x in [[0, 1], [1, 0]]),
    "verifier_c": ((x for x in [0, 1]), [0, 1]), "verifier_d": ([object(), 1], [0, 1]),
    "verifier_e": ([10**5000, 1], [0, 1]), object(): 1}"""


def test_what_is_no_pair_is_told_without_an_address_and_with_what_to_do(drilled, written):
    found, text, facts = drilled("test", 7, written(7, PAIRS_OF_OTHER_THINGS))
    rounded = 'p sums to nearly 1: a law sums to exactly 1, and a float is rounded; write "1/3" as a string'
    long = "<a number of more than 4300 digits>"
    assert (found, [v["text"] for v in facts["verifiers"]]) == (1, [
        rounded,
        "pair=<generator>: a pair is (p, q), two lists of numbers; write it so",
        "p=<generator>: a law is a list of numbers; give a list",
        "p[0]='<object>': this is no number; write '1/3', '0.25' or '25%'",
        f"p[0]='{long}': this is no number; write '1/3', '0.25' or '25%'",
        "there is no verifier of that name",
    ])  # fmt: skip
    assert facts["verifiers"][-1]["name"] == "<object>"
    assert "0x" not in text
    assert finding.read_pair([["1/3", "2/3"], ["0", "1"]]).p[0] * 3 == 1


def test_a_hint_names_its_verifier_and_is_in_the_report_for_a_program(drilled, written):
    body = files.code(exercise(7)).replace("}", '    "verifier_b": (["1/2", "1/2"], ["1/2", "1/2"])}')
    found, text, facts = drilled("test", 7, written(7, body))
    general, shows = exercise(7).hint(finding.SHOWS)
    assert (found, facts["hints"]) == (1, [general, f"verifier_b: {shows}"])
    assert f"hint: verifier_b: {shows}" in " ".join(text.split())
    assert facts["self_check"] in " ".join(text.split())
    assert finding.facts(exercise(7), [finding.Found("verifier_b", "", "")])["hints"] == []


def test_a_hint_is_for_the_first_fault_that_has_one():
    asked = replace(exercise(7), hints={"": "general", "b": "for b", "c": "for c"})
    assert hints_of(asked, [("one", "a"), ("two", "c"), ("three", "b")]) == ["general", "two: for c"]
    assert hints_of(asked, [("one", "a")]) == ["general"]
    assert hints_of(asked, []) == []
    assert hint_lines(["general", "two: for c"]) == ["hint: general", "hint: two: for c"]


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


@pytest.mark.parametrize("sign", ["+1", "+ 1", "-(-1)", "+(+1)"])
def test_a_coefficient_may_have_a_plus(sign):
    assert reasons.judge("emitted-law", {**RIGHT_REASON, "two-branches": sign}) is None


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        ({"residual": -1}, "(p(x) - q(x))^+"),
        ({"acceptance": 1}, "(min(p(x)/q(x), 1) where q(x) > 0, otherwise u(x))"),
        ({"overlap": 1, "residual-mass": 1}, "min(p(x), q(x)) - Z - sum_y m(y) + 1"),
        ({"rejection-mass": "-1/2"}, "left over is D(x) - p(x) - 1/2 Z + 1/2 beta"),
    ],
)
def test_what_is_left_over_has_no_factor_1_and_no_bound_token_of_its_own(reason, left):
    found = reasons.judge("emitted-law", reason)
    assert (found.kind, left in found.text) == (reasons.ADDS, True), found
    assert not re.search(r"#|\b1 [a-z(]|\(-1\)|\+ -|- -", found.text)


def test_of_what_is_left_over_the_first_terms_are_shown():
    letters = [At("p", "x"), At("q", "x"), Name("Z"), Name("beta"), Name("alpha")]
    terms = {((a, k),): Fraction(k) for a in letters for k in (1, 2, 3)}
    assert polynomial_text(terms).endswith(" + 3 beta beta beta and 3 more terms")
    assert polynomial_text(dict([*terms.items()][:13])).endswith(" + 3 beta beta beta and 1 more term")
    assert "more" not in polynomial_text(dict([*terms.items()][:12]))
    long = {((Name("beta"), 150),): Fraction(1), (): Fraction(1)}
    assert polynomial_text(long) == f"{' '.join(['beta'] * 150)} and 1 more term"


def test_what_is_left_over_is_the_same_number():
    x, p, q, Z, one = {"x": 0}, At("p", "x"), At("q", "x"), Name("Z"), node(1)
    world = world_of(*map(Numbers, ([Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 4), Fraction(3, 4)])))
    trees = [
        p - q, q - p, 0 - p, 0 - p - q, 3 - p, p - 3, (p - q) / Z, 2 * p / q, p * (one / q) * Z,
        Max(q - p, node(0)) - Max(p - q, node(0)), Abs(q - p - Z) * (3 - q), Min(0 - p, Z - one / (q - p)),
        Sum("y", At("p", "y") * (q - At("q", "y"))), (one / Z - p) * (one / q - Z) / 7,
    ]  # fmt: skip
    for tree in trees:
        for monomial, coefficient in normal(tree).items():
            whole = term(monomial, coefficient)
            assert world.value(tidied(whole), x) == world.value(whole, x)
        assert world.value(added([tidied(term(*item)) for item in normal(tree).items()]), x) == world.value(tree, x)


@pytest.mark.parametrize(
    "coefficient", ["*".join(["Z"] * 150), "+" * 299 + "Z", "-" * 298 + "Z", "(Z+" * 73 + "Z" + ")" * 73]
)
def test_a_coefficient_may_be_as_long_and_deep_as_its_characters_allow(coefficient):
    found = reasons.judge("emitted-law", {"rejection-mass": coefficient})
    assert (found.kind, "left over is D(x) - p(x)" in found.text) == (reasons.ADDS, True), found


def test_a_line_that_nobody_asked_for_is_named(drilled, written):
    body = files.code(exercise(8)) + '\nREASONS |= {"overlap": None, "no\\nline": {}}\n'
    found, text, facts = drilled("test", 8, written(8, body))
    assert [(line["label"], line["proved"]) for line in facts["lines"]] == [
        *((label, True) for label in reasons.PROVED), ("overlap", False), ("no line", False)
    ]  # fmt: skip
    assert (found, "no line: NOT YET: no line of that name is to be proved here" in text) == (1, True)


BRACKET = "(p(x)+q(x)+m(x)+r(x)+Z+beta+e(x)+rho(x)+a(x)+1)"


@pytest.mark.parametrize(
    ("coefficient", "said"),
    [
        ("*".join([BRACKET] * 14), "a coefficient has at most 300 characters; shorten it"),
        ("*".join(["(p(x) + 1)"] * 20), "has at most 300 terms, and this one may have more than a million"),
        ("*".join([BRACKET] * 3), "has at most 300 terms, and this one may have 1000"),
        (f"1/(1 + sum({'*'.join([BRACKET] * 3)}))", "has at most 300 terms, and this one may have 1001"),
        ("9" * 4000 + "*" + "9" * 4000, "a coefficient has at most 300 characters; shorten it"),
        ("9" * 60 + "*" + "9" * 60, "the numbers in it grow too long"),
        ("1e300 * 1e300", "the numbers in it grow too long"),
        ("9" * 200, "the numbers in it grow too long"),
    ],
)
def test_a_coefficient_that_grows_too_long_is_refused_before_the_kernel_sees_it(coefficient, said, monkeypatch):
    monkeypatch.setattr("proof.kernel.check", lambda *_: pytest.fail("the kernel is asked"))
    found = reasons.judge("emitted-law", {"rejection-mass": coefficient})
    assert (found.kind, said in found.text) == (reasons.UNREADABLE, True), found
    assert len(found.text) < 300


def test_as_many_terms_as_may_be_are_multiplied_out():
    found = reasons.judge("emitted-law", {"rejection-mass": f"{BRACKET}*{BRACKET}*(Z + q(x) + 1)"})
    assert (found.kind, found.text.endswith("more terms")) == (reasons.ADDS, True)


def test_a_reason_that_is_something_else_is_told_without_an_address(drilled, written):
    body = 'REASONS = {"redrawn-if-mass": {object(): 1}, "emitted-law": {"two-branches": object()}}'
    _, text, facts = drilled("test", 8, written(8, body))
    first, second = (line["reason"] for line in facts["lines"])
    assert first == "<object>: no line before redrawn-if-mass has that name"
    assert second.startswith("emitted-law[two-branches]='<object>': a coefficient is a number")
    assert "0x" not in text
    many = reasons.judge("emitted-law", {f"line{i}": 1 for i in range(9)})
    assert many.text == "line0 and line1 and line2 and 6 more: no line before emitted-law has that name"


def test_self_check_and_hints_of_reasons_are_in_the_report_for_a_program(drilled, written):
    found, text, facts = drilled("test", 8, written(8, 'REASONS = {"emitted-law": {}}'))
    general, adds = exercise(8).hint(reasons.ADDS)
    assert (found, facts["hints"]) == (1, [general, f"emitted-law: {adds}"])
    assert all(f"hint: {hint}" in " ".join(text.split()) for hint in facts["hints"])
    assert facts["self_check"] == reasons.self_check_text()
    assert reasons.facts(exercise(8), dict.fromkeys(reasons.PROVED))["hints"] == []


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
        assert sum(len(line) > 60 for line in text.splitlines()) <= 3  # a table


def test_arrays_of_numpy_are_read_as_what_they_are():
    from proof.drills.child import written as as_text

    assert as_text({"a": np.array([0.5, 0.25]), "b": (1, None, "x", float("nan"))}) == {
        "a": ["1/2", "1/4"], "b": ["1", None, "x", "nan"],
    }  # fmt: skip
