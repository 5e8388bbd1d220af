"""One case of level 4: a plan made a TT-Lang operation, executed by tt-lang-sim, compared in results and traffic."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

from vendor.cases import Case
from vendor.damaged_schedules import DAMAGE
from vendor.ttlang import Failed, differences, planned, simulated

from cpplan.cli.emit import emit
from cpplan.cli.options import LaunchOptions, take_device, take_launch, take_restriction
from cpplan.cli.planned import Planned, of_kernel
from cpplan.emit_ttlang.operation import emit_operation
from cpplan.emit_ttmetal.compare import largest_error, random_memory, tolerance
from cpplan.frontend.find_launch import find_launch
from cpplan.frontend.interpreted import interpret
from cpplan.frontend.launch import Launch
from cpplan.schedule.build import build_schedule

ROOT = Path(__file__).parents[2]
LIMIT = 300


def checked_operation(case: Case, home: Path) -> dict[str, Any]:
    """``equal`` to Triton's interpreter within tolerance, and how the traffic differs from the plan's figures.

    A damaged schedule is held against the plan that it was made of.
    """
    with contextlib.redirect_stdout(io.StringIO()):  # files print what they computed
        options, found = _planned(case)
        launch = _launch(options, found)
        memory = random_memory(launch, found.program, 0)
        expected = interpret(launch, memory)
    schedule = build_schedule(found.program, found.device, found.plan)
    used = DAMAGE[case.damage](schedule) if case.damage else schedule
    wanted = planned(schedule, emit_operation(schedule))
    with tempfile.TemporaryDirectory(prefix="cpplan-ttlang-") as folder:
        try:
            after, traffic = simulated(home, Path(folder), emit_operation(used), used, memory, LIMIT)
        except Failed as error:
            return {"accepted": False, "error": str(error)}
    written = [tensor for tensor in found.program.tensors if found.program.is_written(tensor.name)]
    errors = {t.name: largest_error(after[t.name], expected[t.name]) for t in written}
    allowed = {t.name: tolerance(found.program, t, expected[t.name]) for t in written}
    return {
        "accepted": True,
        "nodes": found.plan.cores,
        "equal": all(errors[name] <= allowed[name] for name in errors),
        "largest_error": max(errors.values()),
        "tolerance": min(allowed.values()),
        "tiles_read": dict(sorted(traffic.read.items())),
        "tiles_written": {name: count for name, count in sorted(traffic.written.items()) if count},
        "pipes": len(traffic.pipes),
        "tiles_sent": sum(sent for sent, _ in traffic.pipes.values()),
        "tiles_received": sum(received for _, received in traffic.pipes.values()),
        "buffers": [
            [name, list(shape), depth, count] for (name, shape, depth), count in sorted(traffic.buffers.items())
        ],
        "differences": differences(traffic, wanted),
    }


def _planned(case: Case) -> tuple[LaunchOptions, Planned]:
    command, path, *rest = case.emit()
    values = dict(emit.make_context(command, [str(ROOT / path), *rest]).params)
    options, devices = take_launch(values), take_device(values)
    return options, of_kernel(options, devices, take_restriction(values), values["which"], values["launch"])


def _launch(options: LaunchOptions, found: Planned) -> Launch:
    return find_launch(
        str(options.path), found.name, dict(found.program.block), entry=options.entry, kernel=options.kernel,
        args=options.arg, constexprs=options.constexpr, grid=options.grid, mode=options.tensors, argv=options.argv,
        gpu=options.gpu, multiprocessors=options.multiprocessors,
    )  # fmt: skip
