"""Rules for loops: trip counts per program, and closed forms of integers and pointers carried from trip to trip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cpplan.frontend.generic import Block, Operation, Value
from cpplan.frontend.linear import Abstract, Atom, BlockPointer, Linear, Pointer
from cpplan.frontend.space import MAX_POINTS, Array
from cpplan.frontend.walker_base import WalkerBase

if TYPE_CHECKING:
    from cpplan.frontend.affine import LoopRecord

SWEEPS = 3
"""A carried value may step by another carried value; each sweep resolves one more link of such a chain."""


class LoopRules(WalkerBase):
    """``scf.for`` and ``scf.while``."""

    def on_scf__for(self, op: Operation) -> None:
        record = next(r for r in self.analysis.loops if r.op is op)
        record.parent = self.stack[-1] if self.stack else None
        self._count(record, op)
        body, inits = op.regions[0][0], [self.env.get(v) for v in op.operands[3:]]
        if record.trips is not None and int(record.trips.max()) == 0:  # never runs: what leaves is what entered
            self.env.update(zip(op.results, inits, strict=True))
            return
        self.stack.append(record.index)
        with self.space.loop(record.index, record.trips):
            self.env[body.arguments[0]] = self._induction(op, record.index)
            closed = self._closed_forms(op, body, inits, record.index)
            self.visit_block(body)
        self.stack.pop()
        for position, result in enumerate(op.results):
            self.env[result] = self._after(op, result, inits[position], closed[position], record.index, record.trips)

    def _count(self, record: LoopRecord, op: Operation) -> None:
        """Trip count over the axes outside the loop; none when a bound is only known at run time."""
        lower, upper, step = (self.linear(v) for v in op.operands[:3])
        if lower is None or upper is None or step is None:
            return
        distance, steps = self.space.array(upper - lower), self.space.array(step)  # both bounds may shift by data
        if distance is None or steps is None or bool((steps <= 0).any()):
            return
        record.trips = np.maximum(0, -(-distance // steps))
        record.distance, record.step = distance, int(steps.flat[0]) if steps.size == 1 else None

    def _induction(self, op: Operation, index: int) -> Linear:
        lower, step = self.linear(op.operands[0]), self.linear(op.operands[2])
        if lower is None or step is None or not step.is_constant:
            return self.integers.fresh("opaque")
        if self.space.extents[3 + index] == 1:
            return lower
        return lower + Linear(0, ((Atom("axis", 3 + index), step.const),))

    def _closed_forms(self, op: Operation, body: Block, inits: list[Abstract], index: int) -> list[Linear | None]:
        """Offset of every carried integer or pointer as a function of the iteration; None when there is none."""
        carries = [self.integers.fresh("carry").terms[0][0] for _ in inits]
        for argument, init, carry in zip(body.arguments[1:], inits, carries, strict=True):
            self.env[argument] = _with_offset(init, Linear.atom(carry))
        was_recording, self.recording = self.recording, False
        closed: list[Linear | None] = [None] * len(inits)
        for _ in range(SWEEPS):
            self.visit_block(body)
            yields = [self.env.get(v) for v in body.operations[-1].operands]
            progress = False
            for position, (init, carry) in enumerate(zip(inits, carries, strict=True)):
                start, end = _offset(init), _offset(yields[position])
                if closed[position] is not None or start is None or end is None:
                    continue
                closed[position] = self._closed_form(start, end - Linear.atom(carry), index)
                if closed[position] is not None:
                    self.env[body.arguments[1 + position]] = _with_offset(init, closed[position])
                    progress = True
            if not progress:
                break
        for position, init in enumerate(inits):
            if closed[position] is None and _offset(init) is not None:
                argument = body.arguments[1 + position]
                self.env[argument] = _with_offset(init, self.integers.fresh("data", bool(argument.type.shape)))
        self._close_block_pointers(body, inits, index)
        self.recording = was_recording
        return closed

    def _close_block_pointers(self, body: Block, inits: list[Abstract], index: int) -> None:
        """Block pointers advance by constants: offsets + iteration * step, per axis."""
        for position, init in enumerate(inits):
            if isinstance(init, BlockPointer):
                argument = body.arguments[1 + position]
                self.env[argument] = init
                self.visit_block(body)
                after = self.env.get(body.operations[-1].operands[position])
                assert isinstance(after, BlockPointer)
                moved = tuple(
                    self._closed_form(a, b - a, index) or self.integers.fresh("opaque")
                    for a, b in zip(init.offsets, after.offsets, strict=True)
                )
                self.env[argument] = BlockPointer(init.descriptor, moved)

    def _closed_form(self, start: Linear, step: Linear, index: int) -> Linear | None:
        """``start`` plus the sum of ``step`` over the iterations before this one."""
        if "carry" in step.kinds():
            return None
        axis = Atom("axis", 3 + index)
        ramp = self.space.ramp(3 + index)
        if step.is_constant and not step.const:
            return start
        if ramp is None:  # the iteration is still a symbol, only its extent is unknown
            return start + Linear(0, ((axis, step.const),)) if step.is_constant else None
        if step.is_constant:
            return start if self.space.extents[3 + index] == 1 else start + Linear(0, ((axis, step.const),))
        steps = self.space.array(step)
        if steps is None:
            return None
        shape = np.broadcast_shapes(steps.shape, ramp.shape)
        if int(np.prod(shape)) > MAX_POINTS:
            return None
        spread = np.broadcast_to(steps, shape)
        return start + self.space.form(np.cumsum(spread, axis=3 + index) - spread)

    def _after(
        self, op: Operation, result: Value, init: Abstract, closed: Linear | None, index: int, trips: Array | None
    ) -> Abstract:
        """The carried value when the loop has ended."""
        start = _offset(init)
        if start is None:
            return init if isinstance(init, BlockPointer) else self.default(op, result.type)
        if closed is not None and closed == start:
            return init
        axis = Atom("axis", 3 + index)
        rest = closed.keeping(lambda a: a != axis, const=True) if closed is not None else None
        if closed is None or rest is None or trips is None or self._varies(rest, index):
            return _with_offset(init, self.integers.fresh("data", bool(result.type.shape)))
        step = closed.coefficient(axis)
        if step == 0:  # a single trip, whose step the closed form does not show
            return _with_offset(init, self.integers.fresh("data", bool(result.type.shape)))
        return _with_offset(init, rest + self.space.form(trips).scaled(step))

    def _varies(self, form: Linear, index: int) -> bool:
        return any(a.kind == "table" and self.space.tables[a.number].shape[3 + index] > 1 for a, _ in form.terms)

    def on_scf__while(self, op: Operation) -> None:
        """Carried values of a ``while`` are only known at run time."""
        if self.recording:
            self.analysis.whiles.append(op)
        for region in op.regions:
            for argument in region[0].arguments:
                known = self.default(op, argument.type)
                data = self.integers.fresh("data", bool(argument.type.shape))
                self.env[argument] = data if isinstance(known, Linear) else known
            self.conditional += 1  # nobody knows how often its accesses happen
            self.visit_block(region[0])
            self.conditional -= 1
        for result in op.results:
            known = self.default(op, result.type)
            data = self.integers.fresh("data", bool(result.type.shape))
            self.env[result] = data if isinstance(known, Linear) else known


def _offset(known: Abstract) -> Linear | None:
    if isinstance(known, Pointer):
        return known.offset
    return known if isinstance(known, Linear) else None


def _with_offset(known: Abstract, offset: Linear | None) -> Abstract:
    if offset is None:
        return known
    if isinstance(known, Pointer):
        return Pointer(known.base, offset)
    return offset if isinstance(known, Linear) else known
