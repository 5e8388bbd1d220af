"""From df operations to the :class:`Device` value that planning works on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from fractions import Fraction
from typing import Any, get_args

from cpplan.device.device import Device, Dram, Forward, Multicast, Overlap, SpatialDim, Sram, Transfer, Unit
from cpplan.device.df import (
    CoreOp,
    CostOp,
    ForwardOp,
    InterconnectsOp,
    MatOp,
    MemoryOp,
    MulticastOp,
    PackOp,
    ScalarOp,
    SpatialDimOp,
    TransferOp,
    UnitOp,
    UnpackOp,
    VecOp,
)
from cpplan.device.exact import format_exact
from cpplan.device.fields import Fields
from cpplan.device.source import Spec, name_of
from cpplan.device.topology import endpoints, networks, scaleout_extents
from cpplan.tile.program import HARDWARE_TILE

UNIT_NAMES = {
    MatOp.name: "matrix",
    VecOp.name: "vector",
    ScalarOp.name: "scalar",
    UnpackOp.name: "unpack",
    PackOp.name: "pack",
}
"""What planning calls the units, whatever their symbols are."""

MAX_CORES = 1 << 16
"""Largest array, and most banks, that are read: maps are checked index by index."""

TILE_ELEMENTS = HARDWARE_TILE**2
TILE_FLOPS = 2 * HARDWARE_TILE**3
"""Operations of one 32x32x32 multiply-accumulate."""


def device_of(spec: Spec) -> Device:
    """The device a spec describes, with its fingerprint. Raises SpecError at the field that is missing or wrong."""
    top = Fields(spec, spec.device)
    dims = dims_of(top)
    core = top.child(CoreOp)
    if set(scaleout_extents(core, dims)) != {dim.name for dim in dims}:
        core.fail("scaleout", "the core must be replicated over all spatial dims")
    matrix = core.child(MatOp)
    nocs = networks(top, dims)
    return with_fingerprint(
        Device(
            name=name_of(spec),
            clock_mhz=top.integer("clock_mhz"),
            dims=dims,
            sram=_sram(core, dims),
            nocs=nocs,
            dram=_dram(top, nocs, dims),
            multicast=_multicast(top),
            forward=_forward(top, dims),
            units=tuple(_unit(unit, matrix) for unit in core.children(UnitOp)),
            overlap=_overlap(top),
            launch_cycles=top.integer("launch_cycles"),
            dst_tiles_16bit=matrix.integer("dst_tiles_16bit"),
            dst_tiles_32bit=matrix.integer("dst_tiles_32bit"),
            fidelity=matrix.pairs("fidelity"),
        )
    )


def with_fingerprint(device: Device) -> Device:
    """``device`` with the sha256 of its content. The name does not count: equal hardware is one device."""
    content = dataclasses.asdict(device)
    del content["name"], content["fingerprint"]
    text = json.dumps(content, sort_keys=True, default=_json, separators=(",", ":"))
    return dataclasses.replace(device, fingerprint=hashlib.sha256(text.encode()).hexdigest())


def _json(value: Any) -> str:
    assert isinstance(value, Fraction)
    return format_exact(value)


def dims_of(top: Fields) -> tuple[SpatialDim, ...]:
    """The spatial dims of a ``df.device``."""
    dims = tuple(_dim(fields) for fields in top.children(SpatialDimOp))
    if not dims:
        top.fail("", "needs a df.spatial_dim in its body")
    if math.prod(dim.extent for dim in dims) > MAX_CORES:
        top.fail("", f"more than {MAX_CORES} cores")
    return dims


def _dim(fields: Fields) -> SpatialDim:
    extent = fields.integer("extent")
    if not 1 <= extent <= MAX_CORES:
        fields.fail("extent", f"'extent' must be between 1 and {MAX_CORES}, got {extent}", "positive")
    positions = fields.integers("positions") if fields.has("positions") else tuple(range(extent))
    if len(positions) != extent:
        fields.fail("positions", f"{len(positions)} positions for an extent of {extent}")
    return SpatialDim(fields.name, extent, positions)


def _sram(core: Fields, dims: tuple[SpatialDim, ...]) -> Sram:
    """The scratchpad of one core. A scratchpad that several cores share is divided evenly among them."""
    memory = core.child(MemoryOp)
    own = scaleout_extents(memory, dims) if memory.has("scaleout") else {dim.name: dim.extent for dim in dims}
    sharers = 1
    for dim in dims:
        sharers *= 1 if dim.name in own else dim.extent
    return Sram(
        size=memory.integer("size") // sharers,
        reserved=-(-memory.integer("reserved") // sharers),
        alignment=memory.integer("alignment"),
        max_buffers=memory.integer("max_buffers") // sharers,
    )


def _dram(top: Fields, nocs: tuple[Any, ...], dims: tuple[SpatialDim, ...]) -> Dram:
    memory = top.child(MemoryOp)
    banks = memory.integer("banks")
    if not 1 <= banks <= MAX_CORES:
        memory.fail("banks", f"'banks' must be between 1 and {MAX_CORES}, got {banks}", "positive")
    return Dram(
        banks=banks,
        bank_bytes=memory.integer("bank_bytes"),
        bank_read_rate=memory.number("bank_read_rate"),
        bank_write_rate=memory.number("bank_write_rate"),
        port_read_rate=memory.number("port_read_rate"),
        port_write_rate=memory.number("port_write_rate"),
        request_interval=memory.number("request_interval"),
        read=_transfer(memory.child(TransferOp, "read")),
        write=_transfer(memory.child(TransferOp, "write")),
        alignment=memory.integer("alignment"),
        endpoints=endpoints(top, nocs, dims, banks),
    )


def _transfer(fields: Fields, rate: Fraction | None = None) -> Transfer:
    return Transfer(
        latency=fields.integer("latency"),
        issue=fields.number("issue"),
        rate=fields.number("rate", rate),
        per_target=fields.number("per_target", Fraction(0)),
        max_packet=fields.integer("max_packet", 0),
    )


def _multicast(top: Fields) -> Multicast | None:
    if not list(top.children(MulticastOp)):
        return None
    fields = top.child(MulticastOp)
    if fields.text("receivers") != "rectangle":
        message = f"the only rule known for receivers is 'rectangle', not '{fields.text('receivers')}'"
        fields.fail("receivers", message, "receivers")
    return Multicast(_transfer(fields.child(TransferOp)), fields.integer("handshake"))


def _forward(top: Fields, dims: tuple[SpatialDim, ...]) -> Forward | None:
    if not list(top.children(ForwardOp)):
        return None
    fields = top.child(ForwardOp)
    names = [dim.name for dim in dims]
    for name in fields.symbols("dims"):
        if name not in names:
            fields.fail("dims", f"there is no df.spatial_dim @{name}")
    rate = None
    if fields.has("over"):
        rate = top.child(InterconnectsOp, fields.symbol("over")).number("link_rate")
    return Forward(fields.symbols("dims"), _transfer(fields.child(TransferOp), rate))


def _overlap(top: Fields) -> Overlap:
    for rule in get_args(Overlap):
        if top.text("overlap") == rule:
            return rule  # type: ignore[no-any-return]
    top.fail("overlap", f"'{top.text('overlap')}' is not one of {', '.join(map(repr, get_args(Overlap)))}")


def _unit(fields: Fields, matrix: Fields) -> Unit:
    costs = _throughput_costs(fields, matrix)
    for cost in fields.children(CostOp):
        if cost.has("cycles") == cost.has("bytes_per_cycle"):
            cost.fail("", "give either 'cycles' or 'bytes_per_cycle'")
        costs[cost.name] = cost.number("cycles" if cost.has("cycles") else "bytes_per_cycle")
    return Unit(UNIT_NAMES[fields.op.name], fields.text("thread"), tuple(costs.items()))


def _throughput_costs(fields: Fields, matrix: Fields) -> dict[str, Fraction]:
    """Costs that follow from ``throughput`` (operations per cycle of one unit) and ``count`` (units per core)."""
    if not fields.has("throughput"):
        return {}
    per_cycle = fields.number("throughput") * fields.integer("count", 1)
    if per_cycle <= 0:
        fields.fail("throughput", "'throughput' times 'count' must be positive")
    if fields.op is not matrix.op:
        return {"op": TILE_ELEMENTS / per_cycle}
    return {f"mac.{fidelity}": TILE_FLOPS / per_cycle for fidelity in sorted({f for _, f in matrix.pairs("fidelity")})}
