"""The two threads that move data, one per network of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from cpplan.emit_ttlang.blocks import each_tile, slot_text
from cpplan.emit_ttlang.body import Lanes
from cpplan.emit_ttlang.exchange import Teams
from cpplan.emit_ttlang.matrices import Matrix, Window, window_of
from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.nodes import coordinates, digit_text, idle_test
from cpplan.emit_ttlang.text import Lines, affine_text, index_text
from cpplan.emit_ttlang.wanted import Wanted
from cpplan.schedule.schedule import Exchange, For, Let, Move, Schedule, Step, Stream, Thread

THREADS = ("noc0", "noc1")


@dataclass(frozen=True)
class Movement:
    """Writes the threads that move data."""

    schedule: Schedule
    names: Names
    wanted: Wanted
    matrices: dict[str, Matrix]
    teams: Teams | None

    def write(self, out: Lines, name: str, lanes: Sequence[Lanes]) -> None:
        """The thread of one network; an operation has both, even if nothing moves over one.

        ``lanes``, the numbers that masks want, come over the first.
        """
        thread = next((item for item in self.schedule.threads if item.name == name), None)
        mine = lanes if name == THREADS[0] else ()
        out.add("@ttl.datamovement()")
        with out.block(f"def {name}():"):
            if thread is not None or mine:
                node_lines(out, self.schedule, self.names)
            for item in mine:
                with out.block(f"with {self.names.buffer(item.name)}.reserve() as blk:"):
                    rows, columns = item.shape
                    out.add(f"ttl.copy({self.names.tensor(item.name)}[0:{rows}, 0:{columns}], blk).wait()")
            if thread is not None:
                self._thread(out, thread)

    def _thread(self, out: Lines, thread: Thread) -> None:
        for stream in self.schedule.streams:
            if f"noc{stream.noc}" == thread.name:
                out.add("")
                (self._load if stream.kind == "load" else self._store)(out, stream)
        if self.teams is not None and any(isinstance(step, Exchange) for step in _all(thread.steps)):
            out.add("")
            with out.block("def exchange_states():"):
                self.teams.move(out)
        out.add("")
        self._steps(out, thread.steps, None)

    # -- one block -----------------------------------------------------------------------------------------------------

    def _load(self, out: Lines, stream: Stream) -> None:
        with (
            self._function(out, stream),
            each_tile(out, self.schedule, self.names, stream),
            out.where(self.wanted.load(stream)),
            out.block(f"with {self._slot(stream)}.reserve() as blk:"),
        ):
            if stream.pattern == "private":
                self._read(out, stream)
            else:
                self._share(out, stream)

    def _share(self, out: Lines, stream: Stream) -> None:
        """Reading and sending where the node reads for its group, receiving elsewhere; in a line, passing on."""
        net, is_line = self.names.net(stream.access), stream.pattern == "forward"
        with out.block("def send(pipe):"):
            if not is_line:
                self._read(out, stream)
            out.add("ttl.copy(blk, pipe).wait()")
        out.add("")
        with out.block("def receive(pipe):"):
            out.add("ttl.copy(pipe, blk).wait()")
        out.add("")
        if is_line:
            with out.block(f"if not {net}.is_dst():"):
                self._read(out, stream)
            out.add(f"{net}.if_dst(receive)", f"{net}.if_src(send)")
        else:
            out.add(f"{net}.if_src(send)", f"{net}.if_dst(receive)")

    def _store(self, out: Lines, stream: Stream) -> None:
        with (
            self._function(out, stream),
            each_tile(out, self.schedule, self.names, stream),
            out.where(self.wanted.store(stream)),
            out.block(f"with {self._slot(stream)}.wait() as blk:"),
        ):
            self._place(out, stream)
            out.add(f"ttl.copy(blk, {self._slice(stream)}).wait()")

    def _read(self, out: Lines, stream: Stream) -> None:
        self._place(out, stream)
        out.add(f"ttl.copy({self._slice(stream)}, blk).wait()")

    def _place(self, out: Lines, stream: Stream) -> None:
        window = self._window(stream)
        out.add(f"row, column = {affine_text(window.row, self.names)}, {affine_text(window.column, self.names)}")

    def _slice(self, stream: Stream) -> str:
        window = self._window(stream)
        return f"{self.names.tensor(stream.layout)}[row:row + {window.rows}, column:column + {window.columns}]"

    def _window(self, stream: Stream) -> Window:
        return window_of(self.schedule, stream, self.matrices[stream.layout])

    def _function(self, out: Lines, stream: Stream) -> AbstractContextManager[None]:
        known = ", ".join(self.names.index(name) for name in self.wanted.indices(stream))
        return out.block(f"def {self.names.mover(stream.access, stream.kind)}({known}):")

    def _slot(self, stream: Stream) -> str:
        return self.names.buffer(stream.access) + slot_text(self.schedule, self.names, stream)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _steps(self, out: Lines, steps: Sequence[Step], around: For | None) -> None:
        for step in steps:
            match step:
                case Let(name=name, value=value):
                    out.add(f"{self.names.index(name)} = {index_text(value, self.names)}")
                case For():
                    with out.block(for_head(step, self.names)):
                        self._steps(out, step.body, step)
                case Move():
                    self._move(out, step, around)
                case Exchange():
                    with out.where(self.wanted.inside()):
                        out.add("exchange_states()")

    def _move(self, out: Lines, step: Move, around: For | None) -> None:
        stream = self.schedule.stream(step.stream)
        function, indices = self.names.mover(stream.access, stream.kind), self.wanted.indices(stream)
        if not step.ahead or around is None:
            out.add(f"{function}({', '.join(map(self.names.index, indices))})")
            return
        counter = self.names.index(around.counter)
        following = {around.counter: f"({counter} + 1)"}
        new = {s.name: index_text(s.value, self.names, following) for s in around.body if isinstance(s, Let)}
        new[around.counter] = f"{counter} + 1"
        with out.block(f"if {counter} + 1 < {around.stop}:"):
            out.add(f"{function}({', '.join(new.get(name, self.names.index(name)) for name in indices)})")


def node_lines(out: Lines, schedule: Schedule, names: Names) -> None:
    """Where the node is, whether it is in use, and its digits."""
    places = coordinates(schedule)
    out.add(f"{', '.join(places)}{',' if len(places) == 1 else ''} = ttl.node(dims={len(places)})")
    tests = idle_test(schedule)
    if tests:
        with out.block(f"if not ({' and '.join(tests)}):"):
            out.add("return  # the plan leaves this node idle")
    for name, _ in next(iter(schedule.digits.values())):
        out.add(f"{names.index(f'core_{name}')} = {digit_text(schedule, name)}")


def for_head(step: For, names: Names) -> str:
    """The head of a loop, with what it is in the plan."""
    most = ", in the block that runs longest" if step.profile is not None else ""
    return f"for {names.index(step.counter)} in range({step.stop}):  # {step.source}{most}"


def _all(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all(step.body if isinstance(step, For) else ())
