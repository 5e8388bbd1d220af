"""From the options of the command line to the problems they describe."""

from __future__ import annotations

from cpplan.cli.options import LaunchOptions
from cpplan.tile.program import Problem


def problems_of(options: LaunchOptions) -> list[Problem]:
    """The launches of a kernel file, each with its block-shape candidates; the file is run, or imported."""
    from cpplan.frontend import problems

    return problems(
        options.path,
        entry=options.entry,
        kernel=options.kernel,
        arguments=options.arg,
        constexprs=options.constexpr,
        grid=options.grid,
        free=options.free,
        allow_opaque=options.allow_opaque,
        argv=options.argv,
    )
