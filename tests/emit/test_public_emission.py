"""GEMMs whose programs hung or computed wrongly with other tools, reported in public: emitted and run on the emulated
chip, against numpy.

Sources: tenstorrent tt-metal, tt-mlir and tt-lang, and KULeuven-MICAS/zigzag; the number is in the name of each test.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from emit.whole import random_tensors
from gemm import gemm
from instances import problem

from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.emit import emit
from cpplan.emit_ttmetal.launch import device_memory, memory_after
from cpplan.emit_ttmetal.program import Program
from cpplan.emulate import Stats, run
from cpplan.encode.solve import RankedPlan, solve
from cpplan.plan.terms import parse_restriction
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Schedule, Stream
from cpplan.tile.program import Op

TOLERANCE = 2.0**-7
"""Of the largest result: two roundings to bfloat16."""

Block = tuple[int, int, int]


@dataclass(frozen=True)
class Done:
    """A program that ended, its plan, and what it moved."""

    plan: RankedPlan
    schedule: Schedule
    program: Program
    stats: Stats

    @property
    def shared(self) -> list[Stream]:
        """Streams whose tiles go from one core to several."""
        return [stream for stream in self.schedule.streams if stream.pattern == "multicast"]


def done(
    sizes: tuple[int, int, int], block: Block, device: Device, count: int = 1, pins: tuple[str, ...] = ()
) -> Iterator[Done]:
    """The best ``count`` plans of an (M, N, K) product, each run and found to be equal to numpy's."""
    program = gemm(*sizes, block)
    zero = Op("zero", "constant", (), block[:2], "fp32", None, (("value", "0"),))
    loads = tuple(replace(access, fill=0.0) for access in program.loads())
    program = replace(program, ops=(zero, *program.ops), accesses=(*loads, program.accesses[-1]))
    whole = problem(program)
    solution = solve(whole, device, k=count, restriction=parse_restriction(whole, device, pins))
    assert len(solution.plans) == count
    for seed, plan in enumerate(solution.plans):
        schedule = build_schedule(plan.program, device, plan.plan)
        emitted = emit(schedule)
        tensors = random_tensors(plan.program, seed)
        tensors["c"] = np.zeros_like(tensors["c"])
        flat = {name: values.reshape(-1) for name, values in tensors.items()}
        pages, stats = run(emitted, device_memory(schedule, flat), seed=seed)
        computed = memory_after(schedule, flat, pages)["c"].reshape(sizes[:2])
        expected = tensors["a"].astype(np.float64) @ tensors["b"].astype(np.float64)
        assert np.abs(computed - expected).max() <= TOLERANCE * np.abs(expected).max()
        yield Done(plan, schedule, emitted, stats)


def written_pages(sizes: tuple[int, int, int]) -> int:
    """Hardware tiles of the result."""
    return -(-sizes[0] // 32) * -(-sizes[1] // 32)


@pytest.mark.parametrize("pins", [(), ("m.cores=6", "n.cores=1"), ("m.cores=3",), ("k.cores=4",)])
def test_tt_metal_9341_nothing_is_multicast_to_fewer_than_two_cores(pins: tuple[str, ...]) -> None:
    for item in done((192, 32, 1536), (32, 32, 128), load_device("wormhole"), 2, pins):
        for stream in item.shared:
            assert all(part.receivers >= 1 for part in stream.endpoints.values())  # and the reader
        if not item.shared:
            assert item.stats.multicasts == 0
            assert not any("multicast" in kernel.source for kernel in item.program.kernels)


def rectangle(low: tuple[int, ...], high: tuple[int, ...]) -> set[tuple[int, ...]]:
    return set(itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


@pytest.mark.parametrize("pins", [(), ("a.broadcast=row", "n.on=x"), ("a.broadcast=row", "n.cores=16")])
def test_tt_metal_27979_the_cores_that_wait_for_a_block_are_the_rectangle_that_gets_it(pins: tuple[str, ...]) -> None:
    for item in done((32, 512, 2048), (32, 32, 128), load_device("blackhole", cores="8x4"), 2, pins):
        for stream in item.shared:
            for part in stream.endpoints.values():
                waiting = {core for core, other in stream.endpoints.items() if other.reader == part.reader}
                assert waiting - {part.reader} == rectangle(part.low, part.high) - {part.reader}
                assert part.receivers == len(waiting) - 1
            assert set(stream.endpoints) == set(item.schedule.digits)
        assert bool(item.shared) == bool(item.stats.multicasts)


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize("pins", [(), ("m.on=y", "m.cores=4", "n.on=x", "n.cores=5", "a.broadcast=row")])
def test_tt_lang_541_idle_cores_neither_read_nor_write_nor_signal(pins: tuple[str, ...], device: str) -> None:
    sizes, target = (224, 416, 512), load_device(device)
    for item in done(sizes, (32, 32, 64), target, 1, pins):
        cores = set(item.program.cores)
        assert len(cores) == item.plan.plan.cores
        assert all(set(kernel.cores) == cores for kernel in item.program.kernels)
        assert set(item.program.noc_coordinates) == cores
        assert item.stats.dram["c"].written_bytes == written_pages(sizes) * 2048


def test_tt_mlir_7092_a_product_smaller_than_the_array_uses_part_of_it() -> None:
    for cores in ("8x8", "3x3"):
        for item in done((64, 128, 64), (32, 32, 32), load_device("wormhole", cores=cores)):
            assert len(item.program.cores) <= 16


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize("sizes", [(32, 224, 96), (96, 32, 544), (160, 736, 32), (160, 224, 544)], ids=str)
def test_tt_metal_11392_blocks_that_do_not_divide_have_programs(sizes: tuple[int, int, int], device: str) -> None:
    for item in done(sizes, (64, 64, 64), load_device(device)):
        assert item.stats.dram["c"].written_bytes == written_pages(sizes) * 2048


@pytest.mark.parametrize("pins", [(), ("k.cores=2", "combine=tree"), ("k.cores=2", "combine=ring"), ("*.depth=1",)])
@pytest.mark.parametrize("sizes", [(101, 77, 155), (45, 131, 97), (33, 31, 257)], ids=str)
def test_zigzag_119_extents_that_no_hardware_tile_divides(sizes: tuple[int, int, int], pins: tuple[str, ...]) -> None:
    for item in done(sizes, (64, 32, 32), load_device("wormhole", cores="4x4@1,1"), 1, pins):
        assert item.stats.dram["c"].written_bytes == written_pages(sizes) * 2048


@pytest.mark.slow
def test_zigzag_119_the_reported_odd_extents() -> None:
    sizes = (1009, 1543, 769)
    for item in done(sizes, (128, 128, 64), load_device("wormhole")):
        assert item.stats.dram["c"].written_bytes == written_pages(sizes) * 2048


def test_tt_metal_10936_blocks_that_do_not_divide_the_array_are_still_multicast() -> None:
    pins = ("n.on=x", "n.cores=4", "m.cores=2", "a.broadcast=row")  # 13 blocks on 4 columns
    (item,) = done((128, 416, 256), (64, 32, 64), load_device("wormhole", cores="4x2"), 1, pins)
    assert item.shared and item.stats.multicasts
