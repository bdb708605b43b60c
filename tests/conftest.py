"""One place for the settings of the suite: the hypothesis profile, the seeds, and what may be skipped."""

import os
from functools import cache

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, max_examples=100, deadline=None, print_blob=True)
settings.load_profile("ci")

for _name in ("COLUMNS", "LINES"):
    os.environ.pop(_name, None)  # what is printed is compared as it is without a terminal; a worker of xdist has these
CACHED = type(cache(len))
REQUIRED = os.environ.get("SAMELAW_REQUIRE", "").split()


def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="rewrite the golden reports of tests/gallery, then compare")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The whole suite runs on all processors, a file on one of them, unless -n says otherwise; part of it, or without
    pytest-xdist all of it, on one.  A worker, and what it starts, starts no workers of its own."""
    option, whole = config.option, config.args_source is config.ArgsSource.TESTPATHS
    apart = whole and not option.keyword and not option.collectonly and "PYTEST_XDIST_WORKER" not in os.environ
    if apart and getattr(option, "numprocesses", 0) is None:
        option.numprocesses, option.dist = "auto", "loadfile"


def pytest_report_header():
    return f"hypothesis profile ci (derandomised); SAMELAW_REQUIRE={' '.join(REQUIRED) or 'nothing'}"


@pytest.fixture(scope="module", autouse=True)
def forgotten(request):
    """What the tests of one file keep for each other may be a million objects, and the interception and the collector
    of every later file would go through them all."""
    yield
    for kept in list(vars(request.module).values()):
        if type(kept) is CACHED and kept.__module__ == request.module.__name__:
            kept.cache_clear()


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
