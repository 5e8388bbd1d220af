"""Rules for operations that reshape index tensors, move pointers, and make descriptors or block pointers."""

from __future__ import annotations

from collections.abc import Callable

from cpplan.frontend.generic import Operation, Value
from cpplan.frontend.linear import (
    Abstract,
    Atom,
    BlockPointer,
    Descriptor,
    Linear,
    Pointer,
    Predicate,
)
from cpplan.frontend.walker_base import WalkerBase

NewLane = Callable[[int], int | None]


class TensorRules(WalkerBase):
    """Index tensors, pointers, descriptors, block pointers."""

    # -- lanes ---------------------------------------------------------------------------------------------------------

    def on_tt__make_range(self, op: Operation) -> None:
        start, end = op.integer("start"), op.integer("end")
        lane = Linear(start, ((Atom("lane", 0), 1),))
        self.env[op.results[0]] = lane if end - start > 1 else Linear(start)

    def _same(self, op: Operation) -> None:
        self.env[op.results[0]] = self.env.get(op.operands[0])

    on_tt__splat = on_tt__broadcast = on_tt__unsplat = on_tt__bitcast = _same

    def on_tt__expand_dims(self, op: Operation) -> None:
        axis = op.integer("axis")
        self._renumber(op, lambda lane: lane + (lane >= axis))

    def on_tt__trans(self, op: Operation) -> None:
        order = op.integers("order")
        self._renumber(op, order.index)

    def on_tt__reshape(self, op: Operation) -> None:
        before, after = op.operands[0].type.shape, op.results[0].type.shape
        kept_before = [i for i, extent in enumerate(before) if extent > 1]
        kept_after = [i for i, extent in enumerate(after) if extent > 1]
        known = self.env.get(op.operands[0])
        if [before[i] for i in kept_before] == [after[i] for i in kept_after]:
            moved = dict(zip(kept_before, kept_after, strict=True))
            self._renumber(op, moved.get)
        elif isinstance(known, Linear) and "lane" not in known.kinds() and not known.kinds() & {"lanes", "data"}:
            self.env[op.results[0]] = known
        elif isinstance(known, Linear):
            self.env[op.results[0]] = self._flattened(known, before, after) or self.integers.unknown((known,), after)
        else:
            self.env[op.results[0]] = self.default(op, op.results[0].type)

    def _flattened(self, known: Linear, before: tuple[int, ...], after: tuple[int, ...]) -> Linear | None:
        """A row-major ramp stays one under any reshape; other forms do not survive in general."""
        steps, wide = _row_major(before), [d for d in range(len(before)) if before[d] > 1]
        scale = known.coefficient(Atom("lane", wide[-1])) // steps[wide[-1]] if wide else 0
        wanted = [(Atom("lane", d), scale * steps[d]) for d in wide]
        if any(known.coefficient(atom) != c for atom, c in wanted) or known.kinds() & {"lanes", "data"}:
            return None
        rest = known.keeping(lambda a: a.kind != "lane", const=True)
        new = _row_major(after)
        return rest + Linear.of((Atom("lane", d), scale * new[d]) for d in range(len(after)) if after[d] > 1)

    def _renumber(self, op: Operation, new_lane: NewLane) -> None:
        known = self.env.get(op.operands[0])
        if isinstance(known, Pointer):
            known = Pointer(known.base, known.offset.with_lanes(new_lane))
        elif isinstance(known, (Linear, Predicate)):
            known = known.with_lanes(new_lane)
        self.env[op.results[0]] = known

    # -- pointers ------------------------------------------------------------------------------------------------------

    def on_tt__addptr(self, op: Operation) -> None:
        pointer, per_lane = self.env.get(op.operands[0]), bool(op.results[0].type.shape)
        step = self.linear_or(op.operands[1], self.integers.fresh("data", per_lane))
        known = pointer if isinstance(pointer, Pointer) else Pointer(None, Linear())
        self.env[op.results[0]] = Pointer(known.base, known.offset + step)

    def on_tt__int_to_ptr(self, op: Operation) -> None:
        self.env[op.results[0]] = Pointer(None, self.integers.fresh("data"))

    # -- descriptors and block pointers --------------------------------------------------------------------------------

    def on_tt__make_tensor_descriptor(self, op: Operation) -> None:
        rank = (len(op.operands) - 1) // 2
        self.env[op.results[0]] = self._descriptor(op, rank)

    def _descriptor(self, op: Operation, rank: int) -> Descriptor | None:
        pointer = self.env.get(op.operands[0])
        integers = self.linears(op.operands[1 : 1 + 2 * rank])
        if not isinstance(pointer, Pointer):
            return None
        return Descriptor(pointer.base, pointer.offset, integers[:rank], integers[rank:])

    def on_tt__make_tensor_ptr(self, op: Operation) -> None:
        rank = (len(op.operands) - 1) // 3
        descriptor = self._descriptor(op, rank)
        offsets = self.linears(op.operands[1 + 2 * rank :])
        self.env[op.results[0]] = BlockPointer(descriptor, offsets) if descriptor else None

    def on_tt__advance(self, op: Operation) -> None:
        known = self.env.get(op.operands[0])
        steps = self.linears(op.operands[1:])
        if isinstance(known, BlockPointer):
            moved = tuple(a + b for a, b in zip(known.offsets, steps, strict=True))
            known = BlockPointer(known.descriptor, moved)
        self.env[op.results[0]] = known

    def block_pointer_target(self, known: BlockPointer, op: Operation) -> tuple[Pointer, Predicate]:
        """Address and mask of an access through a block pointer; only checked axes are guarded."""
        checked = op.integers("boundaryCheck")
        return self._tile(known.descriptor, known.offsets, checked, len(known.offsets))

    def _tile(
        self, descriptor: Descriptor, starts: tuple[Linear, ...], checked: list[int], rank: int
    ) -> tuple[Pointer, Predicate]:
        """Address and mask of a tile; one of smaller ``rank`` than the tensor has lost its leading axes of extent 1."""
        offset, forms = descriptor.offset, []
        for axis, start in enumerate(starts):
            lane = axis - (len(starts) - rank)
            position = start + Linear.atom(Atom("lane", lane)) if lane >= 0 else start
            stride = descriptor.strides[axis]
            offset = offset + (position.scaled(stride.const) if stride.is_constant else self.integers.fresh("opaque"))
            if axis in checked:
                forms.append(descriptor.shape[axis] - position.shifted(1))
        return Pointer(descriptor.base, offset), Predicate(tuple(forms))

    def _descriptor_target(self, op: Operation, indices: list[Value], tile: Value) -> tuple[Abstract, Abstract]:
        descriptor = self.env.get(op.operands[0])
        starts = tuple(self.linear_or(value, self.integers.fresh("data")) for value in indices)
        if not isinstance(descriptor, Descriptor):
            return None, None
        return self._tile(descriptor, starts, list(range(len(starts))), len(tile.type.shape))

    def on_tt__descriptor_load(self, op: Operation) -> None:
        target, mask = self._descriptor_target(op, op.operands[1:], op.results[0])
        self.record(op, "load", target, op.results[0], mask)
        self.env[op.results[0]] = self.default(op, op.results[0].type)

    def on_tt__descriptor_store(self, op: Operation) -> None:
        target, mask = self._descriptor_target(op, op.operands[2:], op.operands[1])
        self.record(op, "store", target, op.operands[1], mask)

    def on_tt__descriptor_update(self, op: Operation) -> None:
        """The writing of a ``descriptor_reduce`` that was taken apart."""
        target, mask = self._descriptor_target(op, op.operands[3:], op.operands[1])
        self.record(op, "atomic", target, op.operands[1], mask, old=op.operands[2])

    def on_tt__descriptor_reduce(self, op: Operation) -> None:
        target, mask = self._descriptor_target(op, op.operands[2:], op.operands[1])
        self.record(op, "atomic", target, op.operands[1], mask)


def _row_major(shape: tuple[int, ...]) -> list[int]:
    steps = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    return steps
