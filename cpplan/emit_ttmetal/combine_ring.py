"""Partial states that go around a ring of cores in parts, as the compute thread sends and combines them.

Every state combines element by element, so a part of its pages needs no other. A state lies in one block, of which
pages are replaced in order; those outside the part at hand are copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cpplan.cost.model import COMBINE
from cpplan.emit_ttmetal.lives import Where
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.nodes import Apply, Node, Read
from cpplan.emit_ttmetal.ops import FLOAT, INTEGER, Domain
from cpplan.emit_ttmetal.places import Place
from cpplan.emit_ttmetal.text import plus, scaled, symbol
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.buffers import OUTGOING
from cpplan.tile.reduction import Reduction, State

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.body import Body

ROWS = {"sum": "add", "max": "max", "min": "min"}
PAGE, PART = symbol("ring_page"), symbol("ring_first_page")


def exchange_in_ring(body: Body, reduction: Reduction, where: Where) -> None:
    """``n - 1`` steps in which every core sends one part and combines another, then the gathering by the first core."""
    text = body.text
    cores = cores_per_dim(body.schedule.plan.spatial)[reduction.loop]
    core = f"core_{identifier(reduction.loop)}"
    text.line(f"// loop {reduction.loop}: parts of the states go around the ring of {cores} cores")
    with text.block(f"for (int32_t ring_step = 0; ring_step < {cores - 1}; ++ring_step)"):
        _send(body, reduction, f"({core} + {cores} - ring_step) % {cores}")
        _receive(body, reduction, f"({core} + {2 * cores - 1} - ring_step) % {cores}", is_combined=True)
    members = f"for (int32_t ring_member = 1; ring_member < {cores}; ++ring_member)"
    with text.block(f"if ({core} == 0)"), text.block(members):
        _receive(body, reduction, f"(ring_member + 1) % {cores}", is_combined=False)
    with text.block("else"):
        _send(body, reduction, f"({core} + 1) % {cores}")
    body.maker.unit.forget()
    body.lives.used([body.places[state.result][0].buffer for state in reduction.state], where)


def _send(body: Body, reduction: Reduction, part: str) -> None:
    """One part of every state to the buffers that leave; beyond the end of a state its last page goes instead."""
    text = body.text
    for state in reduction.state:
        own, out = body.places[state.result][0], f"{OUTGOING}.{state.result}"
        pages = body.buffers[out].pages
        text.line(f"cb_reserve_back({body.cb(out)}, {pages});")
        with text.block(f"for (int32_t ring_sent = 0; ring_sent < {pages}; ++ring_sent)"):
            body.maker.unit.forget()
            text.line(
                f"const int32_t ring_page = plan::least({part} * {pages} + ring_sent, {own.pages - 1});"
                if pages > 1
                else f"const int32_t ring_page = plan::least({part}, {own.pages - 1});"
            )
            body.maker.one(text, _own(body, own, state), Place(out, own.home, own.extents), "handed", PAGE)
        text.line(f"cb_push_back({body.cb(out)}, {pages});")
    body.maker.unit.forget()


def _receive(body: Body, reduction: Reduction, part: str, is_combined: bool) -> None:
    """The part of every state that arrives, combined with the own one or in place of it."""
    text = body.text
    for state in reduction.state:
        own, partial = body.places[state.result][0], f"{COMBINE}.{state.result}"
        pages = body.buffers[partial].pages
        text.line(f"cb_wait_front({body.cb(partial)}, {pages});")
        with text.block():
            text.line(f"const int32_t ring_first_page = {part} * {pages};")
            with text.block(f"for (int32_t ring_page = 0; ring_page < {own.pages}; ++ring_page)"):
                inside = f"ring_page >= ring_first_page && ring_page < ring_first_page + {pages}"
                arrived = Read(partial, plus(PAGE, scaled(PART, -1)), "copy", _domain(state))
                with text.block(f"if ({inside})"):
                    body.maker.unit.forget()
                    node = _combined(body, own, state, arrived) if is_combined else arrived
                    body.maker.one(text, node, own, "chain", PAGE)
                with text.block("else"):
                    body.maker.unit.forget()
                    body.maker.one(text, _own(body, own, state), own, "chain", PAGE)
        text.line(f"cb_wait_front({body.cb(own.buffer)}, {own.pages});")
        text.line(f"cb_pop_front({body.cb(partial)}, {pages});")
    body.maker.unit.forget()


def _own(body: Body, own: Place, state: State) -> Read:
    return Read(own.buffer, PAGE, "copy", _domain(state))


def _combined(body: Body, own: Place, state: State, arrived: Read) -> Node:
    table = INTEGER if _domain(state) == "int" else FLOAT
    return Apply(table[ROWS[state.role]], (_own(body, own, state), arrived))


def _domain(state: State) -> Domain:
    return "int" if state.dtype in ("int32", "uint32") else "float"
