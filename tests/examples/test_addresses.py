"""In every example and configuration, the tiles of the tile program are the elements that the interpreter touches."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frontend.test_addresses import elements

from cpplan.frontend.build import Built, build
from cpplan.frontend.capture import capture_launches
from cpplan.frontend.launch import Launch

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SAMPLES = 4

CASES = [
    ("softmax", "64 128"), ("softmax", "33 100"),
    ("layer_norm", "64 1024"), ("layer_norm", "33 300"),
    ("rms_norm_residual", "64 128"), ("rms_norm_residual", "33 100"),
    ("swiglu", "64 1024"), ("swiglu", "33 100"),
    ("matmul_bias_activation", "128 256 128"), ("matmul_bias_activation", "70 100 90"),
    ("split_k_matmul", "64 128 2048"), ("split_k_matmul", "20 100 700"),
    ("persistent_matmul", "768 768 128"), ("persistent_matmul", "712 760 80"),
    ("attention", "2 4 2 256 32"), ("attention", "1 4 1 200 32"),
    ("flash_decode", "2 8 2 512 32 2"), ("flash_decode", "1 6 2 300 32 4"),
    ("flash_decode", "2 3 3 300 32 4"),
    ("mamba_chunk_state", "2 256 4 64 2 128 128"), ("mamba_chunk_state", "2 200 4 50 2 70 128"),
    ("mamba_chunk_scan", "2 256 4 64 2 32 128"), ("mamba_chunk_scan", "2 200 4 50 2 32 128"),
]  # fmt: skip
"""Example and its arguments: sizes that the blocks divide, then ragged ones."""

Entries = list[tuple[str, tuple[int, int, int], list[int]]]


def causal_trips(block: dict[str, int], sizes: list[int], loop: str, dims: dict[str, int]) -> int:
    """Iterations of the causal loops, from the text of the kernels."""
    if "BLOCK_K" in block:  # mamba_chunk_scan: all sources up to the end of the block of rows
        tiles_n = -(-sizes[3] // block["BLOCK_N"])
        row = dims["tile_m"] if "tile_m" in dims else dims.get("tile", 0) // tiles_n
        return -(-(row + 1) * block["BLOCK_M"] // block["BLOCK_K"])
    first = dims.get("block", 0) * block["BLOCK_M"]  # attention: before the block of rows, then beside it
    keys = first if loop == "start" else min(first + block["BLOCK_M"], sizes[3]) - first
    return -(-keys // block["BLOCK_N"])


Trips = Callable[[str, dict[str, int]], int]


def trips_of(launch: Launch, built: Built, arguments: str) -> Trips:
    if built.program.name == "chunk_scan_kernel" or launch.constexprs.get("CAUSAL"):
        block, sizes = dict(built.program.block), [int(n) for n in arguments.split()]
        return lambda loop, dims: causal_trips(block, sizes, loop, dims)
    constant = {loop.name: loop.trips for loop in built.program.loops}
    return lambda loop, _: constant[loop]


@pytest.fixture(scope="module")
def touched() -> dict[tuple[str, str], list[Entries]]:
    """What the interpreter touches, per case and launch."""
    runs = [[str(EXAMPLES / f"{name}.py"), *arguments.split()] for name, arguments in CASES]
    command = [sys.executable, str(HERE / "addresses.py"), str(SAMPLES), json.dumps(runs)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(zip(CASES, json.loads(output), strict=True))


def blocks_of(program: tuple[int, ...], launch: Launch, built: Built) -> range:
    """Blocks that one program of the grid works on: one, or every ``programs``-th tile of a persistent kernel."""
    programs, tiles = prod(launch.grid), len(built.coordinates.columns[0]) if built.coordinates.columns else 1
    index = int(np.ravel_multi_index(program, launch.grid))
    shares = [len(range(first, tiles, programs)) for first in range(programs)]
    return range(sum(shares[:index]), sum(shares[: index + 1]))


def predicted(built: Built, tensor: str, dims: dict[str, int], trips: Trips) -> Iterator[frozenset[int]]:
    """Element sets of all accesses of one block to ``tensor``; a tile that is masked as a whole touches nothing."""
    for access in built.program.accesses:
        if access.tensor == tensor:
            path = built.program.loop_path(access.loop)
            for iteration in product(*(range(trips(loop, dims)) for loop in path)):
                tile = elements(access, built, dims | dict(zip(path, iteration, strict=True)))
                if tile:
                    yield tile


def coordinates(built: Built, block: int) -> dict[str, int]:
    columns = zip(built.program.dims, built.coordinates.columns, strict=True)
    return {dim.name: int(column[block]) for dim, column in columns}


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_tiles_are_what_the_interpreter_touches(case: tuple[str, str], touched: Any) -> None:
    name, arguments = case
    launches = capture_launches(str(EXAMPLES / f"{name}.py"), argv=arguments.split())
    assert len(launches) == len(touched[case])
    for launch, entries in zip(launches, touched[case], strict=True):
        built = build(launch)
        assert {access.klass for access in built.program.accesses} == {"affine"}
        trips = trips_of(launch, built, arguments)
        records: dict[tuple[str, tuple[int, ...]], Counter[frozenset[int]]] = {}
        for tensor, program, offsets in entries:
            records.setdefault((tensor, tuple(program)), Counter())[frozenset(offsets)] += 1
        assert {program for _, program in records}
        for (tensor, program), seen in records.items():
            expected: Counter[frozenset[int]] = Counter()
            for block in blocks_of(program, launch, built):
                expected.update(predicted(built, tensor, coordinates(built, block), trips))
            if not built.program.loops:  # Triton merges equal loads of straight-line code
                assert expected <= seen
                expected, seen = Counter(set(expected)), Counter(set(seen))
            assert expected == seen, (launch.kernel, built.program.block, tensor, program)


@pytest.mark.parametrize("case", [c for c in CASES if c[0] in ("attention", "mamba_chunk_scan")], ids=" ".join)
def test_total_trips_add_up_the_trips_of_all_blocks(case: tuple[str, str]) -> None:
    for launch in capture_launches(str(EXAMPLES / f"{case[0]}.py"), argv=case[1].split()):
        built = build(launch)
        trips = trips_of(launch, built, case[1])
        blocks = [coordinates(built, block) for block in range(prod(launch.grid))]
        for loop in built.program.loops:
            per_block = [trips(loop.name, dims) for dims in blocks]
            assert loop.trips == max(per_block)
            assert (loop.total_trips or loop.trips * len(blocks)) == sum(per_block)
