"""Reader of MLIR's generic operation form.

Triton prints every dialect in one grammar in that form, so one small reader serves all Triton versions. Only syntax is
handled here; what the operations mean is the analysis' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cpplan.errors import InternalError

Attribute = int | float | bool | str | list[int]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_WORD = re.compile(r'"[^"]*"|[\w$.]+')
_SPACE = re.compile(r"(?:\s+|//[^\n]*)*")
_ALIAS = re.compile(r"^(#[\w$.]+) = loc\((.*)\)\s*$", re.MULTILINE)
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+)(?::\d+)?')
_NAMED = re.compile(r'"((?:[^"\\]|\\.)*)"\(')


@dataclass(frozen=True)
class Type:
    """A value's type: ``shape`` is empty for scalars, ``element`` is e.g. ``f32``, ``i1`` or ``!tt.ptr<bf16>``."""

    shape: tuple[int, ...]
    element: str
    text: str


@dataclass(frozen=True)
class Location:
    """Where an operation comes from: ``file``, ``line`` (0 when unknown) and the variable it was assigned to."""

    file: str = ""
    line: int = 0
    label: str = ""


@dataclass(eq=False)
class Value:
    """An SSA value; ``op`` is None for block arguments."""

    type: Type
    op: Operation | None = None
    index: int = 0
    label: str = ""


@dataclass(eq=False)
class Block:
    """A straight run of operations; ``label`` is the block's name, needed by branches."""

    label: str
    arguments: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)


@dataclass(eq=False)
class Operation:
    """One operation in generic form; properties and discardable attributes share ``attributes``."""

    name: str
    operands: list[Value]
    results: list[Value] = field(default_factory=list)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    regions: list[list[Block]] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    location: Location = Location()

    def walk(self) -> Iterator[Operation]:
        """This operation and all nested ones, outer first, in program order."""
        yield self
        for region in self.regions:
            for block in region:
                for operation in block.operations:
                    yield from operation.walk()

    def integer(self, key: str, default: int = 0) -> int:
        """An integer attribute, ``default`` when absent (attributes come and go between Triton versions)."""
        value = self.attributes.get(key, default)
        return value if isinstance(value, int) else default

    def integers(self, key: str) -> list[int]:
        """An integer-array attribute, empty when absent."""
        value = self.attributes.get(key)
        return value if isinstance(value, list) else []


def parse_module(text: str) -> Operation:
    """Read one module in generic form; raises :class:`InternalError` when the text is something else."""
    aliases = dict(_ALIAS.findall(text))
    start = text.find('"builtin.module"')
    if start < 0:
        raise InternalError(
            "Triton did not print the module in MLIR's generic form; this Triton version is not supported"
        )
    return _Reader(text, start, aliases).operation()


