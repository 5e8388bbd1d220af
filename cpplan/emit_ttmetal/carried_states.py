"""The buffers of what loops carry: first values, the next ones at each trip, and what is left after the loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cpplan.emit_ttmetal.carries import Update, updates
from cpplan.emit_ttmetal.combine_states import is_shared, start_states
from cpplan.emit_ttmetal.kept import home_of, place_of, scratch
from cpplan.emit_ttmetal.lives import Where
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.needs import NeedHome
from cpplan.emit_ttmetal.places import Place
from cpplan.schedule.schedule import For, Guard
from cpplan.tile.program import Carry, Loop, TileProgram

if TYPE_CHECKING:
    from cpplan.emit_ttmetal.body import Body


class CarriedStates:
    """The carried part of a :class:`~cpplan.emit_ttmetal.body.Body`."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._updates: dict[str, tuple[Update, ...]] = {}
        self._sums: dict[str, str] = {}  # sums of products that start in the first trip; its condition
        self._borrowed: dict[Where, list[tuple[str, Place]]] = {}  # next values that lie where the old ones did

    def enter(self, loop: Loop, step: For, where: Where) -> None:
        """First values."""
        body = self.body
        program, kept = body.schedule.program, body.kept
        in_buffers = {*body.planned, *kept.wanted}
        self._updates[loop.name] = updates(program, loop, in_buffers, kept.carried, kept.copied)
        for carry in self._carries(loop):
            shape = body.shapes[carry.argument]
            place = place_of(carry.argument, home_of(program, carry.argument, shape), shape)
            if carry.argument not in body.buffers:
                body.extra[carry.argument] = scratch(place, body.dtypes[carry.argument])
                body.trees.widened.add(carry.argument)
            update = next(u for u in self._updates[loop.name] if u.carry is carry)
            if (
                update.when != "copy"
                and is_sum_of_products(program, loop, carry)
                and not is_shared(body.schedule, loop.name)
            ):
                self._sums[carry.argument] = f"{identifier(step.counter)} > 0"
                with body.guard(where, extents_of(step)):
                    body.made(place, where)
            elif is_shared(body.schedule, loop.name):
                body.text.line(f"// {carry.argument} before loop {loop.name}")
                start_states(body, loop, carry, place, extents_of(step))
                body.made(place, where)
            else:
                body.text.line(f"// {carry.argument} before loop {loop.name}")
                with body.guard(where, extents_of(step)):
                    body.trees.begin(loop.parent)
                    body.maker.make(body.text, carry.initial, place, "whole")
                    body.made(place, where)
            body.places[carry.argument] = [place]

    def leave(self, loop: Loop) -> None:
        """What is left after the loop lies where it was carried."""
        for carry in self._carries(loop):
            self.body.places[carry.result] = self.body.places.pop(carry.argument)

    def at_op(self, name: str, loop: str | None, where: Where) -> None:
        """Next values that are taken where their op stands."""
        for update in self._updates.get(loop or "", ()):
            if update.when == "op" and update.carry.yielded == name:
                place = self._replace(update.carry, loop, where)
                self.body.places.setdefault(name, []).append(place)
                self._borrowed.setdefault(where, []).append((name, place))

    def end_of_trip(self, loop: Loop, where: Where) -> None:
        """Next values that are taken last."""
        body = self.body
        for update in self._updates.get(loop.name, ()):
            value = update.carry.yielded
            if update.when == "copy" and value not in body.places:
                raise NeedHome(value, home_of(body.schedule.program, value, body.shapes[value]))
            if update.when != "op":
                self._replace(update.carry, loop.name, where)

    def forget(self, where: Where) -> None:
        """A list of steps ends: values made in it are no more."""
        for value, place in self._borrowed.pop(where, ()):
            self.body.places[value].remove(place)

    def _carries(self, loop: Loop) -> Iterator[Carry]:
        return (carry for carry in loop.carries if carry.argument in self.body.kept.carried)

    def _replace(self, carry: Carry, loop: str | None, where: Where) -> Place:
        """The next value in place of the old one."""
        body = self.body
        place = next(p for p in body.places[carry.argument] if p.buffer == carry.argument)
        body.comment(carry.yielded, f"next {carry.argument}")
        body.trees.begin(loop)
        body.maker.make(body.text, carry.yielded, place, "chain", self._sums.get(carry.argument, ""))
        body.maker.unit.used.add(place.buffer)
        body.note_uses(where)
        body.places[carry.argument] = [place]
        return place


def is_sum_of_products(program: TileProgram, loop: Loop, carry: Carry) -> bool:
    """Whether a carried value is 0 at first, only has a product added in each trip, and has at least one trip: then the
    first product is the first value, and nothing need be written before."""
    ops = {op.name: op for op in program.ops}
    dot, start = ops.get(carry.yielded), ops.get(carry.initial)
    if dot is None or dot.kind != "dot" or dot.loop != loop.name or dot.operands[2:] != (carry.argument,):
        return False
    if start is None or start.kind != "constant" or float(str(dict(start.attributes)["value"])) != 0:
        return False
    users = [name for op in program.ops for name in op.operands]
    users += [name for access in program.accesses for name in access.operands]
    users += [name for item in program.loops for other in item.carries for name in (other.initial, other.yielded)]
    least = loop.trips if loop.profile is None else loop.profile.low
    return users.count(carry.argument) == 1 and least > 0


def extents_of(step: For) -> str:
    """The condition under which the block of a loop exists, from the guard inside it; empty if all blocks do."""
    for inner in step.body:
        if isinstance(inner, Guard):
            return " && ".join(f"{identifier(name)} < {extent}" for name, extent in inner.extents)
        if isinstance(inner, For) and extents_of(inner):
            return extents_of(inner)
    return ""
