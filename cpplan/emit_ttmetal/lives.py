"""How long blocks that the compute kernel makes for itself stay: up to the end of the innermost list of steps that
holds all of their uses.

Which list that is is known once the kernel was written to its end; so the kernel is written again with what
:attr:`Lives.seen` has gathered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

Where = tuple[int, ...]
"""A list of steps: the numbers of the steps that lead to it."""

Guards = tuple[tuple[Where, str], ...]
"""Conditions that are open, each with the list of steps that it stands in."""


@dataclass(frozen=True)
class Block:
    """A block in ``buffer``, made in the list of steps ``made`` under ``guards``."""

    buffer: str
    pages: int
    made: Where
    guards: Guards


@dataclass
class Lives:
    """The blocks at hand. ``last_use`` gives for each buffer the list of steps in which its blocks are given up; those
    of other buffers stay, since nothing is known of them yet."""

    last_use: Mapping[str, Where]
    seen: dict[str, Where] = field(default_factory=dict)
    _blocks: dict[str, Block] = field(default_factory=dict)

    def made(self, buffer: str, pages: int, where: Where, guards: Guards) -> None:
        """A block was made."""
        self._blocks[buffer] = Block(buffer, pages, where, guards)
        self.seen[buffer] = _common(self.seen.get(buffer, where), where)

    def used(self, buffers: Collection[str], where: Where) -> None:
        """Blocks were read or replaced."""
        for buffer in buffers:
            if buffer in self.seen:
                self.seen[buffer] = _common(self.seen[buffer], where)

    def ended(self, where: Where, guards: Guards) -> Iterator[tuple[Block, str]]:
        """Blocks that end with the list of steps ``where``, and the condition under which they were made."""
        open_now = {condition for _, condition in guards}
        for block in list(self._blocks.values()):
            if self.last_use.get(block.buffer) == where:
                del self._blocks[block.buffer]
                inner = [c for at, c in block.guards if at[: len(where)] == where and c not in open_now]
                yield block, " && ".join(inner)


def _common(a: Where, b: Where) -> Where:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]
