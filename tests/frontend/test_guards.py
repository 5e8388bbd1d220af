"""Masks of loads and stores: where they begin and end, what they fill in, and programs that compute what kernels do."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execute import Block

from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.mlir import parse_program, print_program
from cpplan.tile.mlir_types import bounds_text
from cpplan.tile.program import Access, Op, TileProgram

MASKS = str(Path(__file__).parent / "kernels" / "masks.py")
Arrays = dict[str, np.ndarray]


def program(name: str, *sizes: int) -> TileProgram:
    (launch,) = capture_launches(MASKS, argv=[name, *map(str, sizes)])
    return build(launch).program


def masks(found: TileProgram) -> dict[str, tuple[str, float | None]]:
    return {a.name: ("; ".join(map(bounds_text, a.bounds)), a.fill) for a in found.accesses}


def test_an_end_before_the_end_of_the_tensor() -> None:
    assert masks(program("early")) == {"x": ("index < 93", -1.0), "y": ("", None)}


def test_an_end_that_moves_with_the_block_and_one_that_does_not() -> None:
    found = program("chunks")
    (dim,) = found.dims
    assert masks(found)["x"] == (f"index < 100, 23 * {dim.name} + 23", -math.inf)
    assert [access.masked for access in found.accesses] == [(True,), (False,)]


def test_a_constant_end_behind_a_start_that_is_a_maximum() -> None:
    load, _ = program("band").accesses
    assert [bounds_text(item) for item in load.bounds] == ["index < 100", "index < 100"]
    assert (load.tile, load.klass) == ((32, 32), "partial")


def test_beginnings_are_those_of_the_tensor_or_of_the_block() -> None:
    found = program("history")
    (dim,) = found.dims
    assert masks(found) == {
        "x": ("0 <= index < 99", 2.0),  # the mask compares the index that is one larger
        "x_2": (f"32 * {dim.name} <= index < 99", 3.0),
        "y": ("index < 100", None),
    }


def test_a_mask_that_follows_no_axis_is_a_value_of_the_body() -> None:
    found = program("triangle", 27)
    load, store = found.accesses
    assert masks(found) == {"x": ("index < 27; index < 27", 5.0), "y": ("index < 27; index < 27", None)}
    where = next(op for op in found.ops if op.kind == "where")
    mask = next(op for op in found.ops if op.name == where.operands[0])
    assert (mask.kind, where.operands[1], load.mask) == ("mask", load.value, "")
    transposed = next(op for op in found.ops if op.name == store.mask)
    assert (transposed.kind, transposed.operands) == ("transpose", (mask.name,))


def test_fills_that_are_computed_or_depend_on_data_are_selected_in_the_body() -> None:
    for name in ("computed", "flagged"):
        found = program(name)
        tile = next(access for access in found.accesses if access.tensor == "x" and access.bounds)
        assert tile.fill is None
        assert [op.kind for op in found.ops if tile.value in op.operands] == ["where"]
    assert [access.fill for access in found.accesses] == [0.0, None, None, None]


@pytest.mark.parametrize(("padding", "fill"), [("zero", "0.0"), ("nan", "nan")])
def test_descriptors_fill_in_what_they_were_made_with(padding: str, fill: str) -> None:
    found = program(padding, 28)
    (load, _) = found.accesses
    assert (list(map(bounds_text, load.bounds)), str(load.fill)) == (["index < 28"] * 2, fill)


def test_an_access_without_a_mask_has_no_bounds() -> None:
    assert program("zero", 28).accesses[1].bounds == ()


@pytest.mark.parametrize("name", ["early", "chunks", "history", "triangle", "flagged", "computed", "nan", "zero"])
def test_the_text_form_keeps_masks(name: str) -> None:
    found = program(name, 28)
    assert parse_program(print_program(found)) == found


# -- programs that are run ---------------------------------------------------------------------------------------------


class Masked(Block):
    """Keeps to masks: elements that take no part are filled in by loads (99 where anything may be), kept by stores."""

    def inside(self, access: Access) -> np.ndarray:
        extents = self.program.tensor(access.tensor).shape
        axes = []
        for axis, (start, size) in enumerate(zip(access.starts, access.tile, strict=True)):
            index = self._at(start) + np.arange(size)
            takes = (index >= 0) & (index < extents[axis])
            for bounds in access.bounds[axis : axis + 1]:
                takes &= np.all([index >= self._at(form) for form in bounds.begins] or True, axis=0)
                takes &= np.all([index < self._at(form) for form in bounds.ends] or True, axis=0)
            axes.append(takes.astype(int))
        return reduce(np.logical_and, np.ix_(*axes)).astype(bool)

    def _access(self, access: Access) -> None:
        super()._access(access)
        if access.kind == "load":
            rest = 99.0 if access.fill is None else access.fill
            self.values[access.value] = np.where(self.inside(access), self.values[access.value], rest)
        else:
            self.write(access)

    def write(self, access: Access) -> None:
        takes = self.inside(access)
        takes = takes & self.values[access.mask].reshape(takes.shape) if access.mask else takes
        starts = [self._at(form) for form in access.starts]
        places = np.argwhere(takes) + starts
        self.tensors[access.tensor][tuple(places.T)] = self.stored[access.name].reshape(takes.shape)[takes]

    def _compute(self, op: Op, operands: list[np.ndarray], attributes: dict[str, Any]) -> Any:
        return operands[0] if op.kind == "fill" else super()._compute(op, operands, attributes)


def after(found: TileProgram, tensors: Arrays) -> np.ndarray:
    """What the program leaves in ``y``, which was full of sevens."""
    for position in product(*(range(dim.extent) for dim in found.dims)):
        Masked(found, tensors, dict(zip((d.name for d in found.dims), position, strict=True)), np.float64).whole()
    return tensors["y"]


def chunk(x: np.ndarray, number: int) -> np.ndarray:
    values = x[23 * number : min(100, 23 * number + 23)]
    return np.concatenate([values, np.full(32 - len(values), -math.inf)])


def history(x: np.ndarray) -> np.ndarray:
    before = np.concatenate([[2.0], x[:-1]])
    inside = np.where(np.arange(len(x)) % 32 == 0, 3.0, np.concatenate([[0.0], x[:-1]]))
    return before + 10 * inside


EXPECTED: dict[str, Callable[[Arrays], np.ndarray]] = {
    "early": lambda t: np.where(np.arange(128) < 93, t["x"], -1.0),
    "chunks": lambda t: np.concatenate([chunk(t["x"], i) for i in range(5)]),
    "history": lambda t: history(t["x"]),
    "triangle": lambda t: np.where(np.tri(100, dtype=bool).T, t["x"].T, 7.0),
    "flagged": lambda t: np.where(t["flags"] < 2, np.where(t["flags"] > 0, t["x"], t["default"]), 7.0),
    "computed": lambda t: np.concatenate([t["x"], np.full(28, t["x"][:32].max())]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_programs_with_masks_compute_what_their_kernels_do(name: str) -> None:
    found = program(name, 100, 128) if name == "triangle" else program(name)
    numbers = np.random.default_rng(1)
    tensors = {t.name: numbers.normal(size=t.shape).round(3) for t in found.tensors} | {"y": np.empty(0)}
    tensors["y"] = np.full(found.tensor("y").shape, 7.0)
    if "flags" in tensors:
        tensors["flags"] = numbers.integers(0, 3, size=100).astype(float)
    expected = EXPECTED[name](tensors)
    np.testing.assert_array_equal(after(found, tensors), expected)
