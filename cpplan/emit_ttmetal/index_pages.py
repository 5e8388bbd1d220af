"""The pages that number rows and columns of a hardware tile, made by the compute kernel when it starts.

A running sum of ones, less one, numbers rows; transposed it numbers columns; from both come the places in a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cpplan.emit_ttmetal import ops
from cpplan.emit_ttmetal.dst import Phase
from cpplan.emit_ttmetal.forms import COLUMNS, LANES, ROWS
from cpplan.emit_ttmetal.nodes import Apply, Node, Number, Read
from cpplan.emit_ttmetal.text import ZERO, Text, bits
from cpplan.emit_ttmetal.unit import Unit

_COUNTED = ops.Row(ops.CUMSUM.call.format("{0}", first="true"), ops.CUMSUM.init, ops.CUMSUM.header, in_place=True)


def with_sources(pages: Iterable[str]) -> set[str]:
    """``pages`` and those that they are made from."""
    found = set(pages)
    found |= {ROWS} if found else set()
    return found | ({COLUMNS} if LANES in found else set())


def make_pages(text: Text, unit: Unit, wanted: set[str], capacity: int) -> None:
    """Fill the buffers of ``wanted`` pages (:func:`with_sources`)."""
    if wanted:
        text.line("// Numbers of the rows and columns of a hardware tile, for masks and indices")
    for page, node in _nodes():
        if page in wanted:
            cb = unit.names[page]
            text.line(f"cb_reserve_back({cb}, 1);")
            text.line("tile_regs_acquire();")
            slot = Phase(text, unit, capacity).compute(node)
            text.line("tile_regs_commit();")
            text.line("tile_regs_wait();")
            unit.pack(text, slot, page)
            text.line("tile_regs_release();")
            text.line(f"cb_push_back({cb}, 1);")
            text.line(f"cb_wait_front({cb}, 1);")
    unit.used.clear()


def drop_pages(text: Text, unit: Unit, wanted: set[str]) -> None:
    """Give them up at the end of the kernel."""
    for page in sorted(wanted):
        text.line(f"cb_pop_front({unit.names[page]}, 1);")


def _nodes() -> Iterator[tuple[str, Node]]:
    counted = Apply(_COUNTED, (Number(1.0),))
    yield ROWS, Apply(ops.IMMEDIATE["sub"], (counted,), 1.0)
    yield COLUMNS, Read(ROWS, ZERO, "transpose")
    rows, columns = Read(ROWS, ZERO, "copy"), Read(COLUMNS, ZERO, "copy")
    flat = _add(_times(rows, 16.0), columns)
    low, right = (Apply(ops.IMMEDIATE["cmp_ge"], (page,), 16.0) for page in (rows, columns))
    yield LANES, _add(flat, _add(_times(low, 256.0), _times(right, 240.0)))  # faces of 16 x 16 follow each other


def _add(left: Node, right: Node) -> Node:
    return Apply(ops.FLOAT["add"], (left, right))


def _times(node: Node, factor: float) -> Node:
    return Apply(ops.IMMEDIATE["mul"], (node,), factor)


FLOAT_BITS = f"""\
namespace plan {{

// A whole number as the bits of a float; exact below 2^24.
inline uint32_t float_bits(int32_t number) {{
    if (number == 0) return {bits(0.0)};
    const uint32_t size = number < 0 ? 0u - static_cast<uint32_t>(number) : static_cast<uint32_t>(number);
    uint32_t exponent = 0;
    while (size >> exponent > 1) ++exponent;
    const uint32_t fraction = exponent < 24 ? size << (23 - exponent) : size >> (exponent - 23);
    return (number < 0 ? 0x80000000u : 0u) | (127 + exponent) << 23 | (fraction & 0x7fffffu);
}}

}}  // namespace plan
"""
"""Masks compare numbers that depend on the block; they are added to slots as floats."""
