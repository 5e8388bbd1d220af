"""Block shapes that Triton cannot lower: their tiles are the elements that its interpreter touches with them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from frontend.test_addresses import elements

from cpplan.frontend import read_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
CHOOSY = HERE / "kernels" / "choosy.py"

Case = tuple[Path, str, dict[str, int], int]

EQUAL: list[Case] = [
    (EXAMPLES / "matmul.py", "192 320 150", {"BLOCK_M": 96, "BLOCK_N": 160, "BLOCK_K": 96}, 0),
    (EXAMPLES / "batched_matmul.py", "2 100 70 50", {"BLOCK_M": 96, "BLOCK_N": 32, "BLOCK_K": 32}, 0),
    (EXAMPLES / "elementwise.py", "33 100", {"BLOCK": 352}, 0),
    (EXAMPLES / "layer_norm.py", "99 300", {"BLOCK_ROWS": 96, "BLOCK_COLUMNS": 160}, 0),
    (EXAMPLES / "swiglu.py", "33 300", {"BLOCK_M": 32, "BLOCK_N": 160}, 0),
    (EXAMPLES / "matmul_bias_activation.py", "70 100 90", {"BLOCK_M": 96, "BLOCK_N": 96, "BLOCK_K": 64}, 0),
    (EXAMPLES / "split_k_matmul.py", "20 100 700", {"BLOCK_M": 32, "BLOCK_N": 96, "BLOCK_K": 96}, 0),
    (EXAMPLES / "attention.py", "1 2 1 200 32", {"BLOCK_M": 192, "BLOCK_N": 96}, 1),
    (EXAMPLES / "flash_decode.py", "1 6 2 300 32 4", {"BLOCK_N": 96}, 0),
    (EXAMPLES / "mamba_chunk_state.py", "2 200 4 50 2 70 128", {"BLOCK_M": 32, "BLOCK_N": 96, "BLOCK_K": 32}, 1),
    (CHOOSY, "unsaid 1000", {"BLOCK": 192}, 0),
    (CHOOSY, "ratio_assertion 200", {"ROWS": 64, "BLOCK": 160}, 0),
    (CHOOSY, "branch 1000", {"BLOCK": 160}, 0),
    (CHOOSY, "even 960", {"BLOCK": 160}, 0),
]
"""File, its arguments, block sizes, and which launch: every block runs every trip of its loops."""

VARYING: list[Case] = [
    (EXAMPLES / "attention.py", "1 2 1 200 32", {"BLOCK_M": 96, "BLOCK_N": 32}, 0),
    (EXAMPLES / "mamba_chunk_scan.py", "2 200 4 50 2 32 128", {"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32}, 0),
    (CHOOSY, "band 500", {"ROWS": 96, "COLUMNS": 160}, 0),
]
"""The same where blocks run more or fewer trips."""


@pytest.fixture(scope="module")
def touched() -> dict[str, Any]:
    """What the interpreter touches, per case and launch."""
    cases = EQUAL + VARYING
    runs = [[block, str(path), *arguments.split()] for path, arguments, block, _ in cases]
    command = [sys.executable, str(HERE / "any_block_addresses.py"), json.dumps(runs)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name_of(case): found for case, found in zip(cases, json.loads(output), strict=True)}


def name_of(case: Case) -> str:
    path, arguments, block, launch = case
    return f"{path.stem} {arguments} {block} {launch}"


def candidate(case: Case) -> TileProgram:
    path, arguments, block, launch = case
    reading = read_launches(str(path), argv=arguments.split(), free=list(block))
    assert not reading.refused
    problem: Problem = reading.problems[launch]
    for family in problem.families:
        for index, pairs in enumerate(family.blocks):
            if block.items() <= dict(pairs).items():
                return candidate_program(family, index)
    raise AssertionError(f"{block} is no candidate")


def records(case: Case, touched: dict[str, Any]) -> dict[str, Counter[frozenset[int]]]:
    found: dict[str, Counter[frozenset[int]]] = {}
    for tensor, _, offsets in touched[name_of(case)][case[3]]:
        found.setdefault(tensor, Counter())[frozenset(offsets)] += 1
    return found


class Like:
    """What ``elements`` looks at."""

    def __init__(self, program: TileProgram) -> None:
        self.program = program


def tiles(program: TileProgram, tensor: str) -> Iterator[frozenset[int]]:
    """Element sets of all accesses to a tensor, over all blocks and trips; masked as a whole, they touch nothing."""
    trips = {loop.name: loop.trips for loop in program.loops}
    for access in (a for a in program.accesses if a.tensor == tensor):
        path = program.loop_path(access.loop)
        extents = {dim.name: dim.extent for dim in program.dims} | {name: trips[name] for name in path}
        for point in product(*(range(extent) for extent in extents.values())):
            tile = elements(access, Like(program), dict(zip(extents, point, strict=True)))  # type: ignore[arg-type]
            if tile:
                yield tile


@pytest.mark.parametrize("case", EQUAL, ids=name_of)
def test_tiles_are_what_the_interpreter_touches(case: Case, touched: dict[str, Any]) -> None:
    program = candidate(case)
    for tensor, seen in records(case, touched).items():
        expected = Counter(tiles(program, tensor))
        if program.loops:
            assert expected == seen, tensor
        else:  # equal loads of straight-line code are one access
            assert set(expected) == set(seen) and expected <= seen, tensor


@pytest.mark.parametrize("case", VARYING, ids=name_of)
def test_loops_of_varying_length_touch_such_tiles_as_often_as_counted(case: Case, touched: dict[str, Any]) -> None:
    program = candidate(case)
    blocks = 1
    for dim in program.dims:
        blocks *= dim.extent
    for tensor, seen in records(case, touched).items():
        classes = {access.klass for access in program.accesses if access.tensor == tensor}
        if classes == {"affine"}:
            assert set(seen) <= set(tiles(program, tensor)), tensor
        loops = {loop.name: loop for loop in program.loops}
        times = 0
        for access in (a for a in program.accesses if a.tensor == tensor):
            loop = loops.get(access.loop or "")
            total = blocks if loop is None else loop.total_trips
            times += blocks * loop.trips if total is None and loop is not None else total or 0
        masked = any(access.bounds for access in program.accesses if access.tensor == tensor)
        count = sum(seen.values())
        assert count == times or (masked and count < times), tensor  # what is masked as a whole is not seen
