"""What all df operations share: a name, cited fields, a body, and the text form of the three."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import IRDLOperation, VerificationContext, opt_prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Location

from cpplan.device.syntax import DfParser, parse_cite, parse_value, print_fields

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


def block_of(op: DfOp) -> Block:
    """The body block of ``op``, made when it has none."""
    if not op.body.blocks:
        op.body.add_block(Block())
    return op.body.blocks[0]
