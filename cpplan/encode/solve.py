"""Solve one problem: the exact top-k plans with a certificate.

1. Bound every block shape, then every column (block, mapping, wave order) in one vectorised pass.
2. Score the most promising columns exactly: their best plans are the incumbents.
3. Drop columns and options whose proved bound exceeds the k-th incumbent.
4. CP-SAT decides everything left jointly: each solve either returns a plan that ranks before the k-th incumbent, which
   replaces it, or proves that there is none. The last proof is the certificate.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np
from ortools.sat.python import cp_model

from cpplan.cost.model import Cost, evaluate
from cpplan.cost.table import build_column, position_cycles
from cpplan.device.device import Device
from cpplan.encode.certificate import Certificate, Status
from cpplan.encode.incumbent import Incumbent, Site, best_plans, incumbents
from cpplan.encode.lanes import (
    INFINITE,
    BlockFacts,
    Ints,
    SpatialTable,
    block_bounds,
    block_facts,
    chunks,
    column_bounds,
    lanes_of,
    spatial_table,
)
from cpplan.encode.model import better_than, build, chosen, forbid
from cpplan.encode.prune import prune_column
from cpplan.errors import InternalError
from cpplan.plan.plan import Plan
from cpplan.plan.space import violations
from cpplan.plan.symmetry import Symmetry, symmetries
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram

FIRST_BLOCKS = 48
"""Block shapes bounded column by column before any incumbent is known."""
LANE_CHUNK = 400_000
"""Pairs of block shape and mapping per vectorised pass (memory)."""
SCORED = 6_000
"""Row combinations scored exactly per column while looking for incumbents."""
COMPLETE = 200_000
"""A column with at most this many combinations left is scored completely."""
MODEL_LITERALS = 6_000
"""Options per CP-SAT model; more columns go into further models."""


@dataclass(frozen=True)
class RankedPlan:
    """One plan of the answer with the program at its block shape and its independently evaluated cost."""

    rank: int
    plan: Plan
    program: TileProgram
    cost: Cost


@dataclass(frozen=True)
class Solution:
    """Answer to one problem. ``gap`` is (best makespan - bound) / best makespan; 0.0 when proved."""

    status: Status
    plans: tuple[RankedPlan, ...]
    bound_cycles: int
    gap: float
    solve_seconds: float
    certificate: Certificate
    reason: str = ""


@dataclass
class _Column:
    """A column known by its bound only."""

    bound: int
    family: int
    block: int
    mapping: int
    order: tuple[tuple[int, ...], ...]


@dataclass
class _Search:
    """Everything that changes while one problem is solved."""

    problem: Problem
    device: Device
    k: int
    deadline: float | None
    workers: int
    seed: int
    progress: Callable[[str], None]
    facts: list[BlockFacts]
    tables: list[SpatialTable]
    offsets: list[int]
    best: list[Incumbent]
    programs: dict[int, TileProgram]
    ops: dict[int, dict[str, int]]
    symmetries: dict[int, tuple[Symmetry, ...]]
    proofs: list[str]
    deterministic: float = 0.0
    columns: int = 0
    unfit: int = 0
    pruned: int = 0
    decided: int = 0
    combinations: int = 0
    open_bound: int | None = None

    @property
    def limit(self) -> int | None:
        """Cycles that a plan must not exceed to enter the answer."""
        return self.best[-1].key[0] if len(self.best) >= self.k else None

    def late(self) -> bool:
        """The time limit has passed."""
        return self.deadline is not None and time.perf_counter() > self.deadline

    def left_open(self, bound: int) -> None:
        """Record that plans of at least ``bound`` cycles were not decided."""
        self.open_bound = bound if self.open_bound is None else min(self.open_bound, bound)

    def admit(self, found: Sequence[Incumbent]) -> None:
        """Merge plans into the incumbents."""
        merged = {(plan.block, plan.position): plan for plan in [*self.best, *found]}
        self.best = sorted(merged.values(), key=lambda plan: plan.rank)[: self.k]


def solve(
    problem: Problem,
    device: Device,
    *,
    k: int = 1,
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Solution:
    """The ``k`` best plans of ``problem`` on ``device``, with proof.

    ``time_limit`` in seconds turns the answer into the best plans known with their bound. One worker is deterministic.
    """
    start = time.perf_counter()
    facts = [block_facts(f, device) for f in problem.families]
    tables = [_table(device, f) for f in facts]
    offsets = [int(n) for n in np.cumsum([0, *(len(f.blocks) for f in problem.families)])]
    search = _Search(
        problem, device, k, start + time_limit if time_limit is not None else None, workers, seed,
        progress or (lambda _: None), facts, tables, offsets, [], {}, {}, {}, [],
    )  # fmt: skip
    columns = _bounded_columns(search)
    sites = _open_sites(search, columns)
    _prove(search, sites)
    return _answer(search, time.perf_counter() - start)


def _table(device: Device, facts: BlockFacts) -> SpatialTable:
    """Mappings over the dims of the family (a dim of one block in every candidate takes no cores)."""
    return spatial_table(device, tuple(d.name for d in facts.program.dims))


def _bounded_columns(search: _Search) -> list[_Column]:
    """All columns whose bound does not exceed the k-th incumbent, best bound first."""
    bounds = [block_bounds(f, search.device) for f in search.facts]
    ranked = [np.argsort(b, kind="stable") for b in bounds]
    out: list[_Column] = []
    search.progress("bounding block shapes and mappings")
    for family, (order, bound) in enumerate(zip(ranked, bounds, strict=True)):
        fit = order[bound[order] < INFINITE]
        for part in (fit[:FIRST_BLOCKS], fit[FIRST_BLOCKS:]):
            alive = part if search.limit is None else part[bound[part] <= search.limit]
            found = list(_columns_of(search, family, alive))
            _seed(search, found)
            out += found
    limit = search.limit
    kept = [c for c in out if limit is None or c.bound <= limit]
    search.pruned = search.columns - len(kept)
    return sorted(kept, key=lambda c: (c.bound, c.family, c.block, c.mapping, c.order))


def _columns_of(search: _Search, family: int, blocks: Ints) -> Iterator[_Column]:
    """Columns of ``blocks`` that fit and whose bound is within the current limit."""
    facts, table = search.facts[family], search.tables[family]
    step = max(1, LANE_CHUNK // max(1, len(table.choices)))
    for part in chunks(blocks, step):
        lanes = lanes_of(facts, table, part)
        for bounded in column_bounds(facts, search.device, table, lanes):
            search.columns += len(bounded.bound)
            keep = np.arange(len(bounded.bound))
            if search.limit is not None:
                keep = np.nonzero(bounded.bound <= search.limit)[0]
            for i in keep:
                block, mapping = int(bounded.lanes.block[i]), int(bounded.lanes.spatial[i])
                yield _Column(int(bounded.bound[i]), family, block, mapping, bounded.order)


def _seed(search: _Search, columns: list[_Column]) -> None:
    """Incumbents from the most promising columns."""
    for column in sorted(columns, key=lambda c: c.bound)[:12]:
        if search.late() and search.best:
            return
        site = _site(search, column)
        if site is not None:
            found, _ = incumbents(search.device, site, search.k, SCORED)
            search.admit(found)


def _site(search: _Search, column: _Column) -> Site | None:
    """The column with its option rows, pruned by the current limit."""
    block = search.offsets[column.family] + column.block
    if block not in search.programs:
        search.programs[block] = candidate_program(search.problem.families[column.family], column.block)
        search.ops[block] = position_cycles(search.programs[block], search.device)
        search.symmetries[block] = symmetries(search.programs[block])
    program = search.programs[block]
    names = [d.name for d in program.dims]
    spatial = search.tables[column.family].choices[column.mapping]
    order = tuple(tuple(names[d] for d in group) for group in column.order)
    built = build_column(program, search.device, spatial, order, search.ops[block])
    pruned = prune_column(search.device, built, search.limit)
    if pruned is None:
        return None
    return Site(block, column.mapping, column.order, program, search.symmetries[block], *pruned)


def _open_sites(search: _Search, columns: list[_Column]) -> list[Site]:
    """Columns that neither their bound nor complete scoring has decided."""
    sites: list[Site] = []
    for number, column in enumerate(columns):
        if search.limit is not None and column.bound > search.limit:
            search.pruned += len(columns) - number
            break
        if search.late() and search.best:
            search.left_open(column.bound)
            break
        site = _site(search, column)
        if site is None:
            search.pruned += 1
            continue
        found, _ = incumbents(search.device, site, search.k, SCORED)
        search.admit(found)
        sites.append(site)
        if number % 50 == 0:
            search.progress(f"{len(sites)} columns open of {number + 1} looked at")
    return _prune_again(search, sites)


def _prune_again(search: _Search, sites: list[Site]) -> list[Site]:
    out = []
    for site in sites:
        pruned = prune_column(search.device, site.column, search.limit)
        if pruned is None:
            search.pruned += 1
        else:
            out.append(replace(site, column=pruned[0], bounds=pruned[1]))
    return out


def _prove(search: _Search, sites: list[Site]) -> None:
    """CP-SAT over all open columns: improve the incumbents until nothing better exists."""
    search.decided = len(sites)
    search.combinations = sum(site.column.combinations for site in sites)
    queue = sorted(sites, key=lambda s: (s.bounds.column, s.place))
    while queue:
        batch: list[Site] = []
        literals = 0
        while queue and (not batch or literals < MODEL_LITERALS):
            literals += sum(len(r.places) for r in queue[0].column.rows)
            batch.append(queue.pop(0))
        search.progress(f"proving over {len(batch)} columns, {literals} placements")
        if not _improve_until_proved(search, batch):
            search.left_open(min([s.bounds.column for s in [*batch, *queue]]))
            return
        queue = _prune_again(search, queue)


def _improve_until_proved(search: _Search, sites: list[Site]) -> bool:
    """True when no plan of ``sites`` outside the incumbents ranks before the k-th; False at the time limit."""
    while True:
        limit = search.limit
        enc = build(search.device, sites, limit if limit is not None else _worst(search, sites))
        for plan in search.best:
            forbid(enc, plan)
        if len(search.best) >= search.k:
            better_than(enc, search.best[-1])
        solver = _solver(search)
        solver.solve(enc.model)
        status = solver.status_name()
        search.deterministic += solver.response_proto.deterministic_time
        if status == "MODEL_INVALID":
            raise InternalError(f"CP-SAT rejects the model: {enc.model.validate()}")
        if status == "INFEASIBLE":
            search.proofs.append(hashlib.sha256(str(enc.model.proto).encode()).hexdigest())
            return True
        if status == "UNKNOWN":
            return False
        site, choice = chosen(enc, solver)
        found = best_plans(search.device, site, choice, 1)
        if status == "OPTIMAL" and solver.value(enc.cycles) != found[0].key[0]:
            raise InternalError(f"solver says {solver.value(enc.cycles)} cycles, the cost model {found[0].key[0]}")
        search.admit(found)


def _worst(search: _Search, sites: list[Site]) -> int:
    """A makespan that no plan of ``sites`` exceeds: every transfer and op one after the other."""
    worst = 0
    for site in sites:
        nest = site.column.nest
        total = search.device.launch_cycles
        for level, ops in enumerate(site.column.ops):
            total += ops * nest.iterations(level)
        for rows in site.column.rows:
            runs = np.array([nest.iterations(i) for i in range(len(nest.names))])[rows.level]
            total += 2 * int((rows.fill.sum(axis=1) * runs).max())
        worst = max(worst, total)
    return worst


def _solver(search: _Search) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = search.workers
    solver.parameters.random_seed = search.seed
    if search.deadline is not None:
        solver.parameters.max_time_in_seconds = max(0.01, search.deadline - time.perf_counter())
    return solver


def _answer(search: _Search, seconds: float) -> Solution:
    """Re-score and re-check every plan outside the solver, then assemble the answer."""
    plans = tuple(_checked(search, rank, plan) for rank, plan in enumerate(search.best, 1))
    status: Status = "optimal" if search.open_bound is None else "feasible"
    if not plans:
        status = "infeasible"
    best = plans[0].cost.makespan_cycles if plans else 0
    bound = best if search.open_bound is None else min(best, search.open_bound)
    certificate = Certificate(
        status, bound, "CP-SAT", version("ortools"), search.seed, search.workers, seconds, search.deterministic,
        search.problem.fingerprint, search.device.fingerprint, search.offsets[-1], search.columns, search.pruned,
        search.unfit, search.decided, search.combinations, len(search.proofs), tuple(search.proofs),
        tuple(p.cost.key for p in plans),
    )  # fmt: skip
    gap = (best - bound) / best if best else 0.0
    return Solution(status, plans, bound, gap, seconds, certificate)


def _checked(search: _Search, rank: int, plan: Incumbent) -> RankedPlan:
    program = search.programs[plan.block]
    cost = evaluate(program, search.device, plan.plan)
    broken = violations(program, search.device, plan.plan)
    if cost.sram_bytes > cost.sram_limit_bytes:
        broken.append(f"{cost.sram_bytes} bytes of SRAM, the limit is {cost.sram_limit_bytes}")
    if cost.key != plan.key:
        broken.append(f"the cost model says {cost.key}, the search said {plan.key}")
    if broken:
        raise InternalError(f"plan {rank} fails its re-check: {'; '.join(broken)}")
    return RankedPlan(rank, plan.plan, program, cost)
