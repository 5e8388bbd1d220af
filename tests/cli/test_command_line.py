"""The frame of the command line: overview, help with an example, errors as one message, exit codes."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from cpplan.cli import COMMANDS, main
from cpplan.cli.lazy import LazyGroup
from cpplan.errors import InfeasibleError, InputError, InternalError

COMMAND_NAMES = sorted(COMMANDS)


def test_the_overview_lists_every_command_without_loading_one() -> None:
    script = (
        "import sys; from click.testing import CliRunner; from cpplan.cli import main;"
        "text = CliRunner().invoke(main, ['--help']).output;"
        "print(sorted(m for m in sys.modules if m.startswith('cpplan.')), text)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "cpplan.cli.solve" not in done.stdout
    assert all(f"\n  {name} " in done.stdout for name in COMMAND_NAMES)


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert f"cpplan {name} " in result.output


def test_python_dash_m_works() -> None:
    done = subprocess.run([sys.executable, "-m", "cpplan", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("cpplan, version ")


def test_an_unknown_command_is_a_usage_error() -> None:
    assert CliRunner().invoke(main, ["conjure"]).exit_code == 2


@pytest.mark.parametrize(
    ("error", "code"),
    [(InputError("no such kernel"), 2), (InfeasibleError("nothing fits"), 3), (InternalError("wrong sum"), 4)],
)
def test_an_error_of_ours_is_one_message_on_stderr(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: fail)
    result = CliRunner().invoke(main, ["explain"])
    assert result.exit_code == code
    assert result.stderr == f"Error: {error}\n"
    assert result.stdout == ""


def test_ctrl_c_ends_quietly_with_the_exit_code_of_shells(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def wait() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: wait)
    assert CliRunner().invoke(main, ["explain"]).exit_code == 130
