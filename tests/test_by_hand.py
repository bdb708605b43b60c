"""The notebook: it runs, what it prints is what the tree says, and each of its assertions can fail."""

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import traceback
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from exact.reading import read_laws, show, vector
from exact.rules import RULES, emission
from proof import rejection as tree
from proof.paper import EXAMPLE

NOTEBOOK = Path(__file__).parent.parent / "proof" / "by_hand.py"
SOURCE = NOTEBOOK.read_text(encoding="utf-8")
CELLS = re.split(r"^(?=# %%)", SOURCE, flags=re.M)
HEADER, CELLS = CELLS[0], CELLS[1:]


def ran(source):
    """What it prints, and the names that it leaves."""
    names, out = {"__name__": "by_hand"}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, NOTEBOOK, "exec"), names)
    return out.getvalue(), names


def with_pair(p, q):
    source = SOURCE
    for name, law in (("p", p), ("q", q)):
        entries = ", ".join(f"Fraction({x.numerator}, {x.denominator})" for x in law)
        source, found = re.subn(rf"^{name} = \[.*\]$", f"{name} = [{entries}]", source, flags=re.M)
        assert found == 1
    return source


# ---- it runs


@pytest.fixture(scope="module")
def said():
    """What the script prints, by what stands before the colon."""
    done = subprocess.run(
        [sys.executable, "-W", "error", NOTEBOOK], capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(NOTEBOOK.parent.parent)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def test_what_it_prints_is_what_the_tree_says(said):
    world = tree.world_of(*EXAMPLE)
    value = lambda name: show(world.value(name))  # noqa: E731
    values = lambda f: vector(world.value(f("x"), {"x": x}) for x in range(world.V))  # noqa: E731
    from_p = emission(RULES["redraw-from-p"], *EXAMPLE).dist
    distance = sum(max(got - wanted, 0) for got, wanted in zip(from_p, EXAMPLE[0], strict=True))
    at_0 = {"x": 0}
    whole = {
        "accepting every draft is off by": value(tree.off),
        "the coin says yes with": values(tree.a),
        "drafted and accepted": values(tree.m),
        "missing": values(tree.r),
        "missing in all": value(tree.Z),
        "rejected": values(tree.e),
        "rejected in all": value(tree.beta),
        "rejected in all is missing in all": f"{value(tree.beta)} = {value(tree.Z)}",
        "the redraw must be": values(tree.rho),
        "what comes out": values(tree.D),
        "the law of the program": values(tree.D),
        "accepted in all": value(tree.alpha),
        "redrawing from p gives": vector(from_p),
        "redrawing from p is off by": show(distance),
        "token 0 came out, and was the draft": show(world.value(tree.m("x"), at_0) / world.value(tree.D("x"), at_0)),
        "rejected and drawn again": show(0),
    }
    assert {name: answer for name, answer in said.items() if not name.startswith("  ")} == whole


def test_the_paths_and_tokens_that_it_lists_add_up(said):
    paths = [
        (*map(int, re.findall(r"\d+", name)), Fraction(answer)) for name, answer in said.items() if "drafted, " in name
    ]
    assert sum(probability for *_, probability in paths) == 1
    for x, wanted in enumerate(EXAMPLE[0]):
        assert sum(probability for _drafted, out, probability in paths if out == x) == wanted
    from_p = emission(RULES["redraw-from-p"], *EXAMPLE).dist
    for x, (got, wanted) in enumerate(zip(from_p, EXAMPLE[0], strict=True)):
        word = "too much" if got > wanted else "too little"
        assert said[f"  token {x}"] == f"{show(got)} instead of {show(wanted)}, {word}"


def test_its_pair_is_that_of_the_paper():
    names = ran(SOURCE)[1]
    assert read_laws(names["p"], names["q"]) == EXAMPLE


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (["1/2", "1/2"], ["3/4", "1/4"]),
        ([1, 0], [0, 1]),
        (["1/7", "2/7", 0, "4/7"], [0, "2/7", "5/7", 0]),
        (["1/2", "1/2", 0], ["1/4", "1/4", "1/2"]),
        (["1/1009", "1008/1009"], ["1008/1009", "1/1009"]),
    ],
)
def test_all_of_it_holds_for_other_laws_as_it_says(p, q):
    out, _names = ran(with_pair(*read_laws(p, q)))
    assert f"what comes out: {vector(read_laws(p, q)[0])}" in out


def test_it_is_fast_to_import_and_asks_for_no_symbolic_algebra():
    run = "import sys, proof.by_hand; assert 'sympy' not in sys.modules; print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-c", run], cwd=NOTEBOOK.parent.parent, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# ---- each assertion can fail

