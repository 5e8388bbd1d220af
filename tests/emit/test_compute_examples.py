"""The compute kernels of all examples, run on the emulated chip under random plans, against numpy in doubles."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from emit.whole import EXAMPLES, check, programs, random_plan, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.errors import ScheduleError
from cpplan.schedule.build import build_schedule

SIZES = {
    "attention": (1, 4, 1, 256, 64), "batched_matmul": (2, 96, 128, 64), "elementwise": (64, 250),
    "flash_decode": (2, 8, 2, 256, 64, 2), "layer_norm": (12, 2048), "mamba_chunk_scan": (1, 256, 2, 64, 1, 64, 128),
    "mamba_chunk_state": (1, 256, 32, 64, 1, 64, 128), "matmul": (128, 96, 160),
    "matmul_bias_activation": (100, 128, 96), "persistent_matmul": (192, 128, 128), "rms_norm_residual": (64, 512),
    "softmax": (10, 2000), "swiglu": (12, 2048),
}  # fmt: skip
"""Arguments of each example's ``main``, small enough for a second or two, some that blocks do not divide."""

TOLERANCE = 0.02
"""Of the largest value: bf16 has 8 bits, and at HiFi2 products of bf16 lose a few of them."""

DEVICES = {"wormhole": "3x2@1,1", "blackhole": "2x3@0,0"}


@pytest.mark.parametrize("name", SIZES)
def test_examples_compute_what_their_tile_programs_say(name: str) -> None:
    for number, program in enumerate(programs(EXAMPLES / f"{name}.py", *SIZES[name])):
        chip = "wormhole" if number % 2 else "blackhole"
        device = load_device(chip, cores=DEVICES[chip])
        for seed in range(2):
            plan = random_plan(program, device, Random(seed)) if seed else simple_plan(program, device)
            for store, error in check(program, device, plan, seed).items():
                assert error < TOLERANCE, (program.name, plan, store)


@pytest.mark.parametrize(("name", "cores"), [("matmul", "4x1@0,0"), ("flash_decode", "1x4@0,0")])
def test_loops_shared_by_cores(name: str, cores: str) -> None:
    device = load_device("wormhole", cores=cores)
    program = next(p for p in programs(EXAMPLES / f"{name}.py", *SIZES[name]) if p.reduction is not None)
    for seed in range(2):
        plan = random_plan(program, device, Random(seed), shared=True)
        assert plan.combine is not None
        for store, error in check(program, device, plan, seed).items():
            assert error < TOLERANCE, (plan, store)


def test_what_cores_cannot_do_is_an_error_with_the_line() -> None:
    device = load_device("wormhole", cores="1x1@0,0")
    (program,) = programs(EXAMPLES / "split_k_matmul.py", 64, 128, 512)
    alone = replace(program, accesses=(*program.accesses[:-1], replace(program.accesses[-1], replaces="")))
    with pytest.raises(ScheduleError, match=r"split_k_matmul.py:\d+: atomic c_ptr of c_ptr compares and swaps"):
        build_schedule(alone, device, simple_plan(alone, device))


def test_kernels_say_where_they_come_from() -> None:
    device = load_device("wormhole", cores="1x1@0,0")
    program = programs(EXAMPLES / "attention.py", *SIZES["attention"])[1]
    source = compute_kernel(build_schedule(program, device, simple_plan(program, device))).source
    for text in ("// loop start of the kernel", "exp2 (attention.py:40)", "constexpr uint32_t cb_q_ptr = 0;"):
        assert text in source


@pytest.mark.parametrize("name", ["batched_matmul", "persistent_matmul"])
def test_plain_products_leave_the_vector_unit_alone(name: str) -> None:
    (program,) = programs(EXAMPLES / f"{name}.py", *SIZES[name])
    device = load_device("wormhole", cores="1x1@0,0")
    source = compute_kernel(build_schedule(program, device, simple_plan(program, device))).source
    headers = {line.split('"')[1] for line in source.splitlines() if line.startswith('#include "')}
    assert not any("eltwise" in header for header in headers)
    assert "if (k > 0) {" in source  # the first product is the first sum


def test_buffers_of_the_kernel_lie_behind_those_of_the_plan() -> None:
    device = load_device("wormhole", cores="1x1@0,0")
    program = programs(EXAMPLES / "attention.py", *SIZES["attention"])[0]
    schedule = build_schedule(program, device, simple_plan(program, device))
    buffers = compute_kernel(schedule).buffers
    assert buffers[: len(schedule.buffers)] == schedule.buffers
    assert [b.index for b in buffers] == list(range(len(buffers)))
    ends = [b.offset + b.bytes for b in buffers]
    assert all(b.offset >= end for b, end in zip(buffers[1:], ends, strict=False))
    tight = replace(device, sram=replace(device.sram, size=device.sram.reserved + schedule_end(schedule.buffers)))
    with pytest.raises(ScheduleError, match="what the compute kernel keeps besides"):
        compute_kernel(replace(schedule, device=tight))


def schedule_end(buffers: tuple) -> int:  # type: ignore[type-arg]
    """Bytes of a plan's own buffers."""
    return max(b.offset + b.bytes for b in buffers)
