"""The best plan under TileLoom's rules equals brute force over the plans that its published candidates stand for."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from instances import random_device, random_program, stencil, varying_program

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from rules import best_by_rules
from rules_search import Key, best_choice, floor, widened

from cpplan.cost.model import evaluate
from cpplan.cost.table import Column, build_column, feasible, makespans, totals
from cpplan.device.device import Device
from cpplan.enumerate.tileloom import Candidate, candidates
from cpplan.plan.nest import Nest, build_nest, wave_trips
from cpplan.plan.plan import LAUNCH, Order, Placement, Plan, Split, wave
from cpplan.plan.space import Spatial, active_extents, legal_spatial, orders, placements, violations
from cpplan.tile.program import Access, TileProgram

MOST = 1000
"""Plans of one instance that brute force may price."""


def plans_of(candidate: Candidate, program: TileProgram, device: Device, streams_free: bool) -> Iterator[Plan]:
    """Plans as which ``candidate`` may be written, legal or not: what the rules leave open takes every value."""
    owner = {spatial: dim for dim, taken in candidate.buckets for spatial in taken}
    whole = _mapping(device, owner, [d.extent for d in device.dims])
    for cores in itertools.product(*(range(1, d.extent + 1) for d in device.dims)):
        spatial = _mapping(device, owner, list(cores))
        waves = wave_trips(program, spatial)
        if waves != wave_trips(program, whole):
            continue
        looped = tuple(d.name for d in program.dims if waves[d.name] > 1)
        inner = candidate.order[-1]
        hoisted = candidate.hoisted if inner in looped else None
        outer = tuple(name for name in looped if name != inner)
        order: Order = tuple(filter(None, (outer, (inner,)) if hoisted is not None else (looped,)))
        nest = build_nest(program, spatial, order)
        to = wave(*outer) if outer else LAUNCH
        choices = [
            _places(candidate, program, device, spatial, nest, access, to if access.name == hoisted else None)
            for access in program.accesses
        ]
        if not streams_free:
            pairs = zip(program.accesses, choices, strict=True)
            choices = [[p for p in some if _as_the_vendor(device, access, p)] for access, some in pairs]
        for chosen in itertools.product(*choices):
            yield Plan(program.block, spatial, order, chosen)


def _mapping(device: Device, owner: dict[str, str], cores: list[int]) -> Spatial:
    return tuple((Split(owner[d.name], n),) if n > 1 else () for d, n in zip(device.dims, cores, strict=True))


def _places(
    candidate: Candidate, program: TileProgram, device: Device, spatial: Spatial, nest: Nest, access: Access,
    to: str | None,
) -> list[Placement]:  # fmt: skip
    level = nest.names[nest.home[access.loop or ""]] if to is None else to
    along = dict(candidate.broadcast).get(access.name, ())
    groups = tuple(n if d.name in along else 1 for d, n in zip(device.dims, active_extents(spatial), strict=True))
    found = placements(program, device, spatial, nest, access)
    return [p for p in found if p.level == level and p.groups == groups]


def _as_the_vendor(device: Device, access: Access, place: Placement) -> bool:
    """Loads on the first network by the first core, stores on the last one."""
    return place.reader == "first" and place.noc == (0 if access.kind == "load" else len(device.nocs) - 1)


def all_plans(programs: list[TileProgram], device: Device, streams_free: bool) -> set[tuple[int, Plan]]:
    """What all candidates stand for, with the number of the block shape; more than MOST are not all of them."""
    found: set[tuple[int, Plan]] = set()
    for number, program in enumerate(programs):
        for candidate in candidates(program, device):
            for plan in plans_of(candidate, program, device, streams_free):
                found.add((number, plan))
                if len(found) > MOST:
                    return found
    return found


def best_key(programs: list[TileProgram], device: Device, plans: set[tuple[int, Plan]]) -> Key | None:
    """Of the legal plans that fit, priced one by one."""
    best: Key | None = None
    for number, plan in plans:
        cost = evaluate(programs[number], device, plan)
        if cost.sram_bytes <= device.sram.usable and (best is None or cost.key < best):
            best = best if violations(programs[number], device, plan) else cost.key
    return best


def instance(r: Random, streams_free: bool) -> tuple[Device, list[TileProgram]]:
    """A random device and one or two random programs, some with loops of varying trips, some with alike loads, that
    brute force can do."""
    while True:
        device, draw = random_device(r), r.choice([random_program, random_program, varying_program, random_stencil])
        programs = [draw(r) for _ in range(r.choice([1, 1, 2]))]
        if 20 <= len(all_plans(programs, device, streams_free)) <= MOST:
            return device, programs


def random_stencil(r: Random) -> TileProgram:
    """Two or three loads that may trade places."""
    return stencil(r.randint(2, 3), tuple(r.randint(1, 5) for _ in range(r.randint(1, 3))), r.randint(1, 4))


@pytest.mark.parametrize("streams_free", [False, True])
@pytest.mark.parametrize("seed", [*range(25), 99])  # 99: as many cycles and fewer bytes in a mapping that comes later
def test_the_best_plan_equals_brute_force_over_the_candidates(seed: int, streams_free: bool) -> None:
    device, programs = instance(Random(seed), streams_free)
    answer = best_by_rules(programs, device, streams_free=streams_free)
    assert answer.key == best_key(programs, device, all_plans(programs, device, streams_free))


@pytest.mark.parametrize("seed", range(10))
def test_starting_from_a_plan_of_fixed_streams_changes_nothing(seed: int) -> None:
    device, programs = instance(Random(seed), streams_free=False)
    first = best_by_rules(programs, device, streams_free=False)
    incumbent = (first.key, first.plan) if first.key is not None and first.plan is not None else None
    after = best_by_rules(programs, device, streams_free=True, incumbent=incumbent)
    assert after.key == best_by_rules(programs, device, streams_free=True).key


def one_level_each(r: Random, device: Device, program: TileProgram) -> Column:
    """A random column with at most one digit per spatial dim and no shared loop, every access at a random level."""
    names = {d.name for d in program.dims}
    plain = [s for s in legal_spatial(program, device) if all(len(d) < 2 and {x.dim for x in d} <= names for d in s)]
    spatial = r.choice(plain)
    column = build_column(program, device, spatial, r.choice(orders(program, spatial)))
    levels = [r.choice(rows.level.tolist() or [0]) for rows in column.rows]
    return replace(column, rows=tuple(x.take(x.level == level) for x, level in zip(column.rows, levels, strict=True)))


@pytest.mark.parametrize("seed", range(150))
def test_branch_and_bound_equals_pricing_every_plan_of_a_column(seed: int) -> None:
    r = Random(seed)
    while True:
        device = random_device(r)
        column = one_level_each(r, device, r.choice([random_program, varying_program, random_stencil])(r))
        if 10 <= column.combinations <= 100_000:
            break
    sizes = [len(rows.places) for rows in column.rows]
    choice = np.stack([axis.ravel() for axis in np.indices(sizes)], axis=1)
    choice = choice[feasible(device, column, choice)]
    figures = [totals(column, choice, name) for name in ("dram", "noc", "sram")]
    figures[2] = figures[2] + column.fixed_sram
    keys: list[Key] = sorted(zip(*np.stack([makespans(device, column, choice), *figures]).tolist(), strict=True))
    wide = widened(device, column)
    found = best_choice(device, wide, None)
    if not keys:
        assert found is None
        return
    assert found is not None and found[0] == keys[0]
    cycles, *rest = found[0]
    assert makespans(device, column, found[1][None]) == cycles
    assert [totals(column, found[1][None], name).item() for name in ("dram", "noc")] == rest[:2]
    assert all(least <= figure for key in keys for least, figure in zip(floor(device, wide), key, strict=True))
    assert best_choice(device, wide, keys[0]) is None
    worse = keys[len(keys) // 2]
    assert worse == keys[0] or best_choice(device, wide, worse) is not None
