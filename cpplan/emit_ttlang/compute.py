"""The thread that computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cpplan.emit_ttlang.blocks import each_tile, slot_text
from cpplan.emit_ttlang.body import Blocks, Body, filled, ops_of, shapes_of
from cpplan.emit_ttlang.exchange import Teams
from cpplan.emit_ttlang.matrices import access_of, matrices_of, window_of
from cpplan.emit_ttlang.movement import for_head, node_lines
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.support import place_of, refuse
from cpplan.emit_ttlang.text import Lines, index_text
from cpplan.emit_ttlang.wanted import Wanted
from cpplan.schedule.schedule import Compute, Drop, Exchange, For, Guard, Let, Schedule, Step, Stream, Take
from cpplan.schedule.threads import turns
from cpplan.tile.program import Access, Loop


@dataclass
class Computation:
    """Writes the compute thread; what the loops carry are blocks of the thread, not buffers."""

    schedule: Schedule
    names: Names
    wanted: Wanted
    body: Body
    teams: Teams | None
    unread: dict[str, Blocks] = field(init=False)
    """Loads whose blocks a node may get only for the sake of its group, and the shape of one."""

    def __post_init__(self) -> None:
        guards = [step for step in _all(self.schedule.thread("compute").steps) if isinstance(step, Guard)]
        tests = {test for guard in guards for test in self.wanted.guard(guard)}
        self.unread = {
            stream.access: self._blocks(stream)
            for stream in self.schedule.streams
            if stream.kind == "load" and (tests | self._late(stream)) - set(self.wanted.load(stream))
        }
        for stream in self.schedule.streams:
            if stream.kind == "load":
                block = self.names.block(stream.access) + slot_text(self.schedule, self.names, stream)
                self.body.texts[access_of(self.schedule, stream).value] = block

    def _late(self, stream: Stream) -> set[str]:
        """What is loaded outside of a shared loop serves the first node of a team alone."""
        inside = self.teams is not None and self.teams.loop in self._path(access_of(self.schedule, stream))
        return set() if inside else set(self.wanted.first())

    def _path(self, access: Access) -> tuple[str, ...]:
        return self.schedule.program.loop_path(access.loop)

    def write(self, out: Lines) -> None:
        """The whole thread."""
        out.add("@ttl.compute()")
        with out.block("def compute():"):
            node_lines(out, self.schedule, self.names)
            inside = Lines(depth=out.depth)
            self._steps(inside, self.schedule.thread("compute").steps)
            for lanes in self.body.lanes:
                out.add(f"{self.names.block(lanes.name)} = {self.names.buffer(lanes.name)}.wait()")
            for access, shape in self.unread.items():
                out.add(f"{self.names.unread(access)} = ttl.block.fill(0.0, shape={shape})")
            out.lines += inside.lines
            for lanes in self.body.lanes:
                out.add(f"{self.names.block(lanes.name)}.pop()")
            for access in self.unread:
                with out.block(f"with {self.names.buffer(self.names.unread(access))}.reserve() as blk:"):
                    out.add(f"blk.store({self.names.unread(access)})  # left behind: nobody wants it")

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _steps(self, out: Lines, steps: Sequence[Step]) -> None:
        is_late = False
        for step in steps:
            match step:
                case Let(name=name, value=value):
                    out.add(f"{self.names.index(name)} = {index_text(value, self.names)}")
                case For():
                    self._for(out, step)
                case Guard():
                    with out.where([*self.wanted.guard(step), *(self.wanted.first() if is_late else ())]):
                        self._steps(out, step.body)
                case Exchange() if self.teams is not None:
                    self.teams.compute(out, self.body, self.wanted.inside())
                    is_late = True
                case Take(buffer=buffer):
                    self._take(out, self._load_of(buffer))
                case Drop(buffer=buffer):
                    self._drop(out, self._load_of(buffer))
                case Compute(ops=ops):
                    with out.where(self.wanted.first() if is_late else ()):
                        self._compute(out, ops)

    def _take(self, out: Lines, stream: Stream) -> None:
        block, buffer = self.names.block(stream.access), self.names.buffer(stream.access)
        if stream.inner:
            out.add(f"{block} = [None] * len({buffer})")
        slot = slot_text(self.schedule, self.names, stream)
        with each_tile(out, self.schedule, self.names, stream), out.where(self.wanted.load(stream)):
            out.add(f"{block}{slot} = {buffer}{slot}.wait()")

    def _drop(self, out: Lines, stream: Stream) -> None:
        """A block must be read before it is given back, also where a node has nothing to compute with it."""
        slot = slot_text(self.schedule, self.names, stream)
        block = self.names.block(stream.access) + slot
        with each_tile(out, self.schedule, self.names, stream), out.where(self.wanted.load(stream)):
            if stream.access in self.unread:
                out.add(
                    f"{self.names.unread(stream.access)} += {block}  # a block must be read by all nodes that get it"
                )
            out.add(f"{block}.pop()")

    def _for(self, out: Lines, step: For) -> None:
        loops = self.schedule.program.loops
        loop = next((item for item in loops if step.counter in (item.name, turns(item.name))), None)
        if loop is not None:
            self._begin(out, loop)
        with out.block(for_head(step, self.names)):
            computing = [n for n, s in enumerate(step.body) if isinstance(s, Compute | Guard | For)]
            last = computing[-1] if computing else -1
            if loop is None:  # waves, in which teams may meet
                self._steps(out, step.body)
            else:
                self._steps(out, step.body[:last])
                self._last(out, step.body[last], loop)
                self._steps(out, step.body[last + 1 :])
        if loop is not None:
            for carry in loop.carries:
                self.body.texts[carry.result] = self.body.texts[carry.argument]

    def _last(self, out: Lines, step: Step, loop: Loop) -> None:
        """The last computing step of a loop's body, and what the loop carries on."""
        with out.where(self.wanted.guard(step) if isinstance(step, Guard) else ()):
            self._steps(out, step.body if isinstance(step, Guard) else [step])
            self._carry(out, loop)

    # -- values --------------------------------------------------------------------------------------------------------

    def _begin(self, out: Lines, loop: Loop) -> None:
        shapes, ops = shapes_of(self.schedule), ops_of(self.schedule)
        for carry in loop.carries:
            shape = next(shapes[n] for n in (carry.argument, carry.initial, carry.yielded, carry.result) if n in shapes)
            reader = ops.get(carry.initial) or next(op for op in ops.values() if carry.argument in op.operands)
            first = self._initial(loop, carry.argument, self.body.text(reader, carry.initial, shape), shape)
            name = self.names.value(carry.argument)
            if name != first:
                out.add(f"{name} = {first}")
            self.body.texts[carry.argument] = name

    def _initial(self, loop: Loop, argument: str, own: str, shape: tuple[int, ...]) -> str:
        """What the loop starts from: of a shared one only the first node starts from its own value."""
        if self.teams is None or self.teams.loop != loop.name:
            return own
        state = next(state for state in self.teams.reduction.state if state.argument == argument)
        reader = next(op for op in self.schedule.program.ops if argument in op.operands)
        identity = filled(state.identity, self.body.blocks(reader, argument, shape))
        return self.teams.start(own, identity, self.wanted.inside())

    def _carry(self, out: Lines, loop: Loop) -> None:
        pairs = []
        for carry in loop.carries:
            shape = shapes_of(self.schedule).get(carry.argument, ())
            reader = ops_of(self.schedule).get(carry.yielded)
            pairs.append((self.body.texts[carry.argument], self.body.text(reader, carry.yielded, shape)))
        pairs = [(target, value) for target, value in pairs if target != value]
        if pairs:
            out.add(f"{', '.join(t for t, _ in pairs)} = {', '.join(v for _, v in pairs)}")

    def _compute(self, out: Lines, names: Sequence[str]) -> None:
        ops, carried = ops_of(self.schedule), self._carried()
        for name in names:
            if name in ops:
                in_place = self.body.adds_in_place(ops[name], carried[name]) if name in carried else None
                out.add(*([in_place] if in_place else self.body.statements(ops[name])))
            for access in self._stored_after(name):
                self._store(out, access)

    def _carried(self) -> dict[str, str]:
        """What a loop carries on, by the op that makes the next of it."""
        return {c.yielded: c.argument for loop in self.schedule.program.loops for c in loop.carries}

    def _stored_after(self, name: str) -> Iterator[Access]:
        ops = ops_of(self.schedule)
        for access in self.schedule.program.accesses:
            if access.kind != "load" and name == (access.value if access.value in ops else access.name):
                if access.value in ops and ops[access.value].loop != access.loop:
                    raise refuse(
                        place_of(access, self.schedule), f"{access.name} stores in another loop than it computes in"
                    )
                yield access

    def _store(self, out: Lines, access: Access) -> None:
        stream = self.schedule.stream(access.name)
        slot = slot_text(self.schedule, self.names, stream)
        shapes = shapes_of(self.schedule)
        value = self.body.text(ops_of(self.schedule).get(access.value), access.value, shapes.get(access.value, ()))
        with out.block(f"with {self.names.buffer(access.name)}{slot}.reserve() as blk:"):
            out.add(f"blk.store({value})")

    def _blocks(self, stream: Stream) -> Blocks:
        window = window_of(self.schedule, stream, matrices_of(self.schedule)[stream.layout])
        return window.rows, window.columns

    def _load_of(self, buffer: str) -> Stream:
        return next(stream for stream in self.schedule.streams if stream.buffer == buffer)


def _all(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, For | Guard):
            yield from _all(step.body)
