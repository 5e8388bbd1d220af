"""A program run in the emulation on the memory of tensors: what the host script does on a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.emit_ttmetal.elements import STORED, decoded, encoded
from cpplan.emit_ttmetal.pages import from_memory, from_pages, strided, to_memory, to_pages
from cpplan.errors import InputError
from cpplan.schedule.layouts import tensor_layouts
from cpplan.schedule.schedule import Schedule, TensorLayout
from cpplan.tile.program import Tensor, TileProgram
from cpplan.tile.stored import block_formats

Array = npt.NDArray[Any]
Memory = Mapping[str, Array]
"""Per tensor its elements in memory order, as numbers (bf16 as float32)."""

LAYOUTS_AGREE_AFTER = 50
"""Roundings of a tensor that is stored in several layouts; each makes exponents larger or leaves all as it is."""


def device_memory(schedule: Schedule, memory: Memory) -> dict[str, Array]:
    """The pages of every layout as bytes of DRAM."""
    out = {}
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        out[layout.name] = _bytes_of(strided(memory[tensor.name], tensor), tensor, layout)
    return out


def as_held(program: TileProgram, memory: Memory) -> dict[str, Array]:
    """``memory`` with tensors in block formats rounded to what their pages hold.

    Raises :class:`~cpplan.errors.InputError` where layouts of one tensor never agree on numbers.
    """
    out = dict(memory)
    layouts, _ = tensor_layouts(program) if block_formats(program) else ((), {})
    for name in block_formats(program):
        tensor, flat = program.tensor(name), np.array(memory[name])
        for _ in range(LAYOUTS_AGREE_AFTER):
            before = flat.copy()
            for layout in layouts:
                if layout.tensor == name:
                    seen = strided(flat, tensor)
                    seen[...] = _numbers_of(_bytes_of(seen, tensor, layout), tensor, layout)
            if np.array_equal(before, flat, equal_nan=True):
                break
        else:
            raise InputError(
                f"{program.source}: {name} is read in several layouts, under which its elements share exponents with "
                f"others, so that no numbers are the same in all of them: leave --format {name} out"
            )
        out[name] = flat
    return out


def memory_after(schedule: Schedule, memory: Memory, pages: Mapping[str, npt.NDArray[np.uint8]]) -> dict[str, Any]:
    """``memory`` with the tensors that the kernel writes as ``pages`` hold them."""
    out = dict(memory)
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        if schedule.program.is_written(tensor.name):
            flat = np.array(memory[tensor.name])
            strided(flat, tensor)[...] = _numbers_of(pages[layout.name], tensor, layout)
            out[tensor.name] = flat
    return out


def _bytes_of(array: Array, tensor: Tensor, layout: TensorLayout) -> Array:
    """A tensor as the elements of its pages, a row per page; in block formats as bytes."""
    return encoded(to_memory(to_pages(array, layout), layout), tensor.dtype)


def _numbers_of(pages: Array, tensor: Tensor, layout: TensorLayout) -> Array:
    """The inverse of :func:`_bytes_of`, from a row of bytes or elements per page."""
    stored = pages.view(STORED[tensor.dtype]).reshape(pages.shape[0], -1)
    return from_pages(from_memory(decoded(stored, tensor.dtype), layout), layout, tensor.shape)
