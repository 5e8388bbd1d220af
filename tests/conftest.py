"""Settings for all tests: property tests are repeatable, never judged by the clock; recorded output can be renewed."""

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="Rewrite recorded output (README sessions) from this run.")
