"""Three verifiers written by others, each in its own style and without sight of this code; none is touched.

engineer_a.py is right, engineer_b.py subtly wrong, and engineer_c.py emits several tokens.  What a user writes for each
is the short file audit_*.py beside it.
"""

import importlib
import json
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest

from exact import total_variation
from exact.reading import Numbers
from exact.rejection import overlap, residual
from exact.search import all_pairs
from numeric.audit import audit, audit_search
from proof.front.cli import main

FOLDER = Path(__file__).parent / "data" / "verifiers"
UNTOUCHED = {
    "engineer_a.py": "dc696a9f59f5c7a79a6114c094d3b555cdb26c991a19098f26870e635f19de8a",
    "engineer_b.py": "411eb1c3559b372fb2e33d6206ff2720f757f0fc28f2d0c48e3915e20e0dd3e7",
    "engineer_c.py": "21a5bde96ba41110bc1211d26209ccd4bf530900d4fe6b2d7081a0b17cea6b41",
}


@pytest.fixture
def emit_of(monkeypatch):
    """emit of audit_NAME.py, which finds the verifier beside it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return lambda name: importlib.import_module(f"audit_{name}").emit


def run(capsys, name, *options):
    code = main(["audit", f"{FOLDER / f'audit_{name}.py'}:emit", *options, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", UNTOUCHED)
def test_it_is_as_it_was_written(name):
    assert sha256((FOLDER / name).read_bytes()).hexdigest() == UNTOUCHED[name]


def fractions(*texts):
    return Numbers(Fraction(t) for t in texts)


# ---- the right one


def test_the_right_one_is_lossless_and_maximal(emit_of):
    found = audit_search(emit_of("a"), denominator=4)
    assert found.lossless
    assert found.reports_acceptance
    assert found.not_maximal is None
    assert [rule.name for rule in found.rules if rule.name == "standard"] == ["standard"]
    assert all(case.floats.rounding <= case.floats.ball for case in found.tried)
    assert "engineer_a.py:54" in found.dropped["fraction"]  # it makes floats of what it gets


def test_the_right_one_by_the_command(capsys):
    code, said = run(capsys, "a", "--denominator", "2")
    assert (code, said["lossless"], said["maximal"]) == (0, True, True)


# ---- the wrong one, which draws from the module random

TINY = Fraction(1e-12)  # as the verifier has it, a float


def law_by_its_author(p, q):
    """What engineer_b.py emits, as its author gives it, who did not see our code."""
    weights = [max(Fraction(0), x / max(y, TINY) - 1) for x, y in zip(p, q, strict=True)]
    beta, W = sum(residual(p, q)), sum(weights)
    if not beta:
        return p
    return Numbers(m + beta * w / W for m, w in zip(overlap(p, q), weights, strict=True))


def test_the_wrong_one_has_the_law_that_its_author_gives(emit_of):
    p, q = fractions("1/10", "1/2", "2/5"), fractions("3/5", "3/10", "1/10")
    found = audit(emit_of("b"), p, q, protocol="global")
    assert found.dist == law_by_its_author(p, q) == fractions("1/10", "43/110", "28/55")
    assert (found.tv, found.alpha, found.maximal) == (Fraction(6, 55), Fraction(1, 2), True)
    assert not found.lossless


def test_the_wrong_one_has_that_law_on_every_small_pair(emit_of):
    emit = emit_of("b")
    found = audit_search(emit, protocol="global", arrays="fraction", denominator=3)
    assert found.coverage[0].pairs == len([*all_pairs(3, 3)])
    for case in found.tried:
        assert case.formula.dist == law_by_its_author(case.formula.p, case.formula.q)
    assert found.rules == ()


def test_the_smallest_pair_of_the_wrong_one(emit_of):
    """With two tokens there is one to draw again, so three are needed."""
    found = audit_search(emit_of("b"), protocol="global", denominator=4)
    want = next((p, q) for p, q in all_pairs(3, 4) if law_by_its_author(p, q) != p)
    assert (found.smallest.p, found.smallest.q) == want
    assert found.smallest.tv == total_variation(law_by_its_author(*want), want[0])
    two = audit_search(emit_of("b"), protocol="global", tokens=2, denominator=6)
    assert all(case.lossless for case in two.tried if len(case.shown.p) <= 2)


def test_the_wrong_one_by_the_command(capsys):
    p, q = "1/10,1/2,2/5", "3/5,3/10,1/10"
    code, said = run(capsys, "b", "--protocol", "global", "--p", p, "--q", q)
    assert (code, said["emitted"], said["tv"]) == (1, ["1/10", "43/110", "28/55"], "6/55")


# ---- the one that emits several tokens, in arrays, from np.random


@pytest.mark.parametrize("steps", [1, 2])
def test_the_sequence_one_is_lossless(emit_of, monkeypatch, steps):
    emit = emit_of("c")
    monkeypatch.setattr(sys.modules["audit_c"], "STEPS", steps)
    found = audit_search(emit, protocol="global", steps=steps, denominator=2)
    assert found.lossless
    assert len(found.tried) > 40
    assert all(case.floats.rounding <= case.floats.ball for case in found.tried)


def test_a_fault_in_the_sequence_one_would_be_found(emit_of, monkeypatch):
    emit = emit_of("c")
    monkeypatch.setattr(sys.modules["engineer_c"], "acceptance_mask", lambda x, _q, _p: [True] * len(x))
    assert not audit_search(emit, protocol="global", steps=2, denominator=2).lossless


def test_the_sequence_one_by_the_command(capsys):
    code, said = run(capsys, "c", "--protocol", "global", "--steps", "2", "--denominator", "2")
    assert (code, said["lossless"], said["steps"]) == (0, True, 2)
