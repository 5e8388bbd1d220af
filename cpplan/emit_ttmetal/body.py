"""The steps of the compute thread as C++.

A value that is kept is made where its op stands, a store where its value is computed, and what a loop carries takes its
next value as :mod:`cpplan.emit_ttmetal.carries` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from cpplan.emit_ttmetal.carried_states import CarriedStates, extents_of
from cpplan.emit_ttmetal.combine_states import exchange_states
from cpplan.emit_ttmetal.comments import made_of
from cpplan.emit_ttmetal.elementwise import refuse
from cpplan.emit_ttmetal.facts import shapes_of
from cpplan.emit_ttmetal.indices import index_text, stop_text, trips_text
from cpplan.emit_ttmetal.kept import Kept, home_of, place_of, scratch
from cpplan.emit_ttmetal.lives import Life, Lives, Where
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.needs import NeedHome
from cpplan.emit_ttmetal.places import Home, Place
from cpplan.emit_ttmetal.points import Maker
from cpplan.emit_ttmetal.positions import last_computes, origin_of, place_in_block, stores_by_op
from cpplan.emit_ttmetal.scans import is_in_page_order, make_scan
from cpplan.emit_ttmetal.text import Text
from cpplan.emit_ttmetal.views import scan_home
from cpplan.errors import InternalError
from cpplan.schedule.buffers import views_for_products
from cpplan.schedule.schedule import (
    Buffer,
    Compute,
    Drop,
    Exchange,
    For,
    Guard,
    Hand,
    Let,
    Make,
    Schedule,
    Step,
    Stream,
    Take,
)
from cpplan.tile.program import Loop, Op


@dataclass
class Body:
    """Writer of the compute thread; ``extra`` collects the buffers that it keeps besides those of the plan."""

    schedule: Schedule
    maker: Maker
    kept: Kept
    dtypes: dict[str, str]
    known_lives: Mapping[str, Life]
    early: bool
    text: Text
    extra: dict[str, Buffer] = field(default_factory=dict)
    _guards: list[tuple[Where, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        program = self.schedule.program
        self.lives = Lives(self.known_lives, self.early)
        self.shapes = shapes_of(program)
        self.buffers = {b.name: b for b in self.schedule.buffers}
        self.streams = {s.buffer: s for s in self.schedule.streams}
        self.loops = {loop.name: loop for loop in program.loops}
        self.ops = {op.name: op for op in program.ops}
        self.accesses = {a.name: a for a in program.accesses}
        self.planned = {b.name for b in program.buffers}
        self.views = views_for_products(program)
        self.trees = self.maker.trees
        self.places = self.trees.places
        self.carried = CarriedStates(self)
        self.stores = stores_by_op(self.schedule)
        self.last = last_computes(self.schedule.thread("compute").steps)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step], where: Where = ()) -> None:
        """One list of steps."""
        for number, step in enumerate(steps):
            self._step(step, where, number)
            self.give_up(where)
        self.end(where)

    def _step(self, step: Step, where: Where, number: int) -> None:
        match step:
            case For():
                self._for(step, where, number)
            case Let():
                self.text.line(f"const int32_t {identifier(step.name)} = {index_text(step.value)};")
            case Guard():
                with self.guard(where, self._condition(step)):
                    self.steps(step.body, (*where, number))
            case Take():
                self._take(step.buffer)
            case Drop():
                self._drop(step.buffer)
            case Make():
                buffer = self.buffers[step.buffer]
                self.text.line(f"cb_reserve_back({self.cb(step.buffer)}, {buffer.pages});")
            case Hand():
                buffer = self.buffers[step.buffer]
                self.text.line(f"cb_push_back({self.cb(step.buffer)}, {buffer.pages});")
            case Compute():
                self._compute(step, where)
            case Exchange():
                exchange_states(self, step, where)
            case _:
                raise InternalError(f"the compute thread cannot do {type(step).__name__}")

    def _for(self, step: For, where: Where, number: int) -> None:
        loop = self._loop_of(step)
        if loop is not None:
            self.carried.enter(loop, step, where)
        counter = identifier(step.counter)
        if step.source:
            self.text.line(f"// {step.source}")
        with self.text.block(f"for (int32_t {counter} = 0; {counter} < {stop_text(self.schedule, step)}; ++{counter})"):
            self.maker.unit.forget()
            inside = (*where, number)
            for position, inner in enumerate(step.body):
                self._step(inner, inside, position)
                self.give_up(inside)
            if loop is not None and loop.name not in self.last:
                with self.guard(inside, extents_of(step)):
                    self.carried.end_of_trip(loop, inside)
            self.end(inside)
        self.maker.unit.forget()
        if loop is not None:
            self.carried.leave(loop)

    def _loop_of(self, step: For) -> Loop | None:
        """The kernel's loop that ``step`` runs, alone or with other cores."""
        names = {step.counter} | {inner.name for inner in step.body if isinstance(inner, Let)}
        return next((loop for name, loop in self.loops.items() if name in names), None)

    @contextmanager
    def guard(self, where: Where, condition: str) -> Iterator[None]:
        """What follows is done where ``condition`` holds (always, if it is empty)."""
        if not condition:
            yield
            return
        self._guards.append((where, condition))
        with self.text.block(f"if ({condition})"):
            yield
        self._guards.pop()
        self.maker.unit.forget()

    def _condition(self, step: Guard) -> str:
        tests = [f"{identifier(name)} < {extent}" for name, extent in step.extents]
        for name in step.trips:
            loop = self.loops[name]
            profile = loop.profile
            trips = trips_text(profile, identifier(profile.dim)) if profile is not None else str(loop.trips)
            tests.append(f"{identifier(name)} < {trips}")
        return " && ".join(tests)

    # -- blocks that data movement brings ------------------------------------------------------------------------------

    def _take(self, name: str) -> None:
        self.text.line(f"cb_wait_front({self.cb(name)}, {self.buffers[name].pages});")
        stream = self.streams[name]
        value = self.accesses[stream.access].value
        self.places[value] = [place_in_block(self.schedule, stream)]

    def _drop(self, name: str) -> None:
        self.text.line(f"cb_pop_front({self.cb(name)}, {self.buffers[name].pages});")
        del self.places[self.accesses[self.streams[name].access].value]

    # -- computing -----------------------------------------------------------------------------------------------------

    def _compute(self, step: Compute, where: Where) -> None:
        for value in [name for name in self.kept.wanted if name not in self.ops and name in self.places]:
            if origin_of(self.schedule.program, value) == step.loop:
                self.keep(value, None, where)
        for name in step.ops:
            op = self.ops.get(name)
            if op is not None:
                self.keep(name, op, where)
                self.give_up(where)
                self.carried.at_op(name, step.loop, where)
            for stream in self.stores.get(name, ()):
                self._store(stream, step.loop, where)
            self.give_up(where)
        if step.loop is not None and self.last.get(step.loop) is step:
            self.carried.end_of_trip(self.loops[step.loop], where)

    def keep(self, value: str, op: Op | None, where: Where) -> None:
        """Make the buffers that ``value`` is kept in."""
        for home, buffer in self._homes(value, op):
            if any(place.buffer == buffer for place in self.places.get(value, ())):
                continue
            if op is None and self.lives.is_over(buffer):
                continue
            place = place_of(buffer, home, self.shapes[value])
            self.comment(value, buffer)
            source = self._summed(op) if op is not None and op.kind.startswith("scan_") else None
            if source is not None and self._is_only_summed(op, source):
                make_scan(self.maker, self.text, source, source)
                self.note_uses(where)
                self.places[value] = [source]
                continue
            if buffer not in self.buffers:
                self.extra[buffer] = scratch(place, self.dtypes[value])
                self.trees.widened.add(buffer)
            self.trees.begin(op.loop if op is not None else origin_of(self.schedule.program, value), (value, home))
            if source is not None:
                make_scan(self.maker, self.text, source, place)
            else:
                self.maker.make(self.text, value, place, "whole")
            self.made(place, where)
            self.places.setdefault(value, []).append(place)

    def _homes(self, value: str, op: Op | None) -> Iterator[tuple[Home, str]]:
        """(home, buffer) of every way in which ``value`` is kept."""
        natural = home_of(self.schedule.program, value, self.shapes[value])
        wanted = self.kept.wanted.get(value, [])
        planned = value in self.planned and op is not None
        if op is not None and planned and natural not in wanted and not self._on_demand(op):
            wanted = [natural, *wanted]
        for number, home in enumerate(wanted):
            own = planned and home == natural
            yield home, value if own else f"{value}.kept" + (f".{number + 1}" if number else "")

    def _on_demand(self, op: Op) -> bool:
        """Whether ``op`` is kept only if something asks for it: a running sum, as it lies otherwise than other values,
        and an operand of products that these can often read where it comes from."""
        return op.name in self.views or op.kind.startswith("scan_")

    def _summed(self, op: Op) -> Place:
        """Where the operand of a running sum lies."""
        if op.kind != "scan_sum":
            raise refuse(op, "of running results the compute unit has sums only")
        home = scan_home(op)
        found = next((p for p in self.places.get(op.operands[0], ()) if p.home == home), None)
        if found is None:
            raise NeedHome(op.operands[0], home)
        return found

    def _is_only_summed(self, op: Op | None, source: Place) -> bool:
        """Whether the running sum may replace its operand."""
        if op is None:
            return False
        users = [name for other in self.ops.values() for name in other.operands]
        users += [name for access in self.accesses.values() for name in access.operands]
        carries = [carry for loop in self.loops.values() for carry in loop.carries]
        users += [name for carry in carries for name in (carry.initial, carry.yielded, carry.argument, carry.result)]
        same = self.dtypes[op.name] == self.dtypes[op.operands[0]]
        own = source.buffer not in self.streams
        return own and same and users.count(op.operands[0]) == 1 and is_in_page_order(source)

    def _store(self, stream: Stream, loop: str | None, where: Where) -> None:
        value = self.accesses[stream.access].value
        self.comment(value, f"to {stream.access}")
        self.trees.begin(loop)
        self.maker.make(self.text, value, place_in_block(self.schedule, stream), "part")
        self.note_uses(where)

    # -- lives of blocks -----------------------------------------------------------------------------------------------

    def made(self, place: Place, where: Where) -> None:
        """A block was made in the list of steps ``where``."""
        self.note_uses(where)
        self.lives.made(place.buffer, place.pages, where, tuple(self._guards))

    def note_uses(self, where: Where) -> None:
        """What was read since the last call was read in the list of steps ``where``."""
        self.lives.used(self.maker.unit.used, where)
        self.maker.unit.used.clear()

    def end(self, where: Where) -> None:
        """The list of steps ``where`` ends: give up what is used in it alone."""
        self.carried.forget(where)
        self.give_up(where, at_end=True)

    def give_up(self, where: Where, at_end: bool = False) -> None:
        """Give up the blocks whose last use in the list of steps ``where`` is over."""
        for block, condition in self.lives.ended(where, tuple(self._guards), at_end):
            pop = f"cb_pop_front({self.cb(block.buffer)}, {block.pages});"
            self.text.line(f"if ({condition}) {pop}" if condition else pop)
            for value, places in list(self.places.items()):
                self.places[value] = [p for p in places if p.buffer != block.buffer]
                if not self.places[value]:
                    del self.places[value]

    # -- words ---------------------------------------------------------------------------------------------------------

    def cb(self, buffer: str) -> str:
        """The C++ name of a buffer."""
        return self.maker.unit.names[buffer]

    def comment(self, value: str, target: str) -> None:
        """A line on what is made, and from which lines of the kernel."""
        words = made_of(self.schedule.program, value, self.places, target.startswith("to "))
        self.text.line(f"// {target}: {words}" if words else f"// {target}")
