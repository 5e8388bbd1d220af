"""Slots of DST: random expressions are right, never beyond the capacity, and trees take as few slots as they can."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from emit.slot_machine import Machine
from hypothesis import given
from hypothesis import strategies as st

from cpplan.emit_ttmetal.dst import OutOfSlots, Phase
from cpplan.emit_ttmetal.nodes import Apply, Fold, Node, Number, Read, children, slots_needed
from cpplan.emit_ttmetal.ops import FLOAT, IMMEDIATE
from cpplan.emit_ttmetal.program import ComputeConfig
from cpplan.emit_ttmetal.text import Text, number, symbol
from cpplan.emit_ttmetal.unit import Unit

PAGES = {"cb_x": [np.float32(1 + i) * np.array([[1, -2], [3, 5]], dtype=np.float32) for i in range(4)]}
VALUES = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def emitted(node: Node, capacity: int, share: bool = True) -> tuple[list[str], int]:
    """Lines that compute ``node`` and the slot it is in."""
    text = Text()
    names = {"x": "cb_x"}
    unit = Unit(names, {"x": "fp32"}, "Float32")
    slot = Phase(text, unit, capacity, share).compute(node)
    return text.lines, slot


def value(node: Node, variables: Mapping[str, int] = {}) -> np.ndarray:
    """What ``node`` means."""
    like = PAGES["cb_x"][0]
    match node:
        case Read(page=page):
            return PAGES["cb_x"][page.const + sum(f * variables[n] for n, f in page.terms)]
        case Number(value=number):
            return np.full_like(like, number)
        case Fold(kind=kind, loops=((name, count),), body=body):
            parts = [value(body, {**variables, name: i}) for i in range(count)]
            return np.sum(parts, axis=0) if kind == "sum" else np.max(parts, axis=0)
        case Apply(row=row, operands=operands, number=factor):
            parts = [value(operand, variables) for operand in operands]
            kind = next(k for t in (FLOAT, IMMEDIATE) for k, r in t.items() if r is row)
            if kind == "neg":
                return -parts[0]
            if kind == "abs":
                return np.abs(parts[0])
            if kind == "where":
                return np.where(parts[0] != 0, parts[1], parts[2])
            return VALUES[kind](parts[0], parts[1] if len(parts) > 1 else np.float32(factor))
    raise NotImplementedError(node)


@st.composite
def expressions(draw: st.DrawFn, shared: bool = True, depth: int = 4) -> Node:
    """Trees, or with ``shared`` graphs in which parts are used more than once."""
    made: list[Node] = []

    def node(level: int) -> Node:
        if shared and made and draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(made))
        kind = draw(
            st.sampled_from(("read", "number", *(() if level == 0 else ("one", "scalar", "two", "two", "three"))))
        )
        found: Node
        match kind:
            case "read":
                found = Read("x", number(draw(st.integers(0, 3))), "copy")
            case "number":
                found = Number(float(draw(st.integers(-3, 3))))
            case "one":
                found = Apply(FLOAT[draw(st.sampled_from(("neg", "abs")))], (node(level - 1),))
            case "scalar":
                found = Apply(IMMEDIATE[draw(st.sampled_from(("add", "mul")))], (node(level - 1),), 2.0)
            case "two":
                row = FLOAT[draw(st.sampled_from(("add", "sub", "mul", "max", "min")))]
                found = Apply(row, (node(level - 1), node(level - 1)))
            case _:
                found = Apply(FLOAT["where"], tuple(node(level - 1) for _ in range(3)))
        made.append(found)
        return found

    return node(depth)


@given(expressions(), st.booleans())
def test_random_expressions_are_computed_right(node: Node, share: bool) -> None:
    capacity = 8
    try:
        lines, slot = emitted(node, capacity, share)
    except OutOfSlots:
        assert len(parts_of(node)) > capacity  # one slot each would do
        return
    machine = Machine(PAGES, capacity)
    machine.run(lines)
    np.testing.assert_array_equal(machine.slots[slot], value(node))


def parts_of(node: Node) -> set[Node]:
    """All nodes of an expression."""
    return {node}.union(*map(parts_of, children(node)))


@given(expressions(shared=False))
def test_trees_take_as_many_slots_as_the_recurrence_says_and_no_more(node: Node) -> None:
    needed = slots_needed(node)
    lines, _ = emitted(node, needed)
    machine = Machine(PAGES, needed)
    machine.run(lines)
    assert machine.most + 1 == needed == fewest(node)
    if needed > 1:
        with pytest.raises(OutOfSlots):
            emitted(node, needed - 1)


def fewest(node: Node) -> int:
    """Slots by trying all orders of operands."""
    from itertools import permutations

    parts = children(node)
    if not parts:
        return 1
    return min(max(fewest(part) + held for held, part in enumerate(order)) for order in permutations(parts))


@given(expressions(shared=False, depth=2), st.sampled_from(("sum", "max")))
def test_folds_over_pages(body: Node, kind: str) -> None:
    along = Read("x", symbol("t"), "copy")
    node = Fold(kind, (("t", 3),), (), Apply(FLOAT["add"], (along, body)))  # type: ignore[arg-type]
    lines, slot = emitted(node, 8)
    machine = Machine(PAGES, 8)
    machine.run(lines)
    np.testing.assert_array_equal(machine.slots[slot], value(node))


@pytest.mark.parametrize(
    ("wide", "full", "tiles"), [(False, False, 8), (True, False, 4), (False, True, 16), (True, True, 8)]
)
def test_capacity_of_the_destination_registers(wide: bool, full: bool, tiles: int) -> None:
    assert ComputeConfig(fp32_dest_acc=wide, dst_full_sync=full).dst_tiles == tiles
