"""The oracle: brute force over the plan space under the exact cost model.

Small on purpose. It knows nothing of bounds, dominance or solvers: every plan of every column is scored. Use it only
where the space is small enough; :func:`count` tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cpplan.cost.combine import state_price
from cpplan.cost.model import fixed_buffers
from cpplan.cost.table import Column, Ints, build_column, feasible, makespans, position_cycles, totals
from cpplan.device.device import Device
from cpplan.enumerate.forms import first_form
from cpplan.plan.plan import Plan
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.space import first_cores, legal_spatial, orders
from cpplan.plan.symmetry import Partner, orbit, symmetries
from cpplan.tile.program import TileProgram

CHUNK = 20_000
"""Plans scored at once."""


@dataclass(frozen=True)
class Scored:
    """A plan with its ranking key; ``position`` is its place in the fixed order of the space."""

    key: tuple[int, int, int, int]
    position: tuple[int, ...]
    plan: Plan


def columns(programs: Sequence[TileProgram], device: Device) -> Iterator[tuple[tuple[int, ...], TileProgram, Column]]:
    """All columns of all block-shape candidates, with their position in the fixed order."""
    for block, program in enumerate(programs):
        mappings = [(s, first) for s in legal_spatial(program, device) for first in first_cores(device, s)]
        for number, (spatial, origin) in enumerate(mappings):
            for turn, order in enumerate(orders(program, spatial)):
                yield (block, number, turn), program, build_column(program, device, spatial, order, origin=origin)


def count(programs: Sequence[TileProgram], device: Device, limit: int | None = None) -> int:
    """Number of plans that :func:`brute_force` would score; stops counting above ``limit``."""
    total = 0
    for _, _, column in columns(programs, device):
        total += column.combinations
        if limit is not None and total > limit:
            break
    return total


def brute_force(
    programs: Sequence[TileProgram], device: Device, k: int, restriction: Restriction = FREE
) -> list[Scored]:
    """The ``k`` best plans over all block-shape candidates, best first; of mirror images only the first counts.

    Under a restriction a plan counts when one of its forms satisfies it, and that form is returned.
    """
    partners = [_partners(programs, device, block) for block in range(len(programs))]
    best: list[Scored] = []
    wanted = k * max((sum(len(p.symmetries) for p in mine) for mine in partners), default=1)
    for position, program, column in columns(programs, device):
        if not (restriction.allows_block(program.block) and restriction.allows_box(column.spatial, column.origin)):
            continue
        for choice in _choices(column):
            keep = feasible(device, column, choice)
            best += _scored(position, program, device, column, choice[keep], None if restriction else wanted)
        if not restriction:
            best = _in_order(best)[:wanted]
    seen: set[tuple[int, Plan]] = set()
    out: list[Scored] = []
    for scored in _in_order(best):
        block = scored.position[0]
        if len(out) < k and (block, scored.plan) not in seen:
            form = first_form(restriction, programs[block], device, scored.plan) if restriction else scored.plan
            if form is not None:
                out.append(replace(scored, plan=form))
                seen |= {(b, plan) for b, _, plan in orbit(scored.plan, partners[block])}
    return out


def _partners(programs: Sequence[TileProgram], device: Device, block: int) -> list[Partner]:
    """Candidates onto which symmetries map candidate ``block`` at equal cost of ops and equal fixed buffers."""

    def price(program: TileProgram) -> tuple[object, ...]:
        fixed = sum(size for _, size in fixed_buffers(program, device))
        return position_cycles(program, device), fixed, state_price(program, device)

    source = programs[block]
    return [
        Partner(number, target, symmetries(source, target))
        for number, target in enumerate(programs)
        if price(source) == price(target)
    ]


def _choices(column: Column) -> Iterator[Ints]:
    """All row combinations of ``column`` in chunks, in lexicographic order."""
    sizes = [len(rows.places) for rows in column.rows]
    total = column.combinations
    for start in range(0, total, CHUNK):
        flat = np.arange(start, min(start + CHUNK, total))
        yield np.stack(np.unravel_index(flat, sizes), axis=1).astype(np.int64)


def _in_order(found: list[Scored]) -> list[Scored]:
    return sorted(found, key=lambda scored: (scored.key, scored.position))


def _scored(
    position: tuple[int, ...],
    program: TileProgram,
    device: Device,
    column: Column,
    choice: Ints,
    wanted: int | None,
) -> list[Scored]:
    """The best ``wanted`` (None: all) of ``choice``."""
    if not len(choice):
        return []
    dram, noc = totals(column, choice, "dram"), totals(column, choice, "noc")
    sram = column.fixed_sram + totals(column, choice, "sram")
    cycles = makespans(device, column, choice)
    ranked = np.lexsort((sram, noc, dram, cycles))[:wanted]
    return [
        Scored(
            (int(cycles[i]), int(dram[i]), int(noc[i]), int(sram[i])), (*position, *map(int, choice[i])),
            column.plan(program.block, [rows.places[c] for rows, c in zip(column.rows, choice[i], strict=True)]),
        )
        for i in ranked
    ]  # fmt: skip
