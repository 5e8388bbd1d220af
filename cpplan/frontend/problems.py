"""Launches to problems: one problem per call in the user's file, its block-shape candidates grouped into families."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from cpplan.errors import KernelError
from cpplan.frontend.build import build
from cpplan.frontend.free import free_family
from cpplan.frontend.launch import Launch
from cpplan.tile.family import families_of
from cpplan.tile.program import Family, Problem, TileProgram


def group_launches(launches: Sequence[Launch]) -> list[list[Launch]]:
    """Launches that are configurations of one autotuned call belong together; any other launch stands alone."""
    groups: dict[object, list[Launch]] = {}
    for launch in launches:
        key = ("call", launch.group) if launch.group is not None else ("launch", launch.key)
        groups.setdefault(key, []).append(launch)
    return list(groups.values())


def problems_of(groups: Sequence[list[Launch]], free: Sequence[str], sram_limit: int | None) -> list[Problem]:
    """One problem per group. Each kernel takes the free parameters that it has; a name that none has is an error of the
    first kernel."""
    known = {name for group in groups for name in group[0].constexprs}
    problems = []
    for group in groups:
        own = [name for name in free if name in group[0].constexprs or name not in known]
        problems.append(free_problem(group, own, sram_limit) if own else problem_of(group))
    return problems


def problem_of(launches: Sequence[Launch]) -> Problem:
    """The problem of one group; configurations that Triton or the analysis refuses are dropped unless all are."""
    programs: list[TileProgram] = []
    refusals: list[KernelError] = []
    for launch in launches:
        try:
            program = build(launch).program
        except KernelError as error:
            refusals.append(error)
            continue
        if not any(replace(other, block=()) == replace(program, block=()) for other in programs):
            programs.append(program)  # warps, stages and grouping make no difference here
    if not programs:
        raise refusals[0]
    return problem_from(launches[0], families_of(programs))


def free_problem(launches: Sequence[Launch], free: Sequence[str], sram_limit: int | None) -> Problem:
    """The problem of one group with free block-shape parameters; others are as in its first launch."""
    return problem_from(launches[0], (free_family(launches[0], free, sram_limit),))


def problem_from(launch: Launch, families: tuple[Family, ...]) -> Problem:
    """A problem of ready families; the launch supplies name, arguments and kernel source."""
    arguments = tuple((name, str(value)) for name, value in launch.arguments.items())
    fixed = tuple((n, str(v)) for n, v in launch.constexprs.items() if n not in _candidate_names(families))
    digest = hashlib.sha256()
    for part in (launch.function.src, launch.kernel, arguments, fixed, [family.blocks for family in families]):
        digest.update(repr(part).encode())
    return Problem(launch.kernel, families, (*arguments, *fixed), launch.source, digest.hexdigest())


def _candidate_names(families: tuple[Family, ...]) -> set[str]:
    return {name for family in families for block in family.blocks for name, _ in block}


def with_distinct_names(problems: Sequence[Problem]) -> list[Problem]:
    """Problems of one kernel are numbered in order of their launches: ``matmul_kernel``, ``matmul_kernel_2``, ..."""
    counts: dict[str, int] = {}
    named = []
    for problem in problems:
        counts[problem.name] = counts.get(problem.name, 0) + 1
        number = counts[problem.name]
        named.append(problem if number == 1 else replace(problem, name=f"{problem.name}_{number}"))
    return named