def parse_type(text: str) -> Type:
    """``tensor<128x64x!tt.ptr<f16>>`` -> shape (128, 64) and element ``!tt.ptr<f16>``."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", text, re.DOTALL)
    if match is None:
        return Type((), text, text)
    shape = tuple(int(extent) for extent in match.group(1).split("x") if extent)
    return Type(shape, match.group(2).split(", #")[0], text)


class _Reader:
    """Recursive descent over the text; sibling regions reuse value names, hence the stack of scopes."""

    def __init__(self, text: str, start: int, aliases: dict[str, str]) -> None:
        self.text, self.at, self.aliases = text, start, aliases
        self.scopes: list[dict[str, Value]] = [{}]
        self.locations: dict[str, Location] = {}

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def sees(self, token: str) -> bool:
        self.skip()
        return self.text.startswith(token, self.at)

    def take(self, token: str) -> bool:
        found = self.sees(token)
        self.at += len(token) if found else 0
        return found

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.unexpected(token)

    def unexpected(self, wanted: str) -> InternalError:
        return InternalError(f"cannot read Triton's IR: expected {wanted!r} at {self.text[self.at : self.at + 60]!r}")

    def match(self, pattern: re.Pattern[str]) -> str:
        self.skip()
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self.unexpected(pattern.pattern)
        self.at = match.end()
        return match.group(0)

    def until(self, stops: str) -> str:
        """Text up to a top-level character of ``stops``; strings, brackets and ``->`` are passed over whole."""
        self.skip()
        start, depth, text = self.at, 0, self.text
        while True:
            char = text[self.at]
            if depth == 0 and char in stops:
                return text[start : self.at].strip()
            if char == '"':
                self.match(_STRING)
                continue
            if char == "-" and text[self.at + 1] == ">":
                self.at += 2
                continue
            depth += (char in "([{<") - (char in ")]}>")
            self.at += 1

    def type_until(self, stops: str) -> Type:
        """A type; a location or the end of the line also ends it."""
        self.skip()
        start = self.at
        raw = self.until(stops + "\n")
        cut = raw.find(" loc(")
        if cut >= 0:
            self.at = start + cut
            raw = raw[:cut]
        return parse_type(raw.strip())

    def attributes(self, close: str, into: dict[str, Attribute]) -> None:
        while not self.take(close):
            key = self.match(_WORD).strip('"')
            into[key] = _attribute(self.until(",}")) if self.take("=") else True
            self.take(",")

    def lookup(self, name: str) -> Value:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise self.unexpected(f"a definition of {name}")

    def operation(self) -> Operation:
        names: list[tuple[str, int]] = []
        while self.sees("%"):
            name = self.match(_VALUE)
            count = int(self.match(re.compile(r"\d+"))) if self.take(":") else 1
            names.append((name, count))
            if not self.take(","):
                self.expect("=")
        op = Operation(self.match(_STRING)[1:-1], [])
        self.expect("(")
        while not self.take(")"):
            op.operands.append(self.lookup(self.match(_VALUE)))
            self.take(",")
        self.body(op)
        op.results = [Value(t, op, i, op.location.label) for i, t in enumerate(self.signature())]
        if self.take("loc("):
            op.location = self.location(self.closing())
        self.bind(names, op)
        return op

    def body(self, op: Operation) -> None:
        if self.take("["):
            op.successors = [name.strip() for name in self.until("]").split(",")]
            self.expect("]")
        if self.take("<{"):
            self.attributes("}", op.attributes)
            self.expect(">")
        if self.take("("):
            op.regions.append(self.region())
            while self.take(","):
                op.regions.append(self.region())
            self.expect(")")
        if self.take("{"):
            self.attributes("}", op.attributes)

    def signature(self) -> list[Type]:
        """The trailing ``: (operand types) -> result types``."""
        self.expect(":")
        self.expect("(")
        self.until(")")
        self.expect(")")
        self.expect("->")
        if not self.take("("):
            return [self.type_until("")]
        types = []
        while not self.take(")"):
            types.append(parse_type(self.until(",)")))
            self.take(",")
        return types

    def bind(self, names: list[tuple[str, int]], op: Operation) -> None:
        position = 0
        for name, count in names:
            for offset in range(count):
                value = op.results[position + offset]
                value.label = op.location.label
                self.scopes[-1][name if count == 1 else f"{name}#{offset}"] = value
            position += count

    def region(self) -> list[Block]:
        self.expect("{")
        self.scopes.append({})
        blocks: list[Block] = []
        while not self.take("}"):
            blocks.append(self.block())
        self.scopes.pop()
        return blocks

    def block(self) -> Block:
        block = Block("")
        if self.take("^"):
            block.label = "^" + self.match(_WORD)
            if self.take("("):
                while not self.take(")"):
                    block.arguments.append(self.argument(len(block.arguments)))
                    self.take(",")
            self.expect(":")
        while not self.sees("}") and not self.sees("^"):
            block.operations.append(self.operation())
        return block

    def argument(self, index: int) -> Value:
        name = self.match(_VALUE)
        self.expect(":")
        value = Value(self.type_until(",)"), None, index)
        if self.take("loc("):
            value.label = self.location(self.closing()).label
        self.scopes[-1][name] = value
        return value

    def closing(self) -> str:
        text = self.until(")")
        self.expect(")")
        return text

    def location(self, text: str) -> Location:
        if text not in self.locations:
            self.locations[text] = _resolve(text, self.aliases, 0)
        return self.locations[text]


def _resolve(text: str, aliases: dict[str, str], depth: int) -> Location:
    """Innermost file and line and outermost variable name of a location; call sites answer with the callee's place."""
    text = text.strip()
    if depth > 12 or text == "unknown":
        return Location()
    if text in aliases:
        return _resolve(aliases[text], aliases, depth + 1)
    if text.startswith("callsite("):
        callee, _, caller = text[len("callsite(") : -1].partition(" at ")
        inside = _resolve(callee, aliases, depth + 1)
        return _resolve(caller, aliases, depth + 1) if "/triton/language/" in inside.file else inside
    if text.startswith("fused"):
        return _resolve(text[text.find("[") + 1 :].split(",")[0].rstrip("]"), aliases, depth + 1)
    named = _NAMED.match(text)
    if named:
        inner = _resolve(text[named.end() : -1], aliases, depth + 1)
        return Location(inner.file, inner.line, named.group(1))
    place = _FILE.match(text)
    return Location(place.group(1), int(place.group(2))) if place else Location()


def _attribute(text: str) -> Attribute:
    """Integers, floats, booleans, strings, integer arrays and splat constants; anything else stays text."""
    dense = re.match(r"dense<(.*)> : ", text, re.DOTALL)
    if dense:
        return _scalar(dense.group(1), text)
    array = re.fullmatch(r"array<i\d+(?:: (.*))?>", text, re.DOTALL)
    if array:
        return [int(item) for item in array.group(1).split(",")] if array.group(1) else []
    if text.startswith('"'):
        return text[1:-1]
    return _scalar(text.split(" : ")[0], text)


def _scalar(text: str, fallback: str) -> Attribute:
    if text in ("true", "false"):
        return text == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return _hexadecimal(text, fallback)


def _hexadecimal(text: str, fallback: str) -> Attribute:
    """Floats without a decimal form (infinities, NaN) are printed as bit patterns: ``0xFF800000 : f32``."""
    if not re.fullmatch(r"0x[0-9A-Fa-f]+", text):
        return fallback
    import struct

    bits, digits = int(text, 16), len(text) - 2
    if digits == 8:
        return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    if digits == 16:
        return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
    if digits == 4 and fallback.rstrip("> ").endswith("bf16"):
        return float(struct.unpack("<f", (bits << 16).to_bytes(4, "little"))[0])
    if digits == 4:
        return float(struct.unpack("<e", bits.to_bytes(2, "little"))[0])
    return fallback
