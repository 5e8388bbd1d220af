"""Expressions into the registers of the compute unit: one phase of DST, with a slot per tile.

Slots are handed out lowest first; of the operands of a node that which needs most slots is computed first (Sethi and
Ullman 1970), so that a tree takes as few as possible. A number beside an operand becomes part of the operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from cpplan.emit_ttmetal import ops
from cpplan.emit_ttmetal.nodes import Apply, Dot, Fold, Node, Number, Read, children, slots_needed
from cpplan.emit_ttmetal.text import Text, bits, written
from cpplan.emit_ttmetal.unit import Unit
from cpplan.tile.program import Affine

NEUTRAL = {"sum": 0.0, "max": float("-inf"), "min": float("inf")}
"""What each reduction starts from."""

_JOINS = {"sum": "add", "max": "max", "min": "min"}


class OutOfSlots(Exception):
    """The expression needs more DST slots than there are."""


def fill_bits(value: float | Affine, domain: ops.Domain = "float") -> str:
    """A number as an argument of a call; integers computed on the way go through ``float_bits_of``."""
    if domain == "int":
        return f"static_cast<uint32_t>({written(value)})" if isinstance(value, Affine) else f"{int(value)}"
    return f"plan::float_bits({written(value)})" if isinstance(value, Affine) else bits(value)


@dataclass
class Phase:
    """Emission of the expressions of one phase of DST with ``capacity`` slots from ``base`` on.

    ``share_reads``: a page that is used twice is kept in its slot; else it is read again, which takes fewer slots.
    To the matrix unit slots hold zeros until something is written to them.
    """

    text: Text
    unit: Unit
    capacity: int
    share_reads: bool = True
    base: int = 0
    free: list[int] = field(default_factory=list)
    _written: set[int] = field(default_factory=set)
    _depth: int = 0
    _pinned: int = 0
    _held: dict[Node, int] = field(default_factory=dict)
    _uses: Counter[Node] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.free = list(range(self.base, self.base + self.capacity))

    def pin(self, count: int) -> range:
        """The first ``count`` slots, for results."""
        if count > self.capacity:
            raise OutOfSlots
        self.free = [slot for slot in self.free if slot >= count]
        self._pinned = count
        return range(count)

    def compute(self, node: Node, into: int | None = None, given: Mapping[Node, int] | None = None) -> int:
        """Emit ``node`` and all it needs but what is ``given`` in slots; returns its slot, ``into`` if that is said."""
        with self._scope(node, given or {}):
            slot = self._value(node, into)
            if into is not None and slot != into:  # it was held elsewhere
                self._apply(ops.COPY if node.domain == "float" else ops.COPY_INT, (slot,), into)
                self._release(slot)
                return into
            return slot

    def give_back(self, slot: int) -> None:
        """``slot`` is no longer needed."""
        self._release(slot)

    # -- nodes ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _scope(self, root: Node, given: Mapping[Node, int]) -> Iterator[None]:
        held, uses = self._held, self._uses
        self._held, self._uses = dict(given), Counter()
        self._count(root, set())
        yield
        self._held, self._uses = held, uses

    def _count(self, node: Node, seen: set[Node]) -> None:
        self._uses[node] += 1
        if node not in seen and node not in self._held:
            seen.add(node)
            for child in children(node):
                self._count(child, seen)

    def _value(self, node: Node, into: int | None = None) -> int:
        if node in self._held:
            return self._held[node]
        match node:
            case Read():
                slot = self._take(into)
                self.unit.read(self.text, node, slot)
                self._written.add(slot)
            case Number(value=value, domain=domain):
                slot = self._take(into)
                row = ops.FILL if domain == "float" else ops.FILL_INT
                self._apply(row, (), slot, number=value)
            case Apply():
                slot = self._applied(node, into)
            case Fold():
                slot = self._folded(node, into)
            case Dot():
                slot = self._dot(node, into)
        if isinstance(node, Read | Number) and not self.share_reads:
            return slot
        self._held[node] = slot
        return slot

    def _done(self, node: Node, slot: int) -> bool:
        """One use of ``node`` is over; whether its slot is free to be overwritten."""
        if isinstance(node, Read | Number) and not self.share_reads:
            return True
        self._uses[node] -= 1
        if self._uses[node]:
            return False
        self._held.pop(node)
        return True

    def _applied(self, node: Apply, into: int | None) -> int:
        if node.row.in_place:
            (operand,) = node.operands
            last = self._uses[operand] == 1 and operand not in self._held
            slot = self._value(operand, into if last else None)
            if not self._done(operand, slot):
                kept, slot = slot, self._take(into)
                self._apply(ops.COPY if operand.domain == "float" else ops.COPY_INT, (kept,), slot)
            elif into is not None and slot != into:
                self._apply(ops.COPY if operand.domain == "float" else ops.COPY_INT, (slot,), into)
                self._release(slot)
                slot = into
            self._apply(node.row, (slot,), slot, number=node.number)
            return slot
        order = sorted(range(len(node.operands)), key=lambda i: -slots_needed(node.operands[i]))
        slots = [0] * len(node.operands)
        for position in order:
            slots[position] = self._value(node.operands[position])
        ended = {slots[i] for i in order if self._done(node.operands[i], slots[i])}
        out = into if into is not None else (min(ended) if ended else self._take(None))
        self._apply(node.row, tuple(slots), out, number=node.number)
        for slot in ended - {out}:
            self._release(slot)
        return out

    def _folded(self, node: Fold, into: int | None) -> int:
        if node.loops:
            slot = self._take(into)
            self._apply(ops.FILL, (), slot, number=NEUTRAL[node.kind])
            with self._loops(node.loops):
                part = self.compute(node.body)
                self._apply(ops.FLOAT[_JOINS[node.kind]], (slot, part), slot)
                self._release(part)
        else:
            slot = self.compute(node.body, into)
        for axis in node.axes:
            self._apply(ops.REDUCE[node.kind], (slot,), slot, axis=axis)
        return slot

    @contextmanager
    def _loops(self, loops: tuple[tuple[str, int], ...]) -> Iterator[None]:
        with ExitStack() as stack:
            for name, count in loops:
                stack.enter_context(self.text.block(f"for (uint32_t {name} = 0; {name} < {count}; ++{name})"))
            self.unit.forget()
            self._depth += 1
            yield
            self._depth -= 1
        self.unit.forget()

    def _is_zero(self, slot: int) -> bool:
        return slot not in self._written and not self._depth

    def _dot(self, node: Dot, into: int | None) -> int:
        if node.initial is not None:
            last = self._uses[node.initial] == 1 and node.initial not in self._held
            slot = self._value(node.initial, into if last else None)
            if not self._done(node.initial, slot) or (into is not None and slot != into):
                kept, slot = slot, self._take(into)
                self._apply(ops.COPY, (kept,), slot)
        else:
            slot = self._take(into)
            if not self._is_zero(slot):
                self._apply(ops.FILL, (), slot, number=0.0)
        self.unit.multiply(self.text, node, slot, 1, 1)
        self._written.add(slot)
        return slot

    # -- slots and calls -----------------------------------------------------------------------------------------------

    def _take(self, into: int | None) -> int:
        if into is not None:
            return into
        if not self.free:
            raise OutOfSlots
        return self.free.pop(0)

    def _release(self, slot: int) -> None:
        if slot not in self.free and slot >= self._pinned:
            self.free.append(slot)
            self.free.sort()

    def _apply(
        self, row: ops.Row, slots: tuple[int, ...], out: int, number: float | Affine = 0.0, axis: str = ""
    ) -> None:
        domain: ops.Domain = "int" if row is ops.FILL_INT else "float"
        self.unit.apply(self.text, row, slots, out, fill_bits(number, domain), axis)
        self._written.add(out)
