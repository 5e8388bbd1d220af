"""No bound of the search is above the makespan of any plan that it is about, held against every plan there is.

Brute force knows nothing of bounds. A bound that is too high somewhere may never change an answer, so bounds are looked
at themselves: of block shapes, of cores per axis, of wave orders with what prunes their search tree, of mappings, and
of single options.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

import numpy as np
import pytest
from gemm import gemm
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from instances import random_device, random_program, varying_program, with_reduction

from cpplan.cost.table import Column, Ints, feasible, makespans
from cpplan.device.device import Device
from cpplan.encode import listing
from cpplan.encode.additive import additive_bound
from cpplan.encode.alternatives import alternatives
from cpplan.encode.blocks import BlockFacts, block_bounds, block_facts
from cpplan.encode.bounds import lane_bounds
from cpplan.encode.branch_and_bound import Choice, decide
from cpplan.encode.cohorts import cohorts
from cpplan.encode.descent import descend
from cpplan.encode.incumbent import NO_PLAN
from cpplan.encode.lanes import Lanes, SpatialTable, earns, spatial_table, spread_lanes
from cpplan.encode.orders import Limited, column_bounds, order_of, refined_bounds, widest_bounds
from cpplan.encode.prune import option_bounds, prune_column
from cpplan.encode.rounding import choice_makespans, descended, options_of, rounded
from cpplan.encode.stacked import SharedWeights, Stack
from cpplan.enumerate.oracle import CHUNK, columns, count
from cpplan.plan.plan import Order
from cpplan.tile.family import stack
from cpplan.tile.program import TileProgram

LARGEST = 4_000
"""Plans scored per instance."""
RELAXED = 40
"""Columns relaxed per instance."""
COMBINED = 5_000
"""Combinations of options per shape up to which all are priced."""
KeyType = TypeVar("KeyType", bound=Hashable)
Cores = tuple[int, ...]


@dataclass(frozen=True)
class Scored:
    """All feasible plans of one column, at least one: row numbers (plans, rows) and makespans."""

    block: int
    mapping: int  # number in the table of mappings
    cores: Cores  # per axis
    column: Column
    choice: Ints
    cycles: Ints

    @property
    def least(self) -> int:
        """Cycles of the fastest."""
        return int(self.cycles.min())


@dataclass(frozen=True)
class Space:
    """Block shapes of one kernel with all their plans, and the arrays that bounds are computed from."""

    device: Device
    facts: BlockFacts
    table: SpatialTable
    scored: list[Scored]

    @property
    def dims(self) -> list[str]:
        """Names of the parallel dims."""
        return [d.name for d in self.facts.program.dims]

    def fastest(self, key: Callable[[Scored], KeyType]) -> dict[KeyType, int]:
        """Cycles of the fastest plan by some key of its column."""
        out: dict[KeyType, int] = {}
        for found in self.scored:
            out[key(found)] = min(found.least, out.get(key(found), found.least))
        return out

    def lanes(self) -> tuple[Lanes, list[tuple[int, Cores]]]:
        """All pairs of a block shape and cores per axis."""
        lanes, _ = spread_lanes(self.facts, self.table, np.arange(self.facts.extents.shape[1]))
        return lanes, [(int(b), tuple(c)) for b, c in zip(lanes.block, lanes.cores.T.tolist(), strict=True)]


def space(device: Device, programs: list[TileProgram]) -> Space:
    """Score everything."""
    facts = block_facts(stack(programs), device)
    largest = tuple(int(n) for n in facts.extents.max(axis=1))
    table = spatial_table(device, facts.axes, largest, facts.axes[len(facts.program.dims) :])
    number = {(table.mapping(i), table.origin(i)): i for i in range(table.digits.shape[1])}
    scored = []
    for (block, _, _), _, column in columns(programs, device):
        sizes = [len(rows.places) for rows in column.rows]
        choice = np.stack(np.unravel_index(np.arange(column.combinations), sizes), axis=1) if all(sizes) else None
        choice = None if choice is None else choice[feasible(device, column, choice)].astype(np.int64)
        if choice is not None and len(choice):
            parts = [makespans(device, column, part) for part in np.array_split(choice, len(choice) // CHUNK + 1)]
            mapping = number[column.spatial, column.origin]
            cores = tuple(table.cores[:, mapping].tolist())
            scored.append(Scored(block, mapping, cores, column, choice, np.concatenate(parts)))
    return Space(device, facts, table, scored)


def check_block_shapes(found: Space) -> None:
    bounds = block_bounds(found.facts, found.device)
    for block, least in found.fastest(lambda s: s.block).items():
        assert bounds[block] <= least


def check_cores_per_axis(found: Space) -> None:
    lanes, names = found.lanes()
    bounds = dict(zip(names, lane_bounds(found.facts, found.device, lanes).tolist(), strict=True))
    for lane, least in found.fastest(lambda s: (s.block, s.cores)).items():
        assert bounds[lane] <= least


def check_wave_orders(found: Space, r: Random) -> None:
    """What is listed below a limit has a bound; what is not has no plan within the limit."""
    fastest = found.fastest(lambda s: (s.block, s.cores, s.column.order))
    for limit in (None, *r.sample(sorted(fastest.values()), min(2, len(fastest)))):
        bounds = listed(found, limit)
        for key, least in fastest.items():
            assert (limit is not None and least > limit) or bounds[key] <= least


def listed(found: Space, limit: int | None) -> dict[tuple[int, Cores, Order], int]:
    """Bounds of block shapes with cores per axis and wave loops."""
    lanes, names = found.lanes()
    out: dict[tuple[int, Cores, Order], int] = {}
    for part in column_bounds(found.facts, found.device, lanes, limit):
        for lane, code, bound in zip(part.lane.tolist(), part.order.tolist(), part.bound.tolist(), strict=True):
            loops = order_of(code, len(found.dims))
            out[(*names[lane], tuple(tuple(found.dims[d] for d in group) for group in loops))] = bound
    return out


def check_mappings(found: Space, r: Random) -> None:
    """Bounds of mappings, also those raised by weights, in passes with lower and lower limits that share them."""
    fastest = found.fastest(lambda s: (s.block, s.mapping, s.column.order))
    if not fastest:
        return
    block, mapping = (np.array(numbers) for numbers in zip(*((b, m) for b, m, _ in fastest), strict=True))
    codes = np.array([code_of(order, found.dims) for _, _, order in fastest])
    assert earns(found.facts, found.table, block, mapping).all()
    bounds = refined_bounds(found.facts, found.device, found.table, block, mapping, codes)[0]
    assert (bounds <= list(fastest.values())).all()
    shared = SharedWeights()
    for limit in sorted(r.sample(sorted(fastest.values()), min(2, len(fastest))), reverse=True):
        for cycles in (limit, min(fastest.values()) - 1):
            limited = Limited(cycles, shared)
            raised, left = refined_bounds(found.facts, found.device, found.table, block, mapping, codes, limited)
            assert (bounds <= raised).all()
            assert (raised <= list(fastest.values())).all()
            for most in (0, listing.LISTED):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(listing, "LISTED", most)
                    check_cohorts(found, left, np.array(list(fastest.values())), cycles)
            check_rounding(found, left, np.array(list(fastest.values())), cycles)


def check_cohorts(found: Space, stacks: list[tuple[Stack, Ints]], fastest: Ints, limit: int) -> None:
    """What branch and bound over cohorts leaves has bounds; what it does not has no plan within the limit."""
    grouped = [cohort for stack, here in stacks for cohort in cohorts(stack, here)]
    ended = list[Choice]()
    given = [(0.0, cohort) for cohort in grouped]
    open_ones = dict[int, float]()
    for members, bound in decide(found.device, given, lambda: limit, lambda: False, ended.append):
        open_ones |= dict.fromkeys(members.tolist(), bound)
    for cohort in grouped:
        for column in cohort.columns.tolist():
            assert open_ones.get(column, limit + 1) <= fastest[column]
    for choice in ended:
        assert choice.bound <= limit and set(choice.columns.tolist()) <= set(open_ones)


def check_rounding(found: Space, stacks: list[tuple[Stack, Ints]], fastest: Ints, limit: int) -> None:
    """Choices fit SRAM, get better by descent, and none is faster than the fastest choice in figures, which no plan
    within the limit is."""
    for same, members in stacks:
        options, shares = options_of(same), same.shares(found.device, 0)
        if shares is None or math.prod(options.open.any(axis=2).sum(axis=1).tolist()) > COMBINED:
            continue
        each = [np.nonzero(there)[0] for there in options.open.any(axis=2)]
        every = np.array(list(itertools.product(*each))).T
        start = rounded(found.device, same, options, shares)
        better = descended(found.device, same, options, start)
        access = np.arange(len(every))[:, None]
        for number, column in enumerate(members.tolist()):
            fits = options.open[access, every, number].all(axis=0)
            fits &= options.bytes[access, every, number].sum(axis=0) <= same.room[number]
            here = np.full(int(fits.sum()), number)
            least = choice_makespans(found.device, same, options, every[:, fits], here).min(initial=np.inf)
            assert fastest[column] > limit or least <= fastest[column]
            assert least <= better.cycles[number] <= start.cycles[number]
            for choice in (start, better):
                own = options.bytes[access[:, 0], choice.picks[:, number], number]
                assert np.isinf(choice.cycles[number]) or own.sum() <= same.room[number]


def check_spreads(found: Space, r: Random) -> None:
    """Bounds of cores per axis with wave loops, raised by weights."""
    fastest = found.fastest(lambda s: (s.block, s.cores, s.column.order))
    if not fastest:
        return
    spread_of = {tuple(cores): number for number, cores in enumerate(found.table.spreads.T.tolist())}
    listed_ones = np.array([(b, spread_of[c], code_of(o, found.dims)) for b, c, o in fastest], dtype=np.int64)
    columns = listed_ones[:, 0], listed_ones[:, 1], listed_ones[:, 2]
    shared, nothing = SharedWeights(), np.zeros(len(fastest), dtype=np.int64)
    for cycles in (r.choice(sorted(fastest.values())), min(fastest.values()) - 1):
        limited = Limited(cycles, shared)
        raised = widest_bounds(found.facts, found.device, found.table, columns, nothing, limited)
        assert (raised <= list(fastest.values())).all()


def code_of(order: Order, dims: list[str]) -> int:
    base = len(dims) + 1
    return sum((place + 1) * base ** dims.index(dim) for place, group in enumerate(order) for dim in group)


def check_options(device: Device, plans: Scored, r: Random) -> None:
    """Bounds of options and of the column; pruning at a limit leaves everything that a plan within it takes."""
    bounds = option_bounds(device, plans.column)
    for of_rows, picked in zip(bounds.options, plans.choice.T, strict=True):
        assert (of_rows[picked] <= plans.cycles).all()
    for limit in (None, plans.least, int(r.choice(plans.cycles.tolist()))):
        pruned = prune_column(device, plans.column, limit)
        assert pruned is not None
        left = pruned.column
        assert pruned.bounds.column <= plans.least
        kept = plans.choice if limit is None else plans.choice[plans.cycles <= limit]
        for rows, rest, picked in zip(plans.column.rows, left.rows, kept.T, strict=True):
            assert set(rows.number[picked].tolist()) <= set(rest.number.tolist())


def check_relaxation(device: Device, plans: Scored, r: Random) -> None:
    """No plan is faster than its additive bound; within a limit the alternatives hold every plan."""
    additive = additive_bound(device, plans.column)
    assert additive is not None
    assert (additive.least(plans.choice) <= plans.cycles).all()
    for limit in (plans.least, int(r.choice(plans.cycles.tolist()))):
        left = alternatives(device, plans.column, additive, limit)
        assert left is not None
        listed = set(map(tuple, left.options().tolist()))
        assert listed >= set(map(tuple, plans.choice[plans.cycles <= limit].tolist()))
        assert left.bound.min() <= plans.least


def check_descent(device: Device, plans: Scored, r: Random) -> None:
    """Only plans are met on the way down; it is no slower at the end than at the start, nor for pairs of accesses."""
    cycles = dict(zip(map(tuple, plans.choice.tolist()), plans.cycles.tolist(), strict=True))
    start = plans.choice[r.randrange(len(plans.choice))]
    additive = additive_bound(device, plans.column)
    alone, pairs, unbounded = (
        [cycles[tuple(one)] for one in descend(device, plans.column, start[None], near, bound).tolist()]
        for near, bound in ((0, None), (NO_PLAN, additive), (NO_PLAN, None))
    )
    assert cycles[tuple(start.tolist())] >= min(alone) >= min(pairs) == min(unbounded) >= plans.least


def check_all(device: Device, programs: list[TileProgram], r: Random) -> Space:
    found = space(device, programs)
    check_block_shapes(found)
    check_cores_per_axis(found)
    check_wave_orders(found, r)
    check_mappings(found, r)
    check_spreads(found, r)
    for plans in found.scored:
        check_options(device, plans, r)
    for plans in r.sample(found.scored, min(RELAXED, len(found.scored))):
        check_relaxation(device, plans, r)
        check_descent(device, plans, r)
    return found


def faulty(r: Random, device: Device) -> Device:
    """``device`` without one to three of its cores."""
    cores = list(itertools.product(*(range(d.extent) for d in device.dims)))
    disabled = tuple(sorted(r.sample(cores, min(len(cores) - 1, r.randint(1, 3)))))
    return replace(device, disabled=disabled, fingerprint=str(disabled))


@pytest.mark.parametrize("draw", [random_program, varying_program])
@pytest.mark.parametrize("faults", [False, True], ids=["whole", "faulty"])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(r=st.randoms(use_true_random=False))
def test_random_programs(draw: Callable[[Random], TileProgram], faults: bool, r: Random) -> None:
    """Loops with one trip count, or one that depends on the block; all cores, or some disabled."""
    device, program = random_device(r), draw(r)
    device = faulty(r, device) if faults else device
    assume(0 < count([program], device, LARGEST) <= LARGEST)
    check_all(device, [program], r)


def resized(r: Random, program: TileProgram, number: int) -> TileProgram:
    """Another block shape: other blocks, trips and tiles."""
    first, *others = program.loops
    loops = (replace(first, trips=r.randint(2, 12)), *others)
    dims = tuple(replace(d, extent=r.randint(1, 4)) for d in program.dims)
    tiles = [tuple(max(1, e // r.choice([1, 2])) for e in a.tile) for a in program.accesses]
    accesses = tuple(replace(a, tile=tile) for a, tile in zip(program.accesses, tiles, strict=True))
    return replace(program, loops=loops, dims=dims, accesses=accesses, block=(("B", number),))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_block_shapes_of_programs_whose_loops_may_be_shared(seed: int) -> None:
    for attempt in range(1_000):
        r = Random(1_000 * seed + attempt)
        device, program = random_device(r), with_reduction(r, random_program(r))
        if program.reduction is None or device.core_transfer is None:
            continue
        programs = [resized(r, program, number) for number in range(r.randint(1, 3))]
        if 0 < count(programs, device, LARGEST) <= LARGEST and any(
            s.column.plan((), [rows.places[0] for rows in s.column.rows]).combine
            for s in check_all(device, programs, r).scored
        ):
            return
    raise AssertionError("nothing small enough was drawn")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_block_shapes_of_products(seed: int) -> None:
    """Mirror images, and loops that may be shared by many cores."""
    blocks = [(32, 32, 32), (64, 32, 32), (32, 64, 32), (32, 32, 64), (64, 64, 128)]
    for attempt in range(1_000):
        r = Random(1_000 * seed + attempt)
        device, k = random_device(r), r.choice([64, 128, 256, 512])
        programs = [gemm(r.choice([32, 64]), 64, k, b) for b in r.sample(blocks, r.randint(1, 3))]
        if 0 < count(programs, device, LARGEST) <= LARGEST:
            check_all(device, programs, r)
            return
    raise AssertionError("nothing small enough was drawn")
