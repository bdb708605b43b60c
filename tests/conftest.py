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
