"""Good plans fast: exact scoring of the most promising row combinations of one column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cpplan.cost.table import Column, Ints, feasible, makespans, totals
from cpplan.device.device import Device
from cpplan.encode.alternatives import Alternatives
from cpplan.encode.descent import descend, in_alike_order
from cpplan.encode.prune import OptionBounds, Pruned
from cpplan.plan.demands import member
from cpplan.plan.plan import Plan
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.symmetry import OrderKey, Partner, orbit
from cpplan.tile.program import TileProgram

Key = tuple[int, int, int, int]
SCORED = 6_000
"""Combinations of a column up to which all of them are scored."""
SAMPLED = 1_000
"""Combinations scored of a column that has too many to score all."""
AROUND = 200
"""Combinations scored next to the best one met."""
NEAR = 64
"""Part of the limit by which a makespan may exceed it for pairs of accesses to be worth a try."""
NO_PLAN = 1 << 60
"""Makespan of a column without a feasible plan."""


@dataclass(frozen=True)
class Incumbent:
    """A legal plan at block candidate ``block`` with its exact ranking key.

    ``position`` is its place in the fixed order of the space at that block; ``images`` are the plan itself and its
    mirror images with their blocks, of which it is the first that no restriction rules out.
    """

    key: Key
    block: int
    position: OrderKey
    plan: Plan
    images: tuple[tuple[int, Plan], ...]

    @property
    def rank(self) -> tuple[Key, int, OrderKey]:
        """Total order of plans."""
        return (self.key, self.block, self.position)


@dataclass(frozen=True)
class Site:
    """A column with its option rows, its proved bounds, and what identifies it.

    ``block`` numbers the candidate, ``mapping`` the spatial mapping; ``order`` lists the wave loops as dim numbers.
    ``scored`` is the least makespan of the column when all its plans were scored, or all that may be within the limit
    of that time; else 0.
    """

    block: int
    mapping: int
    order: tuple[tuple[int, ...], ...]
    program: TileProgram
    partners_of: Callable[[int], tuple[Partner, ...]]  # of a block, found when the first plan asks for them
    pruned: Pruned
    scored: int = 0
    restriction: Restriction = FREE

    @property
    def partners(self) -> tuple[Partner, ...]:
        """Candidates onto which symmetries map the block of the column, itself included."""
        return self.partners_of(self.block)

    @property
    def column(self) -> Column:
        """The column with the options that are left."""
        return self.pruned.column

    @property
    def bounds(self) -> OptionBounds:
        """Bounds of the options that are left."""
        return self.pruned.bounds

    @property
    def bound(self) -> int:
        """No plan of the column is faster: by its option bounds, or because all of them were scored."""
        return max(self.bounds.column, self.scored)

    @property
    def place(self) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
        """Position of the column in the fixed order."""
        return (self.block, self.mapping, self.order)


def can_be_scored(combinations: float) -> bool:
    """Whether so many combinations are few enough to score all of them."""
    return combinations <= SCORED


def score(
    device: Device, site: Site, k: int, last: Key | None = None, *, pairs: bool = False
) -> tuple[list[Incumbent], int | None]:
    """The ``k`` best plans of ``site`` when it is small, else among the most promising combinations; but for the best
    one, only plans that rank no later than ``last``.

    The second value is the least makespan of the whole column when those were all combinations: ``NO_PLAN`` when none
    is feasible, None when some were left out; then a descent from the best of them joins in, which changes ``pairs`` of
    accesses if asked to and if that looks worthwhile.
    """
    column = site.column
    complete = can_be_scored(column.combinations)
    choice = _products(_shortlist(_by_bound(column, site.bounds), SCORED if complete else min(SAMPLED, SCORED)))
    if not complete and column.alike:
        choice = np.unique(in_alike_order(site.column, choice), axis=0)
    choice = choice[feasible(device, column, choice)]
    if complete:
        found = best_plans(device, site, choice, k, last)
        return found, found[0].key[0] if found else NO_PLAN
    near = 0 if not pairs else NO_PLAN if last is None else last[0] + last[0] // NEAR
    met = np.concatenate([choice, descend(device, column, choice, near, site.pruned.additive)])
    around = around_best(device, site, met, min(AROUND, SCORED), last[0] if last else None) if k > 1 else met[:0]
    return best_plans(device, site, np.unique(np.concatenate([met, around]), axis=0), k, last), None


def score_alternatives(
    device: Device, site: Site, k: int, left: Alternatives, last: Key
) -> tuple[list[Incumbent], int]:
    """The ``k`` best plans among ``left`` that rank no later than ``last``, and the least makespan of the whole column
    if that is within its time."""
    choice = left.options()
    choice = choice[feasible(device, site.column, choice)]
    found = best_plans(device, site, choice, k, last)
    return found, min(found[0].key[0], last[0] + 1) if found else last[0] + 1


def around_best(device: Device, site: Site, met: Ints, budget: int, limit: int | None) -> Ints:
    """Feasible combinations of the best rows of every access next to the best combination met: what else ranks high.

    Nothing when the best one itself is not within ``limit``.
    """
    if not len(met):
        return met
    column, cycles = site.column, makespans(device, site.column, met)
    if limit is not None and int(cycles.min()) > limit:
        return met[:0]
    best = met[np.lexsort((totals(column, met, "dram"), cycles))[0]]
    ranked = []
    for access, rows in enumerate(column.rows):
        tried = np.repeat(best[None], len(rows.places), axis=0)
        tried[:, access] = np.arange(len(rows.places))
        cycles = makespans(device, column, tried)
        ranked.append(np.lexsort((rows.sram, rows.noc, rows.dram, cycles)))
    choice = in_alike_order(site.column, _products(_shortlist(ranked, budget)))
    return choice[feasible(device, column, choice)]


def _by_bound(column: Column, bounds: OptionBounds) -> list[Ints]:
    """Rows of every access, lowest bound first, then least traffic and SRAM."""
    return [
        np.lexsort((rows.sram, rows.noc, rows.dram, bound))
        for rows, bound in zip(column.rows, bounds.options, strict=True)
    ]


def _shortlist(ranked: list[Ints], budget: int) -> list[Ints]:
    """The first rows of every access, sorted; as many of each as their product within ``budget`` allows."""
    sizes = [1] * len(ranked)
    total = 1
    while True:
        open_ends = [
            i for i, r in enumerate(ranked) if sizes[i] < len(r) and total // sizes[i] * (sizes[i] + 1) <= budget
        ]
        if not open_ends:
            return [np.sort(r[:s]) for r, s in zip(ranked, sizes, strict=True)]
        grown = min(open_ends, key=lambda i: (sizes[i], i))
        total = total // sizes[grown] * (sizes[grown] + 1)
        sizes[grown] += 1


def _products(rows: list[Ints]) -> Ints:
    """All combinations (plans, accesses), in lexicographic order; numpy's own grids end at 64 accesses or fewer."""
    out = np.zeros((1, 0), dtype=np.int64)
    for picks in rows:
        out = np.column_stack([np.repeat(out, len(picks), axis=0), np.tile(picks, len(out))])
    return out


