"""paper.md: readable everywhere, and nothing in it that was not checked (its bytes: test_readme.py)."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from proof import floating as as_given
from proof import paper as module
from proof.kernel import check
from proof.mutate import Mutant, attack
from proof.evidence import Evidence, digest, digest_of_checker
from proof.floating import LINES, NUMBER, THE_SUMS
from proof.forge import attempt, forgeries
from proof.paper import chapter, example, example_as_given, listed, paper, ref, spans, wrong_rules
from proof.paper_floats import floating
from proof.rejection import CHAPTERS, STEPS, THE_COIN, step
from proof.symbolic import Failure, prove

PAPER = (Path(__file__).parent.parent / "paper.md").read_text(encoding="utf-8")
SPAN = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.S)


@pytest.fixture(scope="module")
def evidence():
    """A small evidence: the attack on the first chapters alone."""
    mutants = attack(STEPS[: 2 + len(THE_COIN)])
    forged = [(forgery, attempt(forgery)) for forgery in forgeries()]
    return Evidence(check(STEPS) | check(as_given.STEPS), 0, 0, mutants, forged, [prove(2)], [])


def test_every_dollar_span_comes_through_commonmark_unchanged():
    shown = MarkdownIt("commonmark").enable("table").render(PAPER)
    plain = unescape(re.sub(r"<[^>]+>", "", shown))
    spans = SPAN.findall(PAPER)
    assert len(spans) > 200
    assert [span for span in spans if span not in plain] == []


def test_no_formula_is_written_in_a_way_that_some_renderer_breaks():
    formulas = SPAN.findall(PAPER)
    forbidden = [r"\{", r"\}", r"\,", r"\\", "_+", "^*", "|", r"\operatorname", "<", ">"]
    assert [(f, bad) for f in formulas for bad in forbidden if bad in f] == []


def test_no_table_cell_holds_a_bar():
    rows = [line for line in PAPER.splitlines() if line.startswith("|")]
    tables = re.findall(r"(?:^\|.*\n)+", PAPER, re.M)
    assert len(rows) > 60
    assert all(len({line.count("|") for line in table.splitlines()}) == 1 for table in tables)


def test_the_file_is_utf8_with_unix_line_ends_and_nothing_of_a_machine():
    raw = (Path(__file__).parent.parent / "paper.md").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    assert not re.search(r"\d{4}-\d\d-\d\d|/home/|/root/|/tmp/|numpy \d|sympy \d|seconds", PAPER, re.I)


def test_every_line_of_the_derivation_stands_in_it_with_its_number():
    for line in LINES:
        assert f"**({NUMBER[line.label]})** {line.prose}" in PAPER
        assert f"`{line.label}`: " in PAPER


def test_numbers_go_on_from_the_first_derivation_to_the_second():
    assert [NUMBER[line.label] for line in LINES] == [*range(1, len(LINES) + 1)]
    assert re.findall(r"^\*\*\((\d+)\)\*\*", PAPER, re.M) == [str(n) for n in range(1, len(LINES) + 1)]
    titles = re.findall(r"^## (\d+)\. (.*)$", PAPER, re.M)
    assert titles == [(str(n), title) for n, title in enumerate([*CHAPTERS, *as_given.CHAPTERS], 1)]


def test_citations_in_the_paper_are_the_citations_of_the_steps():
    for line in LINES:
        said = re.search(rf"^`{line.label}`: (.*)$", PAPER, re.M)[1]
        assert tuple(re.findall(r"\((\d+)\)", said.split(", where ")[0])) == tuple(str(NUMBER[c]) for c in line.cites)


def test_a_step_that_no_checker_accepted_does_not_appear_as_proved(evidence):
    facts = {label: fact for label, fact in evidence.facts.items() if label != "accepted-mass"}
    shown = chapter(2, "The coin", THE_COIN, replace(evidence, facts=facts))
    assert "accepted-mass" in chapter(2, "The coin", THE_COIN, evidence)
    assert "accepted-mass" not in shown
    assert list(CHAPTERS)[1] == "The coin"


def test_a_step_that_was_accepted_with_another_statement_does_not_appear_as_proved(evidence):
    facts = evidence.facts | {"target-in-two": evidence.facts["draft-in-two"]}
    assert "target-in-two" in chapter(10, "Sums that are not 1", THE_SUMS, evidence)
    assert "target-in-two" not in chapter(10, "Sums that are not 1", THE_SUMS, replace(evidence, facts=facts))


def test_the_lines_that_both_derivations_use_are_named(evidence):
    shared = re.search(r"lines ([\d, -]+)\.", chapter(10, "Sums that are not 1", THE_SUMS, evidence))[1]
    assert shared == spans(NUMBER[s.label] for s in as_given.SHARED)


def test_counts_come_from_the_run(evidence):
    text = paper(evidence)
    assert f"made {len(evidence.mutants)} distinct" in text
    assert f"made {len(evidence.mutants) - 1} distinct" in paper(replace(evidence, mutants=evidence.mutants[1:]))
    assert f"{len(evidence.forged)} of {len(evidence.forged)} forged" in text
    assert f"all\n{len(LINES)} lines" in text
    assert " 987 pairs" in paper(replace(evidence, evaluated=987))
    assert " 789 pairs,\n21 of them laws" in paper(replace(evidence, given=789))
    accepted = [(forgery, "") for forgery, _ in evidence.forged]
    assert f"0 of {len(evidence.forged)} forged" in paper(replace(evidence, forged=accepted))


def test_a_failed_fixed_v_proof_is_not_written_up(evidence):
    failed = Failure(("(s,0)", "(0,t)"), None)
    with pytest.raises(ArithmeticError, match="fixed-V proof failed"):
        paper(replace(evidence, fixed=[failed]))


def test_the_worked_example_is_not_written_if_program_and_derivation_differ(monkeypatch):
    monkeypatch.setattr(module, "emitted_distribution", lambda p, q: (p, 0))
    with pytest.raises(ArithmeticError, match="different laws"):
        example()


def test_the_example_of_other_sums_is_not_written_if_program_and_derivation_differ(monkeypatch):
    monkeypatch.setattr(module, "rejection_law", lambda p, q: (p, 0))
    with pytest.raises(ArithmeticError, match="different laws"):
        example_as_given()


def test_the_example_of_other_sums_is_not_written_if_it_shows_no_defect(monkeypatch):
    monkeypatch.setattr(module, "AS_GIVEN", module.EXAMPLE)
    with pytest.raises(ArithmeticError, match="no defect"):
        example_as_given()


def test_runs_of_numbers_are_shortened_and_no_number_is_lost():
    assert [spans(numbers) for numbers in ([], [7], [2, 1], [3, 1, 2], [9, 3, 4, 5, 9, 11, 12])] == [
        "", "7", "1, 2", "1-3", "3-5, 9, 11, 12",
    ]  # fmt: skip


def test_accepted_mutants_are_listed_by_operator_and_line(evidence):
    accepted = [
        Mutant(label, operator, step("alpha").statement, "", None)
        for label, operator in (("alpha", "turn round"), ("residual", "b for a"), ("overlap", "turn round"))
    ]
    assert listed(replace(evidence, mutants=accepted)) == "*turn round*, 3, 47; *one letter for another*, 6"


def test_conditions_are_said_in_words_where_they_are_all_there():
    said = {label: module.reason(next(s for s in LINES if s.label == label)) for label in NUMBER}
    assert said["emitted-law"].endswith(", where $p$ and $q$ are laws.")
    assert said["defect"].endswith(", where $p$ and $q$ are not negative and have positive sums.")
    assert said["right-if-same-sums"].endswith("have positive sums and $S_p = S_q$.")
    assert said["target-in-two"].endswith(", where $p(x) \\ge 0$ and $q(x) \\ge 0$.")
    assert said["right"] == "`right`: assumed, where $S_p \\gt 0$."
    assert said["no-mass"] == "`no-mass`: assumed."


def test_a_rule_that_is_not_wrong_is_not_called_wrong(monkeypatch):
    monkeypatch.setattr(module, "WRONG", {"standard": module.RULES["standard"]})
    with pytest.raises(ArithmeticError, match="no small pair"):
        wrong_rules()


def test_figures_of_the_witnesses_stand_in_it():
    assert floating(ref) in PAPER
    assert wrong_rules() in PAPER
    assert example() in PAPER
    assert example_as_given() in PAPER


def test_digests_are_those_of_the_files():
    assert f"`{digest_of_checker()}`" in PAPER
    assert digest("a") != digest("b")
