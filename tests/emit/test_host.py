"""The host script: executed with a stand-in for the host library, its program computes what the kernel computes."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from gemm import gemm

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.host import host_script
from cpplan.emit_ttmetal.program import Arch, Program
from cpplan.errors import ScheduleError
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule
from cpplan.tile.program import Op, TileProgram

torch = pytest.importorskip("torch")

from emit import fake_ttnn  # noqa: E402
from emit.test_movement import random_plan  # noqa: E402


def with_start(program: TileProgram) -> TileProgram:
    """The matmul with what its sum starts from."""
    zero = Op("zero", "constant", (), program.ops[0].shape, "fp32", None, (("value", "0.0"),))
    return replace(program, ops=(zero, *program.ops))


def scheduled(arch: Arch, dtype: str = "bf16") -> tuple[Schedule, Program]:
    program = with_start(gemm(100, 70, 130, (64, 32, 32), dtype))
    device = load_device(arch, cores="2x3@1,1")
    schedule = build_schedule(program, device, random_plan(program, device, Random(3)))
    return schedule, emit(schedule)


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_the_script_prepares_runs_and_brings_back(arch: Arch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule, program = scheduled(arch)
    (tmp_path / "kernels").mkdir()
    for kernel in program.kernels:
        (tmp_path / "kernels" / f"{kernel.name}.cpp").write_text(kernel.source)
    (tmp_path / "host.py").write_text(host_script(schedule, program))
    monkeypatch.setitem(__import__("sys").modules, "ttnn", fake_ttnn.module(arch))
    script = runpy.run_path(str(tmp_path / "host.py"))
    a, b = torch.randn(100, 130).bfloat16(), torch.randn(130, 70).bfloat16()
    results = script["run"](fake_ttnn.Device(arch), {"a": a, "b": b, "c": torch.zeros(100, 70).bfloat16()})
    expected = a.double() @ b.double()
    assert list(results) == ["c"]
    assert (results["c"].double() - expected).abs().max() < 0.02 * expected.abs().max()


def test_element_types_that_the_host_library_lacks_are_refused() -> None:
    schedule, program = scheduled("wormhole", "fp16")
    with pytest.raises(ScheduleError, match="elements of fp16, which tensors of ttnn do not"):
        host_script(schedule, program)
