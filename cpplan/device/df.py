"""The df dialect: a spatial dataflow accelerator as text.

A file holds one ``df.device``; all operations have the same shape (syntax.py)::

    df.memory @dram (banks = 12 cite "wormhole.dram.banks", alignment = 32 cite "wormhole.dram.alignment") {
      df.transfer @read (latency = 410, issue = 35, rate = 31.2) cite "wormhole.fit.read"
    }

A device may name a ``base``: its operations then override the base's operations of the same kind and name, field by
field. So fields are optional while a file is read; :mod:`cpplan.device.read` asks for what a finished device needs.
docs/df-dialect.md describes every operation and field.
"""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, Builtin, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, opt_prop_def

from cpplan.device.operation import DfOp
from cpplan.device.syntax import NumberAttr


def _number() -> Any:
    return opt_prop_def(NumberAttr)


def _numbers() -> Any:
    return opt_prop_def(ArrayAttr[NumberAttr])


def _symbols() -> Any:
    return opt_prop_def(ArrayAttr[SymbolRefAttr])


@irdl_op_definition
class DeviceOp(DfOp):
    """The accelerator: clock, overlap rule and fixed cost of a launch; everything else stands in its body."""

    name = "df.device"
    base = opt_prop_def(StringAttr)
    clock_mhz = _number()
    launch_cycles = _number()
    overlap = opt_prop_def(StringAttr)


@irdl_op_definition
class SpatialDimOp(DfOp):
    """One axis of the core array; ``positions`` are the routers of its logical indices (default 0, 1, ...)."""

    name = "df.spatial_dim"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    extent = _number()
    positions = _numbers()


@irdl_op_definition
class CoreOp(DfOp):
    """A core, replicated over the ``scaleout`` dims; its body holds its scratchpad and units (its scale-in)."""

    name = "df.core"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    scaleout = _symbols()


@irdl_op_definition
class MemoryOp(DfOp):
    """In a core: its scratchpad, one per index of the ``scaleout`` dims. In a device: the DRAM, as equal banks."""

    name = "df.memory"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name, CoreOp.name)
    scaleout = _symbols()
    size = _number()
    reserved = _number()
    max_buffers = _number()
    alignment = _number()
    banks = _number()
    bank_bytes = _number()
    bank_read_rate = _number()
    bank_write_rate = _number()
    port_read_rate = _number()
    port_write_rate = _number()
    request_interval = _number()


@irdl_op_definition
class InterconnectsOp(DfOp):
    """A routed network (``route``, ``torus``, ``wraps``) or neighbour links (``map`` from index to neighbour)."""

    name = "df.interconnects"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    source = opt_prop_def(SymbolRefAttr)
    destination = opt_prop_def(SymbolRefAttr)
    route = opt_prop_def(ArrayAttr[StringAttr])
    torus = _numbers()
    wraps = opt_prop_def(BoolAttr)
    map = opt_prop_def(AffineMapAttr)
    network = opt_prop_def(StringAttr)
    link_rate = _number()


@irdl_op_definition
class MuxOp(DfOp):
    """Who reaches which bank: bank -> router (``table`` or ``map``, per network), or core -> bank (``map``)."""

    name = "df.mux"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    source = opt_prop_def(SymbolRefAttr)
    destination = opt_prop_def(SymbolRefAttr)
    table = opt_prop_def(ArrayAttr[ArrayAttr[NumberAttr]])
    map = opt_prop_def(AffineMapAttr)


@irdl_op_definition
class MulticastOp(DfOp):
    """Hardware multicast: the shape its receivers must form, and the ``handshake`` before data may be sent."""

    name = "df.multicast"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    receivers = opt_prop_def(StringAttr)
    handshake = _number()


@irdl_op_definition
class ForwardOp(DfOp):
    """Neighbour-to-neighbour forwarding chains along ``dims``, over the links of one df.interconnects."""

    name = "df.forward"
    PARENTS: ClassVar[tuple[str, ...]] = (DeviceOp.name,)
    dims = _symbols()
    over = opt_prop_def(SymbolRefAttr)


@irdl_op_definition
class TransferOp(DfOp):
    """Cost of a stream: ``latency + transactions * max(issue, per_target * receivers, bytes / rate)`` cycles."""

    name = "df.transfer"
    PARENTS: ClassVar[tuple[str, ...]] = (MemoryOp.name, MulticastOp.name, ForwardOp.name)
    latency = _number()
    issue = _number()
    rate = _number()
    per_target = _number()
    max_packet = _number()


class UnitOp(DfOp):
    """A functional unit of a core; ``thread`` is the instruction stream that drives it, its body lists costs."""

    PARENTS: ClassVar[tuple[str, ...]] = (CoreOp.name,)
    thread = opt_prop_def(StringAttr)
    shape = _numbers()
    throughput = _number()
    count = _number()


@irdl_op_definition
class MatOp(UnitOp):
    """The matrix unit, its default math fidelity per element type and the tiles of its destination register."""

    name = "df.mat"
    fidelity = opt_prop_def(DictionaryAttr)
    dst_tiles_16bit = _number()
    dst_tiles_32bit = _number()


@irdl_op_definition
class VecOp(UnitOp):
    """The vector unit."""

    name = "df.vec"


@irdl_op_definition
class ScalarOp(UnitOp):
    """The scalar unit."""

    name = "df.scalar"


@irdl_op_definition
class UnpackOp(UnitOp):
    """Moves tiles from the scratchpad into the units' source registers."""

    name = "df.unpack"


@irdl_op_definition
class PackOp(UnitOp):
    """Moves tiles from the destination register into the scratchpad."""

    name = "df.pack"


UNITS = (MatOp.name, VecOp.name, ScalarOp.name, UnpackOp.name, PackOp.name)


@irdl_op_definition
class CostOp(DfOp):
    """What one operation costs its unit: ``cycles`` per hardware tile, or a rate in ``bytes_per_cycle``."""

    name = "df.cost"
    PARENTS: ClassVar[tuple[str, ...]] = UNITS
    cycles = _number()
    bytes_per_cycle = _number()


Df = Dialect(
    "df",
    [
        DeviceOp,
        SpatialDimOp,
        CoreOp,
        MemoryOp,
        InterconnectsOp,
        MuxOp,
        MulticastOp,
        ForwardOp,
        TransferOp,
        MatOp,
        VecOp,
        ScalarOp,
        UnpackOp,
        PackOp,
        CostOp,
    ],
    [NumberAttr],
)


def context() -> Context:
    """A fresh xDSL context that knows this dialect and the builtins."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(Df)
    return ctx
