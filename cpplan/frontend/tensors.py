"""Tensor arguments of a launch by argument slot, and the views under which their accesses are described."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from cpplan.frontend.affine import Analysis, RawAccess
from cpplan.frontend.axes import OtherView, View, spread
from cpplan.frontend.body import ELEMENTS
from cpplan.frontend.launch import DescriptorArgument, Launch, TensorArgument
from cpplan.frontend.lower import argument_slots
from cpplan.frontend.numbering import Maps
from cpplan.frontend.space import Array
from cpplan.tile.program import Tensor

TensorLike = TensorArgument | DescriptorArgument


def slot_tensors(launch: Launch) -> dict[int, tuple[str, TensorLike]]:
    """(parameter, tensor or descriptor) by slot; members of tuples are called ``parameter.index``."""
    found: dict[int, tuple[str, TensorLike]] = {}
    for slot, (name, _) in enumerate(argument_slots(launch)):
        root, *indices = name.split(".")
        value = launch.arguments.get(root)
        for index in indices:
            value = value[int(index)] if isinstance(value, tuple) else value
        first = all(name != known for known, _ in found.values())  # later slots of a descriptor are its extents
        if isinstance(value, (TensorArgument, DescriptorArgument)) and first:
            found[slot] = (name, value)
    return found


def contents(arguments: Mapping[int, tuple[str, TensorLike]]) -> dict[int, Array]:
    """Contents of integer tensors that were captured with the launch."""
    tensors = {slot: tensor for slot, (_, tensor) in arguments.items() if isinstance(tensor, TensorArgument)}
    return {slot: tensor.values for slot, tensor in tensors.items() if tensor.values is not None}


def descriptors(
    arguments: Mapping[int, tuple[str, TensorLike]],
) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Shape and strides of host-made descriptors."""
    return {slot: (d.shape, d.strides) for slot, (_, d) in arguments.items() if isinstance(d, DescriptorArgument)}


def padding_of(arguments: Mapping[int, tuple[str, TensorLike]], slot: int | None) -> float | None:
    """What lies outside the tensor of a host-made descriptor; None for other arguments."""
    value = arguments[slot][1] if slot is not None and slot in arguments else None
    return (math.nan if value.padding == "nan" else 0.0) if isinstance(value, DescriptorArgument) else None


def storages(arguments: Mapping[int, tuple[str, TensorLike]]) -> dict[int, int]:
    """Storage number by slot; equal numbers alias. Tensors written on the command line do not alias."""
    bases = {slot: t.base if isinstance(t, DescriptorArgument) else t for slot, (_, t) in arguments.items()}
    return {slot: base.storage if base.storage >= 0 else -1 - slot for slot, base in bases.items()}


def spread_all(
    analysis: Analysis, arguments: Mapping[int, tuple[str, TensorLike]]
) -> tuple[list[Maps], dict[int, View]]:
    """Axis maps of every access, and the views: axes are split and merged until all accesses of a tensor stay inside
    them. A tensor whose axes were merged is not split any more, so this ends."""
    views = {slot: View(t.shape or (1,), t.strides or (1,)) for slot, (_, t) in arguments.items()}
    merged: set[int] = set()
    maps: list[Maps] = []
    while len(maps) < len(analysis.accesses):
        raw = analysis.accesses[len(maps)]
        try:
            maps.append(_spread(raw, views, analysis, raw.base not in merged))
        except OtherView as other:
            assert raw.base is not None
            views[raw.base] = other.view
            merged |= {raw.base} if other.merged else set()
            maps.clear()
    return maps, views


def _spread(raw: RawAccess, views: Mapping[int, View], analysis: Analysis, may_split: bool) -> Maps:
    if raw.base is None or raw.base not in views:
        return None
    return spread(raw, views[raw.base], analysis.space, may_split)


def program_tensors(
    analysis: Analysis, arguments: Mapping[int, tuple[str, TensorLike]], views: Mapping[int, View]
) -> tuple[Tensor, ...]:
    """The tensors that the kernel accesses, in the order of its parameters."""
    used = {raw.base for raw in analysis.accesses}
    tensors = []
    for slot, (name, value) in arguments.items():
        if slot in used:
            base = value.base if isinstance(value, DescriptorArgument) else value
            tensors.append(Tensor(name, base.dtype, views[slot].shape, views[slot].strides))
    return tuple(tensors)


class Elsewhere:
    """Stand-ins for memory that is no tensor argument: pointers that a kernel loads or chooses among arguments.

    One tensor per tile shape and element type, called ``memory``, ``memory_2``, ... and as large as a tile.
    """

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.tensors: dict[tuple[tuple[int, ...], str], Tensor] = {}

    def name_for(self, raw: RawAccess) -> str:
        """Name of the stand-in that ``raw`` reads or writes."""
        shape = raw.shape or (1,)
        key = (shape, raw.element)
        if key not in self.tensors:
            number = len(self.tensors) + 1
            name = "memory" if number == 1 else f"memory_{number}"
            while name in self.taken:
                name = f"{name}_"
            strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
            self.tensors[key] = Tensor(name, ELEMENTS.get(raw.element, raw.element), shape, strides)
        return self.tensors[key].name
