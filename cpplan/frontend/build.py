"""Analysis to tile program: tensors, dims, loops, accesses, ops and buffers of one launch at one block shape."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cpplan.errors import KernelError
from cpplan.frontend.access_class import classify, lanes_of, wraps_are_cut
from cpplan.frontend.affine import Analysis, LoopRecord, RawAccess, analyse
from cpplan.frontend.atomics import OLD
from cpplan.frontend.axes import View
from cpplan.frontend.body import Body, Names, source_of
from cpplan.frontend.boxes import Coordinates
from cpplan.frontend.buffers import buffers_of
from cpplan.frontend.counts import Nest, nest_of
from cpplan.frontend.generic import Value
from cpplan.frontend.guards import Guard, guard_of
from cpplan.frontend.launch import Launch
from cpplan.frontend.lower import lower
from cpplan.frontend.numbering import Maps, Numbering, number
from cpplan.frontend.profiles import outermost_profiles, profile_of
from cpplan.frontend.scalars import Scalar, ScalarReader, UnknownScalar
from cpplan.frontend.space import Array
from cpplan.frontend.tensors import (
    Elsewhere,
    contents,
    descriptors,
    padding_of,
    program_tensors,
    slot_tensors,
    spread_all,
    storages,
)
from cpplan.frontend.tile_values import connect, values_needed
from cpplan.tile.program import Access, Loop, TileProgram
from cpplan.tile.stored import stored_as

Limits = tuple[int | None, ...]
"""Per axis the first index that a mask excludes, None where the access is unguarded."""


@dataclass(frozen=True)
class Built:
    """A tile program, the mask limits of its accesses, and of every block its coordinates on the dims and the number of
    its program (grid flattened with x slowest). For fitting over block shapes there is also, per loop of the program,
    the nest of its bounds, and per access where its tiles begin in the tensor's memory (None when not known as
    expressions)."""

    program: TileProgram
    limits: tuple[Limits, ...]
    coordinates: Coordinates
    programs: Array
    nests: tuple[Nest | None, ...] = ()
    origins: tuple[Scalar | None, ...] = ()


def build(launch: Launch, fold: bool = True, expressions: bool = False) -> Built:
    """The tile program of ``launch``. ``fold`` drops what is constant at this block shape (selects, unused fills);
    ``expressions`` asks for those of loops and origins.

    Raises :class:`KernelError` when Triton cannot lower the kernel, a loop's trip count is only known at run time, or
    the grid cannot be numbered.
    """
    module = lower(launch)
    arguments = slot_tensors(launch)
    analysis = analyse(module, launch.grid, contents(arguments), descriptors(arguments))
    maps, views = spread_all(analysis, arguments)
    numbering = number(launch, analysis, maps, storages(arguments))
    body = Body(analysis, numbering, fold)
    names, elsewhere = Names(), Elsewhere({name for name, _ in arguments.values()})
    built: list[tuple[Access, Limits]] = []
    olds: dict[Value, str] = {}  # what atomics replace, and the load that reads it
    needed: list[Value] = []
    for raw, item in zip(analysis.accesses, maps, strict=True):
        tensor = arguments[raw.base][0] if raw.base in arguments else elsewhere.name_for(raw)
        cut, padding = wraps_are_cut(raw, analysis), padding_of(arguments, raw.base)
        guard = guard_of(raw, item, numbering, cut, padding, fold)
        is_old = OLD in raw.op.attributes
        name = names.new(f"{tensor}_old" if is_old else tensor)
        if is_old:
            olds[raw.value] = name
        access, cut_at = _access(raw, item, guard, name, tensor, views, body)
        built.append((replace(access, replaces="" if raw.old is None else olds[raw.old]), cut_at))
        needed += values_needed(raw, guard)
    body.emit(body.needed_by(needed))
    program = TileProgram(
        name=launch.kernel,
        dims=numbering.dims,
        loops=outermost_profiles(
            tuple(_loop(r, analysis, numbering, body) for r in analysis.loops if r.index in numbering.loops)
        ),
        tensors=(*program_tensors(analysis, arguments, views), *elsewhere.tensors.values()),
        accesses=tuple(access for access, _ in built),
        ops=tuple(body.ops),
        block=block_of(launch),
        source=launch.source,
    )
    limits = tuple(limits for _, limits in built)
    program = stored_as(replace(program, buffers=buffers_of(program)), dict(launch.formats))
    found = Built(program, limits, numbering.box, numbering.blocks.programs)
    return _with_expressions(found, analysis, numbering) if expressions else found


def _with_expressions(built: Built, analysis: Analysis, numbering: Numbering) -> Built:
    names = {r.index: numbering.loops.get(r.index, f"loop {r.index}") for r in analysis.loops}
    reader = ScalarReader(analysis, names)
    nests = (nest_of(record, analysis, names) for record in analysis.loops if record.index in numbering.loops)
    return replace(built, nests=tuple(nests), origins=tuple(_origin(raw, reader) for raw in analysis.accesses))


def _origin(raw: RawAccess, reader: ScalarReader) -> Scalar | None:
    """The first lane's offset from the tensor argument; not for descriptors, whose offsets are no SSA values."""
    with contextlib.suppress(UnknownScalar):
        return None if raw.op.name.startswith("tt.descriptor") else reader.scalar(raw.op.operands[0])
    return None


