"""Improve or prove: CP-SAT decides all open columns jointly until nothing ranks before the k-th incumbent."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from cpplan.encode.incumbent import Site, best_plans
from cpplan.encode.model import better_than, build, chosen, forbid
from cpplan.encode.search import Search
from cpplan.errors import InternalError

MODEL_LITERALS = 6_000
"""Options per CP-SAT model; more columns go into further models."""


def prove(search: Search, sites: Sequence[Site]) -> None:
    """Decide ``sites``, best bound first; what the time limit leaves is recorded as open."""
    search.counts.mapped_decided = len(sites)
    search.counts.combinations = sum(site.column.combinations for site in sites)
    queue = sorted(sites, key=lambda s: (s.bound, s.place))
    while queue:
        batch: list[Site] = []
        literals = 0
        while queue and (not batch or literals < MODEL_LITERALS):
            literals += sum(len(r.places) for r in queue[0].column.rows)
            batch.append(queue.pop(0))
        search.progress(f"proving over {len(batch)} columns, {literals} placements")
        proved = _improve_until_proved(search, batch)
        if proved is not None:
            search.left_open(min([max(proved, min(s.bound for s in batch)), *(s.bound for s in queue)]))
            return
        queue = search.still_open(queue)


def _improve_until_proved(search: Search, sites: Sequence[Site]) -> int | None:
    """None once no plan of ``sites`` outside the incumbents ranks before the k-th.

    At the time limit: a makespan below which ``sites`` have no plan outside the incumbents.
    """
    proved = 0
    while True:
        limit = search.limit
        enc = build(search.device, sites, limit if limit is not None else _worst(search, sites))
        for plan in search.best:
            forbid(enc, plan)
        if limit is not None:
            better_than(enc, search.best[-1])
        solver = _solver(search)
        solver.solve(enc.model)
        status = solver.status_name()
        search.deterministic_time += solver.response_proto.deterministic_time
        if status == "MODEL_INVALID":
            raise InternalError(f"CP-SAT rejects the model: {enc.model.validate()}")
        if status == "INFEASIBLE":
            search.proofs.append(hashlib.sha256(str(enc.model.proto).encode()).hexdigest())
            return None
        proved = max(proved, math.ceil(solver.best_objective_bound - 0.5))
        if status == "UNKNOWN":
            return proved
        site, choice = chosen(enc, solver)
        found = best_plans(search.device, site, choice, 1)
        if status == "OPTIMAL" and solver.value(enc.cycles) != found[0].key[0]:
            raise InternalError(f"solver says {solver.value(enc.cycles)} cycles, the cost model {found[0].key[0]}")
        search.admit(found)


def _worst(search: Search, sites: Sequence[Site]) -> int:
    """A makespan that no plan of ``sites`` exceeds: every transfer and op one after the other (no period is longer)."""
    worst = 0
    for site in sites:
        runs = np.array([site.column.nest.iterations(i) for i in range(len(site.column.ops))], dtype=np.int64)
        total = int((runs * np.array(site.column.ops, dtype=np.int64)).sum())
        total += sum(int((rows.fill.max(axis=1) * runs[rows.level]).max()) for rows in site.column.rows)
        worst = max(worst, search.device.launch_cycles + total)
    return worst


def _solver(search: Search) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = search.workers
    solver.parameters.random_seed = search.seed
    solver.parameters.linearization_level = 2  # the rows switched by columns count in the relaxation: fewer conflicts
    if search.deadline is not None and search.best:
        solver.parameters.max_time_in_seconds = max(0.01, search.deadline - time.perf_counter())
    return solver
