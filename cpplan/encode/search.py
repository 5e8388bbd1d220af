"""State of one solve: incumbents, limit, and what has been left out or decided so far."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cpplan.cost.combine import StateSize
from cpplan.cost.table import build_column
from cpplan.device.device import Device
from cpplan.encode.blocks import BlockFacts, Ints, block_facts, check_plannable
from cpplan.encode.incumbent import NO_PLAN, Incumbent, Key, Site, incumbent
from cpplan.encode.lanes import SpatialTable, spatial_table
from cpplan.encode.orders import Order
from cpplan.encode.prune import prune_again, prune_column
from cpplan.encode.restricted import allowed_blocks, allowed_mappings
from cpplan.encode.scope import scopes
from cpplan.encode.stacked import SharedWeights
from cpplan.plan.plan import Plan
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.symmetry import Partner, symmetries
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, Family, Problem, TileProgram


@dataclass(frozen=True)
class FamilyFacts:
    """One family with its arrays; ``offset`` is the number of its first block among all blocks of the problem."""

    family: Family
    facts: BlockFacts
    table: SpatialTable
    offset: int
    outline: Ints  # (figures, B): what two blocks must have in common to be mirror images


@dataclass(frozen=True)
class Block:
    """A block-shape candidate in plain ints, with what every column of it needs."""

    program: TileProgram
    ops: dict[str, int]
    state: StateSize | None
    fixed: int


@dataclass
class Counts:
    """How the space was covered (see :class:`cpplan.encode.certificate.Certificate`)."""

    blocks_pruned: int = 0
    lanes: int = 0
    lanes_pruned: int = 0
    columns: int = 0
    columns_kept: int = 0
    mapped: int = 0
    mapped_pruned: int = 0
    mapped_scored: int = 0
    mapped_decided: int = 0
    combinations: int = 0


@dataclass
class Search:
    """Everything that changes while one problem is solved."""

    problem: Problem
    device: Device
    k: int
    deadline: float | None
    workers: int
    seed: int
    progress: Callable[[str], None]
    families: tuple[FamilyFacts, ...]
    restriction: Restriction = FREE
    weights: defaultdict[int, SharedWeights] = field(default_factory=lambda: defaultdict(SharedWeights))  # by family
    best: list[Incumbent] = field(default_factory=list)
    blocks: dict[int, Block] = field(default_factory=dict)
    images: dict[int, tuple[Partner, ...]] = field(default_factory=dict)  # of blocks of which a plan was found
    sites: dict[tuple[int, int, Order], Site | None] = field(default_factory=dict)  # looked at so far
    choices: set[tuple[object, ...]] = field(default_factory=set)  # columns with levels and depths, scored so far
    counts: Counts = field(default_factory=Counts)
    proofs: list[str] = field(default_factory=list)
    deterministic_time: float = 0.0
    open_bound: int | None = None
    idle: int = 0  # rounds in a row that found no better incumbents

    @property
    def last(self) -> Key | None:
        """Key that a plan must not exceed to enter the answer; None while fewer than k plans are known."""
        return self.best[-1].key if len(self.best) >= self.k else None

    @property
    def limit(self) -> int | None:
        """Cycles that a plan must not exceed to enter the answer; None while fewer than k plans are known."""
        return None if self.last is None else self.last[0]

    def late(self) -> bool:
        """The time limit has passed and there is something to return."""
        return bool(self.best) and self.deadline is not None and time.perf_counter() > self.deadline

    def left_open(self, bound: int) -> None:
        """Record that plans of at least ``bound`` cycles were not decided."""
        self.open_bound = bound if self.open_bound is None else min(self.open_bound, bound)

    def admit(self, found: Sequence[Incumbent]) -> None:
        """Merge plans into the incumbents."""
        merged = {(plan.block, plan.position): plan for plan in [*self.best, *found]}
        self.best = sorted(merged.values(), key=lambda plan: plan.rank)[: self.k]

    def admit_plan(self, plan: Plan, accesses: Sequence[Access], key: Key) -> None:
        """Make a legal plan in canonical form, scored by the cost model, the first incumbent."""
        for family in self.families:
            if plan.block in family.family.blocks:
                number = family.family.blocks.index(plan.block)
                if self.block(family, number).program.accesses == tuple(accesses):
                    partners = self.partners(family.offset + number)
                    self.admit([incumbent(self.device, plan, key, partners, self.restriction)])

    def block(self, family: FamilyFacts, number: int) -> Block:
        """Candidate ``number`` of ``family``, sliced once."""
        key, facts = family.offset + number, family.facts
        if key not in self.blocks:
            names = ["", *(loop.name for loop in facts.program.loops)]
            ops = dict(zip(names, facts.ops[:, number].tolist(), strict=True))
            state = None if facts.state is None else facts.state.take(number)
            program = candidate_program(family.family, number)
            self.blocks[key] = Block(program, ops, state, int(facts.fixed[number]))
        return self.blocks[key]

    def partners(self, block: int) -> tuple[Partner, ...]:
        """Candidates onto which symmetries map block number ``block`` of the problem, itself included."""
        if block not in self.images:
            own = self._family(block)
            program, outline = self.program(block), own.outline[:, block - own.offset]
            self.images[block] = tuple(self._partners(program, outline))
        return self.images[block]

    def _partners(self, program: TileProgram, outline: Ints) -> Iterator[Partner]:
        for family in self.families:
            if len(family.outline) == len(outline):
                for number in np.nonzero(np.all(family.outline == outline[:, None], axis=0))[0].tolist():
                    target = self.block(family, number).program
                    yield Partner(family.offset + number, target, symmetries(program, target))

    def _family(self, block: int) -> FamilyFacts:
        return next(f for f in reversed(self.families) if f.offset <= block)

    def program(self, block: int) -> TileProgram:
        """The program of block number ``block`` of the problem."""
        family = self._family(block)
        return self.block(family, block - family.offset).program

    def site(self, family: FamilyFacts, number: int, mapping: int, order: Order) -> Site | None:
        """A column with its option rows, pruned by the current limit; None when nothing of it is left."""
        place = (family.offset + number, mapping, order)
        if place in self.sites:
            known = self.sites[place]
            return None if known is None else self.pruned(known)
        site = self.sites[place] = self._built(family, number, mapping, order)
        return site

    def pruned(self, site: Site) -> Site | None:
        """``site`` pruned by the current limit; None when nothing of it is left."""
        found = prune_again(self.device, site.pruned, self.limit)
        return None if found is None else replace(site, pruned=found)

    def _built(self, family: FamilyFacts, number: int, mapping: int, order: Order) -> Site | None:
        block = self.block(family, number)
        names = [d.name for d in block.program.dims]
        groups = tuple(tuple(names[d] for d in group) for group in order)
        spatial, origin = family.table.mapping(mapping), family.table.origin(mapping)
        known = block.ops, self.restriction, origin, block.state, block.fixed
        column = build_column(block.program, self.device, spatial, groups, *known)
        pruned = prune_column(self.device, column, self.limit)
        if pruned is None:
            return None
        place = (family.offset + number, mapping, order)
        return Site(*place, block.program, self.partners, pruned, restriction=self.restriction)

    def still_open(self, sites: Sequence[Site]) -> list[Site]:
        """``sites`` pruned again by the current limit; what is gone is counted."""
        out = []
        for site in sites:
            if site.scored > (NO_PLAN - 1 if self.limit is None else self.limit):
                self.counts.mapped_scored += 1
                continue
            left = self.pruned(site)
            if left is None:
                self.counts.mapped_pruned += 1
            else:
                out.append(left)
        return out


def start(
    problem: Problem,
    device: Device,
    k: int,
    deadline: float | None,
    workers: int,
    seed: int,
    progress: Callable[[str], None],
    restriction: Restriction = FREE,
) -> Search:
    """A search with nothing found yet, over the part of the space that ``restriction`` leaves."""
    families, offset = [], 0
    for family in allowed_blocks(problem, restriction):
        facts = replace(block_facts(family, device), scopes=scopes(family.stacked, restriction))
        check_plannable(problem.name, family, facts, device)
        largest = tuple(int(n) for n in facts.extents.max(axis=1))
        loops = facts.axes[len(facts.program.dims) :]
        table = spatial_table(device, facts.axes, largest, loops)
        table = allowed_mappings(table, facts.axes, facts.program, device, restriction)
        families.append(FamilyFacts(family, facts, table, offset, _outline(facts)))
        offset += len(family.blocks)
    return Search(problem, device, k, deadline, workers, seed, progress, tuple(families), restriction)


def _outline(facts: BlockFacts) -> Ints:
    """What mirror images have in common: extents and tile sizes up to order, trips, ops, fixed buffers, state."""
    dims = len(facts.program.dims)
    extents, pages = np.sort(facts.extents[:dims], axis=0), np.sort(facts.pages, axis=0)
    parts = [extents, facts.trips, pages, facts.ops, facts.fixed[None]]
    if facts.state is not None:
        parts.append(np.stack([facts.state.pages, facts.state.bytes, facts.state.cycles]))
    return np.concatenate(parts)
