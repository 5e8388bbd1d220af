"""README.md shows what the program prints, and the commands in it are the ones that work.

Sessions are recorded output: ``pytest tests/test_readme.py --update`` writes them anew.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpplan.cli import main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SESSION = re.compile(r"(?<=```console\n)\$ cpplan (?P<command>.*)\n(?P<output>(?:.*\n)*?)(?=```)")
SECONDS = re.compile(r"\d+\.\d\d s\b")


def replay(command: str) -> str:
    """What ``cpplan COMMAND`` prints, in the current folder, without trailing blanks."""
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    return "".join(f"{line.rstrip()}\n" for line in result.stdout.rstrip().splitlines())


@pytest.mark.slow
def test_sessions_in_the_readme_are_what_the_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = README.read_text()
    printed = {session["command"]: replay(session["command"]) for session in SESSION.finditer(text)}
    assert len(printed) >= 2
    if pytestconfig.getoption("--update"):
        README.write_text(SESSION.sub(lambda s: f"$ cpplan {s['command']}\n{printed[s['command']]}", text))
        return
    for session in SESSION.finditer(text):
        assert SECONDS.sub("_ s", printed[session["command"]]) == SECONDS.sub("_ s", session["output"])


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["1", "2"]


def block_after(marker: str) -> str:
    """The fenced block that follows an HTML comment."""
    found = re.search(rf"<!-- command: {marker} -->\n```sh\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert found, f"README.md has no block marked {marker}"
    return found[1]


@pytest.mark.parametrize("marker", ["solve", "tests"])
def test_both_commands_set_themselves_up_and_are_valid_shell(marker: str) -> None:
    block = block_after(marker)
    assert "-m venv" in block
    assert "install -q -c constraints.txt" in block
    subprocess.run(["bash", "-n", "-c", block], check=True)


def test_the_solve_command_is_the_first_session() -> None:
    session = SESSION.search(README.read_text())
    assert session
    assert f"cpplan {session['command']}\n" in block_after("solve")
