"""`cpplan emit --target ttlang`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from cpplan.cli import main
from cpplan.device.spec import load_device
from cpplan.emit_ttlang.operation import emit_operation
from cpplan.schedule.parse import parse_schedule

GEMM = Path(__file__).parents[2] / "bench" / "data" / "plain_gemm.py"
SMALL = ("--target", "ttlang", "--device", "wormhole", "--cores", "2x2")


def cpplan(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_the_operation_is_that_of_the_schedule_beside_it(tmp_path: Path) -> None:
    """The schedule read back makes the same operation."""
    result = cpplan("emit", GEMM, *SMALL, "--pin", "combine=none", "--out", tmp_path, "--json", "--", 128, 128, 128)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["files"] == ["operation.py", "schedule.mlir"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(record["files"])
    schedule = parse_schedule((tmp_path / "schedule.mlir").read_text(), load_device("wormhole", cores="2x2"))
    assert (tmp_path / "operation.py").read_text() == emit_operation(schedule).source


def test_what_tt_lang_has_no_words_for_is_one_message(tmp_path: Path) -> None:
    result = cpplan(
        "emit", GEMM, *SMALL, "--pin", "k.cores=2", "--pin", "combine=ring", "--out", tmp_path, "--", 64, 64, 256
    )
    assert result.exit_code == 2
    assert "plain_gemm.py:10: no TT-Lang operation can be made: cores combine their parts" in result.output
    assert list(tmp_path.iterdir()) == []


def test_explain_is_about_the_other_target(tmp_path: Path) -> None:
    result = cpplan("emit", GEMM, *SMALL, "--explain", "--out", tmp_path, "--", 64, 64, 64)
    assert result.exit_code == 2
    assert "operation.py" in result.output
