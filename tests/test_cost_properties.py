"""What always holds for the exact cost model, whatever the program, the device and the plan."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import problem, random_device, random_program

from cpplan.cost.model import evaluate
from cpplan.cost.streams import tile_size
from cpplan.cost.traffic import compulsory_tiles
from cpplan.cost.units import level_work
from cpplan.device.device import Device, Transfer
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.plan.nest import build_nest
from cpplan.tile.program import DTYPE_BITS, Access, Affine, Dim, Op, Tensor, TileProgram

INSTANCES = st.randoms(use_true_random=False).map(lambda r: (random_device(r), random_program(r)))
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def optimum(device: Device, program: TileProgram) -> int | None:
    solution = solve(problem(program), device)
    return solution.plans[0].cost.makespan_cycles if solution.plans else None


@QUICK
@given(INSTANCES)
def test_no_plan_beats_a_single_resource(instance: tuple[Device, TileProgram]) -> None:
    device, program = instance
    assume(count([program], device, 4_000) <= 4_000)
    for scored in brute_force([program], device, 20):
        cost = evaluate(program, device, scored.plan)
        read = sum(b for (name, b), a in zip(cost.traffic, program.accesses, strict=True) if a.kind == "load")
        written = cost.dram_bytes - read
        dram = Fraction(read) / device.dram.bank_read_rate + Fraction(written) / device.dram.bank_write_rate
        assert cost.makespan_cycles * device.dram.banks >= dram
        nest = build_nest(program, scored.plan.spatial, scored.plan.order)
        compute = sum(
            int(work.cycles()) * nest.iterations(nest.home[position])
            for position, work in level_work(program, device).items()
        )
        assert cost.makespan_cycles >= device.launch_cycles + compute
        assert all(share <= 1 for _, share in cost.utilisation)


@QUICK
@given(INSTANCES)
def test_traffic_is_never_below_compulsory(instance: tuple[Device, TileProgram]) -> None:
    device, program = instance
    assume(count([program], device, 4_000) <= 4_000)
    for scored in brute_force([program], device, 20):
        for (name, moved), access in zip(evaluate(program, device, scored.plan).traffic, program.accesses, strict=True):
            size = tile_size(program, access)
            assert moved >= compulsory_tiles(program, access) * size.pages * size.page_bytes, name


@QUICK
@given(st.randoms(use_true_random=False), st.integers(1, 40), st.integers(1, 8), st.sampled_from(["bf16", "fp32"]))
def test_elementwise_work_on_runs_of_1024_moves_its_tensors_and_no_more(
    r: Random, blocks: int, pieces: int, dtype: str
) -> None:
    tile, start = (1024 * pieces,), (Affine(0, (("i", 1024 * pieces),)),)
    accesses = (Access("x", "x", "load", tile, start, value="v"), Access("y", "y", "store", tile, start, value="e"))
    tensors = tuple(Tensor(name, dtype, (1024 * pieces * blocks,), (1,)) for name in "xy")
    ops = (Op("e", "exp", ("v",), tile, dtype, None, (), (tile,), (dtype,)),)
    program = TileProgram("exp", (Dim("i", blocks),), (), tensors, accesses, ops)
    for scored in brute_force([program], random_device(r), 20):
        assert scored.key[1] == 2 * (1024 * pieces * blocks) * DTYPE_BITS[dtype] // 8


def faster(transfer: Transfer) -> Transfer:
    return replace(transfer, rate=transfer.rate * 2)


IMPROVEMENTS = {
    "sram": lambda d: replace(d, sram=replace(d.sram, size=d.sram.size * 2)),
    "dram banks": lambda d: replace(d, dram=replace(d.dram, bank_read_rate=d.dram.bank_read_rate * 2)),
    "dram ports": lambda d: replace(
        d, dram=replace(d.dram, port_read_rate=d.dram.port_read_rate * 2, port_write_rate=d.dram.port_write_rate * 2)
    ),
    "dram streams": lambda d: replace(d, dram=replace(d.dram, read=faster(d.dram.read), write=faster(d.dram.write))),
    "links": lambda d: replace(d, nocs=tuple(replace(n, link_rate=n.link_rate * 2) for n in d.nocs)),
    "multicast": lambda d: replace(
        d, multicast=d.multicast and replace(d.multicast, transfer=faster(d.multicast.transfer))
    ),
    "latency": lambda d: replace(d, dram=replace(d.dram, read=replace(d.dram.read, latency=0))),
}


@pytest.mark.parametrize("resource", IMPROVEMENTS)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(r=st.randoms(use_true_random=False))
def test_more_of_a_resource_never_makes_the_optimum_worse(resource: str, r: Random) -> None:
    device, program = random_device(r), random_program(r)
    assume(count([program], device, 4_000) <= 4_000)
    before = optimum(device, program)
    after = optimum(IMPROVEMENTS[resource](device), program)
    assert before is None or (after is not None and after <= before)
