"""paper.md: readable everywhere, and nothing in it that was not checked (its bytes: test_readme.py)."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from proof import paper as module
from proof.kernel import check
from proof.mutate import attack
from proof.evidence import Evidence, digest, digest_of_checker
from proof.forge import attempt, forgeries
from proof.paper import NUMBER, chapter, example, floating, paper, wrong_rules
from proof.rejection import CHAPTERS, STEPS, THE_COIN
from proof.symbolic import Failure, prove

PAPER = (Path(__file__).parent.parent / "paper.md").read_text(encoding="utf-8")
SPAN = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.S)


@pytest.fixture(scope="module")
def evidence():
    """A small evidence: the attack on the first chapters alone."""
    mutants = attack(STEPS[: 2 + len(THE_COIN)])
    forged = [(forgery, attempt(forgery)) for forgery in forgeries()]
    return Evidence(check(STEPS), 0, mutants, forged, [prove(2)], [])


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
    for step in STEPS:
        assert f"**({NUMBER[step.label]})** {step.prose}" in PAPER
        assert f"`{step.label}`: " in PAPER


def test_citations_in_the_paper_are_the_citations_of_the_steps():
    for step in STEPS:
        said = re.search(rf"^`{step.label}`: (.*)$", PAPER, re.M)[1]
        assert tuple(re.findall(r"\((\d+)\)", said.split(", where ")[0])) == tuple(str(NUMBER[c]) for c in step.cites)


def test_a_step_that_no_checker_accepted_does_not_appear_as_proved(evidence):
    facts = {label: fact for label, fact in evidence.facts.items() if label != "accepted-mass"}
    shown = chapter(2, "The coin", replace(evidence, facts=facts))
    assert "accepted-mass" in chapter(2, "The coin", evidence)
    assert "accepted-mass" not in shown
    assert list(CHAPTERS)[1] == "The coin"


def test_counts_come_from_the_run(evidence):
    text = paper(evidence)
    assert f"made {len(evidence.mutants)} distinct" in text
    assert f"made {len(evidence.mutants) - 1} distinct" in paper(replace(evidence, mutants=evidence.mutants[1:]))
    assert f"{len(evidence.forged)} of {len(evidence.forged)} forged" in text
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


def test_a_rule_that_is_not_wrong_is_not_called_wrong(monkeypatch):
    monkeypatch.setattr(module, "WRONG", {"standard": module.RULES["standard"]})
    with pytest.raises(ArithmeticError, match="no small pair"):
        wrong_rules()


def test_figures_of_the_witnesses_stand_in_it():
    assert floating() in PAPER
    assert wrong_rules() in PAPER
    assert example() in PAPER


def test_digests_are_those_of_the_files():
    assert f"`{digest_of_checker()}`" in PAPER
    assert digest("a") != digest("b")
