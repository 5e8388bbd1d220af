"""What stands behind an answer: enough for someone else to re-score and re-check it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["optimal", "feasible", "infeasible"]


@dataclass(frozen=True)
class Certificate:
    """Record of one solve.

    The space is covered in steps, each with its proved bound. Of ``blocks`` block shapes, ``blocks_pruned`` cannot
    be in the answer. The others have ``mappings`` legal spatial mappings, of which ``mappings_pruned`` cannot. The
    others have ``columns`` sequences of wave loops that may fit in SRAM: ``columns_pruned`` cannot by their bounds, the
    plans of ``columns_scored`` were all scored and cannot, and CP-SAT decided the rest, ``columns_decided`` columns
    with ``combinations_decided`` combinations of placements. ``model_fingerprints`` are the SHA-256 of the models that
    were proved infeasible, ``keys`` the ranking keys of the answer.
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
    blocks_pruned: int
    mappings: int
    mappings_pruned: int
    columns: int
    columns_pruned: int
    columns_scored: int
    columns_decided: int
    combinations_decided: int
    proofs: int
    model_fingerprints: tuple[str, ...]
    keys: tuple[tuple[int, int, int, int], ...]
