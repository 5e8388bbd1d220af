"""Loops whose trips several cores share: which may be, what they move, what combining costs, and what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from follow import followed
from gemm import attention, gemm
from instances import problem, random_device, random_program
from teams import COPY, HANDSHAKE, along_x, private_plan, product, row_of_cores

from cpplan.cost.model import Cost, evaluate
from cpplan.cost.streams import tile_size
from cpplan.cost.table import Column, build_column
from cpplan.device.device import Device, Forward, Multicast
from cpplan.enumerate.oracle import brute_force, count
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.plan.artifact import plan_file, read_plan, write_plan
from cpplan.plan.nest import build_nest, cores_per_dim
from cpplan.plan.plan import Combine, Plan, Split
from cpplan.plan.routes import sharers
from cpplan.plan.space import (
    Spatial,
    axes,
    combines,
    legal_spatial,
    placements,
    shared_loop,
    violations,
    writers,
)
from cpplan.schedule.build import build_schedule
from cpplan.schedule.mlir import SEPARATOR, print_schedule
from cpplan.schedule.plan_text import print_plan
from cpplan.schedule.schedule import Compute, Schedule
from cpplan.tile.program import Access, TileProgram

KERNELS = Path(__file__).parents[1] / "tile" / "kernels" / "reductions.py"


@lru_cache
def log_sum_exp() -> TileProgram:
    """An online softmax: a maximum, and a sum that is scaled by it."""
    (launch,) = capture_launches(str(KERNELS), entry="launch('log_sum_exp')")
    return build(launch).program


def instances(wanted: int, largest: int = 1_500) -> Iterator[tuple[Device, TileProgram]]:
    """Random programs with a loop that the cores of a random device may share."""
    found = 0
    for seed in itertools.count():
        r = Random(seed)
        device, program = random_device(r), random_program(r)
        if len(axes(program, device)) > len(program.dims) and 0 < count([program], device, largest) <= largest:
            yield device, program
            found += 1
            if found == wanted:
                return


@lru_cache
def split_plans() -> list[tuple[Device, TileProgram, Plan, Cost]]:
    """Plans of random instances that share a loop, a few of each, with all kinds of placements."""
    out = []
    for number, (device, program) in enumerate(instances(12)):
        found = [s.plan for s in brute_force([program], device, 400) if s.plan.combine is not None]
        chosen = Random(number).sample(found, min(len(found), 8))
        out += [(device, program, plan, evaluate(program, device, plan)) for plan in chosen]
    assert len(out) > 40
    return out


# -- which programs ----------------------------------------------------------------------------------------------------


def test_cores_may_divide_blocks_and_the_trips_of_a_reduction() -> None:
    assert axes(product(8, rows=192), row_of_cores(4)) == {"m": 3, "n": 1, "k": 8}
    assert axes(log_sum_exp(), row_of_cores(4)) == {"start": 4}


def test_a_loop_that_hands_nothing_on_is_not_shared() -> None:
    """The attention program of the tests has no body: nothing says that its loop is a reduction."""
    assert axes(attention(128, 256, 64, (64, 64)), row_of_cores(4)) == {"i": 2}


def test_cores_that_cannot_write_to_each_other_share_nothing() -> None:
    silent = replace(row_of_cores(4), name="silent", multicast=None)
    assert axes(product(8), silent) == {"m": 1, "n": 1}
    assert all(shared_loop(product(8), spatial) is None for spatial in legal_spatial(product(8), silent))


def test_on_a_device_of_chains_a_loop_is_shared_along_the_chains() -> None:
    """Neighbours along y have no link."""
    chains = replace(row_of_cores(4, rows=2), name="chains", multicast=None, forward=Forward(("x",), COPY))
    mappings = [s for s in legal_spatial(product(8), chains) if shared_loop(product(8), s)]
    assert {s[0] for s in mappings} == {(Split("k", n),) for n in (2, 3, 4)}
    assert {s[1] for s in mappings} == {()}
    both = replace(chains, name="both", forward=Forward(("x", "y"), COPY))
    assert any(s[1] == (Split("k", 2),) for s in legal_spatial(product(8), both))


@pytest.mark.parametrize(("trips", "shared_by"), [(2, {2}), (5, {2, 3, 5}), (6, {2, 3, 6}), (8, {2, 3, 4, 8})])
def test_a_core_more_must_save_a_trip(trips: int, shared_by: set[int]) -> None:
    """Five cores do six trips no faster than three; nobody can do less than one trip."""
    found = {shared_loop(product(trips), s) for s in legal_spatial(product(trips), row_of_cores(8))}
    assert found == {None, *(("k", n) for n in shared_by)}


def test_a_core_runs_its_share_of_the_trips() -> None:
    nest = build_nest(product(8), ((Split("k", 3),), ()), ())
    assert nest.trips[nest.home["k"]] == 3
    assert "k" not in build_nest(product(8), ((Split("k", 8),), ()), ()).names


# -- traffic -----------------------------------------------------------------------------------------------------------


def digits_of(spatial: Spatial, core: tuple[int, ...], name: str) -> int:
    """Number of ``core`` among those that divide ``name``: its digits, first spatial dim most significant."""
    number = 0
    for position, splits in zip(core, spatial, strict=True):
        below = math.prod(s.factor for s in splits)
        for split in splits:
            below //= split.factor
            if split.dim == name:
                number = number * split.factor + position // below % split.factor
    return number


def tiles_one_by_one(program: TileProgram, device: Device, plan: Plan, access: Access) -> int:
    """Tiles of ``access`` that cross the DRAM ports, from every iteration of every core that has a block and a trip.

    Core p of the c cores that divide a dim or a loop has the indices p, p + c, p + 2c, ...; a tile counts once per
    sharing group and iteration of the loops around its transfer. Of the cores that share a loop the first writes.
    """
    nest = build_nest(program, plan.spatial, plan.order)
    place, cores = plan.placement(access.name), cores_per_dim(plan.spatial)
    extents = {d.name: d.extent for d in program.dims} | {loop.name: loop.trips for loop in program.loops}
    shared = shared_loop(program, plan.spatial)
    path = nest.path(nest.home[access.loop or ""])
    outer = path.index(nest.names.index(place.level)) + 1
    moved = set()
    for core in itertools.product(*(range(plan.cores_along(i)) for i in range(len(device.dims)))):
        turn = {name: digits_of(plan.spatial, core, name) for name in cores}
        if access.kind != "load" and shared is not None and turn[shared[0]] != 0:
            continue
        group = tuple(c // g for c, g in zip(core, place.groups, strict=True))
        for point in itertools.product(*(range(nest.trips[level]) for level in path)):
            index = dict(turn)
            for level, iteration in zip(path, point, strict=True):
                for name, trips in reversed(nest.indices[level]):
                    index[name] = iteration % trips * cores.get(name, 1) + turn.get(name, 0)
                    iteration //= trips
            inside = {**dict.fromkeys(extents, 0), **index}
            if access.kind != "load" and shared is not None:
                inside.pop(shared[0])
            if all(number < extents[name] for name, number in inside.items()):
                moved.add((group, point[:outer], tuple(inside[name] for name in sorted(access.indices))))
    return len(moved)


def test_traffic_is_that_of_every_tile_counted_by_itself() -> None:
    for device, program, plan, cost in split_plans():
        for access, (_, moved) in zip(program.accesses, cost.traffic, strict=True):
            size = tile_size(program, access)
            counted = tiles_one_by_one(program, device, plan, access) * size.pages * size.page_bytes
            assert moved == counted, (access.name, plan)


def test_so_is_that_of_plans_that_share_nothing() -> None:
    for number, (device, program) in enumerate(instances(8)):
        found = [s.plan for s in brute_force([program], device, 300) if s.plan.combine is None]
        for plan in Random(number).sample(found, min(len(found), 6)):
            for access, (_, moved) in zip(program.accesses, evaluate(program, device, plan).traffic, strict=True):
                size = tile_size(program, access)
                assert moved == tiles_one_by_one(program, device, plan, access) * size.pages * size.page_bytes


def test_every_core_of_a_team_reads_its_own_trips_and_the_first_one_writes() -> None:
    device, program = row_of_cores(4), product(8)
    alone = evaluate(program, device, private_plan(program, device, ((), ()), None))
    team = private_plan(program, device, along_x(device, Split("k", 4)), Combine("tree", 1))
    assert evaluate(program, device, team).traffic == alone.traffic
    assert writers(program, team.spatial) == ((0, 0),)


def test_what_every_trip_needs_is_read_by_every_core_of_a_team() -> None:
    """The scale does not depend on the trip: four cores that share the loop read it four times, or one for all."""
    device, program = row_of_cores(4), product(8)
    scale = Access("scale", "c", "load", (64, 128), program.accesses[2].starts, None, value="sv")
    scaled = replace(program, accesses=(scale, *program.accesses))
    scaled = replace(
        scaled, tensors=(*program.tensors, replace(program.tensors[2], name="s")),
        accesses=(replace(scale, tensor="s"), *program.accesses),
    )  # fmt: skip
    team = private_plan(scaled, device, along_x(device, Split("k", 4)), Combine("tree", 1))
    tile = 8 * 2048
    assert dict(evaluate(scaled, device, team).traffic)["scale"] == 4 * tile
    sent = replace(team.placements[0], groups=(4, 1), pattern="multicast")
    together = replace(team, placements=(sent, *team.placements[1:]))
    assert violations(scaled, device, together) == []
    assert dict(evaluate(scaled, device, together).traffic)["scale"] == tile


def test_the_first_core_of_every_team_writes() -> None:
    """With digits k/2.m/3 the teams are cores 0 and 3, 1 and 4, 2 and 5; with m/3.k/2 they are neighbours."""
    device, program = row_of_cores(6), product(8, rows=192)
    assert writers(program, along_x(device, Split("k", 2), Split("m", 3))) == ((0, 0), (1, 0), (2, 0))
    assert writers(program, along_x(device, Split("m", 3), Split("k", 2))) == ((0, 0), (2, 0), (4, 0))
    assert writers(program, along_x(device, Split("m", 3))) is None


def test_a_store_is_priced_for_the_cores_that_write() -> None:
    """One core writes its 16 KiB alone: 100 cycles and 8 pages of 128, whatever the size of the team."""
    device, program = row_of_cores(8), product(8)
    for cores in (2, 4, 8):
        plan = private_plan(program, device, along_x(device, Split("k", cores)), Combine("tree", 1))
        assert evaluate(program, device, plan).levels[0].serial_store == 100 + 8 * 128


# -- what combining costs ----------------------------------------------------------------------------------------------


def combining(device: Device, program: TileProgram, spatial: Spatial, method: str, noc: int) -> int:
    """Cycles that the cost model charges per block for combining."""
    (way,) = [way for way in combines(program, device, spatial) if (way.method, way.noc) == (method, noc)]
    plan = private_plan(program, device, spatial, way)
    assert violations(program, device, plan) == []
    cost = evaluate(program, device, plan)
    nest = build_nest(program, spatial, plan.order)
    assert [level.combine for level in cost.levels if level.combine] == [cost.levels[nest.home[""]].combine]
    return cost.levels[nest.home[""]].combine


WHOLE = HANDSHAKE + 100 + 4 * 512
"""Sending a state of 32 KiB, four packets."""
OPS = 8 * 100
"""Adding two states of eight tiles."""


@pytest.mark.parametrize(("cores", "rounds"), [(2, 1), (3, 2), (4, 2), (8, 3)])
def test_a_tree_halves_the_cores_that_are_left_in_every_round(cores: int, rounds: int) -> None:
    """Towards the first core, over the network that goes left: every transfer has its links to itself."""
    device = row_of_cores(8)
    found = combining(device, product(8), along_x(device, Split("k", cores)), "tree", 1)
    assert found == rounds * (WHOLE + OPS)


RINGS = {
    # parts of 4 tiles: one pass of 16 KiB and 4 tiles to add; the other core's part comes back
    2: 1 * (150 + 2 * 512 + 400) + (150 + 2 * 512),
    # parts of 3 tiles, 12 KiB, which is two packets; 800 / 3 cycles to add, rounded up; 24 KiB come back
    3: 2 * (150 + 2 * 512 + 267) + (150 + 3 * 512),
    # parts of 2 tiles, one packet; 24 KiB come back
    4: 3 * (150 + 512 + 200) + (150 + 3 * 512),
    # parts of 1 tile, half a packet; 28 KiB come back, which is four packets
    8: 7 * (150 + 256 + 100) + (150 + 4 * 512),
}
"""Cycles by cores: passes with their ops, and the gathering."""


@pytest.mark.parametrize("cores", RINGS)
def test_a_ring_passes_parts_on_and_gathers_them(cores: int) -> None:
    """Over the network that goes right, from neighbour to neighbour and around the torus back to the first."""
    device = row_of_cores(8)
    found = combining(device, product(8), along_x(device, Split("k", cores)), "ring", 0)
    assert found == RINGS[cores]


SLOW = 32768 // 4
"""A state over a link of four bytes per cycle."""


def test_streams_of_a_tree_that_meet_on_a_link_share_it() -> None:
    """Four cores at routers 1 to 4 of six. Leftwards 1 -> 0, 3 -> 2, then 2 -> 0 each have their links to themselves.
    Rightwards all go around the torus: those of the first round meet, that of the second is alone."""
    device = row_of_cores(4, link_rate=4)
    spatial = along_x(device, Split("k", 4))
    assert combining(device, product(8), spatial, "tree", 1) == 2 * (SLOW + OPS)
    assert combining(device, product(8), spatial, "tree", 0) == (2 * SLOW + OPS) + (SLOW + OPS)


def test_teams_that_are_interleaved_meet_and_neighbours_do_not() -> None:
    """k/2.m/2: 2 -> 0 and 3 -> 1 share the link between cores 2 and 1. m/2.k/2: 1 -> 0 and 3 -> 2 share none."""
    device, program = row_of_cores(4, link_rate=4), product(8, rows=128)
    interleaved = along_x(device, Split("k", 2), Split("m", 2))
    neighbours = along_x(device, Split("m", 2), Split("k", 2))
    assert combining(device, program, interleaved, "tree", 1) == 2 * SLOW + OPS
    assert combining(device, program, neighbours, "tree", 1) == SLOW + OPS


def test_streams_of_a_ring_meet_where_the_first_core_gathers() -> None:
    """Rightwards every pass has its links to itself, since the last core goes on around the torus. All three parts then
    come in over the last link before the first core. Leftwards i -> i + 1 goes around, and three streams of a pass meet
    on most links."""
    device = row_of_cores(4, link_rate=4)
    spatial = along_x(device, Split("k", 4))
    part = 8192 // 4
    assert combining(device, product(8), spatial, "ring", 0) == 3 * (part + 200) + 3 * part
    leftwards = combining(device, product(8), spatial, "ring", 1)
    assert leftwards == 3 * (3 * part + 200) + 3 * part


def test_teams_may_span_two_spatial_dims() -> None:
    """Eight cores as 4 x 2: a tree takes three rounds like that of eight in a row."""
    device = row_of_cores(4, rows=2)
    spatial = ((Split("k", 4),), (Split("k", 2),))
    assert combining(device, product(8), spatial, "tree", 1) == 3 * (WHOLE + OPS)


def test_what_arrives_needs_room() -> None:
    """A whole state in a tree, a part of whole tiles in a ring."""
    device, program = row_of_cores(8), product(8)
    spatial = along_x(device, Split("k", 3))
    for way, size in ((Combine("tree", 1), 8 * 4096), (Combine("ring", 1), 3 * 4096)):
        cost = evaluate(program, device, private_plan(program, device, spatial, way))
        assert dict(cost.buffers)["combine"] == size
        assert cost.sram_bytes == sum(dict(cost.buffers).values())


def test_combining_takes_place_once_per_block() -> None:
    """Three blocks of rows, one after the other on one team."""
    device, program = row_of_cores(4), product(8, rows=192)
    plan = private_plan(program, device, along_x(device, Split("k", 4)), Combine("tree", 1))
    whole, without = (
        evaluate(program, d, plan).makespan_cycles
        for d in (device, replace(device, name="free", multicast=Multicast(replace(COPY, latency=0), HANDSHAKE)))
    )
    assert whole - without == 3 * 2 * 100


def test_an_online_softmax_is_combined_in_a_tree_only() -> None:
    """A part of its sum means nothing without its maximum."""
    device, program = row_of_cores(4), log_sum_exp()
    (loop,) = set(axes(program, device)) - {d.name for d in program.dims}
    spatial = along_x(device, Split(loop, 2))
    assert {way.method for way in combines(program, device, spatial)} == {"tree"}
    assert {way.method for way in combines(product(8), device, along_x(device, Split("k", 2)))} == {"tree", "ring"}
    assert combines(product(8), device, ((), ())) == []


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_team_must_combine_and_nobody_else() -> None:
    device, program = row_of_cores(4, rows=2), product(8)
    team, alone = along_x(device, Split("k", 2)), ((), ())
    assert violations(program, device, private_plan(program, device, team, Combine("ring", 0))) == []
    needed = "the cores of a shared loop must combine, and no others"
    assert needed in violations(program, device, private_plan(program, device, team, None))
    assert needed in violations(program, device, private_plan(program, device, alone, Combine("tree", 0)))


def test_ways_to_combine_that_do_not_exist_are_named() -> None:
    device, program = row_of_cores(4), log_sum_exp()
    (loop,) = set(axes(program, device)) - {d.name for d in program.dims}
    for way in (Combine("ring", 0), Combine("tree", 2)):
        plan = private_plan(program, device, along_x(device, Split(loop, 2)), way)
        assert violations(program, device, plan) == [f"the state of the shared loop may not be combined by {way}"]


def test_cores_that_cannot_write_to_each_other_are_refused() -> None:
    program = product(8)
    chains = replace(row_of_cores(4, rows=2), name="chains", multicast=None, forward=Forward(("x",), COPY))
    across = private_plan(program, chains, ((), (Split("k", 2),)), Combine("tree", 0))
    assert violations(program, chains, across) == [
        "the cores along y cannot write to each other, so they may not share loop k"
    ]
    silent = replace(chains, name="silent", forward=None)
    (refused,) = violations(program, silent, across)
    assert "neither a dim nor a loop that may be shared" in refused


@pytest.mark.parametrize(("cores", "fine"), [(3, True), (4, True), (5, False), (9, False)])
def test_idle_members_of_a_team_are_refused(cores: int, fine: bool) -> None:
    """Five cores do eight trips no faster than four, and nine have nothing to do for one of them."""
    device, program = row_of_cores(9), product(8)
    plan = private_plan(program, device, along_x(device, Split("k", cores)), Combine("tree", 1))
    assert (violations(program, device, plan) == []) == fine
    assert fine or violations(program, device, plan) == ["a split has idle cores that save neither a wave nor a trip"]


# -- the cost model ----------------------------------------------------------------------------------------------------


def test_no_plan_is_faster_than_its_busiest_resource() -> None:
    """Every resource has to carry every transfer of the launch and every combine, one by one."""
    for device, program, plan, cost in split_plans():
        column = build_column(program, device, plan.spatial, plan.order, origin=plan.origin)
        total = np.zeros(column.rows[0].busy.shape[1], dtype=np.int64)
        for rows, place in zip(column.rows, [*plan.placements, plan.combine], strict=True):
            row = rows.places.index(place)
            total += rows.busy[row] * column.nest.iterations(int(rows.level[row]))
        assert cost.makespan_cycles >= device.launch_cycles + int(total.max())
        assert cost.makespan_cycles >= device.launch_cycles + ops_and_combining(column, cost)
        assert all(share <= 1 for _, share in cost.utilisation)


def ops_and_combining(column: Column, cost: Cost) -> int:
    """Cycles that one core computes and combines, in which it does nothing else."""
    return sum((level.ops + level.combine) * column.nest.iterations(number) for number, level in enumerate(cost.levels))


def test_sharing_pays_where_there_are_few_blocks_and_many_trips() -> None:
    """One block of 64 trips leaves a row of 8 cores no other work."""
    found = brute_force([gemm(64, 64, 64 * 64, (64, 64, 64))], row_of_cores(8), 5)
    assert {tuple(cores_per_dim(s.plan.spatial)) for s in found} == {("k",)}


# -- files -------------------------------------------------------------------------------------------------------------


def test_plan_files_keep_the_split_and_the_combine(tmp_path: Path) -> None:
    for device, program, plan, cost in split_plans()[::5]:
        launch = problem(program)
        write_plan(tmp_path / "p.json", plan_file(launch, device, program, plan, cost, rank=1, certificate=None))
        file = read_plan(tmp_path / "p.json")
        assert file.plan() == plan
        assert evaluate(program, device, file.plan()).key == cost.key
        assert [level.combine for level in file.cost.levels] == [level.combine for level in cost.levels]
        first = writers(program, plan.spatial)
        for record in file.decisions.accesses:
            assert record.kind == "load" or set(record.readers) == set(first or ())


MAPPINGS: list[Spatial] = [
    ((Split("k", 3),), ()),
    ((Split("k", 8),), ()),
    ((Split("k", 2), Split("m", 2)), ()),
    ((Split("m", 3), Split("k", 2)), (Split("k", 2),)),
    ((Split("k", 3),), (Split("m", 2),)),
]


@pytest.mark.parametrize("spatial", MAPPINGS)
def test_every_trip_of_a_shared_loop_is_in_the_schedule_once(spatial: Spatial) -> None:
    """Turns of the loop for every core of a team; turns beyond the last trip compute nothing."""
    device, program = row_of_cores(8, rows=2), product(8, rows=192)
    plan = private_plan(program, device, spatial, Combine("tree", 1))
    assert violations(program, device, plan) == []
    schedule = build_schedule(program, device, plan)
    for team in sharers(spatial, "k"):
        run = [trip for core in team for trip in trips_of(schedule, core)]
        assert sorted(run) == sorted(itertools.product({block for block, _ in run}, range(8)))
    exchange = '"plan.exchange"() {loop = "k", method = "tree", noc = 1}'
    assert print_schedule(schedule).count(exchange) == 2  # by the thread of the network, and by the compute thread


def test_the_schedule_of_a_plan_that_shares_nothing_combines_nothing() -> None:
    device, program = row_of_cores(8, rows=2), product(8, rows=192)
    plan = private_plan(program, device, ((Split("m", 3),), ()), None)
    text = print_plan(program, device, plan, evaluate(program, device, plan)).partition(SEPARATOR)[2]
    assert "turn_k" not in text and "combin" not in text and "exchange" not in text


def trips_of(schedule: Schedule, core: tuple[int, ...]) -> list[tuple[int, int]]:
    """(block along m, trip of loop k) that ``core`` computes."""
    digits = {f"core_{name}": number for name, number in schedule.digits[core]}
    steps = followed(schedule, schedule.thread("compute").steps, digits)
    ops = {op.name for op in schedule.program.ops if op.loop == "k"}
    trips = [(values["m"], values["k"]) for step, values in steps if isinstance(step, Compute) and ops & set(step.ops)]
    return [(block, trip) for block, trip in trips if trip < schedule.program.loop("k").trips]


def test_placements_of_a_split_plan_are_those_of_the_space() -> None:
    """Loads that depend on the trip are not shared within a team; others may be."""
    device, program = row_of_cores(4), product(8)
    spatial = along_x(device, Split("k", 4))
    nest = build_nest(program, spatial, ())
    a, b, c = (placements(program, device, spatial, nest, access) for access in program.accesses)
    assert all(place.groups == (1, 1) for place in (*a, *b, *c))
