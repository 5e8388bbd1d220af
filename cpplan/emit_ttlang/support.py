"""What the back end for TT-Lang does not make, said before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cpplan.errors import ScheduleError
from cpplan.schedule.schedule import Compute, Drop, Exchange, For, Guard, Hand, Let, Make, Move, Schedule, Step, Take
from cpplan.tile.program import Access, Affine, Op

_STEPS = (For, Let, Guard, Move, Take, Drop, Make, Hand, Compute, Exchange)
_FORMATS = ("bf16", "fp32")


def refuse(place: str, why: str) -> ScheduleError:
    """An error that names the line."""
    return ScheduleError(f"{place}: no TT-Lang operation can be made: {why}")


def refuse_op(op: Op, program: str, why: str) -> ScheduleError:
    """An error about one op of the body."""
    return refuse(op.source or program, f"{op.name} ({op.kind}): {why}")


def place_of(access: Access, schedule: Schedule) -> str:
    """Where an access is in the kernel."""
    return access.source or schedule.program.source or schedule.program.name


def check_supported(schedule: Schedule) -> None:
    """Raises :class:`~cpplan.errors.ScheduleError` for a schedule beyond this back end, naming the line."""
    program = schedule.program
    source = program.source or program.name
    combine = schedule.plan.combine
    if schedule.combining is not None and combine is not None and combine.method != "tree":
        raise refuse(
            source,
            f"cores combine their parts of loop {schedule.combining.loop} in a {combine.method}, which passes on parts "
            "of blocks: take a plan with --pin combine=tree, or without with --pin combine=none",
        )
    if program.in_runs:
        raise refuse(source, "its tiles are runs of elements and not matrices, which blocks of TT-Lang are")
    for layout in schedule.layouts:
        if layout.format not in _FORMATS:
            raise refuse(source, f"{layout.tensor} has elements of {layout.format}, blocks have {_FORMATS}")
    for step in _all(step for thread in schedule.threads for step in thread.steps):
        if not isinstance(step, _STEPS):
            raise refuse(source, f"its schedule has steps ({type(step).__name__}) that TT-Lang has no word for")
    for access in program.accesses:
        _check_masks(schedule, access)


def _all(steps: Iterator[Step] | Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, For | Guard):
            yield from _all(step.body)


def _check_masks(schedule: Schedule, access: Access) -> None:
    """Masks must be the edge of the tensor, which its padding stands for: blocks are moved whole."""
    stream = schedule.stream(access.name)
    layout = schedule.layout(stream.layout)
    shape = schedule.program.tensor(access.tensor).shape
    if access.kind == "atomic" or access.mask:
        raise refuse(place_of(access, schedule), f"{access.name} is not a plain load or store of a box")
    for axis, (masked, bounds) in enumerate(zip(access.masked, access.bounds, strict=False)):
        if not masked:
            continue
        at_edge = all(end == Affine(shape[axis]) for end in bounds.ends) and all(b.const <= 0 for b in bounds.begins)
        if not at_edge or any(begin.terms for begin in bounds.begins):
            raise refuse(place_of(access, schedule), f"{access.name} is masked inside its tensor along axis {axis}")
        if access.kind == "load" and access.fill is not None and access.fill != layout.padding:
            raise refuse(
                place_of(access, schedule),
                f"{access.name} wants {access.fill} beyond its tensor, where {layout.padding} is",
            )
