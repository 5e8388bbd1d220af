"""A schedule as MLIR text: the tile program, then buffers, streams, cores and the steps of every thread.

The two parts are separated by a ``// -----`` line, as MLIR tools split files. The second consists of ``plan`` ops in
the generic form, which any MLIR tool reads that accepts unregistered ops. :func:`cpplan.schedule.parse.parse_schedule`
reads the text back to an equal schedule.

plan.placement   what was decided for an access
plan.layout      how a tensor lies in DRAM: per axis unit, padded unit, pieces, lead
plan.buffer      a circular buffer with its place in SRAM and the steps between which it is alive
plan.stream      all transfers of an access; ``inner`` indices run within one transfer
plan.group       cores that share a stream: who reads, the corners of the rectangle that receives
plan.link        the neighbours of a core on the line along which a stream is forwarded
plan.turns       how cores take turns at an atomic; plan.line lists cores that update the same tile, in that order
plan.core        a core in use, its digits, and its partners in the rounds of a combine
plan.thread      steps of one processor of every core
plan.await       waits for the turn of the core, which plan.pass hands on
plan.for         a loop; ``trips`` where its stop depends on the block of the wave that runs longest
plan.guard       steps for blocks inside the grid (``extents``) whose loops (``trips``) still run
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cpplan.schedule.schedule import (
    Await,
    Compute,
    Coordinate,
    Drop,
    Endpoint,
    Exchange,
    For,
    Guard,
    Hand,
    Index,
    Let,
    Make,
    Move,
    Pass,
    Schedule,
    Step,
    Stream,
    Take,
    Term,
)
from cpplan.tile.mlir import print_program
from cpplan.tile.mlir_types import affine_text, attributes_text, bounds_text, profile_text

SEPARATOR = "// -----"
INDENT = "  "
Attributes = Iterable[tuple[str, object]]


def print_schedule(schedule: Schedule) -> str:
    """MLIR text of ``schedule``, with its tile program before it."""
    lines = ["builtin.module {", *_indented(_whole(schedule)), "}"]
    return f"{print_program(schedule.program).rstrip()}\n\n{SEPARATOR}\n\n" + "\n".join(lines) + "\n"


def index_text(index: Index) -> str:
    """``core_m + 2 * wave.m floordiv 3 mod 2 + 5``; zero is ``0``."""
    parts = [_term(term) for term in index.terms]
    return " + ".join([*parts, *([str(index.const)] if index.const or not parts else [])])


def _term(term: Term) -> str:
    text = term.symbol if term.factor == 1 else f"{term.factor} * {term.symbol}"
    text += f" floordiv {term.divisor}" if term.divisor != 1 else ""
    return text + (f" mod {term.modulus}" if term.modulus else "")


def _whole(schedule: Schedule) -> Iterator[str]:
    inside = [*_decisions(schedule), *_memory(schedule), *_streams(schedule), *_cores(schedule)]
    for thread in schedule.threads:
        inside += _region("plan.thread", _steps(thread.steps), [("name", thread.name)])
    plan = schedule.plan
    attributes: list[tuple[str, object]] = [
        ("sym_name", schedule.program.name),
        ("device", schedule.device.name),
        ("block", [list(pair) for pair in plan.block]),
        ("spatial", [[f"{split.dim}/{split.factor}" for split in splits] for splits in plan.spatial]),
        ("order", [list(group) for group in plan.order]),
        ("origin", list(plan.origin)),
        ("semaphores", schedule.semaphores),
    ]
    if plan.combine is not None:
        attributes += [("combine", plan.combine.method), ("combine_noc", plan.combine.noc)]
    yield from _region("plan.schedule", inside, attributes)


def _decisions(schedule: Schedule) -> Iterator[str]:
    for place in schedule.plan.placements:
        yield _op(
            "plan.placement",
            [
                ("access", place.access), ("level", place.level), ("depth", place.depth),
                ("groups", list(place.groups)), ("pattern", place.pattern), ("noc", place.noc),
                ("reader", place.reader),
            ],
        )  # fmt: skip


def _memory(schedule: Schedule) -> Iterator[str]:
    for item in schedule.layouts:
        axes = [[axis.unit, axis.padded, axis.pieces, axis.lead] for axis in item.axes]
        yield _op(
            "plan.layout",
            [
                ("name", item.name), ("tensor", item.tensor), ("format", item.format), ("axes", axes),
                *_given(rows=item.rows, columns=item.columns), ("in_runs", item.in_runs),
                ("padding", str(item.padding)),
            ],
        )  # fmt: skip
    for buffer in schedule.buffers:
        yield _op(
            "plan.buffer",
            [
                ("index", buffer.index), ("name", buffer.name), ("role", buffer.role), ("format", buffer.format),
                ("shape", list(buffer.shape)), ("pages", buffer.pages), ("slots", buffer.slots),
                ("page_bytes", buffer.page_bytes), ("tiles", buffer.tiles), ("offset", buffer.offset),
                ("first", buffer.first), ("last", buffer.last),
            ],
        )  # fmt: skip


def _streams(schedule: Schedule) -> Iterator[str]:
    for stream in schedule.streams:
        fill = None if stream.fill is None else str(stream.fill)
        yield _op(
            "plan.stream",
            [
                ("access", stream.access), ("kind", stream.kind), ("buffer", stream.buffer),
                ("layout", stream.layout), ("tile", list(stream.tile)),
                ("starts", [affine_text(start) for start in stream.starts]),
                ("inner", [list(pair) for pair in stream.inner]),
                ("bounds", [bounds_text(bounds) for bounds in stream.bounds]), *_given(fill=fill),
                ("noc", stream.noc), ("pattern", stream.pattern),
                *_given(ready=stream.ready, valid=stream.valid),
            ],
        )  # fmt: skip
        yield from _groups(stream)


def _groups(stream: Stream) -> Iterator[str]:
    members: dict[Endpoint, list[Coordinate]] = {}
    for core, endpoint in stream.endpoints.items():
        members.setdefault(endpoint, []).append(core)
    for endpoint, cores in members.items():
        places = {"previous": endpoint.previous, "following": endpoint.following}
        links = [(name, list(core)) for name, core in places.items() if core is not None]
        yield _op(
            "plan.link" if stream.pattern == "forward" else "plan.group",
            [
                ("access", stream.access), ("reader", list(endpoint.reader)), ("low", list(endpoint.low)),
                ("high", list(endpoint.high)), ("receivers", endpoint.receivers), *links,
                ("cores", [list(core) for core in cores]),
            ],
        )  # fmt: skip


def _cores(schedule: Schedule) -> Iterator[str]:
    combining = schedule.combining
    if combining is not None:
        yield _op(
            "plan.combining",
            [
                ("loop", combining.loop), ("noc", combining.noc), ("ready", combining.ready),
                ("valid", combining.valid), *_given(gathered=combining.gathered),
            ],
        )  # fmt: skip
    for turns in schedule.turns:
        way = [("load", turns.load), ("semaphore", turns.semaphore), ("around", turns.around)]
        yield _op("plan.turns", [("access", turns.access), *way])
        for line in turns.lines:
            yield _op("plan.line", [("access", turns.access), ("cores", [list(core) for core in line])])
    for core, digits in schedule.digits.items():
        partners = [] if combining is None else [[list(c) if c else [] for c in combining.partners[core]]]
        extra = [("partners", found) for found in partners]
        yield _op("plan.core", [("at", list(core)), ("digits", [list(pair) for pair in digits]), *extra])


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        match step:
            case For():
                yield from _region("plan.for", _steps(step.body), _loop(step))
            case Guard():
                extents = [list(pair) for pair in step.extents]
                yield from _region("plan.guard", _steps(step.body), [("extents", extents), ("trips", list(step.trips))])
            case Let():
                yield _op("plan.let", [("name", step.name), ("value", index_text(step.value))])
            case Move():
                ahead: list[tuple[str, object]] = [("ahead", True)] if step.ahead else []
                yield _op("plan.move", [("stream", step.stream), *ahead])
            case Compute():
                yield _op("plan.compute", [("ops", list(step.ops)), *_given(loop=step.loop)])
            case Exchange():
                way = [("method", step.combine.method), ("noc", step.combine.noc)]
                yield _op("plan.exchange", [("loop", step.loop), *way])
            case Await() | Pass():
                yield _op(f"plan.{type(step).__name__.lower()}", [("access", step.access)])
            case Take() | Drop() | Make() | Hand():
                yield _op(f"plan.{type(step).__name__.lower()}", [("buffer", step.buffer)])


def _loop(step: For) -> Iterator[tuple[str, object]]:
    yield "counter", step.counter
    if step.first != Index():
        yield "first", index_text(step.first)
    yield "stop", step.stop
    if step.step != 1:
        yield "step", step.step
    if step.profile is not None:
        yield "trips", profile_text(step.profile)
    yield "source", step.source


def _given(**values: object) -> list[tuple[str, object]]:
    """The attributes that are there."""
    return [(name, value) for name, value in values.items() if value is not None]


def _op(name: str, attributes: Attributes) -> str:
    return f'"{name}"() {attributes_text(list(attributes))} : () -> ()'


def _region(name: str, inside: Iterable[str], attributes: Attributes) -> Iterator[str]:
    yield f'"{name}"() ({{'
    yield from _indented(inside)
    yield f"}}) {attributes_text(list(attributes))} : () -> ()"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (INDENT + line for line in lines)
