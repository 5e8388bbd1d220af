"""The files of an emitted program."""

from __future__ import annotations

from cpplan.emit_ttmetal.host import host_script
from cpplan.emit_ttmetal.program import Program
from cpplan.schedule.mlir import print_schedule
from cpplan.schedule.schedule import Schedule


def program_files(schedule: Schedule, program: Program) -> dict[str, str]:
    """Name -> text: ``kernels/*.cpp``, ``host.py`` and ``schedule.mlir``.

    Raises :class:`~cpplan.errors.ScheduleError` for element types that tensors of the host library do not have.
    """
    kernels = {f"kernels/{kernel.name}.cpp": kernel.source for kernel in program.kernels}
    return kernels | {"host.py": host_script(schedule, program), "schedule.mlir": print_schedule(schedule)}
