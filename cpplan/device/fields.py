"""Typed access to the fields of a df operation; every complaint names file, line and column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute

from cpplan.device.operation import DfOp
from cpplan.device.source import Spec
from cpplan.device.syntax import NumberAttr

Op = TypeVar("Op", bound=DfOp)


@dataclass(frozen=True)
class Fields:
    """One operation of a spec, read field by field. Accessors raise SpecError when a needed field is missing."""

    spec: Spec
    op: DfOp

    @property
    def name(self) -> str:
        """Symbol name of the operation."""
        return self.op.sym_name.data if self.op.sym_name else ""

    def fail(self, field: str, message: str, rule: str = "structure", hint: str = "") -> NoReturn:
        """Raise a SpecError at ``field``."""
        self.spec.fail(self.op, field, f"{self.op.label}: {message}", rule, hint)

    def has(self, field: str) -> bool:
        """Whether the field is given."""
        return field in self.op.properties

    def value(self, field: str) -> Attribute:
        """The field as it was parsed."""
        if field not in self.op.properties:
            self.fail(field, f"needs the field '{field}'")
        return self.op.properties[field]

    def number(self, field: str, default: Fraction | None = None) -> Fraction:
        """An exact number."""
        if default is not None and not self.has(field):
            return default
        value = self.value(field)
        assert isinstance(value, NumberAttr)
        return value.data

    def integer(self, field: str, default: int | None = None) -> int:
        """A whole number."""
        number = self.number(field, None if default is None else Fraction(default))
        if number.denominator != 1:
            self.fail(field, f"'{field}' must be a whole number, got {float(number):g}")
        return int(number)

    def integers(self, field: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        return self._whole(field, self.value(field))

    def rows(self, field: str) -> tuple[tuple[int, ...], ...]:
        """A list of lists of whole numbers."""
        value = self.value(field)
        assert isinstance(value, ArrayAttr)
        return tuple(self._whole(field, row) for row in value.data)

    def _whole(self, field: str, value: Attribute) -> tuple[int, ...]:
        assert isinstance(value, ArrayAttr)
        numbers = [item.data for item in value.data if isinstance(item, NumberAttr)]
        if any(number.denominator != 1 for number in numbers):
            self.fail(field, f"'{field}' must list whole numbers")
        return tuple(int(number) for number in numbers)

    def text(self, field: str) -> str:
        """A string."""
        value = self.value(field)
        assert isinstance(value, StringAttr)
        return value.data

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.value(field)
        assert isinstance(value, ArrayAttr)
        return tuple(item.data for item in value.data if isinstance(item, StringAttr))

    def flag(self, field: str) -> bool:
        """true or false."""
        value = self.value(field)
        assert isinstance(value, IntegerAttr)
        return bool(value.value.data)

    def symbol(self, field: str) -> str:
        """The name behind one ``@reference``."""
        value = self.value(field)
        assert isinstance(value, SymbolRefAttr)
        return value.root_reference.data

    def symbols(self, field: str) -> tuple[str, ...]:
        """The names behind a list of ``@references``."""
        value = self.value(field)
        assert isinstance(value, ArrayAttr)
        return tuple(item.root_reference.data for item in value.data if isinstance(item, SymbolRefAttr))

    def pairs(self, field: str) -> tuple[tuple[str, str], ...]:
        """A ``{key = "text"}`` table, sorted by key."""
        value = self.value(field)
        assert isinstance(value, DictionaryAttr)
        for key, text in value.data.items():
            if not isinstance(text, StringAttr):
                self.fail(field, f"'{field}' maps names to strings, but {key} is {text}")
        return tuple(sorted((key, text.data) for key, text in value.data.items() if isinstance(text, StringAttr)))

    def children(self, kind: type[Op]) -> Iterator[Fields]:
        """Contained operations of one kind."""
        return (Fields(self.spec, op) for op in self.op.children() if isinstance(op, kind))

    def child(self, kind: type[Op], name: str | None = None) -> Fields:
        """The only contained operation of one kind, or the one called ``name``."""
        found = [fields for fields in self.children(kind) if name is None or fields.name == name]
        label = f"{kind.name} @{name}" if name else kind.name
        if not found:
            self.fail("", f"needs a {label} in its body")
        if len(found) > 1:
            found[1].fail("", f"only one {label} can stand here")
        return found[0]
