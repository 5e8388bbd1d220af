"""The best plan that TileLoom's published rules reach, under the exact cost model.

The rules (cpplan/enumerate/tileloom.py): every spatial dim goes whole to one parallel dim; wave loops in every order;
at most one load is hoisted out of the innermost wave loop, which it does not depend on; every load is private, or
broadcast along one reusable spatial dim, or along all of them. Here each candidate becomes plans of cpplan's space, so
that both sides are priced by the same function. What the rules leave open is decided in their favour: buffer depths
are free, a dim takes the fewest cores that need no further wave, and of several ways to write a candidate the best
counts.

Orders that differ only outside the innermost wave loop give the same plans, so one of them stands for all. Devices have
no disabled cores here.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from rules_search import Key, best_choice, floor, widened

from cpplan.cost.places import Places
from cpplan.cost.table import Column, build_column, position_cycles
from cpplan.device.device import Device
from cpplan.enumerate.tileloom import broadcast_axes
from cpplan.plan.plan import LAUNCH, Order, Plan, Split, wave
from cpplan.plan.space import Spatial, active_extents, earns_its_cores
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Access, TileProgram

Hoist = tuple[str, str]
"""A load and the level that it is hoisted to."""


@dataclass(frozen=True)
class RulesAnswer:
    """Best plan under the rules (None: no candidate fits in SRAM) with its ranking key.

    ``candidates`` counts what the rules enumerate, ``plans`` the distinct plans that they stand for.
    """

    key: Key | None
    plan: Plan | None
    candidates: int
    plans: int
    seconds: float


def best_by_rules(
    programs: Sequence[TileProgram],
    device: Device,
    *,
    streams_free: bool,
    incumbent: tuple[Key, Plan] | None = None,
) -> RulesAnswer:
    """The best plan over all block shapes; ``incumbent``, a plan that the rules reach, is the answer if none is better.

    The rules say nothing of networks and readers. With ``streams_free`` these are chosen as cpplan chooses them;
    otherwise loads use the first network and the first core of a group, stores the last network, as the vendor does.
    Mappings, wave loops and hoists are searched in the order of their floors, until a floor is no better than the best
    plan.
    """
    start = time.perf_counter()
    ops = [position_cycles(program, device) for program in programs]
    found: list[tuple[Key, int, Spatial, Order, Hoist | None]] = []
    plans = 0
    for number, program in enumerate(programs):
        for spatial, order, hoists in nests(program, device):
            column = widened(device, build_column(program, device, spatial, order, ops[number]))
            for hoisted in hoists:
                part = _allowed(program, device, column, hoisted, streams_free)
                plans += part.combinations
                if part.combinations:
                    found.append((floor(device, part), number, spatial, order, hoisted))
    best = incumbent
    for least, number, spatial, order, hoisted in sorted(found, key=itemgetter(0)):
        if best is not None and least >= best[0]:
            break
        program = programs[number]
        column = widened(device, build_column(program, device, spatial, order, ops[number]))
        part = _allowed(program, device, column, hoisted, streams_free)
        better = best_choice(device, part, best[0] if best is not None else None)
        if better is not None:
            places = [rows.places[i] for rows, i in zip(part.rows, better[1].tolist(), strict=True)]
            best = better[0], part.plan(program.block, places)
    key, plan = best if best is not None else (None, None)
    total = sum(count(program, device) for program in programs)
    return RulesAnswer(key, plan, total, plans, time.perf_counter() - start)


def buckets(program: TileProgram, device: Device) -> Iterator[tuple[str, ...]]:
    """For every spatial dim the parallel dim that takes it."""
    return itertools.product((d.name for d in program.dims), repeat=len(device.dims))


def count(program: TileProgram, device: Device) -> int:
    """Candidates that the rules enumerate for one block shape; equals the length of ``tileloom.candidates``."""
    axes = broadcast_axes(device)
    permute = len(axes) < len(device.dims)
    names = [d.name for d in program.dims]
    loads = list(program.loads())
    total = 0
    for owners in buckets(program, device):
        arranged = math.prod(math.factorial(owners.count(n)) for n in set(owners)) if permute else 1
        patterns = 1
        for load in loads:
            reusable = sum(o not in load.indices and s.name in axes for o, s in zip(owners, device.dims, strict=True))
            patterns *= 1 + reusable + (reusable > 1)
        hoists = sum(1 + (sum(n not in load.indices for load in loads) if len(names) > 1 else 0) for n in names)
        total += arranged * patterns * hoists * math.factorial(len(names) - 1)
    return total


def nests(program: TileProgram, device: Device) -> Iterator[tuple[Spatial, Order, list[Hoist | None]]]:
    """Mapping and wave loops of all candidates that share them, and what they hoist."""
    position = {d.name: i for i, d in enumerate(program.dims)}
    for owners in buckets(program, device):
        for spatial in _mappings(program, device, owners):
            waves = _waves(program, spatial)
            dims = sorted((n for n, w in waves.items() if w > 1), key=position.__getitem__)
            yield spatial, (tuple(dims),) if dims else (), [None]
            for inner in dims if len(program.dims) > 1 else ():
                outer = tuple(d for d in dims if d != inner)
                order: Order = (outer, (inner,)) if outer else ((inner,),)
                level = wave(*outer) if outer else LAUNCH
                yield spatial, order, [(a.name, level) for a in program.loads() if inner not in a.indices]


def _waves(program: TileProgram, spatial: Spatial) -> dict[str, int]:
    cores = {d.name: 1 for d in program.dims}
    for split in itertools.chain.from_iterable(spatial):
        cores[split.dim] *= split.factor
    return {d.name: ceil_div(d.extent, cores[d.name]) for d in program.dims}


def _mappings(program: TileProgram, device: Device, owners: tuple[str, ...]) -> list[Spatial]:
    """Mappings that need as many waves as giving every spatial dim whole to its owner does, without idle cores."""
    whole = tuple((Split(o, s.extent),) if s.extent > 1 else () for o, s in zip(owners, device.dims, strict=True))
    wanted = _waves(program, whole)
    choices = [
        [(Split(o, f),) if f > 1 else () for f in range(1, s.extent + 1)]
        for o, s in zip(owners, device.dims, strict=True)
    ]
    mappings = itertools.product(*choices)
    return [s for s in mappings if _waves(program, s) == wanted and earns_its_cores(program, device, s)]


def _allowed(program: TileProgram, device: Device, column: Column, hoisted: Hoist | None, streams_free: bool) -> Column:
    """``column`` with the rows that the rules allow."""
    nest, rows = column.nest, []
    for access, given in zip(program.accesses, column.rows, strict=True):
        node = nest.home[access.loop or ""]
        if hoisted is not None and hoisted[0] == access.name:
            node = nest.names.index(hoisted[1])
        groups = _groups(device, column.spatial, access)
        assert isinstance(given.places, Places)
        noc = len(device.nocs) - 1 if given.kind == "store" else 0
        ways = [
            way.groups in groups and (streams_free or (way.noc == noc and way.reader == "first"))
            for way in given.places.ways
        ]
        rows.append(given.take((given.level == node) & np.array(ways, dtype=bool)[given.places.way]))
    return replace(column, rows=tuple(rows))


def _groups(device: Device, spatial: Spatial, access: Access) -> set[tuple[int, ...]]:
    """Sharing groups of the broadcast patterns: none, one reusable spatial dim, all of them."""
    axes = broadcast_axes(device)
    active = active_extents(spatial)
    reusable = {
        s
        for s, (dim, splits) in enumerate(zip(device.dims, spatial, strict=True))
        if dim.name in axes and splits and splits[0].dim not in access.indices
    }
    chosen = [set(), *({s} for s in reusable), reusable] if access.kind == "load" else [set[int]()]
    return {tuple(n if s in wanted else 1 for s, n in enumerate(active)) for wanted in chosen}
