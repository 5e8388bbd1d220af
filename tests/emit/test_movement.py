"""Data movement on the emulated chip: random plans of GEMMs that do not divide, with a compute kernel by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from emit.by_hand import run_gemm
from gemm import batched_gemm, gemm

from cpplan.cost.model import evaluate
from cpplan.device.device import Device, Forward
from cpplan.device.spec import load_device
from cpplan.plan.nest import build_nest, cores_per_dim
from cpplan.plan.plan import LAUNCH, Placement, Plan
from cpplan.plan.space import deliveries, legal_spatial, orders
from cpplan.schedule.build import build_schedule
from cpplan.tile.program import TileProgram

CASES = tuple(itertools.product(("wormhole", "blackhole"), range(10)))


def random_plan(program: TileProgram, device: Device, random: Random) -> Plan:
    """Any mapping, order, sharing, network and reader; loads in the loop, the store at its block."""
    loops = {loop.name for loop in program.loops}
    mappings = [s for s in legal_spatial(program, device) if not any(split.dim in loops for dim in s for split in dim)]
    spatial = random.choice(mappings)
    order = random.choice(orders(program, spatial))
    nest = build_nest(program, spatial, order)
    placements = []
    for access in program.accesses:
        ways = deliveries(device, spatial, access, access.kind == "load")
        way = random.choice([w for w in ways if w.pattern != "private"] or ways)
        level = nest.names[nest.home[access.loop or ""]]
        depth = random.choice((1, 2)) if level != LAUNCH else 1
        placements.append(Placement(access.name, level, depth, way.groups, way.pattern, way.noc, way.reader))
    return Plan(program.block, spatial, order, tuple(placements))


@pytest.mark.parametrize(("device", "seed"), CASES)
def test_random_plans_of_ragged_gemms(device: str, seed: int) -> None:
    random = Random(seed)
    sizes = [random.choice((70, 96, 150, 200)) for _ in range(3)]
    block = (random.choice((32, 64)), random.choice((32, 64)), random.choice((32, 64)))
    program = gemm(*sizes, block) if seed % 3 else batched_gemm((3,), *sizes, block)
    program = replace(program, accesses=tuple(replace(a, fill=0.0) for a in program.accesses))
    target = load_device(device, cores=random.choice(("4x3@1,2", "3x4@0,0", "2x2@5,5", "5x2@3,1", "1x4@2,0")))
    schedule = build_schedule(program, target, random_plan(program, target, random))
    computed, expected, stats = run_gemm(schedule, seed)
    assert np.abs(computed - expected).max() < 0.01 * np.abs(expected).max()
    written = stats.dram[program.tensors[2].name].written_bytes
    assert written == 2048 * schedule_pages(program)


def schedule_pages(program: TileProgram) -> int:
    """Hardware tiles of the result: every one is written once."""
    *batch, rows, columns = program.tensors[2].shape
    return int(np.prod(batch)) * -(-rows // 32) * -(-columns // 32)


@pytest.mark.parametrize("seed", range(6))
def test_dram_traffic_is_what_the_cost_model_counts(seed: int) -> None:
    """Blocks that divide tensor and array, so that no core is idle and no page lies beyond a tensor."""
    random = Random(seed)
    program = gemm(256, 256, 128, (64, 64, 64))
    device = load_device("blackhole", cores="4x4@2,3")
    plan = random_plan(program, device, random)
    while any(dim.extent % cores_per_dim(plan.spatial).get(dim.name, 1) for dim in program.dims):
        plan = random_plan(program, device, random)
    _, _, stats = run_gemm(build_schedule(program, device, plan), seed)
    moved = {name: traffic.read_bytes + traffic.written_bytes for name, traffic in stats.dram.items()}
    assert moved == dict(evaluate(program, device, plan).traffic)


@pytest.mark.parametrize(("name", "seed"), [case for case in CASES if case[1] < 3])
def test_blocks_that_go_from_core_to_core(name: str, seed: int) -> None:
    """The same chip, described as one whose neighbours pass tiles on."""
    device = load_device(name, cores="4x3@1,1")
    assert device.multicast is not None
    device = replace(device, multicast=None, forward=Forward(("x", "y"), device.multicast.transfer))
    program = gemm(200, 150, 130, (32, 32, 32))
    random = Random(seed)
    plan = random_plan(program, device, random)
    while not any(place.pattern == "forward" for place in plan.placements):
        plan = random_plan(program, device, random)
    computed, expected, stats = run_gemm(build_schedule(program, device, plan), seed)
    assert np.abs(computed - expected).max() < 0.01 * np.abs(expected).max()
    assert stats.multicasts == 0
