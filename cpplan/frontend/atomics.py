"""Atomic read-modify-writes taken apart: a load of what is there, an op on it, and an update that stores the result.

What a block computes is thus in the body like everything else, the traffic of the reading is an access of its own, and
the update knows which load it belongs to: nothing may be written between the two. An exchange has no op. A compare and
swap stays whole.
"""

from __future__ import annotations

from cpplan.frontend.generic import Block, Operation, Value

UPDATE = "tt.update"
"""Operands: pointer, new value, old value, mask if there is one."""

DESCRIPTOR_UPDATE = "tt.descriptor_update"
"""Operands: descriptor, new value, old value, indices."""

OLD = "cpplan.old"
"""Attribute of a load that reads what an update replaces."""

EXCHANGE = "exchange"

RMW = {
    1: "arith.andi", 2: "arith.ori", 3: "arith.xori", 4: "arith.addi", 5: "arith.addf", 6: "arith.maxsi",
    7: "arith.minsi", 8: "arith.maxui", 9: "arith.minui", 10: EXCHANGE,
}  # fmt: skip
"""What each ``atomic_rmw_op`` computes (source: RMWOp in Triton's TritonAttrDefs.td)."""

REDUCE = {1: "add", 2: "min", 3: "max", 6: "and", 7: "or", 8: "xor"}
"""The same of each ``kind`` of ``tt.descriptor_reduce``; what increments and wraps stays whole."""

_OF_FLOATS = {"add": "arith.addf", "min": "arith.minnumf", "max": "arith.maxnumf"}
_OF_INTEGERS = {
    "add": "arith.addi", "min": "arith.minsi", "max": "arith.maxsi", "and": "arith.andi", "or": "arith.ori",
    "xor": "arith.xori",
}  # fmt: skip


def taken_apart(module: Operation) -> Operation:
    """``module``, in which atomics were replaced by their parts, wherever they stand."""
    for op in list(module.walk()):
        for region in op.regions:
            for block in region:
                _take_apart(block)
    return module


def _take_apart(block: Block) -> None:
    operations: list[Operation] = []
    for op in block.operations:
        if op.name == "tt.atomic_rmw" and op.integer("atomic_rmw_op") in RMW:
            operations += _of_pointer(op, RMW[op.integer("atomic_rmw_op")])
        elif op.name == "tt.descriptor_reduce" and op.integer("kind") in REDUCE:
            operations += _of_descriptor(op, REDUCE[op.integer("kind")])
        else:
            operations.append(op)
    block.operations = operations


def _of_pointer(op: Operation, name: str) -> list[Operation]:
    pointer, operand, *mask = op.operands
    (old,) = op.results or [Value(operand.type)]
    load = Operation("tt.load", [pointer, *mask], location=op.location)
    load.attributes = {"operandSegmentSizes": [1, len(mask), 0], OLD: True}
    _give(load, old)
    computing, new = _computed(op, name, old, operand)
    return [load, *computing, Operation(UPDATE, [pointer, new, old, *mask], location=op.location)]


def _of_descriptor(op: Operation, name: str) -> list[Operation]:
    descriptor, operand, *indices = op.operands
    old = Value(operand.type)
    load = Operation("tt.descriptor_load", [descriptor, *indices], attributes={OLD: True}, location=op.location)
    _give(load, old)
    is_whole = operand.type.element.startswith("i")
    computing, new = _computed(op, (_OF_INTEGERS if is_whole else _OF_FLOATS).get(name, name), old, operand)
    return [load, *computing, Operation(DESCRIPTOR_UPDATE, [descriptor, new, old, *indices], location=op.location)]


def _computed(op: Operation, name: str, old: Value, operand: Value) -> tuple[list[Operation], Value]:
    if name == EXCHANGE:
        return [], operand
    made = Operation(name, [old, operand], location=op.location)
    new = Value(operand.type, label="updated")
    _give(made, new)
    return [made], new


def _give(op: Operation, result: Value) -> None:
    """``result`` becomes that of ``op``."""
    op.results, result.op, result.index = [result], op, 0
    result.label = result.label or "old"
