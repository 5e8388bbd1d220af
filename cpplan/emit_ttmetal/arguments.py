"""Run-time arguments of data-movement kernels, per core, before NoC coordinates are known.

Order: the core's digits; then per shared stream of the network what ``Part`` (or ``Link``) of the kernel reads; then
the partners of the core in every round of a combine over the network; then what it does in the turns of an atomic:
``Turn`` for those that the network reads for, ``Next`` for those that it writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cpplan.emit_ttmetal.names import identifier
from cpplan.schedule.schedule import Coordinate, Endpoint, Schedule, Stream

PART_WORDS = 9
LINK_WORDS = 6


@dataclass(frozen=True)
class OnNoc:
    """The NoC coordinate of a core along one axis, x or y."""

    core: Coordinate
    axis: int


Argument = int | OnNoc


def digit_names(schedule: Schedule) -> tuple[str, ...]:
    """Dims and loops that cores are spread over, in the order of the arguments."""
    return tuple(name for name, _ in next(iter(schedule.digits.values())))


def digit_lines(schedule: Schedule) -> list[str]:
    """Declarations of the digits of a core, read from its first arguments."""
    return [
        f"const int32_t core_{identifier(name)} = get_arg_val<uint32_t>({number});"
        for number, name in enumerate(digit_names(schedule))
    ]


def shared_streams(schedule: Schedule, noc: int) -> tuple[Stream, ...]:
    """Streams of a network that cores share."""
    return tuple(s for s in schedule.streams if s.noc == noc and s.pattern != "private")


def part_lines(schedule: Schedule, noc: int) -> list[str]:
    """Declarations of what this core does for every shared stream."""
    out, at = [], len(digit_names(schedule))
    for stream in shared_streams(schedule, noc):
        function = "part_at" if stream.pattern == "multicast" else "link_at"
        out.append(f"const auto part_{identifier(stream.access)} = plan::{function}({at});")
        at += PART_WORDS if stream.pattern == "multicast" else LINK_WORDS
    return out


def core_arguments(schedule: Schedule, noc: int | None) -> dict[Coordinate, tuple[Argument, ...]]:
    """Arguments of every core for the kernel of network ``noc``; None: for the compute kernel, digits alone."""
    streams = () if noc is None else shared_streams(schedule, noc)
    combining = schedule.combining if schedule.combining is not None and schedule.combining.noc == noc else None
    return {
        core: (
            *(number for _, number in digits),
            *_parts(core, streams),
            *(word for other in (combining.partners[core] if combining else ()) for word in _place(other or core)),
            *(() if noc is None else _turns(schedule, core, noc)),
        )
        for core, digits in schedule.digits.items()
    }


def argument_words(schedule: Schedule, noc: int | None) -> list[str]:
    """What the arguments of :func:`core_arguments` are, in words."""
    out = [", ".join(f"core_{identifier(name)}" for name in digit_names(schedule))]
    for stream in () if noc is None else shared_streams(schedule, noc):
        if stream.pattern == "multicast":
            out.append(f"{stream.access}: reads, sends to itself, reader, first corner, last corner, receivers")
        else:
            out.append(f"{stream.access}: reads, is last, core before, core after")
    combining = schedule.combining
    if combining is not None and combining.noc == noc:
        ring = "core before, core after, all cores of the ring"
        out.append(f"loop {combining.loop}: {'partners' if combining.gathered is None else ring}")
    for turns in schedule.turns:
        if schedule.stream(turns.load).noc == noc:
            out.append(f"{turns.access}: waits for its turn, has the first one")
        if schedule.stream(turns.access).noc == noc:
            out.append(f"{turns.access}: passes the turn on, to whom")
    return [words for words in out if words]


def semaphore_words(schedule: Schedule) -> list[str]:
    """What each semaphore tells, by number."""
    out = dict.fromkeys(range(schedule.semaphores), "")
    for stream in schedule.streams:
        if stream.ready is not None and stream.valid is not None:
            out[stream.ready] = f"room for {stream.access}"
            out[stream.valid] = f"a shared block has come over NoC {stream.noc}"
    combining = schedule.combining
    if combining is not None:
        out[combining.ready] = f"room for a state of loop {combining.loop}"
        out[combining.valid] = f"a state of loop {combining.loop} has come"
        if combining.gathered is not None:
            out[combining.gathered] = f"room for a finished part of loop {combining.loop}"
    for turns in schedule.turns:
        out[turns.semaphore] = f"turns at {turns.access}"
    return list(out.values())


def words_of_parts(schedule: Schedule, noc: int) -> int:
    """Arguments before those of a combine."""
    words = (PART_WORDS if s.pattern == "multicast" else LINK_WORDS for s in shared_streams(schedule, noc))
    return len(digit_names(schedule)) + sum(words)


def words_before_turns(schedule: Schedule, noc: int) -> int:
    """Arguments before those of turns."""
    combining = schedule.combining
    partners = next(iter(combining.partners.values())) if combining is not None and combining.noc == noc else ()
    return words_of_parts(schedule, noc) + 2 * len(partners)


def resolved(arguments: Sequence[Argument], coordinates: Mapping[Coordinate, tuple[int, int]]) -> tuple[int, ...]:
    """``arguments`` with the coordinates that cores have on the NoC."""
    return tuple(coordinates[a.core][a.axis] if isinstance(a, OnNoc) else a for a in arguments)


def _parts(core: Coordinate, streams: Sequence[Stream]) -> Iterator[Argument]:
    for stream in streams:
        endpoint = stream.endpoints[core]
        if stream.pattern == "multicast":
            yield from _part(core, endpoint, stream.noc)
        else:
            yield from _link(core, endpoint)


def _part(core: Coordinate, endpoint: Endpoint, noc: int) -> Iterator[Argument]:
    """NoC 0 travels towards higher coordinates and wants the low corner first, NoC 1 the high one."""
    yield int(core == endpoint.reader)
    yield int(is_inside(endpoint))
    yield from _place(endpoint.reader)
    corners = (endpoint.low, endpoint.high) if noc == 0 else (endpoint.high, endpoint.low)
    for corner in corners:
        yield from _place(corner)
    yield endpoint.receivers


def _link(core: Coordinate, endpoint: Endpoint) -> Iterator[Argument]:
    yield int(endpoint.previous is None)
    yield int(endpoint.following is None)
    yield from _place(endpoint.previous or core)
    yield from _place(endpoint.following or core)


def _turns(schedule: Schedule, core: Coordinate, noc: int) -> Iterator[Argument]:
    """The first of a line has its first turn, or all of them, without being told."""
    for turns in schedule.turns:
        if schedule.stream(turns.load).noc == noc:
            line = turns.line_of(core)
            is_first = core in line[:1]
            yield int(bool(line) and (turns.around or not is_first))
            yield int(is_first)
    for turns in schedule.turns:
        if schedule.stream(turns.access).noc == noc:
            following = turns.following(core)
            yield int(following is not None)
            yield from _place(following or core)


def _place(core: Coordinate) -> Iterator[Argument]:
    yield OnNoc(core, 0)
    yield OnNoc(core, 1)


def is_inside(endpoint: Endpoint) -> bool:
    """Whether the reader lies in the rectangle that receives."""
    sides = zip(endpoint.low, endpoint.reader, endpoint.high, strict=True)
    return all(low <= at <= high for low, at, high in sides)
