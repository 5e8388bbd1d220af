"""State and helpers that all rule groups of the address analysis share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cpplan.frontend.generic import Block, Operation, Type, Value
from cpplan.frontend.integers import Integers
from cpplan.frontend.linear import UNKNOWN_PREDICATE, Abstract, Linear, Pointer
from cpplan.frontend.space import Array, Space
from cpplan.tile.program import AccessKind

if TYPE_CHECKING:
    from cpplan.frontend.affine import Analysis

INTEGER_ELEMENTS = ("i8", "i16", "i32", "i64")


class WalkerBase:
    """Base of the rule groups; the walker in ``affine`` visits operations and records accesses."""

    def __init__(self, analysis: Analysis, grid: tuple[int, int, int], tables: dict[int, Array]) -> None:
        self.analysis, self.grid, self.tables = analysis, grid, tables
        self.space: Space = analysis.space
        self.integers: Integers = analysis.integers
        self.env: dict[Value, Abstract] = analysis.values
        self.stack: list[int] = []
        self.conditional = 0
        self.reached: dict[str, int] = {}  # blocks of the kernel by label: 1 when only some programs get there
        self.recording = True

    def visit_block(self, block: Block) -> None:
        """Apply the rules to a block's operations in order."""
        raise NotImplementedError

    def record(
        self, op: Operation, kind: AccessKind, target: Abstract, value: Value, mask: Abstract,
        other: Value | None = None, masked_by: Value | None = None, old: Value | None = None,
    ) -> None:  # fmt: skip
        """Note a memory access."""
        raise NotImplementedError

    def linear(self, value: Value) -> Linear | None:
        """The value's linear form, if it has one."""
        known = self.env.get(value)
        return known if isinstance(known, Linear) else None

    def linear_or(self, value: Value, unknown: Linear) -> Linear:
        """The value's linear form, or ``unknown``."""
        known = self.linear(value)
        return unknown if known is None else known

    def linears(self, values: Sequence[Value]) -> tuple[Linear, ...]:
        """Linear forms; values without one are opaque."""
        return tuple(self.linear_or(value, self.integers.fresh("opaque")) for value in values)

    def default(self, op: Operation, kind: Type) -> Abstract:
        """Operations without a rule: floats are data, predicates and integers are unknown."""
        if kind.element == "i1":
            return UNKNOWN_PREDICATE
        if kind.element in INTEGER_ELEMENTS:
            return self.integers.unknown([self.env.get(v) for v in op.operands], kind.shape)
        return Pointer(None, self.integers.fresh("data")) if kind.element.startswith("!tt.ptr") else None
