"""The README is what happens: every block of it is run, and what it shows is what comes out."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", README, re.M | re.S)
SAME = doctest.OutputChecker()


def blocks(kind):
    return [text for name, _file, text in BLOCKS if name == kind]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of a user's, with the files that the README shows."""
    path = tmp_path_factory.mktemp("user")
    for text in blocks("python"):
        (path / text.splitlines()[0].removeprefix("# ")).write_text(text)
    for name, file, text in BLOCKS:
        if name == "json":
            (path / file).write_text(text)
    return path


def test_every_block_is_of_a_kind_that_is_run():
    assert {name for name, _file, _text in BLOCKS} == {"sh", "python", "json", "console", "pycon"}


def test_the_two_commands_are_complete_by_themselves():
    commands = [line for text in blocks("sh") for line in text.splitlines()]
    assert len(commands) == 2
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install ") for line in commands)
    assert commands[0].endswith("&& .venv/bin/samelaw prove")
    as_ci_reads_it = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert commands == as_ci_reads_it


def of_any_python(text):
    """The built-in text differs between versions of Python, and so do the figures from its line on."""
    before, line, after = text.partition("\ntext ")
    return before + line + re.sub(r"[ \da-f,.E+-]*\d[\da-f,.E+-]*", " #", after)


def test_other_figures_on_small_pairs_would_be_seen():
    assert of_any_python("exact 25,310 ok\ntext 9 ok") != of_any_python("exact 25,311 ok\ntext 9 ok")
    assert of_any_python("exact 1\ntext   15,742 ok a1f 0.3 %") == of_any_python("exact 1\ntext 9 ok 77 0.25 %")


@pytest.mark.parametrize("text", blocks("console"), ids=lambda text: text.splitlines()[0])
def test_a_command_prints_what_the_readme_shows(text, folder, need):
    command, _, shown = text.partition("\n")
    if command == "$ samelaw check":
        need("pydoc_data", True)
    words = shlex.split(command.removeprefix("$ "))
    assert words[0] == "samelaw"
    run = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    wrong = any(file in command for file in ("verifier.py", "sampler.py", "top_k.py", "samples.json", "floats.json"))
    assert run.returncode == (1 if wrong else 0), run.stderr
    assert SAME.check_output(of_any_python(shown), of_any_python(run.stdout), doctest.ELLIPSIS), run.stdout


def test_the_python_sessions_give_what_the_readme_shows():
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for text in blocks("pycon"):
        runner.run(doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0))
    assert runner.summarize(verbose=False).failed == 0


def test_the_readme_writes_the_paper_of_the_repository(folder):
    """Runs after the console block of `samelaw prove -o paper.md`."""
    written = folder / "paper.md"
    if not written.exists():
        pytest.skip("the console block of prove has not run")
    assert written.read_bytes() == (ROOT / "paper.md").read_bytes()
