"""The handing over of partial states between cores that share a loop, as C++ of a data-movement kernel."""

from __future__ import annotations

from collections.abc import Iterator

from cpplan.emit_ttmetal.movement.lines import braces
from cpplan.emit_ttmetal.names import identifier
from cpplan.errors import InternalError
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.schedule import Buffer, Schedule


def exchange_lines(schedule: Schedule) -> Iterator[str]:
    """All rounds of the tree."""
    combining = schedule.combining
    if combining is None:
        raise InternalError("a thread exchanges states although no cores share a loop")
    core, cores = f"core_{identifier(combining.loop)}", cores_per_dim(schedule.plan.spatial)[combining.loop]
    for number in range((cores - 1).bit_length()):
        stride = 1 << number
        place = f"partner_{number}"
        yield f"// round {number} of combining loop {combining.loop} over {cores} cores"
        sending = braces(f"if ({core} % {2 * stride} == {stride})", _send(schedule, place), "hands its state on")
        receiving = braces(
            f"else if ({core} % {2 * stride} == 0 && {core} + {stride} < {cores})", _receive(schedule, place)
        )
        yield from (*sending[:-1], f"}} {receiving[0]}", *receiving[1:])


def partner_lines(schedule: Schedule, first: int) -> list[str]:
    """Declarations of the NoC coordinates of the partners, from argument ``first`` on, and of the semaphores."""
    combining = schedule.combining
    assert combining is not None
    rounds = len(next(iter(combining.partners.values())))
    lines = [f"const auto partner_{number} = plan::place_at({first + 2 * number});" for number in range(rounds)]
    return [
        *lines,
        f"const uint32_t ready_combine = get_semaphore({combining.ready});",
        f"const uint32_t valid_combine = get_semaphore({combining.valid});",
    ]


def _send(schedule: Schedule, place: str) -> Iterator[str]:
    outgoing, partial = _buffers(schedule, "outgoing"), _buffers(schedule, "partial")
    for buffer in outgoing:
        yield f"cb_wait_front({_cb(buffer)}, {buffer.pages});"
    yield "plan::await(ready_combine);  // the receiver has room"
    for source, target in zip(outgoing, partial, strict=True):
        address = f"get_noc_addr({place}.x, {place}.y, get_write_ptr({_cb(target)}))"
        yield f"noc_async_write(get_read_ptr({_cb(source)}), {address}, {source.pages} * {source.page_bytes});"
    yield "noc_async_write_barrier();"
    yield f"noc_semaphore_inc(get_noc_addr({place}.x, {place}.y, valid_combine), 1);"
    yield "noc_async_atomic_barrier();"
    for buffer in outgoing:
        yield f"cb_pop_front({_cb(buffer)}, {buffer.pages});"


def _receive(schedule: Schedule, place: str) -> Iterator[str]:
    partial = _buffers(schedule, "partial")
    for buffer in partial:
        yield f"cb_reserve_back({_cb(buffer)}, {buffer.pages});"
    yield f"noc_semaphore_inc(get_noc_addr({place}.x, {place}.y, ready_combine), 1);"
    yield "plan::await(valid_combine);  // the state is there"
    for buffer in partial:
        yield f"cb_push_back({_cb(buffer)}, {buffer.pages});"


def _buffers(schedule: Schedule, role: str) -> list[Buffer]:
    return [buffer for buffer in schedule.buffers if buffer.role == role]


def _cb(buffer: Buffer) -> str:
    return f"cb_{identifier(buffer.name)}"
