"""The threads of a core, followed step by step: what data movement brings is what the computation takes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from follow import Values, followed
from gemm import gemm

from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.errors import ScheduleError
from cpplan.frontend import read_launches
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.plan.space import combines, first_cores, legal_spatial, orders, placements
from cpplan.schedule.build import build_schedule
from cpplan.schedule.schedule import Drop, Hand, Make, Move, Schedule, Take
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Profile, TileProgram

EXAMPLES = Path(__file__).parents[2] / "examples"


def random_schedule(program: TileProgram, device: Device, random: Random) -> Schedule:
    """Any legal plan, hoists and depths included."""
    spatial = random.choice(legal_spatial(program, device))
    order = random.choice(orders(program, spatial))
    nest = build_nest(program, spatial, order)
    places = tuple(random.choice(placements(program, device, spatial, nest, access)) for access in program.accesses)
    ways = combines(program, device, spatial)
    origin = first_cores(device, spatial)[0]
    plan = Plan(program.block, spatial, order, places, random.choice(ways) if ways else None, origin)
    small = replace(device, sram=replace(device.sram, size=1 << 30, max_buffers=1000))
    return build_schedule(program, small, plan)


def programs() -> list[TileProgram]:
    out = [gemm(200, 150, 200, (32, 64, 32))]
    for name, sizes in (("attention", "1 4 2 256 32"), ("layer_norm", "20 300"), ("flash_decode", "2 8 2 512 32 2")):
        for problem in read_launches(str(EXAMPLES / f"{name}.py"), argv=sizes.split()).problems:
            out.append(candidate_program(problem.families[0], 0))
    return out


CASES = [(program, seed) for program, seed in itertools.product(programs(), range(6))]


@pytest.mark.parametrize(("program", "seed"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_blocks_are_taken_in_the_order_in_which_they_are_brought(program: TileProgram, seed: int) -> None:
    random = Random(seed)
    device = load_device("wormhole", cores=random.choice(("2x3", "4x1", "3x3")))
    schedule = random_schedule(program, device, random)
    core = random.choice(list(schedule.digits))
    digits = {f"core_{name}": number for name, number in schedule.digits[core]}
    walked = {t.name: list(followed(schedule, t.steps, digits)) for t in schedule.threads}
    for stream in schedule.streams:
        where = access_indices(schedule, stream.access)
        thread = walked["noc1" if stream.noc else "noc0"]
        moved = [at(where, values) for step, values in thread if step == Move(stream.access)]
        first, last = (Take, Drop) if stream.kind == "load" else (Make, Hand)
        for kind in (first, last):
            used = [at(where, values) for step, values in walked["compute"] if step == kind(stream.buffer)]
            assert used == moved, f"{kind.__name__} of {stream.access}"


def access_indices(schedule: Schedule, access: str) -> list[str]:
    """Indices of the address that are fixed where the transfer sits."""
    stream = schedule.stream(access)
    inner = {name for name, _ in stream.inner}
    single = {loop.name for loop in schedule.program.loops if loop.trips <= 1}
    names = next(a for a in schedule.program.accesses if a.name == access).indices
    cores = {name for name, _ in next(iter(schedule.digits.values()))}
    return sorted(name for name in names - inner - single if name in {d.name for d in schedule.program.dims} | cores)


def at(names: list[str], values: Values) -> tuple[int, ...]:
    return tuple(values[name] for name in names if name in values)


def test_double_buffered_loads_come_before_the_store_they_share_a_thread_with() -> None:
    plan = Plan(
        (("BM", 32), ("BN", 32), ("BK", 32)),
        ((Split("m", 2),), ()),
        (("m", "n"),),
        (
            Placement("a", "wave.m.n", 2, (1, 1), noc=1),
            Placement("b", "wave.m.n", 2, (1, 1), noc=0),
            Placement("c", "wave.m.n", 1, (1, 1), noc=1),
        ),
    )
    schedule = build_schedule(gemm(128, 96, 64, (32, 32, 32)), load_device("wormhole"), plan)
    walked = followed(schedule, schedule.thread("noc1").steps, {"core_m": 0})
    names = [step.stream for step, _ in walked if isinstance(step, Move)]
    assert names == ["a", *itertools.chain.from_iterable([["a", "c"]] * 5), "c"]


@pytest.mark.parametrize("slope", [1, -1])
def test_a_loop_runs_for_all_cores_as_often_as_for_the_longest_block_of_the_wave(slope: int) -> None:
    program = gemm(160, 32, 160, (32, 32, 32))
    profile = Profile("m", slope, 1 if slope > 0 else 5, 1, 1, 5)
    program = replace(program, loops=(replace(program.loops[0], profile=profile),))
    place = tuple(Placement(name, "k" if name != "c" else "wave.m", 1, (1, 1)) for name in "abc")
    plan = Plan(program.block, ((Split("m", 2),), ()), (("m",),), place)
    schedule = build_schedule(program, load_device("wormhole"), plan)
    for core, digits in schedule.digits.items():
        walked = followed(schedule, schedule.thread("compute").steps, {f"core_{n}": d for n, d in digits})
        taken = [values["wave.m"] for step, values in walked if step == Take("a")]
        counts = [taken.count(wave) for wave in range(3)]
        assert counts == ([2, 4, 5] if slope > 0 else [5, 3, 1]), core


def test_a_loop_whose_trips_are_known_only_in_sum_is_refused() -> None:
    program = gemm(160, 32, 160, (32, 32, 32))
    uneven = replace(program, source="k.py:5", loops=(replace(program.loops[0], total_trips=15),))
    plan = Plan(program.block, ((), ()), (("m",),), tuple(Placement(n, "wave.m", 1, (1, 1)) for n in "abc"))
    with pytest.raises(ScheduleError, match=r"k\.py:5: loop k runs up to 5 times, but less often in some blocks"):
        build_schedule(uneven, load_device("wormhole"), plan)
    even = replace(program, loops=(replace(program.loops[0], total_trips=25),))
    build_schedule(even, load_device("wormhole"), plan)
