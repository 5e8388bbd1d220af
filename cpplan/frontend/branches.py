"""Rules for branches: decided ones are followed, others mark what they guard as conditional."""

from __future__ import annotations

from cpplan.frontend.generic import Operation, Value
from cpplan.frontend.linear import Abstract, Linear, Pointer
from cpplan.frontend.walker_base import WalkerBase


class BranchRules(WalkerBase):
    """``scf.if`` and the branches of an early return."""

    def on_scf__if(self, op: Operation) -> None:
        verdict = self.integers.decide(self.env.get(op.operands[0]), ())
        self.analysis.conditions[op] = verdict
        outcomes: list[list[Abstract]] = []
        for position, region in enumerate(op.regions):
            if not region or verdict is (position == 1):
                continue
            self.conditional += verdict is None
            self.visit_block(region[0])
            self.conditional -= verdict is None
            outcomes.append([self.env.get(v) for v in region[0].operations[-1].operands])
        for index, result in enumerate(op.results):
            self.env[result] = self._merge(op, result, [outcome[index] for outcome in outcomes])

    def _merge(self, op: Operation, result: Value, known: list[Abstract]) -> Abstract:
        first, last = known[0], known[-1]
        if first == last:
            return first
        condition, shape = self.env.get(op.operands[0]), result.type.shape
        if isinstance(first, Linear) and isinstance(last, Linear):
            return self.integers.select(condition, first, last, shape)
        if isinstance(first, Pointer) and isinstance(last, Pointer):
            base = first.base if first.base == last.base else None
            return Pointer(base, self.integers.select(condition, first.offset, last.offset, shape))
        return self.default(op, result.type)

    def on_cf__cond_br(self, op: Operation) -> None:
        """An early return: a decided branch reaches one block, an undecided one makes both conditional."""
        verdict = self.integers.decide(self.env.get(op.operands[0]), ())
        _, *widths = op.integers("operandSegmentSizes") or [1, 0, 0]
        position = 1
        for index, (label, width) in enumerate(zip(op.successors, widths, strict=True)):
            if verdict is None or verdict is (index == 0):
                self._reach(op, label, op.operands[position : position + width], verdict is None)
            position += width

    def on_cf__br(self, op: Operation) -> None:
        """An unconditional jump."""
        self._reach(op, op.successors[0], op.operands, False)

    def _reach(self, op: Operation, label: str, values: list[Value], conditional: bool) -> None:
        """Note that a block is reached, and what its arguments are; two different values are unknown there."""
        block = next(b for b in self.analysis.function.regions[0] if b.label == label)
        self.reached[label] = max(self.reached.get(label, 0), int(conditional or self.conditional > 0))
        for argument, value in zip(block.arguments, values, strict=True):
            known = self.env.get(value)
            differs = argument in self.env and self.env[argument] != known
            self.env[argument] = self.default(op, argument.type) if differs else known
