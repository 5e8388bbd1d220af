"""Tensors as the pages in which a program keeps them in DRAM, and back: what the host does around a run.

A page is one hardware tile as 32x32 elements, row-major (the host library or the emulation brings it into faces), or a
run of 1,024 elements. Arrays have the shape that the tile program gives the tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.schedule.layouts import pages
from cpplan.schedule.schedule import Axis, TensorLayout
from cpplan.tile.layout import RUN
from cpplan.tile.program import HARDWARE_TILE, Tensor

Array = npt.NDArray[Any]


def to_pages(array: Array, layout: TensorLayout) -> Array:
    """``array`` as (pages, 1024) elements; unused ones hold the padding of the layout."""
    padded = array
    for number, axis in enumerate(layout.axes):
        if number in (layout.rows, layout.columns):
            padded = _pad(padded, number, axis, layout.padding)
    rest, order = _order(layout)
    moved = np.transpose(padded, (*rest, *order))
    others = [layout.axes[number].pieces for number in rest]
    if layout.in_runs:
        return _runs(moved, layout)
    rows = moved.shape[len(rest)] if layout.rows is not None else 1
    columns = moved.shape[-1] if layout.columns is not None else 1
    block = moved.reshape(*others, rows, columns)
    full = np.full(
        (*others, _tiles(rows) * HARDWARE_TILE, _tiles(columns) * HARDWARE_TILE), layout.padding, dtype=array.dtype
    )
    full[..., :rows, :columns] = block
    split = full.reshape(-1, _tiles(rows), HARDWARE_TILE, _tiles(columns), HARDWARE_TILE)
    return np.ascontiguousarray(np.swapaxes(split, 2, 3)).reshape(pages(layout), HARDWARE_TILE**2)


def from_pages(data: Array, layout: TensorLayout, shape: tuple[int, ...]) -> Array:
    """The array of ``shape`` that ``data``, (pages, 1024) elements, holds."""
    rest, order = _order(layout)
    others = [layout.axes[number].pieces for number in rest]
    if layout.in_runs:
        width = _padded(layout.axes[layout.columns]) if layout.columns is not None else RUN
        moved = data.reshape(*others, width)
        moved = moved if layout.columns is not None else moved[..., 0]
    else:
        rows, columns = (HARDWARE_TILE if n is None else _padded(layout.axes[n]) for n in (layout.rows, layout.columns))
        tiled = data.reshape(-1, rows // HARDWARE_TILE, columns // HARDWARE_TILE, HARDWARE_TILE, HARDWARE_TILE)
        whole = np.swapaxes(tiled, 2, 3).reshape(*others, rows, columns)
        moved = whole if layout.rows is not None else whole[..., 0, :]
        moved = moved if layout.columns is not None else moved[..., 0]
    array = np.transpose(moved, np.argsort((*rest, *order)))
    for number, axis in enumerate(layout.axes):
        if number in (layout.rows, layout.columns):
            array = _unpad(array, number, axis, shape[number])
    return np.ascontiguousarray(array)


def strided(flat: Array, tensor: Tensor) -> Array:
    """A view of the memory of a tensor in the shape of the tile program; raises nothing if it fits."""
    step = flat.dtype.itemsize
    return np.lib.stride_tricks.as_strided(flat, tensor.shape, tuple(s * step for s in tensor.strides))


def _order(layout: TensorLayout) -> tuple[list[int], list[int]]:
    """Axes outside of hardware tiles, and the one or two inside."""
    inside = [number for number in (layout.rows, layout.columns) if number is not None]
    return [number for number in range(len(layout.axes)) if number not in inside], inside


def _runs(moved: Array, layout: TensorLayout) -> Array:
    if layout.columns is None:
        full = np.full((moved.size, RUN), layout.padding, dtype=moved.dtype)
        full[:, 0] = moved.reshape(-1)
        return full
    return np.ascontiguousarray(moved).reshape(pages(layout), RUN)


def _tiles(extent: int) -> int:
    return -(-extent // HARDWARE_TILE)


def _padded(axis: Axis) -> int:
    return axis.pieces * axis.padded


def _pad(array: Array, number: int, axis: Axis, padding: float) -> Array:
    """``lead`` elements in front, then every piece padded."""
    moved = np.moveaxis(array, number, -1)
    whole = np.full((*moved.shape[:-1], axis.pieces * axis.unit), padding, dtype=array.dtype)
    whole[..., axis.lead : axis.lead + moved.shape[-1]] = moved
    pieces = whole.reshape(*moved.shape[:-1], axis.pieces, axis.unit)
    full = np.full((*moved.shape[:-1], axis.pieces, axis.padded), padding, dtype=array.dtype)
    full[..., : axis.unit] = pieces
    return np.moveaxis(full.reshape(*moved.shape[:-1], _padded(axis)), -1, number)


def _unpad(array: Array, number: int, axis: Axis, extent: int) -> Array:
    moved = np.moveaxis(array, number, -1)
    pieces = moved.reshape(*moved.shape[:-1], axis.pieces, axis.padded)[..., : axis.unit]
    whole = pieces.reshape(*moved.shape[:-1], axis.pieces * axis.unit)
    return np.moveaxis(whole[..., axis.lead : axis.lead + extent], -1, number)


FACE = HARDWARE_TILE // 2


def to_memory(data: Array, layout: TensorLayout) -> Array:
    """``data``, (pages, 1024) elements, in the order of device memory: a hardware tile is four faces of 16x16."""
    if layout.in_runs:
        return data
    faces = data.reshape(-1, 2, FACE, 2, FACE).swapaxes(2, 3)
    return np.ascontiguousarray(faces).reshape(data.shape)


def from_memory(data: Array, layout: TensorLayout) -> Array:
    """The inverse of :func:`to_memory`."""
    if layout.in_runs:
        return data
    faces = data.reshape(-1, 2, 2, FACE, FACE).swapaxes(2, 3)
    return np.ascontiguousarray(faces).reshape(data.shape)
