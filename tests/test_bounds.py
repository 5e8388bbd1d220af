"""Bounds are bounds: no plan of a column, restricted or not, is faster than what is claimed of it, found by scoring."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from instances import problem
from restrictions import random_restriction, restricted_instance

from cpplan.cost.table import Column, feasible, makespans
from cpplan.device.device import Device
from cpplan.encode.bounds import lane_bounds
from cpplan.encode.column_set import ColumnSet
from cpplan.encode.incumbent import _products
from cpplan.encode.lanes import Lanes, earns, spread_lanes
from cpplan.encode.orders import column_bounds, order_of, refined_bounds
from cpplan.encode.prune import option_bounds
from cpplan.encode.search import FamilyFacts, Search, start
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram


def searches(seed: int) -> Iterator[Search]:
    """A random instance without and under random restrictions."""
    device, programs = restricted_instance(seed, 1_500)
    r = Random(seed)
    yield begun(programs, device, FREE)
    for _ in range(4):
        pins, forbids = random_restriction(r, programs, device, most=2)
        yield begun(programs, device, parse_restriction(problem(*programs), device, pins, forbids))


def begun(programs: list[TileProgram], device: Device, restriction: Restriction) -> Search:
    return start(problem(*programs), device, 1, None, 1, 0, lambda _: None, restriction)


def all_columns(search: Search, family: FamilyFacts) -> ColumnSet:
    """Every (block, spread, wave order), with the bound over all mappings of the spread."""
    lanes, spread = spread_lanes(family.facts, family.table, np.arange(len(family.family.blocks)))
    found = list(column_bounds(family.facts, search.device, lanes, None))
    lane = np.concatenate([f.lane for f in found] or [np.zeros(0, dtype=np.int64)])
    order = np.concatenate([f.order for f in found] or [lane])
    bound = np.concatenate([f.bound for f in found] or [lane])
    return ColumnSet(family, lanes.block[lane], spread[lane], order, bound)


def least(device: Device, column: Column) -> int | None:
    """Makespan of the best plan of a column; None when it has none."""
    choice = _products([np.arange(len(rows.places)) for rows in column.rows])
    choice = choice[feasible(device, column, choice)]
    return int(makespans(device, column, choice).min()) if len(choice) else None


@pytest.mark.parametrize("seed", range(24))
def test_no_plan_is_faster_than_the_bounds_of_its_column(seed: int) -> None:
    for search in searches(seed):
        for family in search.families:
            columns = all_columns(search, family)
            claimed = {
                (b, v, code): bound
                for b, v, code, bound in zip(
                    columns.block.tolist(), columns.spatial.tolist(), columns.order.tolist(), columns.bound.tolist(),
                    strict=True,
                )
            }  # fmt: skip
            check(search, family, claimed)


def check(search: Search, family: FamilyFacts, claimed: dict[tuple[int, int, int], int]) -> None:
    """Every column with a plan is among ``claimed``, and its bounds hold."""
    facts, table, device = family.facts, family.table, search.device
    spread_of = np.empty(len(table.members), dtype=np.int64)
    spread_of[table.members] = np.repeat(np.arange(table.spreads.shape[1]), np.diff(table.first))
    dims = len(facts.program.dims)
    for number in range(len(family.family.blocks)):
        block = search.block(family, number)
        for mapping in range(table.digits.shape[1]):
            place = np.array([number]), np.array([mapping])
            if not earns(facts, table, *place)[0]:
                continue
            lane = lane_bounds(facts, device, Lanes(place[0], table.cores[:, place[1]]))[0]
            for code in range((dims + 1) ** dims):
                column = column_at(search, family, number, mapping, code)
                best = None if column is None else least(device, column)
                if column is None or best is None:
                    continue
                spread = (number, int(spread_of[mapping]), code)
                assert spread in claimed, (block.program.block, spread)
                exact = refined_bounds(facts, device, table, *place, np.array([code]))[0][0]
                options = option_bounds(device, column).column
                assert best >= max(lane, claimed[spread], exact, options), search.restriction


def column_at(search: Search, family: FamilyFacts, number: int, mapping: int, code: int) -> Column | None:
    """The column of one code of wave loops; None when the code is not that of wave loops here, or nothing is left."""
    program = search.block(family, number).program
    lanes = Lanes(np.array([number]), family.table.cores[:, [mapping]])
    waves = -(-family.facts.extents[: len(program.dims), number] // lanes.cores[: len(program.dims), 0])
    order = order_of(code, len(program.dims))
    looped = sorted(dim for group in order for dim in group)
    places = [code // (len(program.dims) + 1) ** d % (len(program.dims) + 1) for d in looped]
    if looped != np.nonzero(waves > 1)[0].tolist() or set(places) != set(range(1, len(order) + 1)):
        return None
    site = search.site(family, number, mapping, order)
    return None if site is None else site.column
