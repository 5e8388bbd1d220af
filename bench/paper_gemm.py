"""The 18 GEMM shapes of the TileLoom paper on both devices: solve seconds with fixed and with free block shapes.

    python bench/paper_gemm.py --out bench/results/paper_gemm.json

Fixed: top-5 at one block shape (the best of examples/matmul.py's own configs), median of repeats. Free: every multiple
of 32 for all three block parameters, top-5. Seconds are the solver stage's processor time in this process (one thread),
so that other work on the machine does not count; ``wall`` is the clock's answer for the free solve.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cpplan.device.device import Device
from cpplan.device.spec import load_device
from cpplan.encode.solve import Solution, solve
from cpplan.frontend import read_problems
from cpplan.tile.family import candidate_program, stack
from cpplan.tile.program import Problem

EXAMPLE = Path(__file__).parent.parent / "examples" / "matmul.py"
PARAMETERS = ("BLOCK_M", "BLOCK_N", "BLOCK_K")
SIZES = (256, 2048, 16384)
SHAPES = [(m, n, k) for m, n, k in itertools.product(SIZES, repeat=3) if m >= n]


def fixed_problem(problem: Problem, solution: Solution) -> Problem:
    """``problem`` with the block shape of the best plan only."""
    block = solution.plans[0].plan.block
    for family in problem.families:
        if block in family.blocks:
            program = candidate_program(family, family.blocks.index(block))
            return Problem(problem.name, (stack([program]),), problem.arguments, problem.source, problem.fingerprint)
    raise AssertionError(f"{block} is not a candidate")


def timed(problem: Problem, device: Device) -> tuple[Solution, float]:
    """The top-5 and the processor seconds they took."""
    start = time.process_time()
    solution = solve(problem, device, k=5)
    return solution, time.process_time() - start


def measure(device_name: str, shape: tuple[int, int, int], repeats: int) -> dict[str, object]:
    """One row of the table."""
    device = load_device(device_name)
    argv = [str(x) for x in shape]
    start = time.perf_counter()
    (configs,) = read_problems(str(EXAMPLE), argv=argv)
    (free,) = read_problems(str(EXAMPLE), argv=argv, free=PARAMETERS, sram_limit=device.sram.usable)
    frontend = time.perf_counter() - start
    tuned, tuned_seconds = timed(configs, device)
    one = fixed_problem(configs, tuned)
    fixed = [timed(one, device) for _ in range(repeats)]
    best, free_seconds = timed(free, device)
    return {
        "device": device_name,
        "M,N,K": shape,
        "frontend_seconds": round(frontend, 3),
        "configs_seconds": round(tuned_seconds, 3),
        "fixed_seconds": round(statistics.median(seconds for _, seconds in fixed), 3),
        "free_seconds": round(free_seconds, 3),
        "free_wall_seconds": round(best.solve_seconds, 3),
        "free_blocks": best.certificate.blocks,
        "free_spreads": best.certificate.spreads,
        "free_orders": best.certificate.orders,
        "free_columns": best.certificate.columns,
        "free_decided": best.certificate.columns_decided,
        "gap": max(tuned.gap, best.gap, *(s.gap for s, _ in fixed)),
        "status": sorted({s.status for s in [tuned, best, *(s for s, _ in fixed)]}),
        "configs_cycles": tuned.bound_cycles,
        "free_cycles": best.bound_cycles,
        "free_block": dict(best.plans[0].plan.block),
        "bound_by": best.plans[0].cost.bound_by,
    }


def main() -> None:
    """Run all shapes and save one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs="+", default=["wormhole", "blackhole"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shapes", type=int, default=len(SHAPES), help="only the first so many shapes")
    parser.add_argument("--out", type=Path, default=Path("bench/results/paper_gemm.json"))
    options = parser.parse_args()
    console = Console(width=150)
    rows = []
    for device in options.devices:
        for shape in SHAPES[: options.shapes]:
            rows.append(measure(device, shape, options.repeats))
            console.print(rows[-1])
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    table = Table("device", "M,N,K", "fixed s", "configs s", "free s", "blocks", "gap", "free/configs cycles")
    for row in rows:
        ratio = row["free_cycles"] / row["configs_cycles"]  # type: ignore[operator]
        table.add_row(*(str(row[c]) for c in ("device", "M,N,K", "fixed_seconds", "configs_seconds", "free_seconds")),
                      str(row["free_blocks"]), str(row["gap"]), f"{ratio:.3f}")  # fmt: skip
    console.print(table)
    medians = {c: statistics.median(r[f"{c}_seconds"] for r in rows) for c in ("fixed", "configs", "free")}  # type: ignore[type-var]
    options.out.write_text(json.dumps({"median_seconds": medians, "rows": rows}, indent=1) + "\n")
    console.print("medians", medians)


if __name__ == "__main__":
    main()
