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

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, Builtin, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Dialect, Region
from xdsl.irdl import IRDLOperation, VerificationContext, irdl_op_definition, opt_prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Location

from cpplan.device.syntax import DfParser, NumberAttr, parse_cite, parse_value, print_fields

HIDDEN = ("sym_name", "base", "cites")
"""Properties that the text shows outside the field list."""


class DfOp(IRDLOperation):
    """What all df operations share: a symbol name, cited fields and a body."""

    sym_name = opt_prop_def(StringAttr)
    cites = opt_prop_def(DictionaryAttr)
    body: Region = region_def()
    traits = traits_def(NoTerminator())

    PARENTS: ClassVar[tuple[str, ...]] = ()
    """Names of the operations that may hold this one; empty for the top level."""

    @property
    def label(self) -> str:
        """How messages call this operation: ``df.memory @dram``."""
        return f"{self.name} @{self.sym_name.data}" if self.sym_name else self.name

    def fields(self) -> dict[str, Attribute]:
        """The fields of the parenthesised list, in the order in which they were written."""
        return {key: value for key, value in self.properties.items() if key not in HIDDEN}

    def sources(self) -> dict[str, str]:
        """Field name -> citation."""
        cites = self.cites.data if self.cites else {}
        return {key: value.data for key, value in cites.items() if isinstance(value, StringAttr)}

    def children(self) -> Iterator[DfOp]:
        """Operations in the body."""
        for block in self.body.blocks:
            yield from (op for op in block.ops if isinstance(op, DfOp))

    def verify_(self) -> None:
        parent = self.parent_op()
        if isinstance(parent, DfOp) and parent.name not in self.PARENTS:
            raise VerifyException(f"cannot stand in {parent.label}; it belongs in {_either(self.PARENTS)}")
        if not isinstance(parent, DfOp) and self.PARENTS:
            raise VerifyException(f"cannot stand alone; it belongs in {_either(self.PARENTS)}")
        names = [(child.name, child.sym_name) for child in self.children()]
        for child in self.children():
            if names.count((child.name, child.sym_name)) > 1:
                raise VerifyException(f"holds {child.label} more than once")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = _here(parser)
        properties: dict[str, Attribute] = {}
        name = parser.parse_optional_symbol_name()
        if name is not None:
            properties["sym_name"] = name
        if "base" in _field_names(cls) and parser.parse_optional_keyword("base"):
            properties["base"] = StringAttr(parser.parse_str_literal())
        fields, cites, places = _parse_fields(cls, parser)
        common = parse_cite(parser)
        if common is not None:
            cites = {key: cites.get(key, common) for key in fields}
        if cites:
            properties["cites"] = DictionaryAttr({key: StringAttr(cite) for key, cite in cites.items()})
        op = cls.create(properties=properties | fields, regions=[parser.parse_optional_region() or Region()])
        if isinstance(parser, DfParser) and start is not None:
            parser.places[op, ""] = start
            for key, place in places.items():
                parser.places[op, key] = place
        return op

    def print(self, printer: Printer) -> None:
        if self.sym_name:
            printer.print_string(" ")
            printer.print_symbol_name(self.sym_name)
        base = self.properties.get("base")
        if base is not None:
            printer.print_string(" base ")
            printer.print_attribute(base)
        printer.print_string(" ")
        print_fields(printer, self.fields(), self.sources())
        if self.body.blocks:
            printer.print_string(" ")
            printer.print_region(self.body, print_empty_block=False)


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(names)


def _here(parser: Parser) -> Location | None:
    return parser.here() if isinstance(parser, DfParser) else None


def _field_names(cls: type[DfOp]) -> list[str]:
    return list(cls.get_irdl_definition().properties)


def _parse_fields(cls: type[DfOp], parser: Parser) -> tuple[dict[str, Attribute], dict[str, str], dict[str, Location]]:
    """Values, citations and places of a field list."""
    declared = cls.get_irdl_definition().properties
    known = [key for key in declared if key not in HIDDEN]
    fields: dict[str, Attribute] = {}
    cites: dict[str, str] = {}
    places: dict[str, Location] = {}

    def parse_field() -> None:
        place = _here(parser)
        start = parser.pos
        key = parser.parse_identifier()
        if key not in known:
            parser.raise_error(f"{cls.name} has no field '{key}'; it has {', '.join(known)}", start, parser.pos)
        if key in fields:
            parser.raise_error(f"field '{key}' is given twice", start, parser.pos)
        parser.parse_punctuation("=")
        fields[key] = parse_value(parser)
        try:
            declared[key].constr.verify(fields[key], VerificationContext())
        except VerifyException as error:
            parser.raise_error(f"field '{key}' cannot be {fields[key]}: {error}", start, parser.pos)
        cite = parse_cite(parser)
        if cite is not None:
            cites[key] = cite
        if place is not None:
            places[key] = place

    parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parse_field)
    return fields, cites, places


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
    """Cost of a stream: ``latency + transactions * max(issue + per_target * receivers, bytes / rate)`` cycles."""

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


def block_of(op: DfOp) -> Block:
    """The body block of ``op``, made when it has none."""
    if not op.body.blocks:
        op.body.add_block(Block())
    return op.body.blocks[0]
