"""The terminal: results on stdout, progress and remarks on stderr, and progress only where somebody can watch it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 160
"""Columns of a table that goes to a file or a pipe, where no terminal says how wide it is."""


def results() -> Console:
    """Console for results, which prints brackets as they are (device names have them). Made anew each time, so that it
    follows the current ``sys.stdout``."""
    return Console(file=sys.stdout, highlight=False, markup=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def remark(text: str) -> None:
    """One line for people, beside the results."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    """A result for programs."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def table(*columns: str, title: str = "") -> Table:
    """A plain table: names of numeric columns start with ``>`` and are set flush right."""
    out = Table(title=title or None, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        is_number = column.startswith(">")
        out.add_column(
            column.removeprefix(">"), justify="right" if is_number else "left", no_wrap=is_number, overflow="fold"
        )
    return out


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """A spinner with the latest message on stderr; silent when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    console = Console(stderr=True)
    with console.status(title) as status:
        yield lambda message: status.update(f"{title}: {message}")
