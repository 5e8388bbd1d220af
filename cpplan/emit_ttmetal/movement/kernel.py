"""The kernel of one data-movement thread as C++: the same text for all cores, which differ in run-time arguments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from cpplan.emit_ttmetal.arguments import digit_lines, part_lines, shared_streams, words_before_turns, words_of_parts
from cpplan.emit_ttmetal.indices import affine_text, index_text, stop_text
from cpplan.emit_ttmetal.movement.device_text import functions_used
from cpplan.emit_ttmetal.movement.exchange import buffer_lines, exchange_lines, partner_lines
from cpplan.emit_ttmetal.movement.lines import braces, indented
from cpplan.emit_ttmetal.movement.moves import Mover, private_loads
from cpplan.emit_ttmetal.movement.taking_turns import (
    await_lines,
    end_lines,
    pass_lines,
    passed_over,
    turn_declarations,
)
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.roles import block_words, depth, role, sharing, tile_words, title
from cpplan.emit_ttmetal.tidy import tidied
from cpplan.errors import InternalError
from cpplan.schedule.schedule import Await, Exchange, For, Let, Move, Pass, Schedule, Step, Stream, Thread

HEADERS = ("#include <cstdint>", '#include "api/dataflow/dataflow_api.h"')


def movement_source(schedule: Schedule, thread: Thread) -> str:
    """C++ of the kernel for ``thread``, "noc0" or "noc1"."""
    noc = network(thread)
    writer = _Writer(schedule, noc)
    functions = list(writer.functions(thread.steps))
    body = [*functions, *([""] if functions else []), *writer.steps(thread.steps, ())]
    if any(s.kind == "store" and s.noc == noc for s in schedule.streams):
        body.append("noc_async_write_barrier();")
    combines = schedule.combining is not None and schedule.combining.noc == noc
    body += end_lines(schedule, noc)
    if combines or shared_streams(schedule, noc) or passed_over(schedule, noc):
        body.append("noc_async_atomic_barrier();")
    main = ["void kernel_main() {", *indented([*_declarations(schedule, noc), "", *body]), "}"]
    text = "\n".join(main)
    used = functions_used(text)
    head = title(schedule, f"transfers over NoC {noc}")
    return tidied("\n".join([*head, *HEADERS, "", *([used] if used else []), text, ""]))


def network(thread: Thread) -> int:
    """The NoC of a data-movement thread."""
    return {"noc0": 0, "noc1": 1}[thread.name]


def moved(schedule: Schedule, noc: int) -> tuple[Stream, ...]:
    """Streams of a network."""
    return tuple(s for s in schedule.streams if s.noc == noc)


def tensors_moved(schedule: Schedule, noc: int) -> tuple[str, ...]:
    """Layouts that a network moves, in the order of their accessors and address arguments."""
    return tuple(dict.fromkeys(s.layout for s in moved(schedule, noc)))


def _declarations(schedule: Schedule, noc: int) -> Iterator[str]:
    for stream in moved(schedule, noc):
        buffer, name = schedule.buffer(stream.buffer), identifier(stream.buffer)
        yield f"// {role(schedule, buffer.name)}, {depth(buffer)}; {sharing(schedule, stream)}"
        yield f"constexpr uint32_t cb_{name} = {buffer.index};"
        yield f"constexpr uint32_t pages_{name} = {buffer.pages};  // {block_words(schedule, stream)}"
        yield f"constexpr uint32_t page_bytes_{name} = {buffer.page_bytes};  // {buffer.format}"
    yield ""
    sizes = {s.layout: f"page_bytes_{identifier(s.buffer)}" for s in reversed(moved(schedule, noc))}
    for number, name in enumerate(tensors_moved(schedule, noc)):
        symbol = identifier(name)
        yield f"constexpr auto args_{symbol} = TensorAccessorArgs<{2 * number}>();"
        address = f"get_common_arg_val<uint32_t>({number})"
        yield f"const auto dram_{symbol} = TensorAccessor(args_{symbol}, {address}, {sizes[name]});"
    yield ""
    yield from digit_lines(schedule)
    yield from part_lines(schedule, noc)
    if schedule.combining is not None and schedule.combining.noc == noc:
        yield from buffer_lines(schedule)
        yield from partner_lines(schedule, words_of_parts(schedule, noc))
    yield from turn_declarations(schedule, noc, words_before_turns(schedule, noc))
    streams = shared_streams(schedule, noc)
    if streams:
        yield f"const uint32_t valid_{noc} = get_semaphore({streams[0].valid});"
    for stream in streams:
        yield f"const uint32_t ready_{identifier(stream.access)} = get_semaphore({stream.ready});"


class _Writer:
    def __init__(self, schedule: Schedule, noc: int) -> None:
        self.schedule, self.noc = schedule, noc
        self.kernel_loops = [loop.name for loop in schedule.program.loops]
        indices = [*(dim.name for dim in schedule.program.dims), *self.kernel_loops]
        self.indices = [identifier(name) for name in indices]
        self.calls: dict[tuple[str, ...], str] = {}  # of the functions that load streams

    def functions(self, steps: Sequence[Step]) -> Iterator[str]:
        """Functions for loads that are begun before a loop and go on in it, one iteration ahead."""
        for joint, together in itertools.groupby(steps, self._together):
            inside = list(together)
            for step in inside:
                if isinstance(step, For):
                    yield from self.functions(step.body)
            moves = [step for step in inside if isinstance(step, Move) and step.ahead]
            for group in [moves] if joint is not None else [[move] for move in moves]:
                if group:
                    yield from self._function(group)

    def _function(self, moves: Sequence[Move]) -> Iterator[str]:
        lines = self._loading(moves)
        name = "_".join(["load", *(identifier(move.stream) for move in moves)])
        used = [i for i in self.indices if any(re.search(rf"\b{i}\b", line) for line in lines)]
        given = [i for i in used if not any(line.lstrip().startswith(f"const int32_t {i} = ") for line in lines)]
        self.calls[tuple(move.stream for move in moves)] = f"{name}({', '.join(given)});"
        yield from (self._comment(self.schedule.stream(move.stream)) for move in moves)
        parameters = ", ".join(f"int32_t {i}" for i in given)
        yield from braces(f"const auto {name} = [&]({parameters})", lines)[:-1]
        yield "};"

    def _loading(self, moves: Sequence[Move]) -> list[str]:
        """Private loads at the same time, or one shared one."""
        movers = [Mover(self.schedule, self.schedule.stream(move.stream)) for move in moves]
        return movers[0].move(()) if len(movers) == 1 else private_loads(movers)

    def steps(self, steps: Sequence[Step], around: tuple[For, ...]) -> Iterator[str]:
        """Lines for ``steps`` inside the loops ``around``."""
        for joint, together in itertools.groupby(steps, self._together):
            if joint is None:
                yield from self._single(together, around)
            else:
                yield from self._loads([step for step in together if isinstance(step, Move)], around)

    def _together(self, step: Step) -> tuple[int, bool] | None:
        """Private loads in sequence whose buffers have equally many slots run at the same time: this many."""
        if not isinstance(step, Move):
            return None
        stream = self.schedule.stream(step.stream)
        is_private = stream.kind == "load" and stream.pattern == "private"
        return (self.schedule.buffer(stream.buffer).slots, step.ahead) if is_private else None

    def _loads(self, moves: Sequence[Move], around: tuple[For, ...]) -> Iterator[str]:
        """Private loads at the same time, or one shared one."""
        call = self.calls.get(tuple(move.stream for move in moves))
        if call is None:
            yield from (self._comment(self.schedule.stream(move.stream)) for move in moves)
        lines = self._loading(moves) if call is None else [call]
        if not moves[0].ahead:
            yield from lines
            return
        innermost = around[-1]
        counter = identifier(innermost.counter)
        lets = [_let(inner) for inner in innermost.body if isinstance(inner, Let)]
        head = f"if (const int32_t next = {counter} + 1; next < {stop_text(self.schedule, innermost)})"
        yield from braces(head, [f"const int32_t {counter} = next;", *lets, *lines], "one iteration ahead")

    def _single(self, steps: Iterable[Step], around: tuple[For, ...]) -> Iterator[str]:
        for step in steps:
            match step:
                case Let():
                    yield _let(step)
                case For():
                    yield from self._for(step, around)
                case Move():
                    yield from self._move(step, around)
                case Exchange():
                    yield from exchange_lines(self.schedule)
                case Await():
                    yield from await_lines(step.access)
                case Pass():
                    yield from pass_lines(step.access)
                case _:
                    raise InternalError(f"{type(step).__name__} is no step of a thread that moves data")

    def _for(self, step: For, around: tuple[For, ...]) -> Iterator[str]:
        counter = identifier(step.counter)
        body = list(self.steps(step.body, (*around, step)))
        head = f"for (int32_t {counter} = 0; {counter} < {stop_text(self.schedule, step)}; ++{counter})"
        yield from braces(head, body, step.source)

    def _move(self, step: Move, around: tuple[For, ...]) -> Iterator[str]:
        stream = self.schedule.stream(step.stream)
        if stream.kind == "load":
            yield from self._loads([step], around)
            return
        yield self._comment(stream)
        yield from Mover(self.schedule, stream).move(list(self._loops(around)))

    def _loops(self, around: tuple[For, ...]) -> Iterator[str]:
        """Loops of the kernel that are open: their counters, or what they set."""
        for loop in around:
            names = [loop.counter, *(step.name for step in loop.body if isinstance(step, Let))]
            yield from (name for name in names if name in self.kernel_loops)

    def _comment(self, stream: Stream) -> str:
        start = ", ".join(affine_text(start) for start in stream.starts)
        return f"// {stream.access}: {stream.kind} of {tile_words(stream)} at ({start}) of {stream.layout}"


def _let(step: Let) -> str:
    return f"const int32_t {identifier(step.name)} = {index_text(step.value)};"