def _access(
    raw: RawAccess, maps: Maps, guard: Guard, name: str, tensor: str, views: Mapping[int, View], body: Body
) -> tuple[Access, Limits]:
    path = body.numbering.path(raw.loops)
    loop = path[-1] if path else None
    view = views.get(raw.base) if raw.base is not None else None
    extents = view.shape if view is not None else (1,) * max(1, len(raw.shape))
    starts, klass, note = classify(raw, maps, extents, guard.follows, body.analysis, body.numbering)
    if maps is None:
        tile, masked = _opaque_tile(raw.shape, len(extents)), (True,) * len(extents)
        limits: Limits = (None,) * len(extents)
    else:
        cut = wraps_are_cut(raw, body.analysis)
        tile, masked = tuple(m.tile for m in maps), tuple(m.guarded for m in maps)
        limits = tuple(None if m.wrapped and not cut else m.limit for m in maps)
    value, mask = connect(raw, maps, guard, loop, body)
    source, lanes = source_of(raw.op), lanes_of(raw, maps, body.analysis)
    access = Access(
        name, tensor, raw.kind, tile, starts, loop, masked, value, klass, source, note, lanes, guard.bounds, guard.fill,
        mask,
    )  # fmt: skip
    return access, limits


def _opaque_tile(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The lane box on the last axes of the tensor: right in size, silent about position."""
    if len(shape) <= rank:
        return (1,) * (rank - len(shape)) + shape
    return (*(1,) * (rank - 1), int(np.prod(shape)))


def _loop(record: LoopRecord, analysis: Analysis, numbering: Numbering, body: Body) -> Loop:
    name = numbering.loops[record.index]
    if record.trips is None:
        raise KernelError(
            f"{source_of(record.op)}: the trip count of loop {name} depends on data that is only known at run time; "
            "--tensors cpu runs the file with real tensors, where it is known if the file makes it"
        )
    varies = int(record.trips.min()) != int(record.trips.max())
    return Loop(
        name,
        int(record.trips.max()),
        numbering.loops.get(record.parent) if record.parent is not None else None,
        _executed(record, record.trips, analysis) if varies else None,
        tuple(body.carries.get(record.index, ())),
        profile_of(record, numbering),
    )


def _executed(record: LoopRecord, trips: Array, analysis: Analysis) -> int:
    """Iterations over all blocks and all iterations of the enclosing loops."""
    space = analysis.space
    shape = [*(space.extents[axis] or 1 for axis in range(3)), *([1] * (space.rank - 3))]
    runs = np.ones((1,) * space.rank, dtype=bool)
    parent = record.parent
    while parent is not None:
        outer, ramp = analysis.loops[parent], space.ramp(3 + parent)
        shape[3 + parent] = space.extents[3 + parent] or 1
        if ramp is not None and outer.trips is not None:
            runs = runs & (ramp < outer.trips)
        parent = outer.parent
    return int((np.broadcast_to(trips, shape) * np.broadcast_to(runs, shape)).sum())


def block_of(launch: Launch) -> tuple[tuple[str, int], ...]:
    """The integer constexprs that shape the blocks: the tuned ones, or all of an untuned launch."""
    tuned = {name for name, _ in launch.config} or set(launch.constexprs)
    names = [*(p.name for p in launch.function.params), *launch.constexprs]
    values = {name: launch.constexprs.get(name) for name in dict.fromkeys(names) if name in tuned}
    return tuple((n, v) for n, v in values.items() if isinstance(v, int) and not isinstance(v, bool))