FAULTS = [  # one change of the source each, and the assertion that sees it
    ("p = [Fraction(1, 2)", "p = [Fraction(1, 3)", "sum(p) =="),
    ("q = [Fraction(1, 6)", "q = [Fraction(1, 3)", "sum(p) =="),
    ("too_far = Fraction(1, 2) *", "too_far = Fraction(1, 3) *", "too_far =="),
    ("abs(p[x] - q[x]) for", "abs(p[x]) for", "too_far =="),
    ("dist, p) == world.value(off)", "dist, p) == world.value(off) / 2", "too_far =="),
    ("min(Fraction(1), p[x] / q[x])", "min(Fraction(1), q[x] / p[x])", "accepted == derived(m)"),
    ("accepted = [q[x] * coin[x]", "accepted = [p[x] * coin[x]", "accepted == derived(m)"),
    ("assert accepted == derived(m)", "assert accepted == derived(m)[::-2]", "accepted == derived(m)"),
    ("missing = [p[x] - accepted[x]", "missing = [q[x] - accepted[x]", "missing == derived(r)"),
    ("== 1 - sum(overlap(p, q)) ==", "== 1 - sum(overlap(p, p)) ==", "sum(missing) == 1 -"),
    ("== 1 - sum(overlap(p, q)) ==", "== 1 - sum(overlap(p, q[::-1])) ==", "sum(missing) == 1 -"),
    ("== world.value(Z)", "== world.value(Z) / 2", "sum(missing) == 1 -"),
    ("rejected = [q[x] * (1 - coin[x])", "rejected = [p[x] * (1 - coin[x])", "rejected == derived(e)"),
    ("== world.value(beta)", "== 1 - world.value(beta)", "sum(rejected) == world"),
    ("assert sum(rejected) == sum(missing)", "assert sum(rejected) == sum(missing[1:])", "sum(rejected) == sum"),
    ("(p[x] - accepted[x]) / sum(rejected)", "(p[x] - accepted[x])", "needed == derived(rho)"),
    ("(p[x] - accepted[x]) / sum(rejected)", "p[x]", "needed == derived(rho)"),
    ("assert sum(needed) == 1", "assert sum(needed) == 2", "sum(needed) == 1"),
    ("(x, x, q[x] * coin[x])", "(x, x, p[x] * coin[x])", "emitted == list"),
    ("(1 - coin[x]) * needed[y])", "(1 - coin[x]) * p[y])", "emitted == list"),
    ("if out == x) for", "if _drafted == x) for", "emitted == list"),
    ("assert emitted == p", "assert emitted == p[::-1]", "emitted == p"),
    ("rng.random() < coin[x]", "rng.random() < coin[0]", "derived(D)"),
    ("choice(len(q), p=q)", "choice(len(q), p=p)", "derived(D)"),
    ("choice(len(p), p=needed)", "choice(len(p), p=p)", "derived(D)"),
    ("alpha = sum(accepted)", "alpha = sum(rejected)", "alpha == 1 -"),
    ("== 1 - world.value(TV)", "== world.value(TV)", "alpha == 1 -"),
    ("emitted_distribution(p, q)[1]", "emitted_distribution(p, p)[1]", "alpha == emitted"),
    ("+ sum(rejected) * p[x] for", "+ sum(rejected) * q[x] for", "from_p == list"),
    ("+ sum(rejected) * p[x] for", "+ missing[x] for", "from_p == list"),
    ("[sum(rejected) * accepted[x]", "[sum(rejected) * missing[x]", "== from_p"),
    ("wrong_by = Fraction(1, 2) *", "wrong_by =", "wrong_by =="),
    ("was_drafted = accepted[0] / emitted[0]", "was_drafted = accepted[0] / q[0]", "was_drafted =="),
    ("drafted_out: drafted_out[1] == 0", "drafted_out: drafted_out[1] == 1", "was_drafted =="),
    ("sum(rejected[x] * needed[x] for", "sum(rejected[x] * p[x] for", "comes_back =="),
]  # fmt: skip


def faulty(old, new):
    """The source with the fault, its lines where they were."""
    assert (SOURCE.count(old), old.count("\n")) == (1, new.count("\n")), old
    return SOURCE.replace(old, new)


def line_that_fails(source):
    """The number of the line on which the notebook raises AssertionError."""
    with pytest.raises(AssertionError) as caught:
        ran(source)
    return [frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == str(NOTEBOOK)][-1]


@pytest.mark.parametrize(("old", "new", "sees"), FAULTS)
def test_a_fault_in_one_route_is_seen_by_the_assertion_there(old, new, sees):
    line = SOURCE.splitlines()[line_that_fails(faulty(old, new)) - 1]
    assert line.startswith("assert ")
    assert sees in line


def test_each_assertion_has_a_fault_that_it_sees():
    lines = [
        SOURCE.splitlines()[node.lineno - 1] for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Assert)
    ]
    assert len(lines) == len(set(lines)) >= 15
    assert [line for line in lines if not any(sees in line for _old, _new, sees in FAULTS)] == []
    assert [sees for *_, sees in FAULTS if sum(sees in line for line in lines) != 1] == []


# ---- it is a notebook


def test_every_cell_starts_well_formed_and_nothing_stands_outside_of_cells():
    assert [line for line in HEADER.splitlines() if line and not line.startswith("#")] == []
    assert "format_name: percent" in HEADER
    starts = {cell.splitlines()[0] for cell in CELLS}
    assert starts == {"# %%", "# %% [markdown]"}
    assert "".join([HEADER, *CELLS]) == SOURCE
    assert [line for line in SOURCE.splitlines() if line.lstrip().startswith("# %") and line not in starts] == []


def is_text(cell):
    return cell.startswith("# %% [markdown]")


def test_cells_of_text_hold_text_alone_and_cells_of_code_are_complete():
    for cell in CELLS:
        body = cell.splitlines()[1:]
        assert any(body), cell
        if is_text(cell):
            assert [line for line in body if line and not line.startswith("#")] == []
        else:
            assert ast.parse(cell).body
            assert len([line for line in body if line]) <= 9  # short cells


def test_text_and_code_take_turns_and_every_cell_of_code_is_explained():
    for before, cell in pairwise(CELLS):
        assert not (is_text(before) and is_text(cell))
    assert is_text(CELLS[0])
    assert is_text(CELLS[-1])
    assert sum(map(is_text, CELLS)) * 2 + 1 >= len(CELLS)


def test_it_says_the_reason():
    text = " ".join(" ".join(cell.replace("\n# ", " ").split()) for cell in CELLS if is_text(cell))
    assert "The mass that is thrown away is exactly the mass that is missing" in text
    assert "the residual, normalised. Redrawing from p would pay a second time" in text
