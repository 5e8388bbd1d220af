"""Lines of C++ put together: blocks with their braces and indentation."""

from __future__ import annotations

from collections.abc import Iterable

INDENT = "    "


def indented(lines: Iterable[str]) -> list[str]:
    """``lines`` one step further to the right; empty lines stay empty."""
    return [INDENT + line if line else line for line in lines]


def braces(head: str, body: Iterable[str], comment: str = "") -> list[str]:
    """``head { body }``, with a comment behind the head."""
    note = f"  // {comment}" if comment else ""
    return [f"{head} {{{note}" if head else f"{{{note}", *indented(body), "}"]


def counted(counter: str, stop: str, body: Iterable[str], comment: str = "") -> list[str]:
    """A loop of an ``int32_t`` from 0 up."""
    return braces(f"for (int32_t {counter} = 0; {counter} < {stop}; ++{counter})", body, comment)
