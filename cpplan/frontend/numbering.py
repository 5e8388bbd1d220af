"""Names and coordinates of a kernel: its parallel dims, its loops, and forms rewritten over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cpplan.errors import KernelError
from cpplan.frontend.affine import Analysis, LoopRecord
from cpplan.frontend.axes import AxisMap
from cpplan.frontend.boxes import Blocks, Coordinates, find_box, normalised
from cpplan.frontend.generic import Value
from cpplan.frontend.launch import Launch
from cpplan.frontend.linear import Abstract, Linear, Pointer
from cpplan.frontend.space import Array
from cpplan.tile.program import Affine, Dim

Maps = tuple[AxisMap, ...] | None
"""Axis maps of one access, None when its address does not follow the tensor's axes."""


@dataclass(frozen=True)
class Numbering:
    """Parallel dims with their coordinates, and the names of the loops that remain sequential."""

    blocks: Blocks
    box: Coordinates
    dims: tuple[Dim, ...]
    loops: Mapping[int, str]

    def affine(self, form: Linear) -> Affine | None:
        """A lane-free form as an affine function of dims and loops, None when it is not one."""
        column = self.blocks.column(form.keeping(self.blocks.depends))
        fitted = self.box.affine(column) if column is not None else None
        if fitted is None:
            return None
        terms = {dim.name: slope for dim, slope in zip(self.dims, fitted[1], strict=True) if slope}
        for atom, coefficient in form.keeping(lambda a: not self.blocks.depends(a)).terms:
            if atom.kind != "axis" or atom.number - 3 not in self.loops:
                return None
            terms[self.loops[atom.number - 3]] = coefficient
        return Affine(form.const + fitted[0], tuple(sorted(terms.items())))

    def path(self, loops: tuple[int, ...]) -> list[str]:
        """Names of the sequential loops among ``loops``, outermost first."""
        return [self.loops[index] for index in loops if index in self.loops]


def number(launch: Launch, analysis: Analysis, maps: list[Maps], storages: Mapping[int, int]) -> Numbering:
    """Find dims and loops. Raises :class:`KernelError` when the grid cannot be numbered as a box."""
    blocks = _blocks(analysis, storages)
    box = find_box(list(_columns(analysis, blocks, maps)), blocks)
    if box is None:
        raise KernelError(
            f"{launch.source}: the grid {launch.grid} of {launch.kernel} cannot be numbered as a box of parallel dims; "
            "check the grid against the block shape"
        )
    dims = _dims(analysis, blocks, box)
    return Numbering(blocks, box, dims, _loop_names(analysis, blocks, {dim.name for dim in dims}))


def _columns(analysis: Analysis, blocks: Blocks, maps: list[Maps]) -> Iterator[Array]:
    """The functions of the block that occur as starts; those of outputs first, so that they order the dims."""
    order = sorted(range(len(maps)), key=lambda i: analysis.accesses[i].kind == "load")
    for index in order:
        for item in maps[index] or ():
            column = blocks.column(item.start.keeping(blocks.depends))
            shape = normalised(column) if column is not None else None
            if shape is not None:
                yield shape


def _blocks(analysis: Analysis, storages: Mapping[int, int]) -> Blocks:
    """Grid points; for a persistent kernel also the iterations of its loop."""
    space, record = analysis.space, _persistent_loop(analysis, storages)
    if record is None or record.trips is None:
        return Blocks(space)
    axis = 3 + record.index
    shape = [1] * space.rank
    for position in (0, 1, 2, axis):
        shape[position] = space.extents[position] or 1
    ramp = space.ramp(axis)
    assert ramp is not None
    runs = np.broadcast_to(ramp < record.trips, shape)
    return Blocks(space, record.index, np.flatnonzero(runs.ravel()))


def _persistent_loop(analysis: Analysis, storages: Mapping[int, int]) -> LoopRecord | None:
    """The one outer loop, if everything happens inside it and no iteration depends on another: nothing computed is
    carried, no memory is both read and written, and every store goes to an address of its own iteration."""
    top = [record for record in analysis.loops if record.parent is None]
    accesses = analysis.accesses
    if len(top) != 1 or any(not raw.loops or raw.loops[0] != top[0].index for raw in accesses):
        return None
    carried = any(_is_computed(analysis.values.get(a)) for a in top[0].op.regions[0][0].arguments[1:])
    memory: dict[int | None, int] = {slot: storage for slot, storage in storages.items()}
    written = {memory.get(raw.base) for raw in accesses if raw.kind != "load"}
    rewritten = any(memory.get(raw.base) in written for raw in accesses if raw.kind == "load")
    axis = 3 + top[0].index
    stores = [raw.offset for raw in accesses if raw.kind == "store"]
    repeats = top[0].trips is None or int(top[0].trips.max()) > 1
    overwritten = repeats and not all(_varies(offset, axis, analysis) for offset in stores)
    return None if carried or rewritten or overwritten else top[0]


def _is_computed(known: Abstract) -> bool:
    """Whether a carried value is more than an index in closed form."""
    form = known.offset if isinstance(known, Pointer) else known
    return not isinstance(form, Linear) or bool(form.kinds() & {"data", "opaque", "carry"})


def _varies(form: Linear, axis: int, analysis: Analysis) -> bool:
    tables = [analysis.space.tables[a.number] for a, _ in form.terms if a.kind == "table"]
    return any(a.kind == "axis" and a.number == axis for a, _ in form.terms) or any(t.shape[axis] > 1 for t in tables)


def _dims(analysis: Analysis, blocks: Blocks, box: Coordinates) -> tuple[Dim, ...]:
    """Dims are named after the variable of the kernel that equals the coordinate, if there is one."""
    labels: dict[bytes, str] = {}
    for value in _values(analysis):
        column = _labelled_column(analysis, blocks, value)
        if column is not None:
            labels.setdefault(column.tobytes(), value.label)
    names: list[str] = []
    for position, coordinate in enumerate(box.columns):
        name = labels.get(coordinate.tobytes(), f"block{position}")
        names.append(name if name not in names else f"{name}_{position}")
    return tuple(Dim(name, extent) for name, extent in zip(names, box.extents, strict=True))


def _values(analysis: Analysis) -> Iterator[Value]:
    """Operation results and block arguments in program order."""
    for op in analysis.function.walk():
        yield from op.results
        for region in op.regions:
            for block in region:
                yield from block.arguments


def _labelled_column(analysis: Analysis, blocks: Blocks, value: Value) -> Array | None:
    known = analysis.values.get(value)
    if not value.label or value.type.shape or not isinstance(known, Linear) or known.is_constant:
        return None
    return blocks.column(known) if all(blocks.depends(atom) for atom, _ in known.terms) else None


def _loop_names(analysis: Analysis, blocks: Blocks, taken: set[str]) -> dict[int, str]:
    """Loops are named after their induction variable; loops that never run and the persistent one have no name."""
    names: dict[int, str] = {}
    for record in analysis.loops:
        never_runs = record.trips is not None and int(record.trips.max()) == 0
        if record.index == blocks.loop or never_runs:
            continue
        induction, *carried = (argument.label for argument in record.op.regions[0][0].arguments)
        others = (*carried, record.op.location.label)  # passes that rewrite a loop mix up its labels
        wanted = induction if induction.strip("_") and induction not in others else "loop"
        name, count = wanted, 1
        while name in taken | set(names.values()):
            count += 1
            name = f"{wanted}_{count}"
        names[record.index] = name
    return names
