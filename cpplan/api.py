"""The Python interface: ``cpplan.solve(kernel, ...)`` and ``cpplan.evaluate(kernel, plan, ...)``.

Importing it loads neither solver nor Triton nor torch.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpplan.errors import InputError

if TYPE_CHECKING:
    from cpplan.device.device import Device
    from cpplan.encode.solve import Solution
    from cpplan.frontend import Reading
    from cpplan.plan.check import Evaluation
    from cpplan.plan.plan import Plan
    from cpplan.tile.program import Problem

ELEMENT_TYPES = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8e4",
    "float8_e5m2": "fp8e5",
}  # fmt: skip
"""Element types that torch and numpy name differently from the planner."""


def solve(
    kernel: Any,
    *,
    device: str | Device,
    args: Mapping[str, Any] | None = None,
    constexprs: Mapping[str, Any] | None = None,
    grid: str | Sequence[int] | None = None,
    entry: str | None = None,
    argv: Sequence[str] = (),
    free: Sequence[str] = (),
    k: int = 1,
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    allow_opaque: bool = False,
    progress: Callable[[str], None] | None = None,
    pin: Sequence[str] = (),
    forbid: Sequence[str] = (),
    pin_file: str | Path | None = None,
    old: str | Path | None = None,
    formats: Mapping[str, str] | None = None,
) -> Solution:
    """The ``k`` best plans of one kernel launch on one device, with their certificate.

    ``kernel`` is the path of a kernel file, which is run (or its function ``entry``) to see what it launches, or a
    Triton kernel, whose launch is then described by ``args``, ``constexprs`` and ``grid``:

    * ``args`` maps parameters to numbers, to tensors of torch or numpy (only shape, strides and element type count), or
      to texts such as ``"bf16[4096,4096]"``;
    * ``constexprs`` maps parameters to a value, or to a list of values that are candidates;
    * ``grid`` is up to three integers, or a text such as ``"cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)"``.

    ``free`` names constexpr parameters that may take every multiple of 32. ``device`` is a name, the path of a spec, or
    a loaded device. ``time_limit`` is in seconds; the answer then says by its status and gap what was not proved.

    ``old`` is the path of a plan.json of the same kernel, perhaps for another device: brought onto this one, it is the
    first plan known, so the answer is never worse, however short the time.

    ``pin`` and ``forbid`` restrict the plans to those of which all resp. none of the terms hold, such as
    ``"BLOCK_M=128"`` or ``"a_ptr.broadcast=row"`` (:class:`cpplan.plan.restrict.Term` lists them); ``pin_file`` pins
    what a partial plan.json decides.

    ``formats`` maps tensors to the block format in which the device stores them, ``"bfp8_b"`` or ``"bfp4_b"``,
    whatever their type in the kernel.

    A file may launch several kernels as long as one of them can be planned; each of the others is a warning that says
    why. :func:`cpplan.frontend.read_launches` lists both, for planning a file with several.

    Raises :class:`~cpplan.errors.CpplanError`: unusable input, a kernel that cannot be analysed, a malformed spec.
    """
    from cpplan.encode.solve import solve as solve_problem
    from cpplan.plan.artifact import read_plan
    from cpplan.plan.partial import pins_of, read_partial
    from cpplan.plan.repair import OldPlan
    from cpplan.plan.terms import parse_restriction

    problem, target = _read(kernel, device, args, constexprs, grid, entry, argv, free, allow_opaque, formats)
    before = None if old is None else read_plan(Path(old))
    of_files = {} if pin_file is None else {str(pin_file): list(pins_of(read_partial(Path(pin_file))))}
    restriction = parse_restriction(problem, target, pin, forbid, of_files)
    return solve_problem(
        problem,
        target,
        k=k,
        time_limit=time_limit,
        workers=workers,
        seed=seed,
        progress=progress,
        restriction=restriction,
        old=None if before is None else OldPlan(before.plan(), tuple(dim.name for dim in before.device.array)),
    )


def evaluate(
    kernel: Any,
    plan: str | Path | Plan,
    *,
    device: str | Device,
    args: Mapping[str, Any] | None = None,
    constexprs: Mapping[str, Any] | None = None,
    grid: str | Sequence[int] | None = None,
    entry: str | None = None,
    argv: Sequence[str] = (),
    free: Sequence[str] = (),
    allow_opaque: bool = False,
    formats: Mapping[str, str] | None = None,
) -> Evaluation:
    """``plan`` for one kernel launch on one device: brought into canonical form, checked, and scored.

    ``plan`` is a plan, or the path of a plan.json that decides everything; its recorded cost is not looked at. The
    launch is described as for :func:`solve`. The answer lists the rules that the plan breaks; it has a cost unless
    rules of the plan space are broken, so also when only SRAM runs out.

    Raises :class:`~cpplan.errors.CpplanError` for what :func:`solve` raises it for, and for a plan that leaves
    something open, or names what the launch or the device does not have.
    """
    from cpplan.plan.check import check_plan, evaluate_decisions, program_of
    from cpplan.plan.partial import read_partial
    from cpplan.plan.plan import Plan

    problem, target = _read(kernel, device, args, constexprs, grid, entry, argv, free, allow_opaque, formats)
    if isinstance(plan, Plan):
        return check_plan(program_of(problem, dict(plan.block)), target, plan)
    return evaluate_decisions(problem, target, read_partial(Path(plan)))


def _read(
    kernel: Any,
    device: str | Device,
    args: Mapping[str, Any] | None,
    constexprs: Mapping[str, Any] | None,
    grid: str | Sequence[int] | None,
    entry: str | None,
    argv: Sequence[str],
    free: Sequence[str],
    allow_opaque: bool,
    formats: Mapping[str, str] | None,
) -> tuple[Problem, Device]:
    """The one launch that is described, and the device."""
    from cpplan.device.device import Device
    from cpplan.device.formats import check_formats
    from cpplan.device.spec import load_device
    from cpplan.frontend import read_launches

    target = device if isinstance(device, Device) else load_device(device)
    path, name = _where(kernel)
    reading = read_launches(
        path,
        entry=entry,
        kernel=name,
        args=[f"{parameter}={describe(value)}" for parameter, value in (args or {}).items()],
        constexprs=[f"{parameter}={_values(value)}" for parameter, value in (constexprs or {}).items()],
        grid=grid if grid is None or isinstance(grid, str) else ",".join(map(str, grid)),
        free=free,
        argv=argv,
        sram_limit=target.sram.usable,
        formats=[f"{tensor}={format_}" for tensor, format_ in (formats or {}).items()],
    )
    if not allow_opaque:
        reading = without_opaque(path, reading)
    if len(reading.problems) != 1:
        names = ", ".join(problem.name for problem in reading.problems)
        raise InputError(
            f"{path}: launches {len(reading.problems)} kernels ({names}): choose one with entry= or pass the kernel"
        )
    for refusal in reading.refused:
        warnings.warn(str(refusal), stacklevel=3)
    (problem,) = reading.problems
    check_formats(problem, target)
    return problem, target


def without_opaque(path: str, reading: Reading) -> Reading:
    """``reading`` with the problems refused that have an access whose address depends on data.

    Raises :class:`~cpplan.errors.KernelError` when none is left of the file ``path``.
    """
    from cpplan.frontend.reading import Reading, Refusal, all_refused

    reasons = [(problem, _why_opaque(problem)) for problem in reading.problems]
    opaque = (Refusal(problem.name, problem.source, reason) for problem, reason in reasons if reason)
    left = Reading(tuple(problem for problem, reason in reasons if not reason), (*reading.refused, *opaque))
    if not left.problems:
        raise all_refused(path, left.refused)
    return left


def _why_opaque(problem: Problem) -> str:
    for access in (a for family in problem.families for a in family.stacked.accesses):
        if access.klass == "opaque":
            reason = f" ({access.note})" if access.note else ""
            return (
                f"{access.source or problem.source}: the address of {access.kind} {access.name} of {access.tensor} "
                f"in {problem.name} depends on data{reason}: plan it as private transfers without reuse "
                "with --allow-opaque"
            )
    return ""


def describe(value: Any) -> str:
    """An argument as text: ``bf16[4096,4096]``, with ``:strides`` when a tensor is not contiguous, or a number."""
    if isinstance(value, str | int | float | bool):
        return str(value)
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise InputError(f"an argument is {type(value).__name__}: pass a number, a tensor or a text like 'bf16[64,64]'")
    dtype = str(value.dtype).removeprefix("torch.")
    shape = tuple(int(extent) for extent in value.shape)
    text = f"{ELEMENT_TYPES.get(dtype, dtype)}[{','.join(map(str, shape))}]"
    strides = _strides(value)
    return text if strides == _contiguous(shape) else f"{text}:{','.join(map(str, strides))}"


def _strides(value: Any) -> tuple[int, ...]:
    """Strides in elements: torch counts those, numpy counts bytes."""
    if callable(getattr(value, "stride", None)):
        return tuple(int(step) for step in value.stride())
    return tuple(int(step) // int(value.itemsize) for step in value.strides)


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _values(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _where(kernel: Any) -> tuple[str, str | None]:
    """File and name of a kernel; a path has no name."""
    if isinstance(kernel, str | Path):
        return str(kernel), None
    function = kernel
    while hasattr(function, "fn"):  # autotuners and heuristics wrap the kernel, which wraps the Python function
        function = function.fn
    file = inspect.getsourcefile(function) if inspect.isfunction(function) else None
    if file is None or not Path(file).exists():
        raise InputError(f"{kernel!r} is not a Triton kernel of a Python file: pass a kernel or the path of its file")
    return file, str(function.__name__)
