"""From the options of the command line to the problems they describe, and to single block shapes of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cpplan.cli.console import remark
from cpplan.cli.options import LaunchOptions
from cpplan.errors import InputError
from cpplan.frontend import Reading, Refusal, read_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Problem, TileProgram


def reading_of(options: LaunchOptions, sram_limit: int | None = None, sram_least: int | None = None) -> Reading:
    """The launches of a kernel file, each with its block-shape candidates; the file is run, or imported.

    ``sram_limit`` (bytes) leaves out freely chosen block shapes that could not fit; a launch that has none for
    ``sram_least`` bytes brings along smaller ones that would do. Launches that cannot be planned are set apart; they
    are an error when the command asks for their kernel by name, or when there are no others.
    """
    return read_launches(
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
        sram_least=sram_least,
        gpu=options.gpu,
        multiprocessors=options.multiprocessors,
        formats=options.format,
    )


def mention(refused: Sequence[Refusal]) -> None:
    """One line on stderr per launch that is not planned."""
    for refusal in refused:
        remark(str(refusal))


def with_refused(record: dict[str, Any], refused: Sequence[Refusal]) -> dict[str, Any]:
    """A command's JSON, with the launches that are not planned if there are any."""
    entries = [{"kernel": item.kernel, "source": item.source, "reason": item.reason} for item in refused]
    return record | ({"refused": entries} if entries else {})


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
