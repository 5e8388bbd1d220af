"""Launches to problems: one problem per call in the user's file, its block-shape candidates grouped into families.

A call that cannot be planned is a :class:`Refusal` and takes nothing away from the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from cpplan.errors import InputError, KernelError
from cpplan.frontend.build import block_of
from cpplan.frontend.derived import all_programs
from cpplan.frontend.formats import storage_text, unstorable
from cpplan.frontend.free import free_family, integer_constexprs
from cpplan.frontend.launch import Launch
from cpplan.frontend.reading import Reading, Refusal
from cpplan.frontend.smaller import Reader, replay, smaller_blocks
from cpplan.tile.family import families_of
from cpplan.tile.layout import tile_sizes
from cpplan.tile.program import Family, Problem, TileProgram


def group_launches(launches: Sequence[Launch]) -> list[list[Launch]]:
    """Launches that are configurations of one autotuned call belong together; any other launch stands alone."""
    groups: dict[object, list[Launch]] = {}
    for launch in launches:
        key = ("call", launch.group) if launch.group is not None else ("launch", launch.key)
        groups.setdefault(key, []).append(launch)
    return list(groups.values())


def reading_of(
    groups: Sequence[list[Launch]],
    free: Sequence[str],
    sram_limit: int | None,
    refused: Sequence[Refusal] = (),
    sram_least: int | None = None,
) -> Reading:
    """The problem of every group that can be planned; the others join ``refused``, with what their error says.

    Each kernel takes the free parameters that it has. Raises :class:`InputError` for a name that no kernel has. A
    problem without a candidate for ``sram_least`` bytes brings smaller block shapes along.
    """
    constexprs = [integer_constexprs(group[0]) for group in groups]
    for parameter in free:
        if not any(parameter in own for own in constexprs):
            raise _unknown(parameter, [group[0].kernel for group in groups], [n for own in constexprs for n in own])
    problems, found = [], []
    names = list(distinct_names([*(group[0].kernel for group in groups), *(item.kernel for item in refused)]))
    for name, group, known in zip(names, groups, constexprs, strict=False):
        own = [parameter for parameter in free if parameter in known]
        try:
            problem = free_problem(group, own, sram_limit) if own else problem_of(group)
        except InputError as error:
            found.append(Refusal(name, group[0].source, str(error)))
        else:
            least = sram_limit if sram_least is None else sram_least
            problems.append(replace(_with_smaller(problem, group, least), name=name))
    found += [replace(item, kernel=name) for name, item in zip(names[len(groups) :], refused, strict=True)]
    return Reading(tuple(problems), tuple(found))


def _with_smaller(problem: Problem, launches: Sequence[Launch], limit: int | None) -> Problem:
    """``problem`` with what could be launched instead, when no candidate fits in ``limit`` bytes."""
    if limit is None:
        return problem
    needs = np.concatenate([np.atleast_1d(sum(tile_sizes(family.stacked))) for family in problem.families])
    if needs.min() <= limit:
        return problem
    block = [block for family in problem.families for block in family.blocks][int(needs.argmin())]
    launch = next((launch for launch in launches if block_of(launch) == block), launches[0])
    if block_of(launch) != block:
        launch = replay(launch, dict(block))
    return replace(problem, smaller=smaller_blocks(launch, limit))


def _unknown(parameter: str, kernels: Sequence[str], known: Sequence[str]) -> InputError:
    names = list(dict.fromkeys(kernels))
    whose = f"{names[0]} has no" if len(names) == 1 else f"none of {', '.join(names)} has an"
    there = ", ".join(dict.fromkeys(known)) or "none"
    return InputError(f"free parameter {parameter}: {whose} integer constexpr of that name; there is {there}")


def problem_of(launches: Sequence[Launch]) -> Problem:
    """The problem of one group; configurations that Triton or the analysis refuses are dropped unless all are."""
    programs: list[TileProgram] = []
    refusals: list[KernelError] = []
    for program in all_programs(launches) if launches[0].configs else map(_program, launches):
        if not isinstance(program, KernelError):
            program = unstorable(launches[0], program) or program
        if isinstance(program, KernelError):
            refusals.append(program)
        elif not any(replace(other, block=()) == replace(program, block=()) for other in programs):
            programs.append(program)  # warps, stages and grouping make no difference here
    if not programs:
        texts = [str(refusal) for refusal in refusals]
        raise max(refusals, key=lambda refusal: texts.count(str(refusal)))  # what most block shapes have in common
    return problem_from(launches[0], families_of(programs))


def _program(launch: Launch) -> TileProgram | KernelError:
    try:
        return Reader(launch).base
    except KernelError as error:
        return error


def free_problem(launches: Sequence[Launch], free: Sequence[str], sram_limit: int | None) -> Problem:
    """The problem of one group with free block-shape parameters; others are as in its first launch."""
    family = free_family(launches[0], free, sram_limit)
    refusal = unstorable(launches[0], family.stacked)
    if refusal is not None:
        raise refusal
    return problem_from(launches[0], (family,))


def problem_from(launch: Launch, families: tuple[Family, ...]) -> Problem:
    """A problem of ready families; the launch supplies name, arguments and kernel source."""
    arguments = tuple((name, storage_text(name, value, launch.formats)) for name, value in launch.arguments.items())
    fixed = tuple((n, str(v)) for n, v in launch.constexprs.items() if n not in _candidate_names(families))
    digest = hashlib.sha256()
    for part in (launch.function.src, launch.kernel, arguments, fixed, [family.blocks for family in families]):
        digest.update(repr(part).encode())
    return Problem(launch.kernel, families, (*arguments, *fixed), launch.source, digest.hexdigest())


def _candidate_names(families: tuple[Family, ...]) -> set[str]:
    return {name for family in families for block in family.blocks for name, _ in block}


def distinct_names(kernels: Sequence[str]) -> Iterator[str]:
    """Launches of one kernel are numbered in their order: ``matmul_kernel``, ``matmul_kernel_2``, ..."""
    counts: Counter[str] = Counter()
    for kernel in kernels:
        counts[kernel] += 1
        yield kernel if counts[kernel] == 1 else f"{kernel}_{counts[kernel]}"
