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

import numpy as np
import numpy.typing as npt

from cpplan.cost.table import Column, Rows, build_column, feasible, makespans, position_cycles, totals
from cpplan.device.device import Device
from cpplan.enumerate.tileloom import broadcast_axes
from cpplan.plan.plan import LAUNCH, Order, Plan, Split, wave
from cpplan.plan.space import Spatial, active_extents, earns_its_cores
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Access, TileProgram

Ints = npt.NDArray[np.int64]
Key = tuple[int, int, int, int]

Hoist = tuple[str, str]
"""A load and the level that it is hoisted to."""

WIDEST = 400_000
"""Partial plans of one column kept at a time; a column that needs more is cut, and the answer says so."""
CHUNK = 5_000
"""Partial plans extended at once (memory)."""


@dataclass(frozen=True)
class RulesAnswer:
    """Best plan under the rules (None: no candidate fits in SRAM) with its ranking key.

    ``candidates`` counts what the rules enumerate, ``plans`` the distinct plans that they stand for, ``cut`` the
    columns that could not be decided.
    """

    key: Key | None
    plan: Plan | None
    candidates: int
    plans: int
    cut: int
    seconds: float


def best_by_rules(
    programs: Sequence[TileProgram], device: Device, *, streams_free: bool, limit: int | None = None
) -> RulesAnswer:
    """The best plan over all block shapes; of plans above ``limit`` cycles none needs to be found.

    The rules say nothing of networks and readers. With ``streams_free`` these are chosen as cpplan chooses them;
    otherwise loads use the first network and the first core of a group, stores the last network, as the vendor does.
    """
    start = time.perf_counter()
    best: tuple[Key, Plan] | None = None
    total = plans = cut = 0
    for program in programs:
        ops = position_cycles(program, device)
        total += count(program, device)
        for spatial, order, hoists in nests(program, device):
            column = build_column(program, device, spatial, order, ops)
            for hoisted in hoists:
                kept = [_allowed(program, device, column, r, hoisted, streams_free) for r in column.rows]
                plans += math.prod(map(len, kept))
                if not all(map(len, kept)):
                    continue
                choice = _within(program, device, column, kept, best[0][0] if best is not None else limit)
                if choice is None:
                    cut += 1
                elif (found := _first(program, device, column, choice)) is not None:
                    best = found if best is None or found[0] < best[0] else best
    key, plan = best if best is not None else (None, None)
    return RulesAnswer(key, plan, total, plans, cut, time.perf_counter() - start)


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


def _allowed(
    program: TileProgram,
    device: Device,
    column: Column,
    rows: Rows,
    hoisted: Hoist | None,
    streams_free: bool,
) -> Ints:
    """Row numbers of one access that the rules allow."""
    access = next(a for a in program.accesses if a.name == rows.access)
    nest = column.nest
    level = nest.names[nest.home[access.loop or ""]]
    if hoisted is not None and hoisted[0] == access.name:
        level = hoisted[1]
    groups = _groups(device, column.spatial, access)
    noc = len(device.nocs) - 1 if rows.kind == "store" else 0
    return np.array(
        [
            i
            for i, p in enumerate(rows.places)
            if p.level == level and p.groups in groups and (streams_free or (p.noc == noc and p.reader == "first"))
        ],
        dtype=np.int64,
    )


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


def _within(program: TileProgram, device: Device, column: Column, kept: list[Ints], most: int | None) -> Ints | None:
    """Row numbers of every plan of ``kept`` rows that may rank first; None when they are too many.

    Accesses are decided one after the other. One that is not decided yet counts with the least that its rows occupy and
    take, which is a lower bound: the model is monotone, and occupation alone never overestimates a transfer.
    """
    kept = [_undominated(r, k) for r, k in zip(column.rows, kept, strict=True)]
    open_rows = replace(column, rows=tuple(_with_least(r, k) for r, k in zip(column.rows, kept, strict=True)))
    numbers = [np.append(k, -1) for k in kept]
    choice = np.array([[len(k) for k in kept]], dtype=np.int64)
    if most is not None and makespans(device, open_rows, choice)[0] > most:
        return choice[:0]
    for access in sorted(range(len(kept)), key=lambda a: -_weight(column, a, kept[a])):
        parts, count = [], 0
        for start in range(0, len(choice), CHUNK):
            part = _extended(choice[start : start + CHUNK], access, len(kept[access]))
            part = part[column.fixed_sram + totals(open_rows, part, "sram") <= device.sram.usable]
            if most is not None and len(part):
                part = part[makespans(device, open_rows, part) <= most]
            parts.append(part)
            count += len(part)
            if count > WIDEST:
                return None
        choice = np.concatenate(parts) if parts else choice[:0]
    return np.stack([n[c] for n, c in zip(numbers, choice.T, strict=True)], axis=1)


def _extended(choice: Ints, access: int, options: int) -> Ints:
    """Every partial plan of ``choice`` with every one of the ``options`` of ``access``."""
    out = np.repeat(choice, options, axis=0)
    out[:, access] = np.tile(np.arange(options), len(choice))
    return out


def _weight(column: Column, access: int, kept: Ints) -> int:
    """Cycles that the access occupies its busiest resource with: what decides most is decided first."""
    rows = column.rows[access]
    return int(rows.busy[kept].max()) * column.nest.iterations(int(rows.level[kept[0]]))


def _with_least(rows: Rows, kept: Ints) -> Rows:
    """The ``kept`` rows and behind them one that occupies and takes as little as the least of them."""
    last = rows.take(np.append(kept, kept[:1]))
    busy, fill, sram, depth = last.busy.copy(), last.fill.copy(), last.sram.copy(), last.depth.copy()
    busy[-1], fill[-1], sram[-1], depth[-1] = busy[:-1].min(axis=0), 0, sram[:-1].min(), 2
    return replace(last, busy=busy, fill=fill, sram=sram, depth=depth)


def _undominated(rows: Rows, kept: Ints) -> Ints:
    """``kept`` without rows that another one of the same level and depth equals or beats in every figure."""
    figures = np.concatenate([rows.busy, rows.fill, rows.sram[:, None], rows.dram[:, None], rows.noc[:, None]], axis=1)
    out: list[int] = []
    for i in sorted(kept.tolist(), key=lambda j: int(figures[j].sum())):
        same = [j for j in out if rows.level[j] == rows.level[i] and rows.depth[j] == rows.depth[i]]
        if not any((figures[j] <= figures[i]).all() for j in same):
            out.append(i)
    return np.array(sorted(out), dtype=np.int64)


def _first(program: TileProgram, device: Device, column: Column, choice: Ints) -> tuple[Key, Plan] | None:
    """The plan among ``choice`` that ranks first, with its key."""
    choice = choice[feasible(device, column, choice)]
    if not len(choice):
        return None
    figures = (
        makespans(device, column, choice),
        totals(column, choice, "dram"),
        totals(column, choice, "noc"),
        column.fixed_sram + totals(column, choice, "sram"),
    )
    first = int(np.lexsort(figures[::-1])[0])
    key = (int(figures[0][first]), int(figures[1][first]), int(figures[2][first]), int(figures[3][first]))
    return key, column.plan(program.block, [r.places[i] for r, i in zip(column.rows, choice[first], strict=True)])
