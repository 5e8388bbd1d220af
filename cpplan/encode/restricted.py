"""A restriction in the arrays of the search: block shapes, mappings and wave orders that it rules out are not there."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from cpplan.cost.table import Bools
from cpplan.device.device import Device
from cpplan.encode.blocks import Ints
from cpplan.encode.lanes import SpatialTable
from cpplan.encode.orders import order_of
from cpplan.encode.scope import scopes
from cpplan.plan.forms import loop_orders
from cpplan.plan.plan import LAUNCH, Combine, Order
from cpplan.plan.restrict import Restriction, level_names
from cpplan.plan.space import METHODS, group_sizes
from cpplan.tile.family import map_leaves
from cpplan.tile.program import Access, Family, Problem, TileProgram


def allowed_blocks(problem: Problem, restriction: Restriction) -> tuple[Family, ...]:
    """The families with the block shapes that the restriction allows; families without any are left out.

    So are those with an access that no pattern of delivery is left for, and all when pins contradict each other.
    """
    if restriction.contradicts_itself():
        return ()
    out = []
    for family in problem.families:
        if not all(scope.has_some_pattern() for scope in scopes(family.stacked, restriction)):
            continue
        if not restriction.about("block"):
            out.append(family)
            continue
        keep = np.array([restriction.allows_block(block) for block in family.blocks], dtype=bool)
        if keep.all():
            out.append(family)
        elif keep.any():
            blocks = tuple(itertools.compress(family.blocks, keep))
            out.append(Family(_sliced(family.stacked, keep), blocks))
    return tuple(out)


def _sliced(stacked: TileProgram, keep: Bools) -> TileProgram:
    return map_leaves(stacked, lambda leaf: leaf[keep])


def allowed_mappings(
    table: SpatialTable, axes: tuple[str, ...], program: TileProgram, device: Device, restriction: Restriction
) -> SpatialTable:
    """``table`` with the mappings that the restriction allows in some order of their digits.

    ``axes`` names what the mappings divide among cores: the dims of ``program``, and a loop that cores may share.
    """
    if not restriction.only(lambda t: t.decision not in ("block", "order", "level", "depth", "noc", "reader")):
        return table
    count = table.digits.shape[1]
    keep = np.ones(count, dtype=bool)
    for axis, sequences in enumerate(table.sequences):
        fits = [any(restriction.allows_digits(axis, p) for p in itertools.permutations(q)) for q in sequences]
        keep &= np.array(fits, dtype=bool)[table.digits[axis]]
    for holds, wanted in [(t, True) for t in restriction.pins] + [(t, False) for t in restriction.forbids]:
        if holds.decision == "cores":
            cores = table.cores[axes.index(holds.subject)] if holds.subject in axes else np.ones(count, dtype=np.int64)
            keep &= (cores == holds.value) == wanted
        elif holds.decision == "on":
            keep &= _uses(table, holds.subject, holds.value) == wanted
    shares = np.any(table.cores[len(program.dims) :] > 1, axis=0)
    ways = [Combine(method, noc) for method in METHODS for noc in range(len(device.nocs))]
    keep &= np.where(shares, any(map(restriction.allows_combine, ways)), restriction.allows_combine(None))
    keep &= np.array([restriction.allows_origin(corner) for corner in table.corners], dtype=bool)[table.corner]
    for access in program.accesses:
        keep &= _may_share(table, access, restriction.of_access(access.name).about("broadcast", "group"))
    return _only(table, keep)


def _may_share(table: SpatialTable, access: Access, own: Restriction) -> Bools:
    """Whether the groups and the spatial dims of sharing that are pinned for ``access`` exist, per mapping."""
    out = np.ones(table.digits.shape[1], dtype=bool)
    for pin in own.pins:
        wanted: Any = pin.value
        for axis, sequences in enumerate(table.sequences) if isinstance(wanted, tuple) else ():
            sizes = [group_sizes(splits, access.indices) for splits in sequences]
            if pin.decision == "group":
                fits = [wanted[axis] in s for s in sizes]
            else:
                fits = [axis not in wanted or len(s) > 1 for s in sizes]
            out &= np.array(fits, dtype=bool)[table.digits[axis]]
    return out


def _uses(table: SpatialTable, dim: str, axes: Any) -> Bools:
    """Whether ``dim`` has digits on exactly the spatial dims ``axes``, per mapping."""
    out = np.ones(table.digits.shape[1], dtype=bool)
    for axis, sequences in enumerate(table.sequences):
        has = np.array([any(split.dim == dim for split in q) for q in sequences], dtype=bool)
        out &= has[table.digits[axis]] == (axis in axes)
    return out


def _only(table: SpatialTable, keep: Bools) -> SpatialTable:
    """The mappings that are kept, spreads numbered anew; in the order they had."""
    cores = table.cores[:, keep]
    spreads, spread = np.unique(cores, axis=1, return_inverse=True) if keep.any() else (cores, np.zeros(0, dtype=int))
    members = np.argsort(spread.ravel(), kind="stable")
    return replace(
        table,
        digits=table.digits[:, keep],
        corner=table.corner[keep],
        cores=cores,
        spreads=spreads,
        members=members,
        first=np.searchsorted(spread.ravel()[members], np.arange(spreads.shape[1] + 1)),
    )


def allowed_orders(codes: Ints, program: TileProgram, restriction: Restriction) -> Bools:
    """Which wave loops, given as codes over the program's dims, the restriction allows in some order of the dims of
    each loop, in which every access has a level that its own terms allow."""
    if not restriction.about("order", "level"):
        return np.ones(len(codes), dtype=bool)
    different, which = np.unique(codes, return_inverse=True)
    fits = [_some_order(order_of(int(code), len(program.dims)), program, restriction) for code in different]
    return np.array(fits, dtype=bool)[which.ravel()]


def _some_order(order: tuple[tuple[int, ...], ...], program: TileProgram, restriction: Restriction) -> bool:
    named = tuple(tuple(program.dims[d].name for d in group) for group in order)
    return any(
        restriction.allows_order(arranged)
        and all(_has_level(program, access, arranged, restriction) for access in program.accesses)
        for arranged in loop_orders(named)
    )


def _has_level(program: TileProgram, access: Access, order: Order, restriction: Restriction) -> bool:
    """Whether some level around ``access`` has a name that its terms allow, be it that of a loop with one trip."""
    own = restriction.of_access(access.name).about("level")
    levels = [(LAUNCH,), *level_names(order).values(), *((loop,) for loop in program.loop_path(access.loop))]
    return any(own.allows_level(names) for names in levels)
