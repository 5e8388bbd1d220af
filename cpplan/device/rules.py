"""What makes a hardware spec inconsistent: one small rule per function, each yielding findings with their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute

from cpplan.device.device import Device
from cpplan.device.df import (
    CoreOp,
    ForwardOp,
    InterconnectsOp,
    MatOp,
    MemoryOp,
    MuxOp,
    SpatialDimOp,
    UnitOp,
    VecOp,
)
from cpplan.device.fields import Fields
from cpplan.device.operation import DfOp
from cpplan.device.read import UNIT_NAMES, device_of, dims_of
from cpplan.device.source import LocatedSpecError, Spec
from cpplan.device.syntax import NumberAttr
from cpplan.device.topology import link_step, network_name
from cpplan.tile.program import DTYPE_BITS

POSITIVE = {"clock_mhz", "extent", "size", "bank_bytes", "alignment", "banks", "max_buffers", "count"}
"""Fields that cannot be zero, besides all rates."""

THREADS = ("unpack", "math", "pack", "scalar")
"""Instruction streams of a core."""


@dataclass(frozen=True)
class Finding:
    """One inconsistency: where, which rule, what is wrong, what would help."""

    line: int
    rule: str
    message: str
    hint: str = ""
    path: str = ""
    column: int = 0

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.path}:{self.line}:{self.column}: {self.message}{hint} [{self.rule}]"


def found(fields: Fields, field: str, rule: str, message: str, hint: str = "") -> Finding:
    """A finding at ``field`` of an operation."""
    place = fields.spec.place(fields.op, field)
    return Finding(place.line, rule, f"{fields.op.label}: {message}", hint, place.file, place.col)


def finding_of(error: LocatedSpecError) -> Finding:
    """The finding that an error while reading amounts to."""
    return Finding(error.place.line, error.rule, error.message, error.hint, error.place.file, error.place.col)


def all_findings(spec: Spec) -> list[Finding]:
    """Everything wrong with ``spec``, in the order of its text. An empty list means that it can be planned on."""
    top = Fields(spec, spec.device)
    findings = [finding for rule in TEXT_RULES for finding in rule(top)]
    try:
        findings += findings_of(spec, device_of(spec))
    except LocatedSpecError as error:
        findings.append(finding_of(error))
    return sorted(set(findings), key=lambda finding: (finding.path, finding.line, finding.column, finding.rule))


def findings_of(spec: Spec, device: Device) -> list[Finding]:
    """What is wrong with a device that could be read; missing citations are for :func:`all_findings` alone."""
    top = Fields(spec, spec.device)
    return [f for rule in TEXT_RULES[1:] for f in rule(top)] + [f for rule in DEVICE_RULES for f in rule(top, device)]


def _operations(top: Fields) -> Iterator[Fields]:
    return (Fields(top.spec, op) for op in top.op.walk() if isinstance(op, DfOp))


def every_figure_is_cited(top: Fields) -> Iterator[Finding]:
    """Numbers, lists of numbers, tables and maps say where they come from."""
    for fields in _operations(top):
        sources = fields.op.sources()
        for field, value in fields.op.fields().items():
            if _is_figure(value) and not sources.get(field, "").strip():
                yield found(fields, field, "citation", f"'{field}' has no source", 'add cite "..." behind the value')


def _is_figure(value: Attribute) -> bool:
    if isinstance(value, ArrayAttr):
        return any(_is_figure(item) for item in value.data)
    return isinstance(value, NumberAttr | DictionaryAttr | AffineMapAttr)


def rates_and_sizes_are_positive(top: Fields) -> Iterator[Finding]:
    """No zero or negative bandwidth, size or count; no negative time."""
    for fields in _operations(top):
        for field, value in fields.op.fields().items():
            if not isinstance(value, NumberAttr):
                continue
            is_rate = field.endswith("rate") or field in ("bytes_per_cycle", "throughput")
            if value.data <= 0 and is_rate:
                yield found(fields, field, "bandwidth", f"'{field}' must be above 0, or the transfer never ends")
            elif value.data <= 0 and field in POSITIVE:
                yield found(fields, field, "positive", f"'{field}' must be above 0")
            elif value.data < 0:
                yield found(fields, field, "positive", f"'{field}' must not be negative")


def alignments_are_powers_of_two(top: Fields) -> Iterator[Finding]:
    """Alignments are powers of two."""
    for fields in _operations(top):
        if fields.has("alignment"):
            value = fields.number("alignment")
            if value > 0 and (value.denominator != 1 or value.numerator & (value.numerator - 1)):
                yield found(fields, "alignment", "alignment", f"alignment {float(value):g} is not a power of two")


def scratchpads_have_room(top: Fields) -> Iterator[Finding]:
    """Reserved bytes leave something for plans."""
    for core in top.children(CoreOp):
        for memory in core.children(MemoryOp):
            if memory.has("size") and memory.has("reserved") and memory.number("reserved") >= memory.number("size"):
                yield found(memory, "reserved", "reserved", "'reserved' takes the whole scratchpad")


def threads_exist(top: Fields) -> Iterator[Finding]:
    """Units are driven by a known instruction stream."""
    for core in top.children(CoreOp):
        for unit in core.children(UnitOp):
            if unit.has("thread") and unit.text("thread") not in THREADS:
                message = f"there is no thread '{unit.text('thread')}'"
                yield found(unit, "thread", "thread", message, f"one of {', '.join(THREADS)}")


def units_are_unique(top: Fields) -> Iterator[Finding]:
    """A core has one unit of each kind; several equal ones are its ``count``."""
    for core in top.children(CoreOp):
        kinds = [unit.op.name for unit in core.children(UnitOp)]
        for unit in core.children(UnitOp):
            if kinds.count(unit.op.name) > 1:
                yield found(unit, "", "unit", f"more than one {unit.op.name} in a core", "use 'count'")


def references_lead_somewhere(top: Fields) -> Iterator[Finding]:
    """Muxes join the core, the DRAM and networks; chains use links that exist."""
    cores = {core.name for core in top.children(CoreOp)}
    memories = {memory.name for memory in top.children(MemoryOp)}
    nets = {network_name(link) for link in top.children(InterconnectsOp)}
    links = {link.name for link in top.children(InterconnectsOp)}
    for mux in top.children(MuxOp):
        ends = {"source": cores | memories, "destination": memories if _from(mux) in cores else nets}
        for field, known in ends.items():
            if mux.has(field) and mux.symbol(field) not in known:
                hint = f"one of {', '.join('@' + name for name in sorted(known))}"
                yield found(mux, field, "reference", f"'{field}' @{mux.symbol(field)} does not exist here", hint)
    for forward in top.children(ForwardOp):
        if forward.has("over") and forward.symbol("over") not in links:
            yield found(forward, "over", "reference", f"there is no df.interconnects @{forward.symbol('over')}")


def _from(mux: Fields) -> str:
    return mux.symbol("source") if mux.has("source") else ""


def neighbour_maps_move_by_one(top: Fields) -> Iterator[Finding]:
    """Neighbour maps are rings that wrap at their extent, or open chains."""
    for link in top.children(InterconnectsOp):
        if link.has("map"):
            try:
                link_step(top, link, dims_of(top))
            except LocatedSpecError as error:
                yield finding_of(error)


def cores_have_their_own_routers(top: Fields, device: Device) -> Iterator[Finding]:
    """Positions lie on the torus and differ, unless the cores of a dim share a scratchpad and so a router."""
    memory = top.child(CoreOp).child(MemoryOp)
    own = memory.symbols("scaleout") if memory.has("scaleout") else tuple(dim.name for dim in device.dims)
    for axis, dim in enumerate(device.dims):
        fields = top.child(SpatialDimOp, dim.name)
        for noc in device.nocs:
            if not all(0 <= p < noc.torus[axis] for p in dim.positions):
                message = f"position {max(dim.positions)} is off the {noc.torus[axis]} routers of '{noc.name}'"
                yield found(fields, "positions", "position", message)
        if dim.name in own and len(set(dim.positions)) != len(dim.positions):
            yield found(fields, "positions", "position", "two cores sit at the same router")


def banks_are_reachable(top: Fields, device: Device) -> Iterator[Finding]:
    """Bank routers lie on the torus, off the cores of a routed network, and on axes that routes travel."""
    muxes = {mux.symbol("destination"): mux for mux in top.children(MuxOp)}
    routed = {network_name(link) for link in top.children(InterconnectsOp) if link.has("route")}
    for noc, routers in zip(device.nocs, device.dram.endpoints, strict=True):
        mux = muxes.get(noc.name) or next(top.children(MuxOp))
        field = "table" if mux.has("table") else "map"
        for bank, router in enumerate(routers):
            if not all(0 <= r < n for r, n in zip(router, noc.torus, strict=True)):
                yield found(mux, field, "endpoint", f"bank {bank} sits at {router}, off the torus {noc.torus}")
            elif noc.name in routed and all(r in d.positions for r, d in zip(router, device.dims, strict=True)):
                yield found(mux, field, "endpoint", f"bank {bank} sits at {router}, where a core is")
            travelled = {axis for axis, _ in noc.route}
            for axis, dim in enumerate(device.dims):
                if axis not in travelled and set(dim.positions) != {router[axis]}:
                    message = f"bank {bank} at {router} is unreachable: '{noc.name}' does not move along {dim.name}"
                    yield found(mux, field, "unreachable", message)


def fidelities_have_costs(top: Fields, device: Device) -> Iterator[Finding]:
    """Every default fidelity has a multiply-accumulate cost, for element types that exist."""
    matrix = top.child(CoreOp).child(MatOp)
    costs = dict(device.unit("matrix").costs)
    for dtype, fidelity in device.fidelity:
        if f"mac.{fidelity}" not in costs:
            yield found(matrix, "fidelity", "fidelity", f"{dtype} uses {fidelity}, without a cost @mac.{fidelity}")
        if dtype not in DTYPE_BITS:
            hint = f"one of {', '.join(DTYPE_BITS)}"
            yield found(matrix, "fidelity", "fidelity", f"'{dtype}' is not an element type", hint)


def vector_unit_covers_everything(top: Fields, device: Device) -> Iterator[Finding]:
    """The vector unit has a default cost, for operations that are not listed."""
    core = top.child(CoreOp)
    if UNIT_NAMES[VecOp.name] not in {unit.name for unit in device.units}:
        yield found(core, "", "unit", "the core has no df.vec")
    elif device.unit("vector").cost("op") is None:
        yield found(core.child(VecOp), "", "unit", "no cost @op, the default of operations that are not listed")


TextRule = Callable[[Fields], Iterator[Finding]]
DeviceRule = Callable[[Fields, Device], Iterator[Finding]]

TEXT_RULES: tuple[TextRule, ...] = (
    every_figure_is_cited,
    rates_and_sizes_are_positive,
    alignments_are_powers_of_two,
    scratchpads_have_room,
    threads_exist,
    units_are_unique,
    references_lead_somewhere,
    neighbour_maps_move_by_one,
)
DEVICE_RULES: tuple[DeviceRule, ...] = (
    cores_have_their_own_routers,
    banks_are_reachable,
    fidelities_have_costs,
    vector_unit_covers_everything,
)
