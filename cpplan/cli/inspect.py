"""``cpplan inspect``: the tile program of every launch, how its accesses are classified, and what can be reused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from cpplan.cli import words
from cpplan.cli.console import print_json, progress, results, table
from cpplan.cli.options import kernel_file, launch_options, take_launch
from cpplan.tile.layout import layout_of
from cpplan.tile.mlir_types import affine_text, bounds_text, profile_text
from cpplan.tile.program import Access, Bounds, Problem, TileProgram
from cpplan.tile.reduction import reductions, why_not


@click.command()
@kernel_file
@launch_options
@click.option("--candidate", type=click.IntRange(1), default=1, show_default=True, help="Which block shape to show.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def inspect(candidate: int, as_json: bool, **shared: Any) -> None:
    """Show the tile program of the kernel launches that PATH makes, without any device.

    Accesses are affine, partial (affine in part) or opaque (data dependent). An access can be reused along a dim or
    loop that its address does not depend on: a read shared by cores, or a tile kept in SRAM. A loop whose results are
    reductions may be split over cores; for any other loop the reason is given.

    \b
    Example:
      cpplan inspect examples/matmul.py
      cpplan inspect examples/matmul.py --candidate 2 --json -- 1024 1024 1024
    """
    from cpplan.cli.launches import block_shapes, mention, program_at, reading_of, with_refused

    launch = take_launch(shared)
    with progress(f"reading {launch.path}"):
        reading = reading_of(launch)
    shown = [(problem, program_at(problem, candidate)) for problem in reading.problems]
    mention(reading.refused)
    if as_json:
        record = {"schema": 1, "problems": [_record(problem, program) for problem, program in shown]}
        print_json(with_refused(record, reading.refused))
        return
    for problem, program in shown:
        _print(results(), problem, program, len(block_shapes(problem)))


def reuse(program: TileProgram, access: Access) -> dict[str, bool]:
    """Per parallel dim and enclosing loop: whether the same tile serves all its iterations."""
    around = [dim.name for dim in program.dims] + list(program.loop_path(access.loop))
    return {name: name not in access.indices for name in around}


def _record(problem: Problem, program: TileProgram) -> dict[str, Any]:
    from cpplan.cli.launches import block_shapes

    return {
        "kernel": problem.name,
        "arguments": dict(problem.arguments),
        "candidates": [dict(block) for block in block_shapes(problem)],
        "block": dict(program.block),
        "grid": {dim.name: dim.extent for dim in program.dims},
        "loops": {loop.name: loop.trips for loop in program.loops},
        "trips_by_block": {loop.name: profile_text(loop.profile) for loop in program.loops if loop.profile},
        "may_be_split": {found.loop: found.kind for found in reductions(program)},
        "may_not_be_split": dict(why_not(program)),
        "layout": layout_of(program),
        "accesses": [
            {
                "name": access.name,
                "tensor": access.tensor,
                "kind": access.kind,
                "class": access.klass,
                "tile": access.tile,
                "loop": access.loop,
                "masked": access.masked,
                "bounds": [_sides(bounds) for bounds in access.bounds],
                "fill": None if access.fill is None else str(access.fill),
                "mask": access.mask or None,
                "source": access.source,
                "note": access.note,
                "reuse": reuse(program, access),
            }
            for access in program.accesses
        ],
    }


def _sides(bounds: Bounds) -> dict[str, list[str]]:
    """Where elements begin and end to take part, in terms of dims and loops."""
    return {"begins": [*map(affine_text, bounds.begins)], "ends": [*map(affine_text, bounds.ends)]}


def _print(console: Console, problem: Problem, program: TileProgram, candidates: int) -> None:
    from cpplan.tile.mlir import print_program

    console.print(f"{problem.name}   {problem.source}", markup=False)
    console.print(", ".join(f"{name}={text}" for name, text in problem.arguments), markup=False)
    shape = ", ".join(f"{name}={value}" for name, value in program.block) or "as launched"
    console.print(f"{candidates} block shapes to choose from; shown: {shape}", markup=False)
    console.print(f"layout in memory: {words.layout(layout_of(program))}\n", markup=False)
    click.echo(print_program(program))
    console.print(_access_table(program))
    console.print()
    if any(access.bounds for access in program.accesses):
        console.print(_mask_table(program))
        console.print()
    console.print(_reuse_table(program))
    console.print()
    for line in (*_trip_lines(program), *_split_lines(program)):
        console.print(line, markup=False)
    if program.loops:
        console.print()


def _trip_lines(program: TileProgram) -> Iterator[str]:
    for loop in program.loops:
        if loop.profile is not None:
            yield f"trips of loop {loop.name} by block: {profile_text(loop.profile)}"
        elif loop.total_trips is not None:
            yield f"trips of loop {loop.name} differ in no known way; it is charged {loop.trips} in every block"


def _split_lines(program: TileProgram) -> Iterator[str]:
    for found in reductions(program):
        kind = found.kind if isinstance(found.kind, str) else ", ".join(found.kind)
        yield f"may be split over cores: loop {found.loop} ({kind})"
    for loop, reason in why_not(program):
        yield f"may not be split over cores: loop {loop}: {reason}"


def _access_table(program: TileProgram) -> Table:
    out = table("access", "kind", "tensor", "tile", "class", "loop", "source", "note")
    for access in program.accesses:
        tile = "x".join(map(str, access.tile))
        where = access.loop or "-"
        out.add_row(access.name, access.kind, access.tensor, tile, access.klass, where, access.source, access.note)
    return out


def _mask_table(program: TileProgram) -> Table:
    out = table("mask of", "cuts", "elements that take part, per axis", "others are")
    for access in (a for a in program.accesses if a.bounds):
        cut = "x".join("cut" if masked else "-" for masked in access.masked)
        others = "anything" if access.fill is None else str(access.fill)
        others = (
            others if access.kind == "load" else f"kept, as is all outside %{access.mask}" if access.mask else "kept"
        )
        out.add_row(access.name, cut, "   ".join(map(bounds_text, access.bounds)), others)
    return out


def _reuse_table(program: TileProgram) -> Any:
    names = [dim.name for dim in program.dims] + [loop.name for loop in program.loops]
    out = table("reuse along", *names)
    for access in program.accesses:
        reused = reuse(program, access)
        cells = ("" if name not in reused else "reused" if reused[name] else "-" for name in names)
        out.add_row(access.name, *cells)
    return out
