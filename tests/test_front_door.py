"""The front door: it imports nothing heavy, and it says so where somebody else's package stands in the way."""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import exact
import samelaw

ROOT = Path(__file__).parent.parent
ROOMS = ("exact", "numeric", "proof")


def python(*arguments, cwd):
    """Python in a folder of a user's, which comes first on its path, and the checkout after it."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def loaded(code, cwd):
    """Which of the heavy modules, and which of our own rooms, a piece of code has imported."""
    names = ("sympy", "numpy", "hypothesis", *ROOMS)
    done = python("-c", f"{code}\nimport sys\nprint(*(name for name in {names} if name in sys.modules))", cwd=cwd)
    assert (done.returncode, [line for line in done.stderr.splitlines() if not line.startswith("... ")]) == (0, [])
    return set(done.stdout.split("\n")[-2].split())


# ---- what is imported


@pytest.mark.parametrize(
    ("code", "rooms"),
    [
        ("import samelaw", set()),
        ("import exact", {"exact"}),
        ("import exact.rules, exact.search", {"exact"}),
        ("import proof", {"proof"}),
        ("import proof.front.cli", {"exact", "proof"}),
        ("import proof.front.text_laws", {"exact", "proof"}),
        ("import proof.front.walk", {"exact", "proof"}),
    ],
)
def test_importing_imports_nothing_heavy(tmp_path, code, rooms):
    assert loaded(code, tmp_path) == rooms


def test_floats_do_not_need_sympy(tmp_path):
    assert loaded("import numeric", tmp_path) == {"exact", "numeric", "numpy"}
    assert "sympy" not in loaded("import samelaw; samelaw.emitted_distribution", tmp_path)
    assert "sympy" not in loaded("import proof.front.check, proof.front.pairs_file", tmp_path)


def test_the_doors_need_neither_sympy_nor_hypothesis(tmp_path):
    assert loaded("import samelaw; samelaw.main()", tmp_path) <= {*ROOMS, "numpy"}


def test_a_file_of_pairs_is_checked_without_sympy(tmp_path):
    (tmp_path / "pairs.json").write_text('{"p": [1], "q": [1]}')
    code = "import sys, samelaw; sys.argv = ['samelaw', 'check', '--pairs', 'pairs.json']; samelaw.main()"
    assert loaded(code, tmp_path) == {*ROOMS, "numpy"}


# ---- what it gives


def test_the_names_of_exact_are_the_names_of_samelaw():
    for name in exact.__all__:
        assert getattr(samelaw, name) is getattr(exact, name)
    dist, alpha = samelaw.emitted_distribution(["1/2", "1/2"], ["3/4", "1/4"])
    assert (dist, alpha) == ((0.5, 0.5), 0.75)


def test_a_name_that_there_is_not_is_answered_with_those_there_are():
    with pytest.raises(AttributeError) as error:
        samelaw.emited_distribution  # noqa: B018
    assert str(error.value).startswith("samelaw has no emited_distribution; it has Distribution, ")
    assert "emitted_distribution" in str(error.value)
    assert not hasattr(samelaw, "__wrapped__")
    with pytest.raises(ImportError, match="cannot import name 'nosuch' from 'samelaw'"):
        from samelaw import nosuch  # noqa: F401


def test_python_m_samelaw_is_the_command_from_any_folder(tmp_path):
    alone = python("-m", "samelaw", cwd=tmp_path)
    assert (alone.returncode, alone.stderr, len(alone.stdout.splitlines())) == (0, "", 5)
    bad = python("-m", "samelaw", "check", "--p", "1/2,1/3", "--q", "1,0", cwd=tmp_path)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("samelaw: p sums to 5/6: ")
    assert os.listdir(tmp_path) == []


# ---- strangers

STRANGERS = {
    "empty": ("", "is not samelaw's but "),
    "another": ("__version__ = '1.0'\ndef emitted_distribution(p, q): return p, 1", "is not samelaw's but "),
    "broken": ("raise RuntimeError('two\\nlines')", "cannot be imported (RuntimeError: two lines)"),
    "needy": ("import a_package_that_is_not_there", "cannot be imported (ModuleNotFoundError: No module named "),
    "for another Python": ("print 'hello'", "cannot be imported (SyntaxError: "),
    "a script": ("import sys; sys.exit('usage: exact FILE')", "cannot be imported (SystemExit: usage: exact FILE)"),
}


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("kind", ["empty", "broken"])
def test_a_stranger_in_the_place_of_a_room_is_named_and_nothing_runs(tmp_path, room, kind):
    source, said = STRANGERS[kind]
    (tmp_path / room).mkdir()
    (tmp_path / room / "__init__.py").write_text(source)
    check_refusal(tmp_path, room, said)


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_stranger_of_any_kind_is_named(tmp_path, kind):
    source, said = STRANGERS[kind]
    (tmp_path / "exact.py").write_text(source)
    check_refusal(tmp_path, "exact", said)


def check_refusal(folder, room, said):
    """`python -m samelaw` exits 2 with one line, and `import samelaw` raises it when a name is asked for."""
    for arguments in ([], ["check"], ["prove"]):
        done = python("-m", "samelaw", *arguments, cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(f"samelaw: {room} {said}")
    line = done.stderr.removesuffix("\n")
    asked = python("-c", "import samelaw\nsamelaw.emitted_distribution", cwd=folder)
    assert asked.returncode == 1
    assert asked.stderr.splitlines()[-1] == f"ImportError: {line}"
    assert python("-c", "import samelaw", cwd=folder).returncode == 0
    assert "paper.md" not in os.listdir(folder)


def test_a_stranger_is_named_by_its_file_and_with_what_to_do(tmp_path):
    (tmp_path / "exact.py").write_text("")
    line = python("-m", "samelaw", cwd=tmp_path).stderr
    assert f"is not samelaw's but {tmp_path / 'exact.py'}; " in line
    assert line.endswith("; start from another folder, or install samelaw into an environment of its own\n")


def test_a_stranger_that_was_installed_is_named_by_its_distribution(monkeypatch):
    monkeypatch.setattr(samelaw, "packages_distributions", lambda: {"exact": ["samelaw", "exact-online"]})
    assert samelaw.remedy("exact") == (
        "uninstall exact-online and install samelaw again, or give it an environment of its own"
    )
    assert samelaw.remedy("proof").startswith("start from another folder")


def test_a_folder_that_only_has_the_name_is_no_stranger(tmp_path):
    (tmp_path / "proof").mkdir()
    (tmp_path / "proof" / "notes.txt").write_text("mine")
    done = python("-m", "samelaw", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_stranger_stands_here():
    assert samelaw.stranger() == ""
    assert all(getattr(__import__(room), "__samelaw__", False) for room in ROOMS)
    assert set(packages_distributions().get("exact", ["samelaw"])) == {"samelaw"}
