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
        """Values passed to a later block; two different ones are unknown there."""
        segments = op.integers("operandSegmentSizes") or [0, len(op.operands)]
        position = segments[0]
        for label, width in zip(op.successors, segments[1:], strict=False):
            block = next(b for b in self.analysis.function.regions[0] if b.label == label)
            for argument, value in zip(block.arguments, op.operands[position : position + width], strict=True):
                known = self.env.get(value)
                seen = argument in self.env and self.env[argument] != known
                self.env[argument] = self.default(op, argument.type) if seen else known
            position += width

    on_cf__br = on_cf__cond_br
