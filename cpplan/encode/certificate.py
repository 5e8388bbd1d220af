"""What stands behind an answer: enough for someone else to re-score and re-check it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["optimal", "feasible", "infeasible"]


@dataclass(frozen=True)
class Certificate:
    """Record of one solve.

    The space is covered in steps, each with its proved bound: what is pruned cannot be in the answer.

    * ``blocks`` block shapes;
    * ``spreads``: pairs of a remaining block shape and the cores that each parallel dim gets;
    * ``orders``: remaining spreads times sequences of wave loops, as far as they may fit in SRAM;
    * ``columns``: remaining ones times the spatial mappings of their spread. Of these ``columns_scored`` had all their
      plans scored, and CP-SAT decided ``columns_decided`` with ``combinations_decided`` combinations of placements.

    ``model_fingerprints`` are the SHA-256 of the models that were proved infeasible, ``keys`` the ranking keys of the
    answer. ``pins`` and ``forbids`` are what the user restricted the space to: everything above is about what is left.
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
    spreads: int
    spreads_pruned: int
    orders: int
    orders_pruned: int
    columns: int
    columns_pruned: int
    columns_scored: int
    columns_decided: int
    combinations_decided: int
    proofs: int
    model_fingerprints: tuple[str, ...]
    keys: tuple[tuple[int, int, int, int], ...]
    pins: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
