"""What stands behind an answer: enough for someone else to re-score and re-check it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["optimal", "feasible", "infeasible"]


@dataclass(frozen=True)
class Certificate:
    """Record of one solve.

    Counts: every column of the space is either left out by its proved bound (``columns_pruned``), left out because it
    cannot fit in SRAM (``columns_unfit``), or decided by CP-SAT or complete scoring (``columns_decided``).
    ``plans_lower`` is the number of option combinations in the decided columns. ``model_fingerprints`` are SHA-256 of
    the CP-SAT models that were proved.
    """

    status: Status
    bound_cycles: int
    solver: str
    solver_version: str
    seed: int
    workers: int
    solve_seconds: float
    deterministic_time: float
    problem_fingerprint: str
    device_fingerprint: str
    blocks: int
    columns: int
    columns_pruned: int
    columns_unfit: int
    columns_decided: int
    combinations_decided: int
    proofs: int
    model_fingerprints: tuple[str, ...]
    keys: tuple[tuple[int, int, int, int], ...]
