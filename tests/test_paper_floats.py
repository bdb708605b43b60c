"""The float part of the paper says what was computed, and refuses to say it where that is not so."""

from fractions import Fraction

import pytest

from dataclasses import replace
from numeric.ledger import example
from numeric.mutants import stored_table
from numeric.rounding import SUMS, bound
from proof import paper_floats
from numeric.tightness import tightness_table
from proof.paper_floats import counted, floating, one_ledger, sharpness, what_is_proved, witnesses, wrong_formulas


def ref(label):
    return f"({label})"


def test_the_sentence_on_floats_gives_both_terms_and_never_says_equal_up_to():
    text = floating(ref)
    assert "within $(1+u)^8$ of the exact law $F$, plus about $3\\eta$, never more than $4\\eta$ (proved below" in text
    assert "*defect*: $F$ less $p/S_p$, by line (defect), a rational number that is computed" in text
    assert "equal up to" not in text


def test_the_bounds_are_those_of_the_program():
    text = what_is_proved(ref)
    for sums in SUMS:
        assert f"| {bound(128256, 'float64', sums).k} |" in text
    assert "| `dist` | `z / S_q` | 8 |" in counted()
    assert "| `dist` | `z / S_q` | 3h + 7 |" in counted()
    assert "| `dist` | `z + y` | 4 |" in counted()


def test_the_negative_textbook_token_is_shown_and_needed(monkeypatch):
    assert "minus 5.55E-17, below 0" in witnesses()
    monkeypatch.setattr(paper_floats, "NEGATIVE", "equal")
    monkeypatch.setattr(paper_floats, "textbook", lambda _law: [Fraction(0)])
    with pytest.raises(ArithmeticError, match="the textbook line is not negative on equal"):
        witnesses()


def test_a_ledger_that_does_not_add_up_is_not_printed(monkeypatch):
    assert "| `t` | `Q / R` |" in one_ledger()
    off = replace(example(), defect=example().defect + Fraction(1, 2**99))
    monkeypatch.setattr(paper_floats, "example", lambda: off)
    with pytest.raises(ArithmeticError, match="does not add up"):
        one_ledger()


@pytest.mark.parametrize("correct", [True, False])
def test_a_wrong_formula_that_survives_or_a_false_alarm_is_not_printed(monkeypatch, correct):
    assert "`target`" in wrong_formulas()
    rows = stored_table()
    other = next(row for row in rows if row.correct is correct)
    changed = other._replace(witnesses=("near",) if correct else (), bits=())
    monkeypatch.setattr(paper_floats, "stored_table", lambda: [changed if row is other else row for row in rows])
    with pytest.raises(ArithmeticError, match=rf"{other.name}"):
        wrong_formulas()


@pytest.mark.parametrize("factor", [4, Fraction(1, 4)])
def test_a_bound_that_is_exceeded_or_not_needed_is_not_printed(monkeypatch, factor):
    assert "| dist | `exact` | 4 | k = 8 |" in sharpness()
    rows = tightness_table(("float64",), (2,))
    changed = [row._replace(allowed=row.allowed * factor) for row in rows]
    monkeypatch.setattr(paper_floats, "tightness_table", lambda _dtypes, _sizes: changed)
    with pytest.raises(ArithmeticError, match="a bound is exceeded, or not needed"):
        sharpness()
