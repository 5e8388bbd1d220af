"""plan.mlir: the tile program of a plan and its schedule, as far as one can be made."""

from __future__ import annotations

from cpplan.cost.model import Cost
from cpplan.device.device import Device
from cpplan.errors import ScheduleError
from cpplan.plan.plan import Plan
from cpplan.schedule.build import build_schedule
from cpplan.schedule.mlir import SEPARATOR, print_schedule
from cpplan.tile.mlir import print_program
from cpplan.tile.program import TileProgram


def print_plan(program: TileProgram, device: Device, plan: Plan, cost: Cost) -> str:
    """``program`` and its plan as MLIR text; where no schedule can be made, the second part says why instead."""
    title = f"// {program.name} on {device.name}: {cost.makespan_cycles} cycles, {cost.bound_by}"
    try:
        text = print_schedule(build_schedule(program, device, plan))
    except ScheduleError as error:
        reason = "\n".join(f"// {line}" for line in f"no schedule: {error}".splitlines())
        return f"{print_program(program).rstrip()}\n\n{SEPARATOR}\n\n{title}\n{reason}\nbuiltin.module {{\n}}\n"
    before, separator, after = text.partition(f"{SEPARATOR}\n\n")
    return f"{before}{separator}{title}\n{after}"
