"""A plan made a schedule: ``build_schedule(program, device, plan)``."""

from __future__ import annotations

from cpplan.device.device import Device
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Plan
from cpplan.schedule.buffers import buffer_names, buffers_of, placed
from cpplan.schedule.combining import combining_of, semaphores_of
from cpplan.schedule.layouts import tensor_layouts
from cpplan.schedule.lives import with_lives
from cpplan.schedule.schedule import Schedule
from cpplan.schedule.streams import check_semaphores, digits_of_cores, streams_of
from cpplan.schedule.threads import check_trips, threads_of
from cpplan.schedule.turns import turns_of
from cpplan.tile.program import TileProgram


def build_schedule(program: TileProgram, device: Device, plan: Plan) -> Schedule:
    """What every core of ``device`` does under ``plan``, which must be legal (:mod:`cpplan.plan.space`).

    Raises :class:`~cpplan.errors.ScheduleError` where the plan cannot be made a program: tiles that are no sets of
    whole pages, addresses that depend on data, trip counts of which only the sum is known, too many buffers, bytes or
    semaphores.
    """
    check_trips(program)
    layouts, uses = tensor_layouts(program)
    nest = build_nest(program, plan.spatial, plan.order)
    streams, semaphores = streams_of(program, device, plan, nest, uses, buffer_names(program))
    combining = combining_of(program, plan, semaphores)
    semaphores += semaphores_of(combining)
    digits = digits_of_cores(plan)
    turns = turns_of(program, plan, nest, digits, streams, semaphores)
    semaphores += len(turns)
    check_semaphores(program, semaphores)
    threads = threads_of(program, plan, nest, streams, turns)
    buffers = with_lives(program, buffers_of(program, plan, streams, layouts), threads[-1])
    return Schedule(
        program=program,
        device=device,
        plan=plan,
        layouts=layouts,
        buffers=placed(buffers, device, program.source or program.name),
        streams=streams,
        threads=threads,
        digits=digits,
        semaphores=semaphores,
        combining=combining,
        turns=turns,
    )
