"""Tensor arguments of a launch by argument slot, and the views under which their accesses are described."""

from __future__ import annotations

from collections.abc import Mapping

from cpplan.frontend.affine import Analysis, RawAccess
from cpplan.frontend.axes import Overflow, View, spread
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


def storages(arguments: Mapping[int, tuple[str, TensorLike]]) -> dict[int, int]:
    """Storage number by slot; equal numbers alias. Tensors written on the command line do not alias."""
    bases = {slot: t.base if isinstance(t, DescriptorArgument) else t for slot, (_, t) in arguments.items()}
    return {slot: base.storage if base.storage >= 0 else -1 - slot for slot, base in bases.items()}


def spread_all(
    analysis: Analysis, arguments: Mapping[int, tuple[str, TensorLike]]
) -> tuple[list[Maps], dict[int, View]]:
    """Axis maps of every access, and the views: axes are merged until all accesses of a tensor stay inside them."""
    views = {slot: View(t.shape or (1,), t.strides or (1,)) for slot, (_, t) in arguments.items()}
    while True:
        try:
            return [_spread(raw, views, analysis) for raw in analysis.accesses], views
        except _Merge as merge:
            views[merge.slot] = merge.view


class _Merge(Exception):
    """Start again with ``view`` for the tensor in ``slot``."""

    def __init__(self, slot: int, view: View) -> None:
        super().__init__(slot)
        self.slot, self.view = slot, view


def _spread(raw: RawAccess, views: Mapping[int, View], analysis: Analysis) -> Maps:
    if raw.base is None or raw.base not in views:
        return None
    view = views[raw.base]
    try:
        return spread(raw, view, analysis.space)
    except Overflow as overflow:
        merged = view.merged(overflow.axis)
        if merged is None:
            return None
        raise _Merge(raw.base, merged) from None


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
