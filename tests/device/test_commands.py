"""``cpplan hw``: tables for people, JSON for programs, exit codes 0 and 2."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from cpplan.device.commands import hw
from cpplan.device.spec import list_devices, load_device

FAULTY = str(Path(__file__).parent / "faulty" / "paper_dram_map.mlir")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(hw, arguments)


def test_list_names_every_device() -> None:
    result = run("list")
    assert result.exit_code == 0
    assert all(name in result.output for name in list_devices())


def test_list_json() -> None:
    devices = json.loads(run("list", "--json").output)["devices"]
    blackhole = next(device for device in devices if device["name"] == "blackhole")
    assert (blackhole["shape"], blackhole["cores"], blackhole["sram_bytes"]) == ([12, 10], 120, 1461120)


def test_show_json_has_exact_rates() -> None:
    device = json.loads(run("show", "wormhole", "--json").output)["device"]
    assert device["dram"]["bank_read_rate"] == "22.3"
    assert device["fingerprint"] == load_device("wormhole").fingerprint


def test_show_restricted() -> None:
    device = json.loads(run("show", "wormhole", "--json", "--cores", "4x8", "--disable-core", "1,1").output)["device"]
    assert device["disabled"] == [[1, 1]]
    assert "torus 10x12, +x then +y" in run("show", "wormhole", "--derate", "dram=0.5").output


def test_show_mlir_is_a_spec(tmp_path: Path) -> None:
    path = tmp_path / "copy.mlir"
    path.write_text(run("show", "wormhole_8x7", "--mlir").output)
    assert load_device(str(path)) == load_device("wormhole_8x7")


def test_lint_exits_with_2_when_something_is_found() -> None:
    assert run("lint", "wormhole", "blackhole").exit_code == 0
    result = run("lint", "wormhole", FAULTY)
    assert result.exit_code == 2
    assert "did you mean floordiv?" in result.output


def test_lint_json() -> None:
    report = json.loads(run("lint", FAULTY, "--json").output)
    assert not report["clean"]
    assert report["specs"][0]["findings"][0]["rule"] == "dram-map"


def test_help_has_an_example_everywhere() -> None:
    for command in ([], ["list"], ["show"], ["lint"]):
        assert "Example:" in run(*command, "--help").output
