"""Atomic read-modify-writes taken apart: a load of what is there, an op on it, and an update that stores the result.

What a block computes is thus in the body like everything else, the traffic of the reading is an access of its own, and
the update knows which load it belongs to: nothing may be written between the two. An exchange has no op. A compare and
swap stays whole.

Triton makes a maximum (minimum) of floats from two atomics on their bits: a signed maximum where the operand is not
negative and an unsigned minimum where it is. These are one atomic of floats again, unless their results are used.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection

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

OF_BITS = {("arith.maxsi", "arith.minui"): "arith.maxnumf", ("arith.minsi", "arith.maxui"): "arith.minnumf"}
"""What two atomics on the bits of floats are together: that of operands that are not negative comes first."""

REDUCE = {1: "add", 2: "min", 3: "max", 6: "and", 7: "or", 8: "xor"}
"""The same of each ``kind`` of ``tt.descriptor_reduce``; what increments and wraps stays whole."""

_OF_FLOATS = {"add": "arith.addf", "min": "arith.minnumf", "max": "arith.maxnumf"}
_OF_INTEGERS = {
    "add": "arith.addi", "min": "arith.minsi", "max": "arith.maxsi", "and": "arith.andi", "or": "arith.ori",
    "xor": "arith.xori",
}  # fmt: skip


def taken_apart(module: Operation) -> Operation:
    """``module``, in which atomics were replaced by their parts, wherever they stand."""
    used = {operand for op in module.walk() for operand in op.operands}
    for op in list(module.walk()):
        for region in op.regions:
            for block in region:
                _take_apart(block, used)
    return module


def _take_apart(block: Block, used: Collection[Value]) -> None:
    operations: list[Operation] = []
    atomics = [op for op in block.operations if op.name == "tt.atomic_rmw" and op.integer("atomic_rmw_op") in RMW]
    found = {(first, second): _of_floats(first, second, used) for first, second in itertools.pairwise(atomics)}
    pairs = {first: whole for (first, _), whole in found.items() if whole is not None}
    halves = {second for first, second in found if first in pairs}
    for op in block.operations:
        if op in pairs or op in halves:
            operations += pairs.get(op, [])
        elif op in atomics:
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


def _of_floats(first: Operation, second: Operation, used: Collection[Value]) -> list[Operation] | None:
    """One atomic of floats for two on their bits; None where they are something else."""
    name = OF_BITS.get((RMW[first.integer("atomic_rmw_op")], RMW[second.integer("atomic_rmw_op")]))
    pointer, bits = (_before_cast(value) for value in first.operands[:2])
    if name is None or first.operands[:2] != second.operands[:2] or pointer is None or bits is None:
        return None
    if not bits.type.element.startswith("f") or any(result in used for result in (*first.results, *second.results)):
        return None
    masks = [_conjuncts(op.operands[2]) if len(op.operands) > 2 else [] for op in (first, second)]
    shared = [value for value in masks[0] if value in masks[1]]
    signs = [[value for value in mask if value not in shared] for mask in masks]
    if len(shared) > 1 or [len(sign) for sign in signs] != [1, 1]:
        return None
    if not _are_signs(signs[0][0], signs[1][0], first.operands[1]):
        return None
    whole = Operation(first.name, [pointer, bits, *shared], location=first.location)
    return _of_pointer(whole, name)


def _before_cast(value: Value) -> Value | None:
    """What a value is the bits of."""
    return value.op.operands[0] if value.op is not None and value.op.name in ("tt.bitcast", "arith.bitcast") else None


def _conjuncts(mask: Value) -> list[Value]:
    return list(mask.op.operands) if mask.op is not None and mask.op.name == "arith.andi" else [mask]


def _are_signs(positive: Value, negative: Value, bits: Value) -> bool:
    """Whether ``negative`` says that the sign bit is set, and ``positive`` that it is not."""
    inverse, test = positive.op, negative.op
    if inverse is None or test is None or test.name != "arith.cmpi" or test.integer("predicate") != 1:
        return False
    is_other = inverse.name == "arith.cmpi" and inverse.integer("predicate") == 0 and inverse.operands == test.operands
    if not is_other and (inverse.name != "arith.xori" or inverse.operands[0] is not negative):
        return False
    shift = test.operands[0].op
    return shift is not None and shift.name == "arith.shrui" and shift.operands[0] is bits


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
