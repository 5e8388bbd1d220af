"""Every predicted tile equals the elements that Triton's own interpreter touches, program by program."""

import json
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cpplan.frontend.build import Built, build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.program import Access, Affine, Bounds

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SAMPLES = 5

Program = tuple[int, int, int]


def touched(path: Path, arguments: list[str]) -> dict[tuple[str, Program], list[frozenset[int]]]:
    """Element sets per (parameter, program) under the interpreter, in order of execution."""
    command = [sys.executable, str(HERE / "interpreter_addresses.py"), str(SAMPLES), str(path), *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[tuple[str, Program], list[frozenset[int]]] = {}
    for name, program, offsets in json.loads(output):
        found.setdefault((name, tuple(program)), []).append(frozenset(offsets))
    return found


def elements(access: Access, built: Built, point: dict[str, int]) -> frozenset[int]:
    """Element offsets of the part of a tile that lies inside the tensor and takes part by its bounds."""

    def at(form: Affine) -> int:
        return form.const + sum(coefficient * point[name] for name, coefficient in form.terms)

    tensor = built.program.tensor(access.tensor)
    bounds = access.bounds or (Bounds(),) * len(access.tile)
    axes = []
    for start, tile, extent, stride, sides in zip(
        access.starts, access.tile, tensor.shape, tensor.strides, bounds, strict=True
    ):
        first, last = at(start), at(start) + tile
        begin, end = max([first, 0, *map(at, sides.begins)]), min([last, extent, *map(at, sides.ends)])
        axes.append(np.arange(begin, max(begin, end)) * stride)
    grids = np.meshgrid(*axes, indexing="ij")
    return frozenset(int(offset) for offset in sum(grids, np.zeros_like(grids[0])).ravel())


def predicted(built: Built, tensor: str, dims: dict[str, int]) -> list[frozenset[int]]:
    """Element sets of all accesses to ``tensor`` in one program."""
    found = []
    for access in built.program.accesses:
        if access.tensor != tensor:
            continue
        path = built.program.loop_path(access.loop)
        trips = [next(loop.trips for loop in built.program.loops if loop.name == name) for name in path]
        for iteration in product(*map(range, trips)):
            found.append(elements(access, built, dims | dict(zip(path, iteration, strict=True))))
    return [tile for tile in found if tile]  # a tile that is masked as a whole touches nothing


def check(path: Path, arguments: list[str], wraps: bool) -> None:
    launch = capture_launches(str(path), argv=arguments)[0]
    built = build(launch)
    assert {access.klass for access in built.program.accesses} == {"affine"}
    records = touched(path, arguments)
    assert len({program for _, program in records}) == min(SAMPLES, int(np.prod(launch.grid)))
    for (tensor, program), seen in records.items():
        block = int(np.ravel_multi_index(program, launch.grid))
        columns = zip(built.program.dims, built.coordinates.columns, strict=True)
        expected = predicted(built, tensor, {dim.name: int(column[block]) for dim, column in columns})
        if wraps:  # lanes past the edge wrap to the first rows; the store mask cuts what they compute
            assert all(any(tile <= other for other in seen) for tile in expected)
            assert len(expected) == len(seen)
        else:
            assert Counter(expected) == Counter(seen)


@pytest.mark.parametrize("sizes", ["256 192 256", "512 512 64"])
def test_grouped_matmul_on_sizes_that_the_blocks_divide(sizes: str) -> None:
    check(EXAMPLES / "matmul.py", sizes.split(), wraps=False)


def test_grouped_matmul_on_ragged_sizes() -> None:
    check(EXAMPLES / "matmul.py", ["200", "300", "150"], wraps=True)


@pytest.mark.parametrize("sizes", ["3 128 128 64", "2 100 70 50"])
def test_batched_matmul(sizes: str) -> None:
    check(EXAMPLES / "batched_matmul.py", sizes.split(), wraps=False)


@pytest.mark.parametrize("sizes", ["64 128", "33 100"])
def test_elementwise(sizes: str) -> None:
    check(EXAMPLES / "elementwise.py", sizes.split(), wraps=False)


def test_layer_norm_with_three_loops() -> None:
    check(HERE / "kernels" / "rows.py", ["layer_norm", "5", "700", "256"], wraps=False)


def test_split_k_with_atomics() -> None:
    check(HERE / "kernels" / "matmuls.py", ["split_k", "100", "70", "300"], wraps=False)


def test_transposed_store() -> None:
    check(HERE / "kernels" / "rows.py", ["transpose", "64", "96"], wraps=False)


def test_stencil_with_a_halo() -> None:
    check(HERE / "kernels" / "rows.py", ["stencil", "6", "70"], wraps=False)


@pytest.mark.parametrize("kind", ["early", "chunks", "history"])
def test_masks_that_begin_late_or_end_early(kind: str) -> None:
    check(HERE / "kernels" / "masks.py", [kind], wraps=False)


@pytest.mark.parametrize("sizes", ["8 8", "5 8", "5 8 13", "5 8 8", "1 7"])
def test_masks_that_end_beyond_the_axis_their_lanes_start_on(sizes: str) -> None:
    check(HERE / "kernels" / "rows.py", ["planes", *sizes.split()], wraps=False)
