"""Text of df operations: exact numbers, field lists with citations, and where each of them was written.

operation ::= name symbol? (`base` string)? `(` field (`,` field)* `)` (`cite` string)? region?
field     ::= identifier `=` value (`cite` string)?
value     ::= number | `[` value* `]` | `{` (identifier `=` value)* `}` | any builtin attribute
number    ::= `-`? (integer | decimal) (`/` integer)?
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.lexer import Location
from xdsl.utils.mlir_lexer import MLIRTokenKind

from cpplan.device.exact import format_exact


@irdl_attr_definition
class NumberAttr(Data[Fraction]):
    """An exact rational: ``#df.number<22.3>`` in generic form, plain ``22.3`` in a field list."""

    name = "df.number"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Fraction:
        with parser.in_angle_brackets():
            number = parse_optional_number(parser)
            if number is None:
                parser.raise_error("expected a number")
            return number

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(format_exact(self.data))


class DfParser(Parser):
    """An MLIR parser that remembers where each operation (field name '') and each of its fields was written."""

    def __init__(self, ctx: Context, input: str, name: str) -> None:
        super().__init__(ctx, input, name)
        self.places: dict[tuple[Operation, str], Location] = {}

    def here(self) -> Location:
        """Position of the next token."""
        return self._current_token.span.get_location()


def parse_optional_number(parser: AttrParser) -> Fraction | None:
    """A number with its exact value, or None when the next token does not start one."""
    negative = parser.parse_optional_punctuation("-") is not None
    token = parser._parse_optional_token_in((MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT))
    if token is None:
        if negative:
            parser.raise_error("expected a number after '-'")
        return None
    if token.kind is MLIRTokenKind.INTEGER_LIT:
        value = Fraction(token.kind.get_int_value(token.span))
    else:
        value = Fraction(token.text)
    if parser.parse_optional_punctuation("/") is not None:
        divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if divisor == 0:
            parser.raise_error("a number cannot be divided by zero")
        value /= divisor
    return -value if negative else value


def parse_value(parser: AttrParser) -> Attribute:
    """The value of one field."""
    number = parse_optional_number(parser)
    if number is not None:
        return NumberAttr(number)
    items = parser.parse_optional_comma_separated_list(Parser.Delimiter.SQUARE, lambda: parse_value(parser))
    if items is not None:
        return ArrayAttr(items)
    entries = parser.parse_optional_comma_separated_list(Parser.Delimiter.BRACES, lambda: _parse_entry(parser))
    if entries is not None:
        return DictionaryAttr(dict(entries))
    return parser.parse_attribute()


def _parse_entry(parser: AttrParser) -> tuple[str, Attribute]:
    key = parser.parse_identifier()
    parser.parse_punctuation("=")
    return key, parse_value(parser)


def parse_cite(parser: AttrParser) -> str | None:
    """``cite "..."`` if present."""
    return parser.parse_str_literal() if parser.parse_optional_keyword("cite") else None


def print_value(printer: Printer, value: Attribute) -> None:
    """Print ``value`` in the form that :func:`parse_value` reads."""
    match value:
        case NumberAttr():
            printer.print_string(format_exact(value.data))
        case ArrayAttr():
            with printer.in_square_brackets():
                printer.print_list(value.data, lambda item: print_value(printer, item))
        case DictionaryAttr():
            with printer.in_braces():
                printer.print_list(value.data.items(), lambda entry: _print_entry(printer, *entry))
        case _:
            printer.print_attribute(value)


def _print_entry(printer: Printer, key: str, value: Attribute) -> None:
    printer.print_string(f"{key} = ")
    print_value(printer, value)


def print_fields(printer: Printer, fields: Mapping[str, Attribute], cites: Mapping[str, str]) -> None:
    """Print a field list; a citation that all fields share is written once, behind it."""
    sources = {cites.get(key) for key in fields}
    shared = sources.pop() if len(sources) == 1 else None

    def print_field(item: tuple[str, Attribute]) -> None:
        key, value = item
        _print_entry(printer, key, value)
        if shared is None and key in cites:
            _print_cite(printer, cites[key])

    with printer.in_parens():
        printer.print_list(fields.items(), print_field)
    if shared is not None:
        _print_cite(printer, shared)


def _print_cite(printer: Printer, source: str) -> None:
    printer.print_string(" cite ")
    printer.print_attribute(StringAttr(source))
