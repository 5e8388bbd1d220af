"""From the options of the command line to the problems they describe, and to single block shapes of a problem."""

from __future__ import annotations

from cpplan.cli.options import LaunchOptions
from cpplan.errors import InputError
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram


def problems_of(options: LaunchOptions, sram_limit: int | None = None) -> list[Problem]:
    """The launches of a kernel file, each with its block-shape candidates; the file is run, or imported.

    ``sram_limit`` (bytes) leaves out freely chosen block shapes that could not fit.
    """
    from cpplan.frontend import read_problems

    return read_problems(
        str(options.path),
        entry=options.entry,
        kernel=options.kernel,
        args=options.arg,
        constexprs=options.constexpr,
        grid=options.grid,
        free=options.free,
        mode=options.tensors,
        argv=options.argv,
        sram_limit=sram_limit,
        gpu=options.gpu,
        multiprocessors=options.multiprocessors,
    )


def block_shapes(problem: Problem) -> list[tuple[tuple[str, int], ...]]:
    """All block-shape candidates, in the order that ``--candidate`` counts."""
    return [block for family in problem.families for block in family.blocks]


def program_at(problem: Problem, candidate: int) -> TileProgram:
    """The tile program of candidate number ``candidate``, counted from 1 over all families."""
    left = candidate - 1
    for family in problem.families:
        if left < len(family.blocks):
            return candidate_program(family, left)
        left -= len(family.blocks)
    count = len(block_shapes(problem))
    raise InputError(f"--candidate {candidate}: {problem.name} has {count} block shapes, choose 1..{count}")
