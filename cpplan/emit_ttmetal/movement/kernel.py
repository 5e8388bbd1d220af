"""The kernel of one data-movement thread as C++: the same text for all cores, which differ in run-time arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from cpplan.emit_ttmetal.arguments import digit_lines, part_lines, shared_streams, words_of_parts
from cpplan.emit_ttmetal.indices import affine_text, index_text, stop_text
from cpplan.emit_ttmetal.movement.device_text import functions_used
from cpplan.emit_ttmetal.movement.exchange import exchange_lines, partner_lines
from cpplan.emit_ttmetal.movement.lines import braces, indented
from cpplan.emit_ttmetal.movement.moves import Mover, private_loads
from cpplan.emit_ttmetal.names import identifier
from cpplan.errors import InternalError
from cpplan.schedule.schedule import Exchange, For, Let, Move, Schedule, Step, Stream, Thread

HEADERS = ("#include <cstdint>", '#include "api/dataflow/dataflow_api.h"')


def movement_source(schedule: Schedule, thread: Thread) -> str:
    """C++ of the kernel for ``thread``, "noc0" or "noc1"."""
    noc = network(thread)
    body = list(_Writer(schedule, noc).steps(thread.steps, ()))
    if any(s.kind == "store" and s.noc == noc for s in schedule.streams):
        body.append("noc_async_write_barrier();")
    combines = schedule.combining is not None and schedule.combining.noc == noc
    if combines or shared_streams(schedule, noc):
        body.append("noc_async_atomic_barrier();")
    main = ["void kernel_main() {", *indented([*_declarations(schedule, noc), "", *body]), "}"]
    text = "\n".join(main)
    functions = functions_used(text)
    title = f"// {schedule.program.name} on {schedule.device.name}: transfers over NoC {noc}, the same on all cores."
    return "\n".join([title, *HEADERS, "", *([functions] if functions else []), text, ""])


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
        buffer = schedule.buffer(stream.buffer)
        size = f"{buffer.slots} x {buffer.pages} hardware tiles of {buffer.format}"
        shared = "" if stream.pattern == "private" else f", {stream.pattern} to its group"
        yield f"constexpr uint32_t cb_{identifier(buffer.name)} = {buffer.index};  // {stream.kind}: {size}{shared}"
    sizes = {s.layout: schedule.buffer(s.buffer).page_bytes for s in moved(schedule, noc)}
    for number, name in enumerate(tensors_moved(schedule, noc)):
        symbol = identifier(name)
        yield f"constexpr auto args_{symbol} = TensorAccessorArgs<{2 * number}>();"
        address = f"get_common_arg_val<uint32_t>({number})"
        yield f"const auto dram_{symbol} = TensorAccessor(args_{symbol}, {address}, {sizes[name]});"
    yield from digit_lines(schedule)
    yield from part_lines(schedule, noc)
    if schedule.combining is not None and schedule.combining.noc == noc:
        for buffer in schedule.buffers:
            if buffer.role in ("partial", "outgoing"):
                note = f"{buffer.role} state: {buffer.pages} hardware tiles of {buffer.format}"
                yield f"constexpr uint32_t cb_{identifier(buffer.name)} = {buffer.index};  // {note}"
        yield from partner_lines(schedule, words_of_parts(schedule, noc))
    streams = shared_streams(schedule, noc)
    if streams:
        yield f"const uint32_t valid_{noc} = get_semaphore({streams[0].valid});"
    for stream in streams:
        yield f"const uint32_t ready_{identifier(stream.access)} = get_semaphore({stream.ready});"


class _Writer:
    def __init__(self, schedule: Schedule, noc: int) -> None:
        self.schedule, self.noc = schedule, noc
        self.kernel_loops = {loop.name for loop in schedule.program.loops}

    def steps(self, steps: Sequence[Step], around: tuple[For, ...]) -> Iterator[str]:
        """Lines for ``steps`` inside the loops ``around``."""
        for joint, together in itertools.groupby(steps, self._together):
            if joint is not None:
                yield from self._private_loads([step for step in together if isinstance(step, Move)])
                continue
            yield from self._single(together, around)

    def _together(self, step: Step) -> int | None:
        """Private loads in sequence whose buffers have equally many slots run at the same time: this many."""
        if not isinstance(step, Move) or step.ahead:
            return None
        stream = self.schedule.stream(step.stream)
        is_private = stream.kind == "load" and stream.pattern == "private"
        return self.schedule.buffer(stream.buffer).slots if is_private else None

    def _private_loads(self, moves: Sequence[Move]) -> Iterator[str]:
        streams = [self.schedule.stream(move.stream) for move in moves]
        yield from map(self._comment, streams)
        yield from private_loads([Mover(self.schedule, stream) for stream in streams])

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
                case _:
                    raise InternalError(f"{type(step).__name__} is no step of a thread that moves data")

    def _for(self, step: For, around: tuple[For, ...]) -> Iterator[str]:
        counter = identifier(step.counter)
        body = list(self.steps(step.body, (*around, step)))
        head = f"for (int32_t {counter} = 0; {counter} < {stop_text(self.schedule, step)}; ++{counter})"
        yield from braces(head, body, step.source)

    def _move(self, step: Move, around: tuple[For, ...]) -> Iterator[str]:
        stream = self.schedule.stream(step.stream)
        lines = Mover(self.schedule, stream).move([name for name in self._loops(around)])
        comment = self._comment(stream)
        if not step.ahead:
            yield comment
            yield from lines
            return
        innermost = around[-1]
        counter = identifier(innermost.counter)
        lets = [_let(inner) for inner in innermost.body if isinstance(inner, Let)]
        head = f"if (const int32_t next = {counter} + 1; next < {stop_text(self.schedule, innermost)})"
        yield f"{comment}, one iteration ahead"
        yield from braces(head, [f"const int32_t {counter} = next;", *lets, *lines])

    def _loops(self, around: tuple[For, ...]) -> Iterator[str]:
        """Loops of the kernel that are open: their counters, or what they set."""
        for loop in around:
            names = [loop.counter, *(step.name for step in loop.body if isinstance(step, Let))]
            yield from (name for name in names if name in self.kernel_loops)

    def _comment(self, stream: Stream) -> str:
        start = ", ".join(affine_text(start) for start in stream.starts)
        tile = "x".join(map(str, stream.tile))
        return f"// {stream.access}: {stream.kind} of the {tile} tile at ({start}) of {stream.layout}"


def _let(step: Let) -> str:
    return f"const int32_t {identifier(step.name)} = {index_text(step.value)};"
