"""README.md and the pages with sessions show what the program prints, and their commands are the ones that work.

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
PAGES = {"README.md": 2, "docs/control.md": 3}
"""Pages with recorded sessions, and how many they have at least."""
SESSION = re.compile(r"(?<=```console\n)\$ cpplan (?P<command>.*)\n(?P<output>(?:.*\n)*?)(?=```)")
SECONDS = re.compile(r"\d+\.\d\d s\b")


def replay(command: str) -> str:
    """What ``cpplan COMMAND`` prints, in the current folder, without trailing blanks; some sessions find no plan."""
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code in (0, 3), result.output
    return "".join(f"{line.rstrip()}\n" for line in result.stdout.rstrip().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_sessions_are_what_the_program_prints(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    printed = {session["command"]: replay(session["command"]) for session in SESSION.finditer(text)}
    assert len(printed) >= PAGES[page]
    if pytestconfig.getoption("--update"):
        (ROOT / page).write_text(SESSION.sub(lambda s: f"$ cpplan {s['command']}\n{printed[s['command']]}", text))
        return
    for session in SESSION.finditer(text):
        assert SECONDS.sub("_ s", printed[session["command"]]) == SECONDS.sub("_ s", session["output"])


@pytest.mark.parametrize(("page", "starts"), [("README.md", ["1", "2"]), ("docs/control.md", ["", "()"])])
def test_the_python_example_runs(
    page: str, starts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    exec(compile(example, page, "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=True)] == [True, True]


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
