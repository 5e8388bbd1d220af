"""A tile program as MLIR text: ``affine.parallel`` over the grid, ``scf.for`` loops, ops of a small ``tile`` dialect.

``tile.load`` and ``tile.store`` carry the affine map from dims and loops to the first element per tensor axis, the tile
type, which axes a boundary mask cuts, and ``lanes`` where these are not dense. ``tile.atomic`` is a store that
``replaces`` what the load of that name read, with no other block's write in between. Every other ``tile`` op is a
tile-level operation in SSA form. A loop says how many trips it runs at most; ``total_trips`` adds up those of all
blocks, and ``trips`` gives them by block, where they differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cpplan.errors import InputError
from cpplan.tile.mlir_types import (
    affine_of,
    affine_text,
    attributes_of,
    attributes_text,
    bounds_of,
    bounds_text,
    fill_of,
    profile_of,
    profile_text,
    tensor_parts,
    tensor_text,
)
from cpplan.tile.order import program_order
from cpplan.tile.program import Access, Buffer, Carry, Dim, Loop, Op, Tensor, TileProgram

_PROGRAM = re.compile(r"tile\.program @(\S+) attributes (\{.*\}) \{")
_TENSOR = re.compile(r"%(\S+) = tile\.tensor : memref<(.*), strided<\[(.*)\]>>")
_PARALLEL = re.compile(r"affine\.parallel \((.*)\) = \(.*\) to \((.*)\) \{")
_BUFFER = re.compile(r"tile\.buffer %(\S+) : (tensor<.*>) (\{.*\})$")
_FOR = re.compile(r"(?:(.+) = )?scf\.for %(\S+) = 0 to (\d+) step 1(?: iter_args\((.*)\))?(?: attributes (\{.*\}))? \{")
_YIELD = re.compile(r"scf\.yield ?(.*)")
_ACCESS = re.compile(
    r"(?:%(\S+) = )?tile\.(load|store|atomic) @(\S+) (?:%(\S+) to )?%(\S*)\[affine_map<\(.*?\) -> \((.*?)\)>\]"
    r"(?: if %(\S+))? : tile<([\dx]*)> (\{.*\})$"
)
_OP = re.compile(r"%(\S+) = tile\.(\S+?)\((.*?)\) (\{.*\}) : \((.*)\) -> (tensor<.*>)$")


def print_program(program: TileProgram) -> str:
    """MLIR text of a program of plain integers; :func:`parse_program` reads it back to an equal program."""
    header = attributes_text([("block", [list(pair) for pair in program.block]), ("source", program.source)])
    lines = ["module {", f"  tile.program @{program.name} attributes {header} {{"]
    lines += [f"    {_tensor_line(tensor)}" for tensor in program.tensors]
    names = ", ".join(f"%{dim.name}" for dim in program.dims)
    zeros, extents = ", ".join("0" for _ in program.dims), ", ".join(str(dim.extent) for dim in program.dims)
    lines.append(f"    affine.parallel ({names}) = ({zeros}) to ({extents}) {{")
    lines += [f"      {_buffer_line(buffer)}" for buffer in program.buffers]
    lines += list(_body_lines(program))
    return "\n".join([*lines, "    }", "  }", "}", ""])


def _body_lines(program: TileProgram) -> Iterator[str]:
    depth = 3
    for step in program_order(program):
        if isinstance(step.item, Loop):
            if step.kind == "enter":
                yield "  " * depth + _for_line(step.item)
                depth += 1
            else:
                yield "  " * depth + _yield_line(step.item)
                depth -= 1
                yield "  " * depth + "}"
        elif isinstance(step.item, Access):
            yield "  " * depth + _access_line(step.item, program)
        else:
            yield "  " * depth + _op_line(step.item)


def _tensor_line(tensor: Tensor) -> str:
    inner = tensor_text(tensor.shape, tensor.dtype)[len("tensor<") : -1]
    return f"%{tensor.name} = tile.tensor : memref<{inner}, strided<[{', '.join(map(str, tensor.strides))}]>>"


def _buffer_line(buffer: Buffer) -> str:
    pairs: list[tuple[str, object]] = [("loop", buffer.loop), ("reason", buffer.reason)]
    return f"tile.buffer %{buffer.name} : {tensor_text(buffer.shape, buffer.dtype)} {attributes_text(pairs)}"


def _for_line(loop: Loop) -> str:
    results = ", ".join(f"%{c.result}" for c in loop.carries)
    carried = ", ".join(f"%{c.argument} = %{c.initial}" for c in loop.carries)
    pairs: list[tuple[str, object]] = [] if loop.total_trips is None else [("total_trips", loop.total_trips)]
    pairs += [] if loop.profile is None else [("trips", profile_text(loop.profile))]
    text = f"scf.for %{loop.name} = 0 to {loop.trips} step 1"
    text += f" iter_args({carried})" if carried else ""
    text += f" attributes {attributes_text(pairs)}" if pairs else ""
    return (f"{results} = " if results else "") + text + " {"


def _yield_line(loop: Loop) -> str:
    return f"scf.yield {', '.join(f'%{c.yielded}' for c in loop.carries)}".rstrip()


def _access_line(access: Access, program: TileProgram) -> str:
    indices = ", ".join([dim.name for dim in program.dims] + list(program.loop_path(access.loop)))
    starts = ", ".join(affine_text(start) for start in access.starts)
    pairs: list[tuple[str, object]] = [("masked", list(access.masked))]
    pairs += [("bounds", [bounds_text(item) for item in access.bounds])] if access.bounds else []
    pairs += [("fill", access.fill)] if access.fill is not None else []
    pairs += [("class", access.klass)]
    pairs += [("source", access.source), ("note", access.note)]
    pairs += [("lanes", access.lanes)] if access.lanes != "dense" else []
    pairs += [("replaces", access.replaces)] if access.replaces else []
    place = f"%{access.tensor}[affine_map<({indices}) -> ({starts})>]" + (f" if %{access.mask}" if access.mask else "")
    tile = f"tile<{'x'.join(map(str, access.tile))}> {attributes_text(pairs)}"
    if access.kind == "load":
        return f"%{access.value} = tile.load @{access.name} {place} : {tile}"
    return f"tile.{access.kind} @{access.name} %{access.value} to {place} : {tile}"


def _op_line(op: Op) -> str:
    operands = ", ".join(f"%{name}" for name in op.operands)
    types = ", ".join(tensor_text(s, d) for s, d in zip(op.operand_shapes, op.operand_dtypes, strict=True))
    pairs: list[tuple[str, object]] = [*op.attributes, ("source", op.source)]
    result = tensor_text(op.shape, op.dtype)
    return f"%{op.name} = tile.{op.kind}({operands}) {attributes_text(pairs)} : ({types}) -> {result}"


def parse_program(text: str) -> TileProgram:
    """Read what :func:`print_program` wrote. Raises :class:`InputError` with the line number for anything else."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            reader.line(line.strip())
        except (InputError, ValueError, KeyError, IndexError) as error:
            raise InputError(f"tile program, line {number}: {error}: {line.strip()!r}") from error
    return reader.program()


