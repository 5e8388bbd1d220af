"""The handing over of partial states between cores that share a loop, as C++ of a data-movement kernel."""

from __future__ import annotations

from collections.abc import Iterator

from cpplan.emit_ttmetal.movement.lines import braces, counted
from cpplan.emit_ttmetal.names import identifier
from cpplan.emit_ttmetal.roles import role, size
from cpplan.errors import InternalError
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.combining import strides
from cpplan.schedule.schedule import Buffer, Schedule


def exchange_lines(schedule: Schedule) -> Iterator[str]:
    """All rounds of a tree, or steps of a ring."""
    combining = schedule.combining
    if combining is None:
        raise InternalError("a thread exchanges states although no cores share a loop")
    core, cores = f"core_{identifier(combining.loop)}", cores_per_dim(schedule.plan.spatial)[combining.loop]
    yield from _tree(schedule, core, cores) if combining.gathered is None else _ring(schedule, core, cores)


def partner_lines(schedule: Schedule, first: int) -> list[str]:
    """Declarations of the NoC coordinates of the partners, from argument ``first`` on, and of the semaphores."""
    combining = schedule.combining
    assert combining is not None
    number = len(next(iter(combining.partners.values())))
    if combining.gathered is None:
        lines = [f"const auto partner_{n} = plan::place_at({first + 2 * n});" for n in range(number)]
    else:
        lines = [
            f"const auto before = plan::place_at({first});",
            f"const auto after = plan::place_at({first + 2});",
            f"constexpr uint32_t ring_cores = {first + 4};  // argument at which the cores of the ring are listed",
            f"const auto ring_first = plan::place_at({first + 4});",
            f"const uint32_t gathered_combine = get_semaphore({combining.gathered});",
        ]
    return [
        *lines,
        f"const uint32_t ready_combine = get_semaphore({combining.ready});",
        f"const uint32_t valid_combine = get_semaphore({combining.valid});",
    ]


def _tree(schedule: Schedule, core: str, cores: int) -> Iterator[str]:
    loop = schedule.combining.loop if schedule.combining else ""
    for number, stride in enumerate(strides(cores)):
        place = f"partner_{number}"
        yield f"// round {number} of combining loop {loop} over {cores} cores"
        sending = braces(f"if ({core} % {2 * stride} == {stride})", _send(schedule, place), "hands its state on")
        receiving = braces(
            f"else if ({core} % {2 * stride} == 0 && {core} + {stride} < {cores})",
            [*_room(schedule, place), *_arrival(schedule)],
        )
        yield from (*sending[:-1], f"}} {receiving[0]}", *receiving[1:])


def _ring(schedule: Schedule, core: str, cores: int) -> Iterator[str]:
    loop = schedule.combining.loop if schedule.combining else ""
    step = [*_room(schedule, "before"), *_send(schedule, "after"), *_arrival(schedule)]
    yield f"// loop {loop}: parts of the states go around the ring of {cores} cores"
    yield from counted("ring_step", str(cores - 1), step)
    member = "const auto member = plan::place_at(ring_cores + 2 * ring_member);"
    gathering = [member, *_room(schedule, "member", "gathered_combine"), *_arrival(schedule)]
    yield from braces(
        f"if ({core} == 0)",
        braces(f"for (uint32_t ring_member = 1; ring_member < {cores}; ++ring_member)", gathering),
        "gathers the parts",
    )[:-1]
    yield from braces("} else", _send(schedule, "ring_first", "gathered_combine"))


def buffer_lines(schedule: Schedule) -> Iterator[str]:
    """Declarations of the buffers of states."""
    for buffer in (*_buffers(schedule, "partial"), *_buffers(schedule, "outgoing")):
        name = identifier(buffer.name)
        yield f"// {buffer.name}: {role(schedule, buffer.name)}, {size(buffer)}"
        yield f"constexpr uint32_t {_cb(buffer)} = {buffer.index};"
        yield f"constexpr uint32_t pages_{name} = {buffer.pages};"
        yield f"constexpr uint32_t page_bytes_{name} = {buffer.page_bytes};"


def _send(schedule: Schedule, place: str, ready: str = "ready_combine") -> Iterator[str]:
    outgoing, partial = _buffers(schedule, "outgoing"), _buffers(schedule, "partial")
    for buffer in outgoing:
        yield f"cb_wait_front({_cb(buffer)}, {_pages(buffer)});"
    yield f"plan::await({ready});  // the receiver has room"
    for source, target in zip(outgoing, partial, strict=True):
        address = f"get_noc_addr({place}.x, {place}.y, get_write_ptr({_cb(target)}))"
        sent = f"{_pages(source)} * page_bytes_{identifier(source.name)}"
        yield f"noc_async_write(get_read_ptr({_cb(source)}), {address}, {sent});"
    yield "noc_async_write_barrier();"
    yield f"noc_semaphore_inc(get_noc_addr({place}.x, {place}.y, valid_combine), 1);"
    yield "noc_async_atomic_barrier();"
    for buffer in outgoing:
        yield f"cb_pop_front({_cb(buffer)}, {_pages(buffer)});"


def _room(schedule: Schedule, place: str, ready: str = "ready_combine") -> Iterator[str]:
    """Tells the sender that a state may come."""
    for buffer in _buffers(schedule, "partial"):
        yield f"cb_reserve_back({_cb(buffer)}, {_pages(buffer)});"
    yield f"noc_semaphore_inc(get_noc_addr({place}.x, {place}.y, {ready}), 1);"


def _arrival(schedule: Schedule) -> Iterator[str]:
    """Waits for the state and hands it to the compute thread."""
    yield "plan::await(valid_combine);  // the state is there"
    for buffer in _buffers(schedule, "partial"):
        yield f"cb_push_back({_cb(buffer)}, {_pages(buffer)});"


def _buffers(schedule: Schedule, role: str) -> list[Buffer]:
    return [buffer for buffer in schedule.buffers if buffer.role == role]


def _cb(buffer: Buffer) -> str:
    return f"cb_{identifier(buffer.name)}"


def _pages(buffer: Buffer) -> str:
    return f"pages_{identifier(buffer.name)}"
