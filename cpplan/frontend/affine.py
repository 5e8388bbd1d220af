"""Address analysis of one specialised kernel: what every load and store touches, as linear forms.

Scalars and the grid are numbers here, so a scalar is a known function on the box (grid x loops) and an address is a
linear form over grid axes, loop iterations, known functions and lanes. Not handled: wrap-around arithmetic, carries of
``scf.while`` (treated as loaded data), calls that were not inlined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cpplan.frontend.atomics import OLD
from cpplan.frontend.branches import BranchRules
from cpplan.frontend.generic import Block, Operation, Type, Value
from cpplan.frontend.integers import EXACT, Integers, Shape
from cpplan.frontend.linear import (
    UNKNOWN_PREDICATE,
    Abstract,
    BlockPointer,
    Descriptor,
    Linear,
    Pointer,
    Predicate,
)
from cpplan.frontend.loops import LoopRules
from cpplan.frontend.space import Array, Space
from cpplan.frontend.tensor_rules import TensorRules
from cpplan.frontend.walker_base import INTEGER_ELEMENTS
from cpplan.tile.program import AccessKind

_INTEGER_BINARY = {f"arith.{name}" for name in ("addi", "subi", *EXACT)}

_ROUNDINGS = {"math.floor": "floordivsi", "math.ceil": "ceildivsi"}


@dataclass(frozen=True)
class RawAccess:
    """A memory operation. ``shape`` is the lane box, ``offset`` in elements from argument slot ``base``.

    ``other`` and ``masked_by`` are operands: what a load gives where its mask is false, and the mask itself.
    ``loops`` lists the enclosing loops outermost first; ``valid`` marks the points that run when trip counts differ.
    ``proved`` says per form of ``mask`` whether it holds everywhere, ``wraps_proved`` the same per wrap of the offset,
    and ``parts`` has the parts of a form (see :meth:`Integers.parts`), each with the same.
    ``conditional`` marks accesses under a branch that is not decided per launch. ``old`` is what an update replaces,
    as its load gave it.
    """

    op: Operation
    kind: AccessKind
    base: int | None
    offset: Linear
    shape: Shape
    element: str
    mask: Predicate | None
    loops: tuple[int, ...]
    conditional: bool
    value: Value
    other: Value | None = None
    masked_by: Value | None = None
    valid: NDArray[np.bool_] | None = None
    proved: tuple[bool, ...] = ()
    parts: tuple[tuple[tuple[Linear, bool], ...], ...] = ()
    wraps_proved: tuple[bool, ...] = ()
    old: Value | None = None


@dataclass
class LoopRecord:
    """An ``scf.for``. ``trips`` is an array over the axes outside it (None: unknown before run time), and so is the
    ``distance`` between its bounds; ``step`` is the step if it is always the same."""

    index: int
    op: Operation
    parent: int | None
    trips: Array | None = None
    distance: Array | None = None
    step: int | None = None


@dataclass
class Analysis:
    """The result: accesses and loops in program order, and what is known of every SSA value."""

    space: Space
    integers: Integers
    function: Operation
    accesses: list[RawAccess] = field(default_factory=list)
    loops: list[LoopRecord] = field(default_factory=list)
    values: dict[Value, Abstract] = field(default_factory=dict)
    conditions: dict[Operation, bool | None] = field(default_factory=dict)
    whiles: list[Operation] = field(default_factory=list)


def analyse(
    module: Operation,
    grid: tuple[int, int, int],
    tables: Mapping[int, Array] | None = None,
    descriptors: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]] | None = None,
) -> Analysis:
    """Analyse the kernel of ``module``.

    ``tables`` holds contents of integer tensors by argument slot (real-tensor capture); ``descriptors`` holds shape and
    strides of host-made tensor descriptors by argument slot.
    """
    functions = [op for op in module.walk() if op.name == "tt.func"]
    function = next((f for f in functions if f.attributes.get("sym_visibility") == "public"), functions[0])
    loop_ops = [op for op in function.walk() if op.name == "scf.for"]
    space = Space(grid, len(loop_ops))
    analysis = Analysis(space, Integers(space), function)
    analysis.loops = [LoopRecord(index, op, None) for index, op in enumerate(loop_ops)]
    walker = _Walker(analysis, grid, dict(tables or {}))
    walker.run(dict(descriptors or {}))
    return analysis


class _Walker(TensorRules, LoopRules, BranchRules):
    """Visits operations in program order; one ``on_dialect__operation`` method per operation with a rule."""

    def __init__(self, analysis: Analysis, grid: tuple[int, int, int], tables: dict[int, Array]) -> None:
        super().__init__(analysis, grid, tables)
        names = [name for name in dir(self) if name.startswith("on_")]
        self.rules: dict[str, Callable[[Operation], None]] = {
            name.removeprefix("on_").replace("__", "."): getattr(self, name) for name in names
        }

    def run(self, descriptors: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
        blocks = self.analysis.function.regions[0]
        for slot, argument in enumerate(blocks[0].arguments):
            if argument.type.element.startswith("!tt.ptr"):
                self.env[argument] = Pointer(slot, Linear())
            elif slot in descriptors:
                shape, strides = (tuple(Linear(n) for n in part) for part in descriptors[slot])
                self.env[argument] = Descriptor(slot, Linear(), shape, strides)
            elif argument.type.element in INTEGER_ELEMENTS:
                self.env[argument] = self.integers.fresh("opaque")
        self.reached[blocks[0].label] = 0
        for block in blocks:
            if block.label in self.reached:
                self.conditional = self.reached[block.label]
                self.visit_block(block)

    def visit_block(self, block: Block) -> None:
        for op in block.operations:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        rule = self.rules.get(op.name)
        if rule is not None:
            rule(op)
        elif op.name in _INTEGER_BINARY and _is_index(op.results[0].type):
            self.env[op.results[0]] = self.integer_binary(op)
        else:
            for result in op.results:
                self.env[result] = self.default(op, result.type)

    # -- arithmetic ----------------------------------------------------------------------------------------------------

    def integer_binary(self, op: Operation) -> Abstract:
        a, b = (self.env.get(v) for v in op.operands)
        shape = op.results[0].type.shape
        name = op.name.removeprefix("arith.")
        if isinstance(a, Linear) and isinstance(b, Linear):
            return self.integers.binary(name, a, b, shape)
        if op.results[0].type.element == "i1":
            return _combine_predicates(name, a, b)
        return self.integers.unknown((a, b), shape)

    def on_arith__constant(self, op: Operation) -> None:
        result, value = op.results[0], op.attributes.get("value")
        if isinstance(value, int) and result.type.element.startswith("i"):
            self.env[result] = Linear(int(value))
        else:
            is_table = result.type.element in INTEGER_ELEMENTS
            self.env[result] = self.integers.fresh("lanes") if is_table else None

    def on_arith__cmpi(self, op: Operation) -> None:
        a, b = self.linear(op.operands[0]), self.linear(op.operands[1])
        predicate, shape = op.integer("predicate", -1), op.operands[0].type.shape
        if a is None or b is None:
            self.env[op.results[0]] = UNKNOWN_PREDICATE
        else:
            self.env[op.results[0]] = self.integers.compare(predicate, a, b, shape)

    def on_arith__select(self, op: Operation) -> None:
        condition, a, b = (self.env.get(v) for v in op.operands)
        shape, result = op.results[0].type.shape, op.results[0]
        if isinstance(a, Linear) and isinstance(b, Linear):
            self.env[result] = self.integers.select(condition, a, b, shape)
        elif isinstance(a, Pointer) and isinstance(b, Pointer):
            base = a.base if a.base == b.base else None
            self.env[result] = Pointer(base, self.integers.select(condition, a.offset, b.offset, shape))
        else:
            self.env[result] = self.default(op, result.type)

    def _convert(self, op: Operation) -> None:
        known, result = self.env.get(op.operands[0]), op.results[0]
        if isinstance(known, Predicate) and result.type.element != "i1":
            verdict = self.integers.decide(known, result.type.shape)
            known = Linear(int(verdict)) if verdict is not None else self.integers.unknown((known,), result.type.shape)
        self.env[result] = known if isinstance(known, (Linear, Predicate)) else self.default(op, result.type)

    on_arith__extsi = on_arith__extui = on_arith__trunci = on_arith__index_cast = _convert

    def on_arith__fptosi(self, op: Operation) -> None:
        """``floor(a / b)`` and ``ceil(a / b)`` computed in floating point, exact as long as ``a`` is."""
        rounding = op.operands[0].op
        quotient = rounding.operands[0].op if rounding is not None and rounding.name in _ROUNDINGS else None
        known: Abstract = self.default(op, op.results[0].type)
        if rounding is not None and quotient is not None and quotient.name in ("arith.divf", "tt.precise_divf"):
            a, b = (self._whole(value) for value in quotient.operands)
            if a is not None and b is not None and not op.results[0].type.shape:
                known = self.integers.binary(_ROUNDINGS[rounding.name], a, b, ())
        self.env[op.results[0]] = known

    def _whole(self, value: Value) -> Linear | None:
        """The integer that a floating-point value is made of."""
        made = value.op
        if made is not None and made.name == "arith.sitofp":
            return self.linear(made.operands[0])
        constant = made.attributes.get("value") if made is not None and made.name == "arith.constant" else None
        return Linear(int(constant)) if isinstance(constant, (int, float)) and constant == int(constant) else None

    def on_tt__get_program_id(self, op: Operation) -> None:
        axis = op.integer("axis")
        ramp = self.space.ramp(axis)
        assert ramp is not None
        self.env[op.results[0]] = self.space.form(ramp)

    def on_tt__get_num_programs(self, op: Operation) -> None:
        self.env[op.results[0]] = Linear(self.grid[op.integer("axis")])

    # -- memory --------------------------------------------------------------------------------------------------------

    def record(
        self, op: Operation, kind: AccessKind, target: Abstract, value: Value, mask: Abstract,
        other: Value | None = None, masked_by: Value | None = None, old: Value | None = None,
    ) -> None:  # fmt: skip
        if not self.recording:
            return
        pointer = target if isinstance(target, Pointer) else Pointer(None, self.integers.fresh("opaque"))
        guard = mask if isinstance(mask, Predicate) else None
        if isinstance(mask, Linear):  # atomics without a mask have one that is always true
            masked_by, guard = (None, None) if mask.is_constant and mask.const else (masked_by, UNKNOWN_PREDICATE)
        offset, shape = self._simplified(pointer.offset), value.type.shape
        holds, split = self.integers.holds, self.integers.parts
        forms = guard.forms if guard else ()
        self.analysis.accesses.append(
            RawAccess(
                op, kind, pointer.base, offset, shape, value.type.element, guard, tuple(self.stack),
                self.conditional > 0, value, other, masked_by, self.space.valid,
                proved=tuple(holds(form, shape) is True for form in forms),
                parts=tuple(tuple((p, holds(p, shape) is True) for p in split(form)) for form in forms),
                wraps_proved=tuple(holds(w.below_bound, shape) is True for w in offset.wraps),
                old=old,
            )
        )  # fmt: skip

    def _simplified(self, offset: Linear) -> Linear:
        """Quotients and remainders often recombine to a linear form of the axes: fit the scalar part once more."""
        if "table" not in offset.kinds():
            return offset
        scalar = offset.keeping(lambda a: a.kind in ("axis", "table"), const=True)
        values = self.space.array(scalar)
        if values is None:
            return offset
        count = len(self.space.tables)
        fitted = self.space.form(values)
        del self.space.tables[count:]
        return offset - scalar + fitted if "table" not in fitted.kinds() else offset

    def on_tt__load(self, op: Operation) -> None:
        segments = op.integers("operandSegmentSizes") or [1, int(len(op.operands) > 1), int(len(op.operands) > 2)]
        target, result = self.env.get(op.operands[0]), op.results[0]
        masked_by = op.operands[1] if segments[1] else None
        mask = self._mask(masked_by)
        other = op.operands[1 + segments[1]] if segments[2] else None
        if isinstance(target, BlockPointer):
            target, mask = self.block_pointer_target(target, op)
        self.record(op, "load", target, result, mask, other, masked_by)
        known = None if op.attributes.get(OLD) else self._table_value(target, result)
        self.env[result] = known or self._loaded(result)

    def _loaded(self, result: Value) -> Abstract:
        if result.type.element in INTEGER_ELEMENTS:
            return self.integers.fresh("data", bool(result.type.shape))
        if result.type.element.startswith("!tt.ptr"):
            return Pointer(None, self.integers.fresh("data", bool(result.type.shape)))
        return UNKNOWN_PREDICATE if result.type.element == "i1" else None

    def _table_value(self, target: Abstract, result: Value) -> Linear | None:
        """A scalar read from an integer tensor whose contents were captured is a known function of the axes."""
        if not isinstance(target, Pointer) or target.base not in self.tables or result.type.shape:
            return None
        positions = self.space.array(target.offset)
        table = self.tables[target.base]
        return None if positions is None else self.space.form(table[np.clip(positions, 0, len(table) - 1)])

    def _mask(self, masked_by: Value | None) -> Abstract:
        return None if masked_by is None else self.env.get(masked_by, UNKNOWN_PREDICATE)

    def on_tt__store(self, op: Operation) -> None:
        target = self.env.get(op.operands[0])
        masked_by = op.operands[2] if len(op.operands) > 2 else None
        mask = self._mask(masked_by)
        if isinstance(target, BlockPointer):
            target, mask = self.block_pointer_target(target, op)
        self.record(op, "store", target, op.operands[1], mask, masked_by=masked_by)

    def on_tt__update(self, op: Operation) -> None:
        """The writing of an atomic that was taken apart."""
        pointer, value, old, *mask = op.operands
        masked_by = mask[0] if mask else None
        self.record(op, "atomic", self.env.get(pointer), value, self._mask(masked_by), masked_by=masked_by, old=old)

    def on_tt__atomic_rmw(self, op: Operation) -> None:
        """An atomic of a kind that is not known, as a whole."""
        masked_by = op.operands[2] if len(op.operands) > 2 else None
        self._atomic(op, op.operands[1], masked_by)

    def on_tt__atomic_cas(self, op: Operation) -> None:
        self._atomic(op, op.operands[2], None)

    def _atomic(self, op: Operation, value: Value, masked_by: Value | None) -> None:
        self.record(op, "atomic", self.env.get(op.operands[0]), value, self._mask(masked_by), masked_by=masked_by)
        for result in op.results:
            self.env[result] = self.integers.fresh("data", True) if _is_index(result.type) else None


def _is_index(kind: Type) -> bool:
    return kind.element in INTEGER_ELEMENTS or kind.element == "i1"


def _combine_predicates(name: str, a: Abstract, b: Abstract) -> Predicate:
    left, right = _as_predicate(a), _as_predicate(b)
    if name == "andi":
        return left & right
    return Predicate((), exact=False, data=left.data or right.data)


def _as_predicate(known: Abstract) -> Predicate:
    if isinstance(known, Predicate):
        return known
    if isinstance(known, Linear) and known.is_constant:
        return Predicate() if known.const else Predicate((Linear(-1),))
    return UNKNOWN_PREDICATE
