"""GEMM planning problems that users of other tools reported in public, and what a right plan satisfies.

Sources: issues of tenstorrent tt-metal, tt-mlir, tt-xla and tt-lang, of NVlabs/timeloop and KULeuven-MICAS/zigzag; the
number is in the name of each test.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from gemm import batched_gemm, gemm, gemm_problem
from instances import problem

from cpplan.cost.model import Cost, evaluate
from cpplan.cost.table import build_column
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import RankedPlan, solve
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.plan import Plan, Split
from cpplan.plan.routes import group_members, readers
from cpplan.plan.space import violations
from cpplan.tile.program import Problem, TileProgram


def best(problem: Problem, device: Device, k: int = 1) -> RankedPlan:
    """The best plan; all returned plans are legal, fit, and never multicast to fewer than two cores."""
    solution = solve(problem, device, k=k)
    assert solution.status == "optimal"
    assert solution.gap == 0
    for ranked in solution.plans:
        assert not violations(ranked.program, device, ranked.plan)
        assert ranked.cost.sram_bytes <= ranked.cost.sram_limit_bytes == device.sram.usable
        assert all(share <= 1 for _, share in ranked.cost.utilisation)
        for place in ranked.plan.placements:
            assert (place.pattern == "private") == (max(place.groups) == 1)
    return solution.plans[0]


def shared(ranked: RankedPlan) -> list[str]:
    return [p.access for p in ranked.plan.placements if p.pattern == "multicast"]


def test_tt_metal_10936_n_blocks_that_do_not_divide_the_grid_still_multicast() -> None:
    found = best(gemm_problem(512, 6656, 4096), load_device("wormhole"))
    assert found.plan.cores <= 64
    assert shared(found)


def test_tt_metal_25909_the_core_count_that_minimises_time_is_used() -> None:
    tall = gemm_problem(5376, 288, 288)
    ten = best(tall, load_device("wormhole", cores="5x2"))
    every = best(tall, load_device("wormhole"))
    assert ten.plan.cores <= 10
    assert every.cost.makespan_cycles <= ten.cost.makespan_cycles
    for fewer in ("4x2", "3x2", "5x1"):
        smaller = best(tall, load_device("wormhole", cores=fewer))
        assert ten.cost.makespan_cycles <= smaller.cost.makespan_cycles


def test_tt_metal_35396_batches_are_spread_over_cores_and_a_larger_grid_is_never_worse() -> None:
    batched = problem(batched_gemm((64, 6), 256, 64, 256, (128, 64, 128)))
    full = load_device("blackhole_13x10")
    large, small = best(batched, full), best(batched, load_device("blackhole_13x10", cores="8x8"))
    spread = {s.dim for s in itertools.chain.from_iterable(large.plan.spatial)}
    assert spread & {"b0", "b1"}
    assert large.cost.makespan_cycles <= small.cost.makespan_cycles
    assert dict(large.cost.utilisation).keys() >= {"compute", "dram", "noc"}


DIT = list(itertools.product((2048, 4096, 9472), (2048, 3072, 5120), (2048, 3072, 5120)))


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("m", "k", "n"), DIT)
def test_tt_metal_29716_every_dit_linear_has_a_plan(m: int, k: int, n: int, device: str) -> None:
    block = {"wormhole": (256, 256, 64), "blackhole": (128, 256, 64)}[device]
    assert best(problem(gemm(m, n, k, block)), load_device(device)).cost.makespan_cycles > 0


def test_tt_metal_16348_four_byte_types_fit_with_double_buffering() -> None:
    found = best(gemm_problem(1024, 4096, 4096, "fp32"), load_device("wormhole"), k=3)
    a = next(p for p in found.plan.placements if p.access == "a")
    one = dict(found.cost.buffers)["a"] // a.depth
    tile = found.program.accesses[0].tile
    assert one % (tile[0] * tile[1] * 4) == 0


def test_tt_metal_21904_no_plan_exceeds_the_limit_of_wormhole() -> None:
    found = best(gemm_problem(32, 4096, 14336), load_device("wormhole"), k=5)
    assert found.cost.sram_limit_bytes == 1_393_312 < 1_499_136


def test_tt_xla_1066_no_plan_exceeds_the_limit_of_blackhole() -> None:
    found = best(gemm_problem(512, 768, 3072, "fp32"), load_device("blackhole_13x10"), k=5)
    assert found.cost.sram_limit_bytes == 1_461_120 < 1_572_864


@pytest.mark.parametrize("cores", ["8x8", "3x3"])
def test_tt_mlir_7092_a_tensor_smaller_than_the_grid_leaves_cores_idle(cores: str) -> None:
    found = best(problem(gemm(64, 128, 64, (32, 32, 32))), load_device("wormhole", cores=cores))
    cores_of = cores_per_dim(found.plan.spatial)
    assert cores_of.get("m", 1) * cores_of.get("n", 1) <= 2 * 4  # others may share the trips of the loop


def transposed(plan: Plan) -> Plan:
    swap = {"m": "n", "n": "m"}
    spatial = tuple(tuple(Split(swap.get(s.dim, s.dim), s.factor) for s in splits) for splits in reversed(plan.spatial))
    return replace(plan, spatial=spatial)


def test_tt_mlir_5542_rows_and_columns_are_never_confused() -> None:
    square = problem(gemm(2048, 2048, 2048, (128, 128, 64)))
    wide, tall = best(square, load_device("mesh_10x8")), best(square, load_device("mesh_8x10"))
    assert wide.cost.key == tall.cost.key
    turned = {tuple(reversed(wide.plan.spatial)), wide.plan.spatial, transposed(wide.plan).spatial}
    assert turned & {tall.plan.spatial, transposed(tall.plan).spatial}
    for line in ("wormhole_1x8", "wormhole_8x1"):
        assert best(square, load_device(line)).plan.cores == 8


def templates(program: TileProgram, device: Device) -> list[Cost]:
    """The vendor's 2D template (rows take m, columns take n) and 1D template (all cores take m), best placements."""
    x, y = (d.extent for d in device.dims)
    extents = {d.name: d.extent for d in program.dims}
    two = ((Split("n", min(x, extents["n"])),) if extents["n"] > 1 else (), (Split("m", y),))
    one = ((Split("m", x),), (Split("m", y),))
    costs = []
    for spatial in (two, one):
        waves = {name: -(-extent // _cores(spatial, name)) for name, extent in extents.items()}
        order = tuple((name,) for name, count in waves.items() if count > 1)
        column = build_column(program, device, spatial, order)
        widest = []
        for rows in column.rows:
            home = max(rows.level)
            usable = [p for p, level in zip(rows.places, rows.level, strict=True) if level == home]
            widest.append(max(usable, key=lambda p: (p.depth, p.groups, -p.noc)))
        plan = Plan(program.block, spatial, order, tuple(widest))
        costs.append(evaluate(program, device, plan))
    return [c for c in costs if c.sram_bytes <= c.sram_limit_bytes]


def _cores(spatial: tuple[tuple[Split, ...], ...], name: str) -> int:
    total = 1
    for split in itertools.chain.from_iterable(spatial):
        total *= split.factor if split.dim == name else 1
    return total


@pytest.mark.parametrize("n", [512, 1024])
def test_tt_mlir_6477_skinny_gemm_uses_all_cores_and_beats_both_templates(n: int) -> None:
    device = load_device("wormhole")
    program = gemm(32768, n, 32768, (128, 128, 128))
    found = best(problem(program), device)
    assert found.plan.cores == device.cores
    assert all(found.cost.makespan_cycles <= cost.makespan_cycles for cost in templates(program, device))


def small_memory(kib: int) -> Device:
    device = load_device("wormhole")
    return replace(device, sram=replace(device.sram, size=device.sram.reserved + kib * 1024))


def test_tt_mlir_9264_the_next_block_shape_is_taken_when_one_does_not_fit() -> None:
    large, small = gemm(32, 28672, 8192, (32, 4096, 256)), gemm(32, 28672, 8192, (32, 256, 128))
    assert solve(problem(large), small_memory(512)).status == "infeasible"
    assert best(problem(large, small), small_memory(512)).program.block == small.block


def test_tt_metal_9341_no_multicast_without_a_second_receiver() -> None:
    best(problem(gemm(192, 32, 1536, (32, 32, 128))), load_device("wormhole"), k=8)


def test_tt_metal_27979_receivers_are_exactly_a_rectangle_of_working_cores() -> None:
    device = load_device("blackhole")
    for ranked in solve(problem(gemm(32, 512, 2048, (32, 32, 128))), device, k=8).plans:
        active = tuple(ranked.plan.cores_along(i) for i in range(2))
        working = set(group_members((0, 0), active))
        for place in ranked.plan.placements:
            if place.pattern != "multicast":
                continue
            groups = [
                group_members(origin, place.groups)
                for origin, _ in readers(device, active, place.groups, "multicast", place.noc, place.reader)
            ]
            assert sorted(itertools.chain.from_iterable(groups)) == sorted(working)


SWEEP = list(itertools.product((32, 96, 160, 2304), (32, 96, 544, 1056), (32, 224, 736, 2304)))


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("m", "k", "n"), SWEEP)
def test_tt_metal_11392_every_divisibility_has_a_plan(m: int, k: int, n: int, device: str) -> None:
    assert best(problem(gemm(m, n, k, (64, 64, 64))), load_device(device)).plan.cores >= 1


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
def test_tt_lang_541_idle_cores_move_nothing(device: str) -> None:
    found = best(problem(gemm(224, 416, 512, (32, 32, 64))), load_device(device))
    assert dict(found.cost.traffic)["c"] == 224 * 416 * 2


def test_timeloop_99_infeasible_names_the_limit_and_relaxing_it_helps() -> None:
    huge = problem(gemm(256, 256, 256, (2048, 2048, 2048), "fp32"))
    device = load_device("wormhole")
    solution = solve(huge, device)
    assert solution.status == "infeasible"
    assert "SRAM capacity" in solution.reason
    need, have = (
        int(x.replace(",", ""))
        for x in re.findall(r"needs ([\d,]+) bytes per core.*? has ([\d,]+)", solution.reason)[0]
    )
    assert have == device.sram.usable < need
    assert solve(huge, replace(device, sram=replace(device.sram, size=device.sram.reserved + need))).status == "optimal"
    assert (
        solve(huge, replace(device, sram=replace(device.sram, size=device.sram.reserved + need - 16))).status
        == "infeasible"
    )


def test_zigzag_52_less_memory_is_never_faster() -> None:
    cube = gemm_problem(1024, 1024, 1024)
    cycles = [best(cube, small_memory(kib)).cost.makespan_cycles for kib in (128, 256, 512, 1024, 1360)]
    assert cycles == sorted(cycles, reverse=True)


def test_zigzag_119_odd_extents_have_a_plan() -> None:
    assert shared(best(gemm_problem(1009, 1543, 769), load_device("wormhole")))
