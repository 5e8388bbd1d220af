"""The ops of the kernel's body as statements on blocks.

Values are blocks of hardware tiles: a matrix has its rows and columns, a vector lies in the first column or the first
row of tiles (:mod:`cpplan.schedule.orientation`). Numbers that all elements share are filled in where they are used.
Casts and changes of shape within the same tiles are other names of their operand. A value with fewer rows or columns
than its tiles has anything in the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.support import refuse_op
from cpplan.emit_ttlang.text import added, times
from cpplan.emit_ttlang.vocabulary import REDUCTIONS, WORDS
from cpplan.schedule.orientation import Orientation, orientation
from cpplan.schedule.schedule import Schedule
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import HARDWARE_TILE, Op

_TYPES = ("fp32", "bf16", "bool")
Blocks = tuple[int, int]
"""Rows and columns of hardware tiles."""


@dataclass(frozen=True)
class Lanes:
    """A mask wants numbers of rows (``axis`` 0) or columns (1): as many hardware tiles of them."""

    axis: int
    tiles: int

    @property
    def name(self) -> str:
        """The tensor that has them."""
        return f"lane_{'columns' if self.axis else 'rows'}_{self.tiles}"

    @property
    def shape(self) -> Blocks:
        """Its hardware tiles: a column of row numbers, or a row of column numbers."""
        return (1, self.tiles) if self.axis else (self.tiles, 1)


@dataclass
class Body:
    """Statements for ops, and the expression that stands for each value so far."""

    schedule: Schedule
    names: Names
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    lanes: dict[Lanes, None] = field(default_factory=dict)
    ways: dict[str, Orientation] = field(default_factory=dict)
    """How vectors lie that are no values of the program."""

    def statements(self, op: Op) -> list[str]:
        """Lines that compute ``op``; none for what is only another name.

        Raises :class:`~cpplan.errors.ScheduleError` for what TT-Lang has no word for, naming op and line.
        """
        self._check(op)
        match op.kind:
            case "constant":
                self.numbers[op.name] = self._number(op)
                return []
            case "cast":
                return self._same(op)
            case "reshape":
                if self.blocks(op, op.operands[0], op.operand_shapes[0]) != self.blocks(op, op.name, op.shape):
                    raise self._refused(op, "moves elements between hardware tiles")
                return self._same(op)
        name = self.names.value(op.name)
        self.texts[op.name] = name
        return [f"{name} = {self._expression(op)}"]

    def text(self, op: Op | None, value: str, shape: tuple[int, ...]) -> str:
        """``value``, of ``shape``, as an expression."""
        if value in self.numbers:
            return filled(self.numbers[value], self.blocks(op, value, shape))
        return self.texts[value]

    def blocks(self, op: Op | None, value: str, shape: tuple[int, ...]) -> Blocks:
        """Rows and columns of hardware tiles of a value."""
        if len(shape) > 2:
            raise self._refused(op, f"has {len(shape)} axes, and blocks have two")
        tiles = [ceil_div(int(extent), HARDWARE_TILE) for extent in shape]
        if len(tiles) == 2:
            return tiles[0], tiles[1]
        if not tiles:
            return 1, 1
        return (tiles[0], 1) if self.way(value) == "column" else (1, tiles[0])

    def way(self, value: str) -> Orientation:
        """Whether a vector is a column or a row."""
        return self.ways.get(value) or orientation(self.schedule.program, value)

    def adds_in_place(self, op: Op, argument: str) -> str | None:
        """``acc += a @ b`` for a product that is added to what a loop carries, which nothing else reads."""
        users = [other for other in self.schedule.program.ops if argument in other.operands]
        if op.kind != "dot" or op.operands[2:] != (argument,) or users != [op]:
            return None
        self._check(op)
        self.texts[op.name] = self.texts[argument]
        return f"{self.texts[argument]} += {self._product(op)}"

    # -- expressions ---------------------------------------------------------------------------------------------------

    def _expression(self, op: Op) -> str:
        shape = self.blocks(op, op.name, op.shape)
        if op.kind == "dot":
            product = self._product(op)
            start = op.operands[2]
            if self.numbers.get(start) == 0.0:
                return product
            return f"{self.text(op, start, op.operand_shapes[2])} + {product}"
        if op.kind == "broadcast":
            return self._broadcast(op, shape)
        if op.kind == "transpose" and len(op.shape) == 2:
            return f"ttl.block.transpose({self.text(op, op.operands[0], op.operand_shapes[0])})"
        if op.kind in REDUCTIONS and len(op.operand_shapes[0]) == 2:
            axis = int(dict(op.attributes)["axis"]) % 2
            self._check_whole(op, op.operand_shapes[0][axis])
            value = self.text(op, op.operands[0], op.operand_shapes[0])
            return f"ttl.math.{op.kind}({value}, dims=[{axis}], shape={shape})"
        if op.kind == "mask":
            return self._mask(op, shape)
        kind = f"cmp_{dict(op.attributes)['predicate']}" if op.kind == "cmp" else op.kind
        if kind not in WORDS:
            raise self._refused(op, "is no word of this back end")
        operands = [self.text(op, *pair) for pair in zip(op.operands, op.operand_shapes, strict=True)]
        if kind in ("add", "sub", "mul", "div"):
            operands = [f"({text})" if " " in text and not text.startswith("ttl.") else text for text in operands]
        return WORDS[kind].format(*operands, shape=shape)

    def _product(self, op: Op) -> str:
        self._check_whole(op, op.operand_shapes[0][-1])
        left, right = (self.text(op, *pair) for pair in zip(op.operands[:2], op.operand_shapes[:2], strict=True))
        return f"{left} @ {right}"

    def _broadcast(self, op: Op, shape: Blocks) -> str:
        value, before = op.operands[0], op.operand_shapes[0]
        if value in self.numbers:
            return filled(self.numbers[value], shape)
        if len(before) == 2:
            axes = [axis for axis in range(2) if before[axis] == 1 and op.shape[axis] > 1]
        else:
            axes = [1 if self.way(value) == "column" else 0] if before else [0, 1]
        return f"ttl.block.broadcast({self.text(op, value, before)}, dims={axes}, shape={shape})"

    def _mask(self, op: Op, shape: Blocks) -> str:
        """1 where all forms are at least 0; TT-Lang numbers no elements, so tensors bring the numbers."""
        prefixes = dict.fromkeys(name.partition(".")[0] for name, _ in op.attributes)
        tests = [self._form(op, f"{prefix}.", shape) for prefix in prefixes]
        return "ttl.math.min(" * (len(tests) - 1) + tests[0] + "".join(f", {test})" for test in tests[1:])

    def _form(self, op: Op, prefix: str, shape: Blocks) -> str:
        whole: list[str] = []
        parts: list[str] = []
        for name, factor in op.attributes:
            if not name.startswith(prefix):
                continue
            term = name.removeprefix(prefix)
            if term == "opaque" or (term.startswith("lane") and len(op.shape) != 2):
                raise self._refused(op, "is a mask that depends on data, or not of a matrix")
            if term == "const":
                whole += [str(factor)] if int(factor) else []
            elif term.startswith("lane"):
                parts += [self._numbered(int(term.removeprefix("lane")), int(factor), shape)]
            else:
                whole.append(times(self.names.index(term), int(factor)))
        base = f"ttl.block.fill({added(whole)}, shape={shape})"
        return f"ttl.math.gt({' + '.join([*parts, base])}, ttl.block.fill(-0.5, shape={shape}))"

    def _numbered(self, axis: int, factor: int, shape: Blocks) -> str:
        """``factor`` times the number of the row (``axis`` 0) or column of every element."""
        lanes = Lanes(axis, shape[axis])
        self.lanes[lanes] = None
        spread = f"ttl.block.broadcast({self.names.block(lanes.name)}, dims=[{1 - axis}], shape={shape})"
        return spread if factor == 1 else f"ttl.block.fill({factor}, shape={shape}) * {spread}"

    # -- checks --------------------------------------------------------------------------------------------------------

    def _same(self, op: Op) -> list[str]:
        value = op.operands[0]
        if value in self.numbers:
            self.numbers[op.name] = self.numbers[value]
        else:
            self.texts[op.name] = self.texts[value]
        return []

    def _check(self, op: Op) -> None:
        for dtype in (op.dtype, *op.operand_dtypes):
            if dtype not in _TYPES:
                raise self._refused(op, f"has elements of {dtype}, and blocks are of {', '.join(_TYPES)}")

    def _check_whole(self, op: Op, extent: int) -> None:
        """What is beyond the elements of a block means nothing, so nothing may be summed up there."""
        if extent % HARDWARE_TILE and extent > 1:
            raise self._refused(op, f"joins {extent} elements, which is no multiple of the {HARDWARE_TILE} of a tile")

    def _number(self, op: Op) -> float:
        text = str(dict(op.attributes)["value"])
        named = {"true": 1.0, "false": 0.0}
        try:
            return named[text.lower()] if text.lower() in named else float(text)
        except ValueError:
            raise self._refused(op, f"has the value {text}, which is not one number") from None

    def _refused(self, op: Op | None, why: str) -> Exception:
        program = self.schedule.program
        assert op is not None
        return refuse_op(op, program.source or program.name, why)


def filled(number: float, shape: Blocks) -> str:
    """A block of one number."""
    text = repr(number) if math.isfinite(number) else f'float("{number}")'
    return f"ttl.block.fill({text}, shape={shape})"


def ops_of(schedule: Schedule) -> dict[str, Op]:
    """Ops by name."""
    return {op.name: op for op in schedule.program.ops}


def shapes_of(schedule: Schedule) -> dict[str, tuple[int, ...]]:
    """Shape of every value that ops make or use."""
    out: dict[str, tuple[int, ...]] = {}
    for op in schedule.program.ops:
        out |= zip(op.operands, op.operand_shapes, strict=False)
        out[op.name] = op.shape
    return out
