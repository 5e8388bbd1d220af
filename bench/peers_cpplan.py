"""One GEMM planned by cpplan and by its two enumerations; run by bench/peers.py, like the other mappers.

The request is a JSON argument, every answer a JSON line. Settings:

``free blocks``      the solver, every multiple of 32 in all three block parameters
``rules``            TileLoom's rules over block shapes of powers of two up to 256
``brute force``      every plan at the block shape that ``request["block"]`` gives, if they are not too many
``equal or better``  no mapper: looks for a plan at most as slow (in the peers' measure) and with at most as much
                     traffic as ``request["latency_cycles"]`` and ``request["dram_bytes"]``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peers_match import cheapest_within, peer_latency
from rules import best_by_rules

from cpplan.cost.model import Cost
from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count
from cpplan.frontend import read_problems
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram
from cpplan.version import __version__

DATA = Path(__file__).parent / "data"
DEVICES = {"latency": DATA / "peer_grid.mlir", "traffic": DATA / "peer_grid_traffic.mlir"}
PARAMETERS = ("BLOCK_M", "BLOCK_N", "BLOCK_K")
RULES_BLOCKS = (32, 64, 128, 256)
MOST_BRUTE_FORCE = 5_000_000
"""Plans that brute force may score."""


def read(shape: list[int], device: Device) -> tuple[Problem, float]:
    """The problem with all block shapes free, and the seconds that reading it took."""
    start = time.perf_counter()
    argv = [str(extent) for extent in shape]
    (problem,) = read_problems(str(DATA / "plain_gemm.py"), argv=argv, free=PARAMETERS, sram_limit=device.sram.usable)
    return problem, time.perf_counter() - start


def programs(problem: Problem, wanted: Any) -> list[TileProgram]:
    """The block shapes that ``wanted`` accepts."""
    return [
        candidate_program(family, i)
        for family in problem.families
        for i, block in enumerate(family.blocks)
        if wanted(dict(block))
    ]


def facts(cost: Cost, machine: dict[str, Any]) -> dict[str, Any]:
    """What the comparison needs of a plan's cost."""
    return {
        "latency_cycles": cost.makespan_cycles,
        "peer_latency_cycles": peer_latency(cost, machine),
        "dram_bytes": cost.dram_bytes,
        "version": __version__,
    }


def answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One answer per repetition."""
    device = load_device(str(DEVICES[request["objective"]]))
    problem, reading = read(request["shape"], device)
    machine = request["machine"]
    if request["setting"] == "free blocks":
        for _ in range(request["repeats"] + 1):
            wall, processor = time.perf_counter(), time.process_time()
            solution = solve(problem, device, k=1, time_limit=request["solver_seconds"])
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            best = solution.plans[0]
            yield facts(best.cost, machine) | {
                "wall": wall, "processor": processor, "frontend": reading, "status": solution.status,
                "gap": solution.gap, "blocks": solution.certificate.blocks, "block": dict(best.plan.block),
                "mapping": [str(best.plan.spatial), str(best.plan.order), *map(str, best.plan.placements)],
            }  # fmt: skip
    elif request["setting"] == "rules":
        chosen = programs(problem, lambda block: all(block[p] in RULES_BLOCKS for p in PARAMETERS))
        for _ in range(request["repeats"] + 1):
            wall, processor = time.perf_counter(), time.process_time()
            answer = best_by_rules(chosen, device, streams_free=True)
            yield {
                "wall": time.perf_counter() - wall, "processor": time.process_time() - processor,
                "latency_cycles": answer.key[0] if answer.key else None,
                "dram_bytes": answer.key[1] if answer.key else None, "candidates": answer.candidates,
                "blocks": len(chosen), "version": __version__,
            }  # fmt: skip
    elif request["setting"] == "brute force":
        (program,) = programs(problem, lambda block: block == request["block"])
        size = count([program], device, MOST_BRUTE_FORCE)
        if size > MOST_BRUTE_FORCE:
            yield {"plans": size, "refused": f"more than {MOST_BRUTE_FORCE:,} plans at one block shape"}
            return
        wall, processor = time.perf_counter(), time.process_time()
        (best_scored,) = brute_force([program], device, 1)
        yield {
            "wall": time.perf_counter() - wall, "processor": time.process_time() - processor, "plans": size,
            "latency_cycles": best_scored.key[0], "dram_bytes": best_scored.key[1], "version": __version__,
        }  # fmt: skip
    else:
        wall = time.perf_counter()
        found = cheapest_within(problem, device, machine, request["latency_cycles"], request["dram_bytes"])
        if found is not None:
            yield facts(found.cost, machine) | {
                "wall": time.perf_counter() - wall, "block": dict(found.plan.block), "columns": found.columns,
                "mapping": [str(found.plan.spatial), str(found.plan.order), *map(str, found.plan.placements)],
            }  # fmt: skip


if __name__ == "__main__":
    for answer in answers(json.loads(sys.argv[1])):
        print(json.dumps(answer), flush=True)
