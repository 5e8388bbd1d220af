"""Boxes of blocks that follow from what a public kernel computes, against those that the frontend finds.

    build/corpus/bin/python bench/corpus_boxes.py --tutorials ../tutorials

To be run in the environment of bench/corpus.py. Every kernel is unmodified; expected boxes come from sizes and block
sizes by the arithmetic written here, for each block shape that the author tunes over, and expected trips likewise.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from cpplan.frontend.problems import group_launches, problem_of
from cpplan.frontend.recorder import Recorder
from cpplan.tile.family import candidate_program
from cpplan.tile.program import TileProgram

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "corpus_calls"))
Block = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A call of a public function, one kernel that it launches, and the box of that kernel's blocks."""

    name: str
    call: Callable[[], object]
    kernel: str
    box: Callable[[Block], list[int]]
    trips: Callable[[Block], list[int]] | None = None
    """Trips of the first loop, per block along the dim that they depend on."""


def parts(size: int, block: int) -> int:
    """Blocks along an axis."""
    return -(-size // block)


def half(*shape: int) -> torch.Tensor:
    """A tensor of a call; under capture without memory."""
    return torch.randn(*shape, device="cuda", dtype=torch.float16, requires_grad=True)


def cases(tutorials: Path) -> Iterator[Case]:
    """The calls; importing a tutorial runs its own small ones."""

    def tutorial(name: str, function: str, *arguments: Any) -> Callable[[], object]:
        return lambda: runpy.run_path(str(tutorials / name))[function](*(make() for make in arguments))

    def tiles(block: Block) -> list[int]:
        return [parts(8192, block["BLOCK_SIZE_M"]), parts(8192, block["BLOCK_SIZE_N"])]

    a, b = (lambda: half(8192, 4096)), (lambda: half(4096, 8192))
    yield Case(
        "tutorial 03, grouped order", tutorial("03-matrix-multiplication.py", "matmul", a, b), "matmul_kernel", tiles
    )
    b_transposed = lambda: half(8192, 4096).T  # noqa: E731
    yield Case(
        "tutorial 09, persistent on 132 programs",
        tutorial("09-persistent-matmul.py", "matmul_persistent", a, b_transposed),
        "matmul_kernel_persistent",
        tiles,
    )
    heads = lambda: half(2, 8, 2048, 64)  # noqa: E731
    scale = (lambda: True), (lambda: 0.5), (lambda: False)
    yield Case(
        "tutorial 06, causal",
        tutorial("06-fused-attention.py", "attention", heads, heads, heads, *scale),
        "_attn_fwd",
        lambda block: [2 * 8, parts(2048, block["BLOCK_M"])],
        lambda block: [row * block["BLOCK_M"] // block["BLOCK_N"] for row in range(parts(2048, block["BLOCK_M"]))],
    )
    yield Case(
        "mamba-ssm, chunk scan of 2 x 2048 with 64 heads",
        chunk_scan,
        "_chunk_scan_fwd_kernel",
        lambda block: [2, parts(256, block["BLOCK_SIZE_M"]), 2048 // 256, parts(64, block["BLOCK_SIZE_N"]), 64],
    )


def chunk_scan() -> None:
    """The call of bench/corpus_calls/mamba.py."""
    import mamba  # type: ignore[import-not-found]

    mamba.chunk_scan_combined()


def rows_of(case: Case) -> Iterator[dict[str, Any]]:
    """One row per block shape."""
    recorder = Recorder()
    with recorder.active():
        case.call()
    group = [g for g in group_launches(recorder.launches) if g[0].kernel == case.kernel][-1]
    for family in problem_of(group).families:
        for index, pairs in enumerate(family.blocks):
            program, block = candidate_program(family, index), dict(pairs)
            row = {"case": case.name, "kernel": case.kernel, "block": block}
            row |= {"expected": sorted(case.box(block)), "found": box_of(program, len(case.box(block)))}
            if case.trips:
                row |= {"expected_trips": case.trips(block), "found_trips": trips_of(program)}
            yield row


def box_of(program: TileProgram, axes: int) -> list[int]:
    """Extents of the parallel dims in order of size, filled up with ones, which the frontend leaves out."""
    found = [int(dim.extent) for dim in program.dims]
    return sorted(found + [1] * (axes - len(found)))


def trips_of(program: TileProgram) -> list[int]:
    """Trips of the first loop per block of the dim that they depend on."""
    profile = program.loops[0].profile
    if profile is None:
        return []
    extent = next(dim.extent for dim in program.dims if dim.name == profile.dim)
    return [int(profile.at(block)) for block in range(extent)]


def main() -> None:
    """Compare, save, and fail when a box differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorials", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "corpus_boxes.json")
    options = parser.parse_args()
    rows = [row for case in cases(options.tutorials) for row in rows_of(case)]
    different = [
        row for row in rows if (row["expected"], row.get("expected_trips")) != (row["found"], row.get("found_trips"))
    ]
    options.out.write_text(json.dumps({"different": len(different), "rows": rows}, indent=1) + "\n")
    print(f"{len(rows)} block shapes, {len(different)} different", *map(json.dumps, different), sep="\n")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
