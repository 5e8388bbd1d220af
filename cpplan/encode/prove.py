"""Improve or prove: CP-SAT decides the open columns until nothing in them ranks before the k-th incumbent."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from ortools.sat.python import cp_model

from cpplan.encode.incumbent import AROUND, Site, around_best, best_plans
from cpplan.encode.model import Encoding, better_than, build, chosen, forbid
from cpplan.encode.rank import cases
from cpplan.encode.search import Search
from cpplan.errors import InternalError

MODEL_LITERALS = 6_000
"""Options up to which columns whose plans were all scored are proved again, in one model."""


def prove(search: Search, sites: Sequence[Site]) -> None:
    """Decide ``sites``, best bound first; what the time limit leaves is recorded as open.

    First the makespans: no column has a faster plan than the incumbents. Then, in columns where a plan takes as long as
    the k-th incumbent, which of these rank before it.
    """
    sites = _left_to_prove(search, sites)
    search.counts.mapped_decided = len(sites)
    search.counts.combinations = sum(site.column.combinations for site in sites)
    queue, ties = sorted(sites, key=lambda s: (s.bound, s.place)), list[Site]()
    while queue:
        batch, queue = _batch(queue)
        literals = sum(len(r.places) for site in batch for r in site.column.rows)
        search.progress(f"proving over {len(batch)} columns, {literals} placements; {len(queue)} columns left")
        known = search.limit is not None and min(site.bound for site in batch) >= search.limit
        answer = "tie" if known else _fastest(search, batch)
        if isinstance(answer, int):
            search.left_open(min([max(answer, min(s.bound for s in batch)), *(s.bound for s in queue)]))
            return
        ties += batch if answer == "tie" else []
        queue = search.still_open(queue)
    ties = search.still_open(ties)
    while ties:
        batch, ties = _batch(ties)
        search.progress(f"ranking plans of equal makespan in {len(batch)} columns; {len(ties)} columns left")
        if not _first_of_equals(search, batch) and search.limit is not None:
            search.left_open(search.limit)
            return


def _left_to_prove(search: Search, sites: Sequence[Site]) -> Sequence[Site]:
    """``sites`` without those whose plans were all scored, if these do not fit into one model: they are decided, and
    are only proved again as long as that is cheap."""
    scored = [site for site in sites if site.scored]
    if sum(len(r.places) for site in scored for r in site.column.rows) <= MODEL_LITERALS:
        return sites
    search.counts.mapped_scored += len(scored)
    return [site for site in sites if not site.scored]


def _batch(queue: list[Site]) -> tuple[list[Site], list[Site]]:
    """The next columns for one model, and the rest.

    Columns whose plans were all scored go together: little is left to decide in them. Any other has a model of its own,
    which is much easier to decide than one model of them all.
    """
    if not queue[0].scored:
        return queue[:1], queue[1:]
    return [site for site in queue if site.scored], [site for site in queue if not site.scored]


def _fastest(search: Search, sites: Sequence[Site]) -> Literal["none", "tie"] | int:
    """Find plans of ``sites`` outside the incumbents until they have none that is faster than the k-th.

    "none" when they have none within the limit at all, "tie" when the fastest takes as long as the k-th incumbent. At
    the time limit: a makespan below which they have none.
    """
    proved = 0
    while True:
        limit = search.limit
        enc = build(search.device, sites, limit if limit is not None else _worst(search, sites))
        solver, status = _solved(search, enc, 0)
        if status == "INFEASIBLE":
            return "none"
        proved = max(proved, math.ceil(solver.best_objective_bound - 0.5))
        if status == "UNKNOWN":
            return proved
        cycles = _admit(search, enc, solver)
        if status == "OPTIMAL" and solver.value(enc.cycles) != cycles:
            raise InternalError(f"solver says {solver.value(enc.cycles)} cycles, the cost model {cycles}")
        if status == "OPTIMAL" and cycles == limit:
            return "tie"


def _first_of_equals(search: Search, sites: Sequence[Site]) -> bool:
    """Find plans of ``sites`` that rank before the k-th incumbent although they are no faster; whether all were found.

    A case (:mod:`cpplan.encode.rank`) that is proved to have no plan stays so: what ranks before the new k-th incumbent
    also ranked before the old one. Where all plans were scored none is expected, and one model asks for all cases.
    """
    assert search.limit is not None
    known, ties = all(site.scored for site in sites), build(search.device, sites, search.limit)
    waiting: list[int | None] = [None] if known else [*range(1, cases(sites))]
    while waiting:
        enc = replace(ties, model=ties.model.clone())
        solver, status = _solved(search, enc, waiting[0])
        if status == "UNKNOWN":
            return False
        if status == "INFEASIBLE":
            waiting = waiting[1:]
        else:
            _admit(search, enc, solver)
    return True


def _solved(search: Search, enc: Encoding, case: int | None) -> tuple[cp_model.CpSolver, str]:
    """The model without the incumbents, solved; in ``case`` 0 for the fastest plan within the limit, without one for
    any plan that ranks before the last of them."""
    for plan in search.best:
        forbid(enc, plan)
    if case != 0:
        better_than(enc, search.best[-1], case)
    solver = _solver(search)
    solver.solve(enc.model)
    search.deterministic_time += solver.response_proto.deterministic_time
    status = str(solver.status_name())
    if status == "MODEL_INVALID":
        raise InternalError(f"CP-SAT rejects the model: {enc.model.validate()}")
    if status == "INFEASIBLE":
        search.proofs.append(hashlib.sha256(enc.model.proto.SerializeToString(deterministic=True)).hexdigest())
    return solver, status


def _admit(search: Search, enc: Encoding, solver: cp_model.CpSolver) -> int:
    """The plan that was found, and others next to it, enter the incumbents; its makespan by the cost model."""
    site, choice = chosen(enc, solver)
    found = best_plans(search.device, site, choice, 1)
    around = around_best(search.device, site, choice, AROUND, search.limit) if search.k > 1 else choice[:0]
    search.admit([*found, *best_plans(search.device, site, around, search.k, search.last)])
    return found[0].key[0]


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
