"""How the solver grows: parallel dims 1-6, loads 2-12, cores 64-4096, block shapes 1-2000, each varied alone.

    python bench/growth.py --out bench/results/growth.json

The base case is a batched product of two tensors on an 8x8 mesh with Wormhole's core, memory and networks. ``seconds``
are processor seconds of the solver stage for the top-3, one thread.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from saved_rows import Row, SavedRows

from cpplan.device.device import Device, SpatialDim
from cpplan.device.spec import load_device
from cpplan.encode.solve import solve
from cpplan.tile.family import families_of
from cpplan.tile.program import Access, Affine, Dim, Loop, Op, Problem, Tensor, TileProgram

KEY = ("varied", "value")
TILE = 64


def program(dims: int, loads: int, block: int = TILE) -> TileProgram:
    """``dims`` parallel dims of 4 blocks and a loop of 8 trips; load ``i`` depends on the loop and on every dim but
    those whose number is ``i`` modulo 3."""
    names = [f"p{i}" for i in range(dims)]
    accesses = []
    for i in range(loads):
        needed = [n for j, n in enumerate(names) if j % 3 != i % 3]
        terms = tuple(sorted((n, block) for n in [*needed, "k"]))
        starts = (Affine(0, terms), Affine())
        accesses.append(Access(f"x{i}", f"x{i}", "load", (block, TILE), starts, "k", value=f"v{i}"))
    at = tuple((n, block) for n in names)
    accesses.append(Access("y", "y", "store", (block, TILE), (Affine(0, at), Affine()), value="d"))
    shape = (block, TILE)
    op = Op("d", "dot", ("v0", "v1"), shape, "fp32", "k", (("k", TILE),), (shape, (TILE, TILE)), ("bf16",) * 2)
    tensors = tuple(Tensor(a.tensor, "bf16", (1 << 20, TILE), (TILE, 1)) for a in accesses)
    grid = tuple(Dim(n, max(1, 4 * TILE // block)) for n in names)
    return TileProgram("growth", grid, (Loop("k", 8),), tensors, tuple(accesses), (op,), (), (("BLOCK", block),))


def mesh(base: Device, side: int) -> Device:
    """``base`` with ``side`` x ``side`` cores; banks, rates and rules stay."""
    dims = tuple(SpatialDim(d.name, side, tuple(range(1, side + 1))) for d in base.dims)
    nocs = tuple(replace(noc, torus=(side + 2,) * len(noc.torus)) for noc in base.nocs)
    spots = tuple((0, bank % (side + 2)) for bank in range(base.dram.banks))
    dram = replace(base.dram, endpoints=tuple(spots for _ in nocs))
    return replace(base, name=f"mesh {side}x{side}", dims=dims, nocs=nocs, dram=dram, fingerprint=f"mesh-{side}")


def blocks(count: int) -> list[TileProgram]:
    """``count`` block shapes: heights from 32 up in hardware tiles."""
    return [program(2, 2, 32 * (1 + i)) for i in range(count)]


def cases(base: Device) -> list[tuple[str, int, list[TileProgram], Device]]:
    """(what is varied, its value, programs, device)."""
    small = mesh(base, 8)
    out = [("parallel dims", n, [program(n, 3)], small) for n in range(1, 7)]
    out += [("loads", n, [program(3, n)], small) for n in range(2, 13)]
    out += [("cores", side * side, [program(3, 3)], mesh(base, side)) for side in (8, 12, 16, 24, 32, 48, 64)]
    out += [("block shapes", n, blocks(n), small) for n in (1, 10, 50, 200, 1000, 2000)]
    return out


def measure(varied: str, value: int, programs: list[TileProgram], device: Device, limit: float) -> Row:
    """One row."""
    problem = Problem("growth", families_of(programs), (), "", f"{varied} {value}")
    solve(problem, device, k=1, time_limit=0.01)  # routes of the device are computed once per process
    begin = time.process_time()
    solution = solve(problem, device, k=3, time_limit=limit)
    seconds, proof = time.process_time() - begin, solution.certificate
    return {
        "varied": varied, "value": value, "seconds": round(seconds, 3), "status": solution.status,
        "gap": round(solution.gap, 5), "columns": proof.columns, "orders": proof.orders, "spreads": proof.spreads,
        "decided": proof.columns_decided,
    }  # fmt: skip


def main() -> None:
    """Run all cases, save after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per solve")
    parser.add_argument("--fresh", action="store_true", help="forget saved rows")
    parser.add_argument("--out", type=Path, default=Path("bench/results/growth.json"))
    options = parser.parse_args()
    saved, console = SavedRows(options.out, KEY, options.fresh), Console(width=150)
    for varied, value, programs, device in cases(load_device("wormhole")):
        if saved.get(varied=varied, value=value) is None:
            console.print(saved.add(measure(varied, value, programs, device, options.time_limit)))
    saved.save({"unit": "processor seconds"})


if __name__ == "__main__":
    main()