def best_plans(device: Device, site: Site, choice: Ints, k: int, last: Key | None = None) -> list[Incumbent]:
    """Exact scores of feasible ``choice`` rows; the best ``k`` that rank no later than ``last`` as incumbents, but
    always the best."""
    if not len(choice):
        return []
    column = site.column
    cycles = makespans(device, column, choice)
    if last is not None:
        kept = cycles <= max(last[0], int(cycles.min()))
        choice, cycles = choice[kept], cycles[kept]
    dram, noc = totals(column, choice, "dram"), totals(column, choice, "noc")
    sram = column.fixed_sram + totals(column, choice, "sram")
    ranked = np.lexsort((sram, noc, dram, cycles))[: k * sum(len(p.symmetries) for p in site.partners)].tolist()
    keys = [(int(cycles[i]), int(dram[i]), int(noc[i]), int(sram[i])) for i in ranked]
    wanted = sum(last is None or key <= last for key in keys)
    return [_incumbent(device, site, choice[i], key) for i, key in zip(ranked[: wanted or 1], keys, strict=False)]


def _incumbent(device: Device, site: Site, picked: Ints, key: Key) -> Incumbent:
    """The plan of one choice of rows."""
    column = site.column
    places = [rows.places[c] for rows, c in zip(column.rows, picked, strict=True)]
    return incumbent(device, column.plan(site.program.block, places), key, site.partners, site.restriction)


def incumbent(device: Device, plan: Plan, key: Key, partners: Sequence[Partner], restriction: Restriction) -> Incumbent:
    """A plan in canonical form with its key, by its first image inside the restriction, where it must have one."""
    images = orbit(plan, partners)
    programs = {partner.block: partner.program for partner in partners}
    first = next(i for i in images if member(restriction, programs[i[0]], device, i[2]) is not None)
    return Incumbent(key, *first, tuple((block, other) for block, _, other in images))
