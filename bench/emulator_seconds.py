"""Seconds that the emulated chip takes for programs of a usual size.

    python bench/emulator_seconds.py --out bench/results/emulator_seconds.json

Each program is compiled and run once, then timed; ``load`` is the machine's load average over that time, since others
may be using it. ``tile_products`` counts 32x32x32 products of hardware tiles.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from emit_cells import Case, Planned
from rich.console import Console
from rich.table import Table
from saved_rows import Row, SavedRows

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal.compare import random_memory
from cpplan.emit_ttmetal.launch import device_memory
from cpplan.emulate import run
from cpplan.version import __version__

GEMM = Case("matmul 1024 x 1024 x 1024", "matmul", "1024 1024 1024", "")
ATTENTION = Case("attention, 8 heads of 1024 x 64", "attention", "1 8 8 1024 64", "", "attention_kernel_2")
KEY = ("kernel", "device")


def measure(case: Case, device: str) -> Row:
    """One program on an array of 64 cores."""
    planned = Planned(case, "even", load_device(device, cores="8x8"))
    made = planned.made("1")
    memory = device_memory(made.schedule, random_memory(made.launch, made.plan.program, 0))
    run(made.program, memory)  # compiles
    wall, processor = time.perf_counter(), os.times()
    _, stats = run(made.program, memory)
    after = os.times()
    return {
        "kernel": case.name,
        "device": device,
        "cores": len(made.program.cores),
        "tile_products": stats.matmul_tiles,
        "seconds": round(time.perf_counter() - wall, 2),
        "processor_seconds": round(sum(after[:4]) - sum(processor[:4]), 2),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure what is missing, save it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget saved rows")
    parser.add_argument("--out", type=Path, default=Path("bench/results/emulator_seconds.json"))
    options = parser.parse_args()
    saved, table = (
        SavedRows(options.out, KEY, options.fresh),
        Table("kernel", "device", "cores", "seconds", "processor s"),
    )
    for case in (GEMM, ATTENTION):
        for device in ("wormhole", "blackhole"):
            row = saved.get(kernel=case.name, device=device) or saved.add(measure(case, device))
            shown = (row[field] for field in ("kernel", "device", "cores", "seconds", "processor_seconds"))
            table.add_row(*map(str, shown))
    saved.save({"planner": __version__})
    Console().print(table)


if __name__ == "__main__":
    main()
