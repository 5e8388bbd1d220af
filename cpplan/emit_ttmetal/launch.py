"""A program run in the emulation on the memory of tensors: what the host script does on a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.emit_ttmetal.elements import STORED, decoded, encoded
from cpplan.emit_ttmetal.pages import from_memory, from_pages, strided, to_memory, to_pages
from cpplan.schedule.schedule import Schedule

Memory = Mapping[str, npt.NDArray[Any]]
"""Per tensor its elements in memory order, as numbers (bf16 as float32)."""


def device_memory(schedule: Schedule, memory: Memory) -> dict[str, npt.NDArray[Any]]:
    """The pages of every layout as bytes of DRAM."""
    out = {}
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        array = strided(memory[tensor.name], tensor)
        out[layout.name] = to_memory(encoded(to_pages(array, layout), tensor.dtype), layout)
    return out


def memory_after(schedule: Schedule, memory: Memory, pages: Mapping[str, npt.NDArray[np.uint8]]) -> dict[str, Any]:
    """``memory`` with the tensors that the kernel writes as ``pages`` hold them."""
    out = dict(memory)
    for layout in schedule.layouts:
        tensor = schedule.program.tensor(layout.tensor)
        if schedule.program.is_written(tensor.name):
            stored = pages[layout.name].view(STORED[tensor.dtype]).reshape(-1, 1024)
            array = from_pages(from_memory(decoded(stored, tensor.dtype), layout), layout, tensor.shape)
            flat = np.array(memory[tensor.name])
            strided(flat, tensor)[...] = array
            out[tensor.name] = flat
    return out
