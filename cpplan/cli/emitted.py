"""What an emitted program consists of, for ``cpplan emit --explain``: kernels step by step, buffers, semaphores, and
who sends to whom. Cores are called by the (x, y) that the host script gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from cpplan.cli.console import table
from cpplan.emit_ttmetal.arguments import argument_words, semaphore_words
from cpplan.emit_ttmetal.chip import logical_cores
from cpplan.emit_ttmetal.comments import by_line
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.program import Core, Kernel, Program
from cpplan.emit_ttmetal.roles import block_words, plan_words, role, sharing
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.combining import strides
from cpplan.schedule.schedule import (
    Await,
    Compute,
    Coordinate,
    Drop,
    Exchange,
    For,
    Guard,
    Hand,
    Make,
    Move,
    Pass,
    Schedule,
    Step,
    Stream,
    Take,
)

PROCESSORS = {"riscv0": "BRISC", "riscv1": "NCRISC", "compute": "the compute unit"}
VIEWS = ("index", "mask", "reshape", "broadcast", "constant")
MOST_GROUPS = 8
"""Groups of an access that are listed; further ones are counted."""


def explain(console: Console, schedule: Schedule, program: Program) -> None:
    """Print all of it."""
    first, last = program.cores[0], program.cores[-1]
    lines = [
        f"\nPlan: {'; '.join(plan_words(schedule))}",
        f"Cores {first} to {last}: {len(program.cores)}, all run the same kernels with arguments of their own",
    ]
    for kernel in program.kernels:
        lines += ["", *kernel_lines(schedule, kernel)]
    total = sum(buffer.size for buffer in program.buffers)
    lines.append(f"\nCircular buffers, the same on every core: {total:,} bytes")
    console.print("\n".join(lines), soft_wrap=True)
    console.print(buffer_table(schedule, program))
    lines = [f"  {number}: {words}" for number, words in enumerate(semaphore_words(schedule))]
    console.print("\n".join(["\nSemaphores", *(lines or ["  none"])]), soft_wrap=True)
    lines = [f"  {line}" for line in sending_lines(schedule)]
    console.print("\n".join(["\nWho sends to whom", *(lines or ["  nobody"])]), soft_wrap=True)


def kernel_lines(schedule: Schedule, kernel: Kernel) -> Iterator[str]:
    """A kernel: where it runs, its arguments, its steps."""
    network = "" if kernel.noc is None else f", NoC {kernel.noc}"
    yield f"kernels/{kernel.name}.cpp on {PROCESSORS[kernel.processor]} ({kernel.processor}){network}"
    arguments = "; ".join(argument_words(schedule, kernel.noc))
    if arguments:
        yield f"  arguments of a core: {arguments}"
    thread = "compute" if kernel.noc is None else f"noc{kernel.noc}"
    yield from (f"  {line}" for line in step_lines(schedule, schedule.thread(thread).steps))


def step_lines(schedule: Schedule, steps: Sequence[Step]) -> Iterator[str]:
    """Steps of a thread, one line each, the body of a loop set in."""
    for step in steps:
        match step:
            case For():
                stop = f"at most {step.stop}" if step.profile is not None else str(step.stop)
                yield f"for {step.counter}, {stop} trip{'s' * (step.stop != 1)}: {step.source}"
                yield from (f"  {line}" for line in step_lines(schedule, step.body))
            case Guard():
                yield from step_lines(schedule, step.body)
            case Move():
                yield move_words(schedule, step)
            case Take():
                yield f"wait for {step.buffer}"
            case Drop():
                yield f"give up {step.buffer}"
            case Make():
                yield f"reserve {step.buffer}"
            case Hand():
                yield f"hand on {step.buffer}"
            case Compute():
                words = by_line(op for op in schedule.program.ops if op.name in step.ops and op.kind not in VIEWS)
                if words:
                    yield f"compute {words}"
            case Exchange():
                yield f"combine the states of loop {step.loop} in a {step.combine.method}"
            case Await():
                yield f"wait for the turn at {step.access}"
            case Pass():
                yield f"pass the turn at {step.access} on"


def move_words(schedule: Schedule, step: Move) -> str:
    """``load a_ptr, 4 pages (64x64 elements), one iteration ahead; every core reads its own``."""
    stream = schedule.stream(step.stream)
    pages = schedule.buffer(stream.buffer).pages
    ahead = ", one iteration ahead" if step.ahead else ""
    block = f"{pages} page{'s' * (pages > 1)} ({block_words(schedule, stream)})"
    return f"{stream.kind} {stream.access}, {block}{ahead}; {sharing(schedule, stream)}"


def buffer_table(schedule: Schedule, program: Program) -> Table:
    """Every circular buffer with the decision it comes from; what no kernel names is a plan's that it did not need."""
    texts = "".join(kernel.source for kernel in program.kernels)
    slots = {buffer.name: buffer.slots for buffer in schedule.buffers}
    out = table(">index", "name", "what for", ">slots", ">pages", "format", ">bytes", ">address")
    for buffer in program.buffers:
        depth = slots.get(buffer.name, 1)
        words = role(schedule, buffer.name)
        if f"cb_{identifier(buffer.name)}" not in texts:
            words += ", left unused: read from where it comes"
        cells = (buffer.index, buffer.name, words, depth, buffer.pages // depth, buffer.format, f"{buffer.size:,}")
        out.add_row(*map(str, cells), "" if buffer.address is None else str(buffer.address))
    return out


def sending_lines(schedule: Schedule) -> Iterator[str]:
    """Multicasts and chains by group, then partners of a combine, then turns."""
    places = logical_cores(schedule.device, schedule.digits)
    for stream in schedule.streams:
        if stream.pattern != "private":
            groups = list(group_words(stream, places))
            way = "multicast" if stream.pattern == "multicast" else "core to core"
            yield f"{stream.access}, {way} over NoC {stream.noc}: {_listed(groups)}"
    yield from _combining_lines(schedule, places)
    for turns in schedule.turns:
        lines = [" then ".join(str(places[core]) for core in line) for line in turns.lines]
        around = ", and around again" if turns.around else ""
        yield f"{turns.access}, turns: {_listed(lines)}{around}"


def group_words(stream: Stream, places: dict[Coordinate, Core]) -> Iterator[str]:
    """``(0, 0) to (1, 0)..(3, 0)`` for every reader of a shared stream."""
    for reader, endpoint in stream.endpoints.items():
        if stream.pattern == "forward":
            if endpoint.previous is None and endpoint.following is not None:
                yield " to ".join(str(places[core]) for core in _chain(stream, reader))
        elif endpoint.reader == reader:
            low, high = places[endpoint.low], places[endpoint.high]
            yield f"{places[reader]} to {low}" + (f"..{high}" if low != high else "")


def _chain(stream: Stream, first: Coordinate) -> Iterator[Coordinate]:
    core: Coordinate | None = first
    while core is not None:
        yield core
        core = stream.endpoints[core].following


def _combining_lines(schedule: Schedule, places: dict[Coordinate, Core]) -> Iterator[str]:
    combining = schedule.combining
    if combining is None:
        return
    head = f"loop {combining.loop}, over NoC {combining.noc}"
    if combining.gathered is not None:
        rings = {partners[2:] for partners in combining.partners.values()}
        words = [" to ".join(str(places[core]) for core in ring if core is not None) for ring in sorted(rings)]
        yield f"{head}, around the ring: {_listed(words)}; then all to the first"
        return
    cores = cores_per_dim(schedule.plan.spatial)[combining.loop]
    for number, stride in enumerate(strides(cores)):
        pairs = [
            f"{places[core]} to {places[other]}"
            for core, partners in combining.partners.items()
            if (other := partners[number]) is not None
            and dict(schedule.digits[core])[combining.loop] % (2 * stride) == stride
        ]
        yield f"{head}, round {number}: {_listed(pairs)}"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - MOST_GROUPS
    return "; ".join(words[:MOST_GROUPS]) + (f"; and {more} more" if more > 0 else "")
