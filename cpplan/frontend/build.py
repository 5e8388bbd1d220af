"""Analysis to tile program: tensors, dims, loops, accesses, ops and buffers of one launch at one block shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from cpplan.errors import KernelError
from cpplan.frontend.affine import Analysis, LoopRecord, RawAccess, analyse
from cpplan.frontend.axes import AxisMap, Overflow, View, spread
from cpplan.frontend.body import Body, Names, dtype_of, source_of
from cpplan.frontend.boxes import Blocks, Coordinates, find_box, normalised
from cpplan.frontend.buffers import buffers_of
from cpplan.frontend.generic import Value
from cpplan.frontend.launch import DescriptorArgument, Launch, TensorArgument
from cpplan.frontend.linear import Atom, Linear
from cpplan.frontend.lower import argument_slots, lower
from cpplan.frontend.space import Array
from cpplan.tile.program import Access, AccessClass, Affine, Dim, Loop, Op, Tensor, TileProgram

Limits = dict[str, tuple[int | None, ...]]
"""Per access: the first index that a mask excludes on each axis (None: unguarded)."""


@dataclass(frozen=True)
class Built:
    """A tile program and what block-shape fitting needs besides it."""

    program: TileProgram
    limits: Limits
    masked: tuple[tuple[bool, ...], ...] = ()


def build(launch: Launch, fold: bool = True) -> Built:
    """The tile program of ``launch``. ``fold`` drops selects whose condition is constant at this block shape.

    Raises :class:`KernelError` when Triton cannot lower the kernel or no grid point can be numbered.
    """
    module = lower(launch)
    arguments = _slot_tensors(launch)
    tables = {slot: t.values for slot, (_, t) in arguments.items() if isinstance(t, TensorArgument) and t.values is not None}
    descriptors = {
        slot: (d.shape, d.strides) for slot, (_, d) in arguments.items() if isinstance(d, DescriptorArgument)
    }
    analysis = analyse(module, launch.grid, tables, descriptors)
    return _Builder(launch, analysis, arguments, fold).build()


def _slot_tensors(launch: Launch) -> dict[int, tuple[str, TensorArgument | DescriptorArgument]]:
    found: dict[int, tuple[str, TensorArgument | DescriptorArgument]] = {}
    seen: set[str] = set()
    for slot, (name, _) in enumerate(argument_slots(launch)):
        root, _, index = name.partition(".")
        value = launch.arguments.get(root)
        if index and isinstance(value, tuple):
            for part in index.split("."):
                value = value[int(part)] if isinstance(value, tuple) else value
        if isinstance(value, (TensorArgument, DescriptorArgument)) and name not in seen:
            seen.add(name)  # the first slot of a descriptor is the tensor, the rest are its shape and strides
            found[slot] = (name, value)
    return found


@dataclass
class _Builder:
    launch: Launch
    analysis: Analysis
    arguments: Mapping[int, tuple[str, TensorArgument | DescriptorArgument]]
    fold: bool
    views: dict[int, View] = field(default_factory=dict)
    access_names: Names = field(default_factory=Names)

    def build(self) -> Built:
        self.maps = self._spread_all()
        self.blocks = self._blocks()
        self.box = self._box()
        self.dims = self._dims()
        self.loop_names = self._loop_names()
        body = Body(self.analysis, self.loop_names, self.affine, self.fold)
        body.names.taken |= {dim.name for dim in self.dims} | set(self.loop_names.values())
        accesses = [self._access(index, raw, body) for index, raw in enumerate(self.analysis.accesses)]
        self._emit_body(body)
        loops = tuple(self._loop(r, body) for r in self.analysis.loops if r.index in self.loop_names)
        program = TileProgram(
            name=self.launch.kernel,
            dims=self.dims,
            loops=loops,
            tensors=self._tensors(),
            accesses=tuple(a for a, _ in accesses),
            ops=tuple(body.ops),
            block=block_of(self.launch),
            source=self.launch.source,
        )
        program = replace(program, buffers=buffers_of(program))
        return Built(program, {a.name: limits for a, limits in accesses})

    # -- addresses -----------------------------------------------------------------------------------------------------

    def _spread_all(self) -> list[tuple[AxisMap, ...] | None]:
        """Axis maps of every access; views of a tensor are merged until all its accesses stay inside their axes."""
        for slot, (_, tensor) in self.arguments.items():
            self.views[slot] = View(tensor.shape, tensor.strides) if tensor.shape else View((1,), (1,))
        while True:
            try:
                return [self._spread(raw) for raw in self.analysis.accesses]
            except _Merge as merge:
                self.views[merge.slot] = merge.view

    def _spread(self, raw: RawAccess) -> tuple[AxisMap, ...] | None:
        if raw.base is None or raw.base not in self.views:
            return None
        view = self.views[raw.base]
        try:
            return spread(raw, view, self.analysis.space)
        except Overflow as overflow:
            merged = view.merged(overflow.axis)
            if merged is None:
                return None
            raise _Merge(raw.base, merged) from None

    def _blocks(self) -> Blocks:
        """Grid points; for a persistent kernel (everything inside one loop without data carries) also its iterations."""
        space, record = self.analysis.space, self._persistent_loop()
        if record is None or record.trips is None:
            return Blocks(space)
        axis, trips = 3 + record.index, record.trips
        shape = [1] * space.rank
        for position in (0, 1, 2, axis):
            shape[position] = space.extents[position] or 1
        ramp = space.ramp(axis)
        assert ramp is not None
        runs = np.broadcast_to(ramp < trips, shape)
        return Blocks(space, record.index, np.flatnonzero(runs.ravel()))

    def _persistent_loop(self) -> LoopRecord | None:
        top = [r for r in self.analysis.loops if r.parent is None]
        accesses = self.analysis.accesses
        if len(top) != 1 or any(not raw.loops or raw.loops[0] != top[0].index for raw in accesses):
            return None
        carried = [a for a in top[0].op.regions[0][0].arguments[1:] if self.analysis.values.get(a) is None]
        stored = {raw.base for raw in accesses if raw.kind != "load"}
        rewritten = any(raw.base in stored for raw in accesses if raw.kind == "load")
        return None if carried or rewritten else top[0]

    def _block_part(self, form: Linear) -> Linear:
        return form.keeping(self.blocks.depends)

    def _box(self) -> Coordinates:
        columns: list[Array] = []
        order = sorted(range(len(self.maps)), key=lambda i: self.analysis.accesses[i].kind == "load")  # outputs first
        for index in order:
            for item in self.maps[index] or ():
                column = self.blocks.column(self._block_part(item.start))
                shape = normalised(column) if column is not None else None
                if shape is not None:
                    columns.append(shape)
        box = find_box(columns, self.blocks)
        if box is None:
            raise KernelError(
                f"{self.launch.source}: the grid {self.launch.grid} of {self.launch.kernel} cannot be numbered as a box "
                "of parallel dims; check the grid against the block shape"
            )
        return box

    def affine(self, form: Linear) -> Affine | None:
        """A lane-free form as an affine function of dims and loops, None when it is not one."""
        block = self._block_part(form)
        column = self.blocks.column(block)
        fitted = self.box.affine(column) if column is not None else None
        if fitted is None:
            return None
        terms = {dim.name: slope for dim, slope in zip(self.dims, fitted[1], strict=True) if slope}
        for atom, coefficient in form.keeping(lambda a: not self.blocks.depends(a)).terms:
            if atom.kind != "axis" or atom.index < 3 or atom.index - 3 not in self.loop_names:
                return None
            terms[self.loop_names[atom.index - 3]] = coefficient
        return Affine(form.const + fitted[0], tuple(sorted(terms.items())))

    # -- names ---------------------------------------------------------------------------------------------------------

    def _dims(self) -> tuple[Dim, ...]:
        """Dims are named after the variable of the kernel that equals the coordinate, if there is one."""
        labels: dict[bytes, str] = {}
        for op in self.analysis.function.walk():
            arguments = [a for region in op.regions for block in region for a in block.arguments]
            for value in (*op.results, *arguments):
                column = self._labelled_column(value)
                if column is not None:
                    labels.setdefault(column.tobytes(), value.label)
        names: list[str] = []
        for position, column in enumerate(self.box.columns):
            name = labels.get(column.tobytes(), f"block{position}")
            names.append(name if name not in names else f"{name}_{position}")
        return tuple(Dim(n, extent) for n, extent in zip(names, self.box.extents, strict=True))

    def _labelled_column(self, value: Value) -> Array | None:
        known = self.analysis.values.get(value)
        if not value.label or value.type.shape or not isinstance(known, Linear) or known.is_constant:
            return None
        return self.blocks.column(known) if all(self.blocks.depends(a) for a, _ in known.terms) else None

    def _loop_names(self) -> dict[int, str]:
        taken = {dim.name for dim in self.dims}
        names: dict[int, str] = {}
        for record in self.analysis.loops:
            if record.index == self.blocks.loop or self._is_dead(record):
                continue
            wanted = record.op.regions[0][0].arguments[0].label or "loop"
            name, number = wanted, 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            taken.add(name)
            names[record.index] = name
        return names

    def _is_dead(self, record: LoopRecord) -> bool:
        return record.trips is not None and int(record.trips.max()) == 0

    # -- parts of the program ------------------------------------------------------------------------------------------

    def _tensors(self) -> tuple[Tensor, ...]:
        used = {raw.base for raw in self.analysis.accesses}
        return tuple(
            Tensor(name, (t.base if isinstance(t, DescriptorArgument) else t).dtype, self.views[slot].shape, self.views[slot].strides)
            for slot, (name, t) in self.arguments.items()
            if slot in used
        )

    def _loop(self, record: LoopRecord, body: Body) -> Loop:
        name = self.loop_names[record.index]
        parent = record.parent if record.parent in self.loop_names else None
        trips = record.trips
        if trips is None:
            raise KernelError(
                f"{source_of(record.op)}: the trip count of loop {name} depends on data that is only known at run time; "
                "run the file with real tensors (mode cpu) if the data is available there"
            )
        varies = int(trips.min()) != int(trips.max())
        total = self._executed(record, trips) if varies else None
        return Loop(
            name,
            int(trips.max()),
            self.loop_names[parent] if parent is not None else None,
            total,
            tuple(body.carries.get(record.index, ())),
        )

    def _executed(self, record: LoopRecord, trips: Array) -> int:
        """Iterations over all blocks and all iterations of the enclosing loops."""
        space = self.analysis.space
        shape, runs = [*space.extents[:3], *([1] * (space.rank - 3))], np.ones((1,) * space.rank, dtype=bool)
        parent = record.parent
        while parent is not None:
            outer = self.analysis.loops[parent]
            shape[3 + parent] = space.extents[3 + parent] or 1
            ramp = space.ramp(3 + parent)
            if ramp is not None and outer.trips is not None:
                runs = runs & (ramp < outer.trips)
            parent = outer.parent
        full = [extent or 1 for extent in shape]
        return int((np.broadcast_to(trips, full) * np.broadcast_to(runs, full)).sum())

    def _access(self, index: int, raw: RawAccess, body: Body) -> tuple[Access, tuple[int | None, ...]]:
        maps = self.maps[index]
        loop = next((self.loop_names[i] for i in reversed(raw.loops) if i in self.loop_names), None)
        tensor = self.arguments[raw.base][0] if raw.base in self.arguments else ""
        name = self.access_names.new(tensor or "memory")
        rank = len(self.views[raw.base].shape) if raw.base in self.views else max(1, len(raw.shape))
        starts, klass, note = self._classified(raw, maps, rank, loop)
        if maps is not None and klass != "opaque":
            tile, masked = tuple(m.tile for m in maps), tuple(m.guarded for m in maps)
            trusted = self._wraps_are_stored_masked(raw)
            limits = tuple(None if m.wrapped and not trusted else m.limit for m in maps)
        else:
            tile, masked, limits = _opaque_tile(raw.shape, rank), (True,) * rank, (None,) * rank
        value = self._connect(raw, maps if klass != "opaque" else None, name, loop, body)
        access = Access(name, tensor, raw.kind, tile, starts, loop, masked, value, klass, source_of(raw.op), note)
        return access, limits

    def _classified(
        self, raw: RawAccess, maps: tuple[AxisMap, ...] | None, rank: int, loop: str | None
    ) -> tuple[tuple[Affine, ...], AccessClass, str]:
        """Starts, class and note. A start that is not affine is made to depend on everything: no reuse is assumed."""
        path = [self.loop_names[i] for i in raw.loops if i in self.loop_names]
        anything = Affine(0, tuple(sorted((n, 1) for n in (*(d.name for d in self.dims), *path))))
        if maps is None:
            return (anything,) * rank, "opaque", _why_opaque(raw)
        starts = [self.affine(item.start) for item in maps]
        notes = []
        if None in starts:
            notes.append("the start of an axis is not affine in the parallel dims")
        if not all(item.contiguous for item in maps):
            notes.append("lanes skip elements")
        if raw.conditional:
            notes.append("under a branch that depends on data or on the block")
        if not all(raw.wraps_proved) and not self._wraps_are_stored_masked(raw):  # exact where proved
            notes.append("addresses wrap around (%) and no store mask cuts the wrapped part")
        klass: AccessClass = "partial" if notes else "affine"
        limits = [(m.limit, e) for m, e in zip(maps, self.views[raw.base].shape, strict=True) if raw.base is not None and m.guarded]
        if klass == "affine" and any(limit is None for limit, _ in limits):
            notes.append("a mask does not follow a tensor axis")
        if klass == "affine" and any(limit not in (None, extent) for limit, extent in limits):
            notes.append("masked before the end of the tensor: " + ", ".join(str(limit) for limit, _ in limits))
        return tuple(start or anything for start in starts), klass, "; ".join(notes)

    def _wraps_are_stored_masked(self, raw: RawAccess) -> bool:
        """The tutorial idiom ``(offset % M)`` with a store mask ``offset < M``: wrapped lanes are never stored.

        Only trusted without reductions in the body, where each lane flows to its own lane of the store.
        """
        if any(op.name in ("tt.reduce", "tt.scan") for op in self.analysis.function.walk()):
            return False
        stores = [a for a in self.analysis.accesses if a.kind != "load"]
        masks = {_one_lane(form) for store in stores if store.mask for form in store.mask.forms}
        return all(_one_lane(wrap.below_bound) in masks for wrap in raw.offset.wraps)

    # -- body ----------------------------------------------------------------------------------------------------------

    def _connect(
        self, raw: RawAccess, maps: tuple[AxisMap, ...] | None, name: str, loop: str | None, body: Body
    ) -> str:
        """SSA name of the tile as it lies in memory, masked elements zero (loads), or of the stored value.

        Loads whose mask fills in something else, or whose lanes are permuted or broadcast, get ops that say so.
        """
        steps = list(_steps(raw, maps, self.fold))
        lanes = [lane for item in maps for lane in item.lanes] if maps is not None else list(range(len(raw.shape)))
        shape = tuple(raw.shape[lane] for lane in lanes) if steps and maps is not None else raw.shape
        if raw.kind != "load":
            if any(kind != "fill" for kind, _, _ in steps):
                return self._transposed_store(raw, lanes, loop, body)
            return body.name_of(raw.value)
        tile = value = body.names.new(f"{raw.value.label or name}_tile") if steps else body.name_of(raw.value)
        dtype = dtype_of(raw.value)
        for position, (kind, after, attribute) in enumerate(steps):
            last = position == len(steps) - 1
            target = body.name_of(raw.value) if last else body.names.new(f"{tile}_{kind}")
            after = after or shape
            body.attached.setdefault(raw.op, []).append(
                Op(target, kind, (value,), after, dtype, loop, (attribute,), (shape,), (dtype,), source_of(raw.op))
            )
            value, shape = target, after
        return tile

    def _transposed_store(self, raw: RawAccess, lanes: list[int], loop: str | None, body: Body) -> str:
        """A value stored across the axes of the tensor: the transposed tile is what reaches memory."""
        name, after = body.names.new("stored"), tuple(raw.shape[lane] for lane in lanes)
        dtype, order = dtype_of(raw.value), ("order", ",".join(map(str, lanes)))
        operand = (body.name_of(raw.value),)
        body.attached[raw.op] = [
            Op(name, "transpose", operand, after, dtype, loop, (order,), (raw.shape,), (dtype,), source_of(raw.op))
        ]
        return name

    def _emit_body(self, body: Body) -> None:
        roots = [raw.value for raw in self.analysis.accesses if raw.kind != "load"]
        body.emit(body.needed_by(roots))


class _Merge(Exception):
    def __init__(self, slot: int, view: View) -> None:
        super().__init__(slot)
        self.slot, self.view = slot, view


def block_of(launch: Launch) -> tuple[tuple[str, int], ...]:
    """The integer constexprs that shape the blocks: the tuned ones, or all of an untuned launch."""
    pairs = launch.config or tuple(launch.constexprs.items())
    chosen = {name: launch.constexprs.get(name, value) for name, value in pairs}
    return tuple((n, int(v)) for n, v in chosen.items() if isinstance(v, int) and not isinstance(v, bool))


def _steps(
    raw: RawAccess, maps: tuple[AxisMap, ...] | None, fold: bool
) -> Iterator[tuple[str, tuple[int, ...] | None, tuple[str, str]]]:
    """(kind, result shape or None for the same, attribute) of the ops between a tile in memory and the lane box."""
    if maps is None:
        return
    fill = _fill_value(raw)
    if fill is not None and (any(item.guarded for item in maps) or not fold):
        yield "fill", None, ("value", str(fill))
    lanes = [lane for item in maps for lane in item.lanes]
    ordered = sorted(lanes)
    if lanes != ordered:
        order = ",".join(str(lanes.index(lane)) for lane in ordered)
        yield "transpose", tuple(raw.shape[lane] for lane in ordered), ("order", order)
    if ordered != [lane for lane in range(len(raw.shape)) if raw.shape[lane] > 1]:
        yield "broadcast", raw.shape, ("lanes", ",".join(map(str, ordered)))


def _fill_value(raw: RawAccess) -> float | None:
    """What a masked load puts where the mask is false, if it is not zero."""
    other = raw.other.op if raw.other is not None else None
    if raw.kind != "load" or raw.mask is None or other is None or other.name != "arith.constant":
        return None
    value = other.attributes.get("value")
    return float(value) if isinstance(value, (int, float)) and value != 0 else None


def _opaque_tile(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The lane box on the last axes of the tensor: right in size, silent about position."""
    if len(shape) <= rank:
        return (1,) * (rank - len(shape)) + shape
    return (*(1,) * (rank - 1), int(np.prod(shape)))


def _why_opaque(raw: RawAccess) -> str:
    kinds = raw.offset.kinds()
    if raw.base is None:
        return "the base pointer is not an argument of the kernel"
    if "data" in kinds:
        per_lane = any(a.kind == "data" and a.per_lane for a, _ in raw.offset.terms)
        return "gather: each lane's address comes from memory" if per_lane else "the tile's address comes from memory"
    if "lanes" in kinds:
        return "the address is not linear in the lanes"
    if "opaque" in kinds or "carry" in kinds:
        return "the address is not known before run time"
    return "the address does not follow the tensor's strides"


def _one_lane(form: Linear) -> Linear:
    """The form with its lane number forgotten, for comparing masks of differently shaped tiles."""
    return Linear.of([(Atom("lane", 0) if a.kind == "lane" else a, c) for a, c in form.terms], form.const)