@dataclass
class _Reader:
    """State of the line-by-line parser: ``open`` holds the names of the loops around the current line."""

    header: tuple[str, dict[str, object]] | None = None
    tensors: list[Tensor] = field(default_factory=list)
    dims: list[Dim] = field(default_factory=list)
    loops: dict[str, Loop] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    waiting: dict[str, list[list[str]]] = field(default_factory=dict)

    def line(self, text: str) -> None:
        if text in ("", "module {"):
            return
        if text == "}":
            if self.open:
                self.open.pop()
            return
        rules = (
            (_PROGRAM, self._program), (_TENSOR, self._tensor), (_PARALLEL, self._parallel), (_BUFFER, self._buffer),
            (_FOR, self._for), (_YIELD, self._yield), (_ACCESS, self._access), (_OP, self._op),
        )  # fmt: skip
        for pattern, rule in rules:
            match = pattern.fullmatch(text)
            if match:
                rule(match)
                return
        raise InputError("not a line of a tile program")

    @property
    def loop(self) -> str | None:
        return self.open[-1] if self.open else None

    def program(self) -> TileProgram:
        if self.header is None:
            raise InputError("tile program: there is no tile.program in the text")
        name, attributes = self.header
        block = tuple((str(k), int(v)) for k, v in attributes["block"])  # type: ignore[attr-defined]
        return TileProgram(
            name, tuple(self.dims), tuple(self.loops.values()), tuple(self.tensors), tuple(self.accesses),
            tuple(self.ops), tuple(self.buffers), block, str(attributes["source"]),
        )  # fmt: skip

    def _program(self, match: re.Match[str]) -> None:
        self.header = match.group(1), dict(attributes_of(match.group(2)))

    def _tensor(self, match: re.Match[str]) -> None:
        shape, dtype = tensor_parts(f"tensor<{match.group(2)}>")
        self.tensors.append(Tensor(match.group(1), dtype, shape, _integers(match.group(3))))

    def _parallel(self, match: re.Match[str]) -> None:
        extents = _integers(match.group(2))
        self.dims = [Dim(name, n) for name, n in zip(_names(match.group(1)), extents, strict=True)]

    def _buffer(self, match: re.Match[str]) -> None:
        shape, dtype = tensor_parts(match.group(2))
        pairs = dict(attributes_of(match.group(3)))
        loop = pairs["loop"]
        self.buffers.append(
            Buffer(match.group(1), shape, dtype, None if loop is None else str(loop), str(pairs["reason"]))
        )

    def _for(self, match: re.Match[str]) -> None:
        results, name, trips, carried, attributes = match.groups()
        given = dict(attributes_of(attributes)) if attributes else {}
        total = int(str(given["total_trips"])) if "total_trips" in given else None
        profile = profile_of(str(given["trips"])) if "trips" in given else None
        self.loops[name] = Loop(name, int(trips), self.loop, total, (), profile)
        pairs = [item.split(" = ") for item in (carried or "").split(", ") if item]
        self.waiting[name] = [[i[1:], a[1:], r] for (a, i), r in zip(pairs, _names(results or ""), strict=True)]
        self.open.append(name)

    def _yield(self, match: re.Match[str]) -> None:
        name = self.open[-1]
        loop, waiting = self.loops[name], self.waiting[name]
        carries = tuple(Carry(i, a, y, r) for (i, a, r), y in zip(waiting, _names(match.group(1)), strict=True))
        self.loops[name] = replace(loop, carries=carries)

    def _access(self, match: re.Match[str]) -> None:
        loaded, kind, name, stored, tensor, starts, mask, tile, attributes = match.groups()
        pairs = dict(attributes_of(attributes))
        self.accesses.append(
            Access(
                name=name,
                tensor=tensor,
                kind=kind,  # type: ignore[arg-type]
                tile=tuple(int(n) for n in tile.split("x") if n),
                starts=tuple(affine_of(item) for item in starts.split(", ") if item),
                loop=self.loop,
                masked=tuple(bool(m) for m in pairs["masked"]),  # type: ignore[attr-defined]
                value=loaded or stored or "",
                klass=pairs["class"],  # type: ignore[arg-type]
                source=str(pairs["source"]),
                note=str(pairs["note"]),
                lanes=pairs.get("lanes", "dense"),  # type: ignore[arg-type]
                bounds=tuple(bounds_of(item) for item in pairs.get("bounds", ())),  # type: ignore[attr-defined]
                fill=fill_of(pairs.get("fill")),
                mask=mask or "",
                replaces=str(pairs.get("replaces", "")),
            )
        )

    def _op(self, match: re.Match[str]) -> None:
        name, kind, operands, attributes, types, result = match.groups()
        shape, dtype = tensor_parts(result)
        parts = [tensor_parts(item) for item in re.split(r", (?=tensor<)", types) if item]
        pairs = attributes_of(attributes)
        self.ops.append(
            Op(
                name=name,
                kind=kind,
                operands=tuple(_names(operands)),
                shape=shape,
                dtype=dtype,
                loop=self.loop,
                attributes=tuple((k, v) for k, v in pairs[:-1]),  # type: ignore[misc]
                operand_shapes=tuple(s for s, _ in parts),
                operand_dtypes=tuple(d for _, d in parts),
                source=str(pairs[-1][1]),
            )
        )


def _names(text: str) -> list[str]:
    return [item.strip()[1:] for item in text.split(",") if item.strip()]


def _integers(text: str) -> tuple[int, ...]:
    return tuple(json.loads(f"[{text}]"))
