"""A click group that imports a command's module when the command runs, and turns our errors into one message.

The overview of ``cpplan --help`` is printed from the table alone, so it does not wait for the solver to load.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from cpplan.errors import CpplanError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it (click's own 1 would read as 'feasible with gap')."""


class LazyGroup(click.Group):
    """``commands_at`` maps a command name to ("module:attribute", one line of help)."""

    def __init__(self, *args: Any, commands_at: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_at:
            return None
        module, _, attribute = self.commands_at[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command), f"{module}:{attribute} is not a command"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands_at[name][1]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CpplanError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
