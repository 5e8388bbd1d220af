"""Tensors as the matrices that an operation takes, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.emit_ttlang.body import Lanes
from cpplan.emit_ttlang.matrices import Matrix
from cpplan.schedule.schedule import TensorLayout
from cpplan.tile.program import HARDWARE_TILE

Array = npt.NDArray[Any]


def to_matrix(array: Array, matrix: Matrix) -> Array:
    """The elements of a tensor, in its own shape, as a matrix of :attr:`Matrix.shape`; the rest is padding."""
    layout = matrix.layout
    height, width = matrix.rows * HARDWARE_TILE, matrix.columns * HARDWARE_TILE
    whole = np.full((matrix.others, height, width), layout.padding, dtype=array.dtype)
    whole[_places(matrix, array.shape)] = np.transpose(array, _order(matrix)).reshape(_piece(matrix, array.shape))
    return whole.reshape(matrix.shape)


def from_matrix(values: Array, matrix: Matrix, shape: tuple[int, ...]) -> Array:
    """The tensor of ``shape`` that a matrix holds."""
    whole = values.reshape(matrix.others, matrix.rows * HARDWARE_TILE, matrix.columns * HARDWARE_TILE)
    order = _order(matrix)
    inside = whole[_places(matrix, shape)].reshape([shape[axis] for axis in order])
    return np.ascontiguousarray(np.transpose(inside, np.argsort(order)))


def numbers(lanes: Lanes) -> Array:
    """The matrix that numbers rows or columns for masks."""
    rows, columns = (HARDWARE_TILE * count for count in lanes.shape)
    counted = np.arange(max(rows, columns), dtype=np.float32)
    return np.ascontiguousarray(np.broadcast_to(counted if lanes.axis else counted[:, None], (rows, columns)))


def _order(matrix: Matrix) -> list[int]:
    """Axes of the tensor as they are in the matrix: those outside of tiles, rows, columns."""
    inside = [axis for axis in (matrix.layout.rows, matrix.layout.columns) if axis is not None]
    return [axis for axis in range(len(matrix.layout.axes)) if axis not in inside] + inside


def _piece(matrix: Matrix, shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Pieces, rows and columns of the tensor itself."""
    rows, columns = (1 if axis is None else shape[axis] for axis in (matrix.layout.rows, matrix.layout.columns))
    return matrix.others, rows, columns


def _places(matrix: Matrix, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Where the elements of the tensor lie in its matrix."""
    _, rows, columns = _piece(matrix, shape)
    layout = matrix.layout
    return np.ix_(np.arange(matrix.others), _along(layout, layout.rows, rows), _along(layout, layout.columns, columns))


def _along(layout: TensorLayout, number: int | None, extent: int) -> Array:
    """Places of the elements of one axis: behind the lead, every unit padded."""
    if number is None:
        return np.arange(1)
    axis = layout.axes[number]
    unit, inside = np.divmod(np.arange(extent) + axis.lead, axis.unit)
    return unit * axis.padded + inside
