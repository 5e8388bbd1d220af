"""Solve one problem: the exact top-k plans with a certificate.

1. Bound every block shape, then every column (block, mapping, wave loops) in vectorised passes.
2. Score the most promising columns exactly: their best plans are the incumbents.
3. Drop columns and options whose proved bound exceeds the k-th incumbent.
4. CP-SAT decides the columns that are left, best bound first: each solve either returns a plan that ranks before the
   k-th incumbent, which it replaces, or proves that there is none. The last proof completes the certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version

from cpplan.cost.model import Cost, evaluate
from cpplan.device.device import Device
from cpplan.encode.certificate import Certificate, Status
from cpplan.encode.columns import open_columns
from cpplan.encode.conflict import explain_conflict
from cpplan.encode.incumbent import Incumbent
from cpplan.encode.infeasible import Infeasible, explain
from cpplan.encode.prove import prove
from cpplan.encode.search import Search, start
from cpplan.encode.sites import open_sites
from cpplan.errors import InputError, InternalError
from cpplan.plan.check import Evaluation
from cpplan.plan.demands import member
from cpplan.plan.forms import canonical_form
from cpplan.plan.plan import Plan
from cpplan.plan.repair import OldPlan, repaired
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.space import violations
from cpplan.tile.program import Problem, TileProgram


@dataclass(frozen=True)
class RankedPlan:
    """One plan of the answer with the program at its block shape and its independently evaluated cost.

    The plan is in canonical form, or in the first form that satisfies the restriction of the solve.
    """

    rank: int
    plan: Plan
    program: TileProgram
    cost: Cost


@dataclass(frozen=True)
class Solution:
    """Answer to one problem. ``gap`` is (best makespan - bound) / best makespan; 0.0 when proved.

    When ``status`` is infeasible, ``reason`` says why nothing fits, and ``infeasible`` the same for programs. ``start``
    is the old plan as it was brought onto the device.
    """

    status: Status
    plans: tuple[RankedPlan, ...]
    bound_cycles: int
    gap: float
    solve_seconds: float
    certificate: Certificate
    reason: str = ""
    infeasible: Infeasible | None = None
    start: RankedPlan | None = None


def solve(
    problem: Problem,
    device: Device,
    *,
    k: int = 1,
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    restriction: Restriction = FREE,
    old: OldPlan | None = None,
) -> Solution:
    """The ``k`` best plans of ``problem`` on ``device``, with proof.

    ``time_limit`` in seconds turns the answer into the best plans known with their bound. One worker is deterministic.
    ``restriction`` pins and forbids decisions: the answer is the best of the plans that are left (docs/encoding.md).
    ``old`` is brought onto the device first: the answer is never worse, also when the time is up at once.
    Raises :class:`InputError` for ``k`` or ``workers`` below 1 and for launches too long to plan exactly.
    """
    if k < 1 or workers < 1:
        raise InputError(f"k={k}, workers={workers}: both need at least 1")
    begin = time.perf_counter()
    deadline = begin + time_limit if time_limit is not None else None
    search = start(problem, device, k, deadline, workers, seed, progress or (lambda _: None), restriction)
    first = None if old is None else _start_from(search, old)
    _run(search)
    return replace(_answer(search, time.perf_counter() - begin), start=first)


def _start_from(search: Search, old: OldPlan) -> RankedPlan | None:
    """The old plan as the first incumbent, if it can be brought onto the device."""
    search.progress("bringing the old plan onto the device")
    found = repaired(search.problem, search.device, old, search.restriction)
    if found is None or found.cost is None:
        return None
    search.admit_plan(found.plan, found.program.accesses, found.cost.key)
    return RankedPlan(0, found.plan, found.program, found.cost)


def _run(search: Search) -> None:
    search.progress("bounding block shapes and mappings")
    prove(search, open_sites(search, open_columns(search)))


def _answer(search: Search, seconds: float) -> Solution:
    """Re-score and re-check every plan outside the solver, then assemble the answer."""
    plans = tuple(_checked(search, rank, plan) for rank, plan in enumerate(search.best, 1))
    limit = search.limit
    undecided = search.open_bound is not None and (limit is None or search.open_bound <= limit)
    status: Status = "feasible" if undecided else "optimal" if plans else "infeasible"
    best = plans[0].cost.makespan_cycles if plans else 0
    bound = best if search.open_bound is None else min(best, search.open_bound)
    gap = (best - bound) / best if best else 0.0
    why, limits = ("", None) if plans else _reason(search)
    return Solution(
        status, plans, bound, gap, seconds, _certificate(search, status, bound, plans, seconds), why, limits
    )  # fmt: skip


def _reason(search: Search) -> tuple[str, Infeasible | None]:
    """Why there is no plan: what the user pinned and forbade, or the device."""

    def ask(device: Device, restriction: Restriction) -> Evaluation | None:
        """Any plan that is left, found with the time limit behind us: the search stops at the first one."""
        asked = start(search.problem, device, 1, 0.0, search.workers, search.seed, search.progress, restriction)
        _run(asked)
        first = _checked(asked, 1, asked.best[0]) if asked.best else None
        return None if first is None else Evaluation(first.program, first.plan, first.cost, ())

    if search.restriction and ask(search.device, FREE) is not None:
        found = explain_conflict(search.problem, search.device, search.restriction, ask)
    else:
        found = explain(search.problem, search.device)
    return found.message, found


def _certificate(
    search: Search, status: Status, bound: int, plans: tuple[RankedPlan, ...], seconds: float
) -> Certificate:
    counts = search.counts
    return Certificate(
        status=status,
        bound_cycles=bound,
        solver="CP-SAT",
        solver_version=version("ortools"),
        seed=search.seed,
        workers=search.workers,
        solve_seconds=seconds,
        deterministic_time=search.deterministic_time,
        problem_fingerprint=search.problem.fingerprint,
        device_fingerprint=search.device.fingerprint,
        blocks=sum(len(f.family.blocks) for f in search.families),
        blocks_pruned=counts.blocks_pruned,
        spreads=counts.lanes,
        spreads_pruned=counts.lanes_pruned,
        orders=counts.columns,
        orders_pruned=counts.columns - counts.columns_kept,
        columns=counts.mapped,
        columns_pruned=counts.mapped_pruned,
        columns_scored=counts.mapped_scored,
        columns_decided=counts.mapped_decided,
        combinations_decided=counts.combinations,
        proofs=len(search.proofs),
        model_fingerprints=tuple(search.proofs),
        keys=tuple(p.cost.key for p in plans),
        pins=tuple(term.text for term in search.restriction.pins),
        forbids=tuple(term.text for term in search.restriction.forbids),
    )


def _checked(search: Search, rank: int, plan: Incumbent) -> RankedPlan:
    program = search.program(plan.block)
    chosen = member(search.restriction, program, search.device, plan.plan)
    if chosen is None or canonical_form(program, search.device, chosen) != plan.plan:
        raise InternalError(f"plan {rank} is outside the restriction")
    cost = evaluate(program, search.device, chosen)
    broken = violations(program, search.device, plan.plan)
    if not search.restriction.allows(search.device, chosen):
        broken.append("a pin or forbidden decision is not respected")
    if cost.sram_bytes > cost.sram_limit_bytes:
        broken.append(f"{cost.sram_bytes} bytes of SRAM, the limit is {cost.sram_limit_bytes}")
    if cost.key != plan.key:
        broken.append(f"the cost model says {cost.key}, the search said {plan.key}")
    if broken:
        raise InternalError(f"plan {rank} fails its re-check: {'; '.join(broken)}")
    return RankedPlan(rank, chosen, program, cost)
