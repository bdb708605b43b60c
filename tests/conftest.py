"""One place for the settings of the suite: the hypothesis profile, the seeds, and what may be skipped."""

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=100, deadline=None, print_blob=True)
settings.load_profile("ci")

REQUIRED = os.environ.get("SAMELAW_REQUIRE", "").split()


def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="rewrite the golden reports of tests/gallery, then compare")


def pytest_report_header():
    return f"hypothesis profile ci (derandomised); SAMELAW_REQUIRE={' '.join(REQUIRED) or 'nothing'}"


@pytest.fixture
def need():
    """need("name", there): skips by name where a tool is absent, fails where SAMELAW_REQUIRE lists the name."""

    def check(name, there):
        if there:
            return
        if name in REQUIRED:
            pytest.fail(f"{name} is absent and SAMELAW_REQUIRE lists it")
        pytest.skip(f"{name} is absent")

    return check


@pytest.fixture
def run(capsys):
    """run("check", ...): the exit code, and what came to stdout and to stderr."""

    def run(*arguments):
        from proof.front.cli import main

        try:
            code = main(list(map(str, arguments)))
        except SystemExit as exit_:  # as argparse ends --help and bad arguments
            code = exit_.code
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def refused(run):
    """refused("check", ...): the one line on stderr of a command that could not run and says nothing else."""

    def refused(*arguments):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        lines = [line for line in err.splitlines() if not line.startswith("...")]  # progress
        assert len(lines) == 1
        assert lines[0].startswith("samelaw: ")
        return lines[0]

    return refused
