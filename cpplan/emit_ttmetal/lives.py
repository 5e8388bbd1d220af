"""How long blocks that the compute kernel makes for itself stay: up to their last use, in the innermost list of steps
that holds all of their uses.

Both are known once the kernel was written to its end; so the kernel is written again with what :attr:`Lives.seen` has
gathered. Places in the text are numbered by the events, the making and using of blocks, that come before them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

Where = tuple[int, ...]
"""A list of steps: the numbers of the steps that lead to it."""

Guards = tuple[tuple[Where, str], ...]
"""Conditions that are open, each with the list of steps that it stands in."""


@dataclass(frozen=True)
class Life:
    """Between its first and last event a buffer is in use; ``where`` is the list of steps that holds all of them."""

    where: Where
    first: int
    last: int


@dataclass(frozen=True)
class Block:
    """A block in ``buffer``, made under ``guards``."""

    buffer: str
    pages: int
    guards: Guards


@dataclass
class Lives:
    """The blocks at hand. ``known`` are the lives of buffers as the run before found them; blocks of other buffers
    stay, since nothing is known of them yet. Blocks end after their last use if ``early``, else with the list of steps.
    ``given_up`` gathers at which event the last block of a buffer ended."""

    known: Mapping[str, Life]
    early: bool = True
    seen: dict[str, Life] = field(default_factory=dict)
    given_up: dict[str, int] = field(default_factory=dict)
    _blocks: dict[str, Block] = field(default_factory=dict)
    _now: int = 0

    def made(self, buffer: str, pages: int, where: Where, guards: Guards) -> None:
        """A block was made."""
        self._now += 1
        self._blocks[buffer] = Block(buffer, pages, guards)
        self._note(buffer, where)

    def used(self, buffers: Collection[str], where: Where) -> None:
        """Blocks were read or replaced."""
        self._now += 1
        for buffer in buffers:
            if buffer in self.seen:
                self._note(buffer, where)

    def ended(self, where: Where, guards: Guards, at_end: bool) -> Iterator[tuple[Block, str]]:
        """Blocks that end here, in the list of steps ``where``, and the condition under which they were made.

        ``at_end`` of the list those end too that are used again, when the list is run once more.
        """
        open_now = {condition for _, condition in guards}
        for block in list(self._blocks.values()):
            life = self.known.get(block.buffer)
            if life is not None and life.where == where and (at_end or self.is_over(block.buffer)):
                del self._blocks[block.buffer]
                self.given_up[block.buffer] = self._now
                inner = [c for at, c in block.guards if at[: len(where)] == where and c not in open_now]
                yield block, " && ".join(inner)

    def is_over(self, buffer: str) -> bool:
        """Whether the last use of a buffer was before."""
        return self.early and buffer in self.known and self.known[buffer].last <= self._now

    def _note(self, buffer: str, where: Where) -> None:
        before = self.seen.get(buffer)
        first = self._now if before is None else before.first
        self.seen[buffer] = Life(where if before is None else _common(before.where, where), first, self._now)


def shared(lives: Lives, kinds: Mapping[str, object]) -> dict[str, str]:
    """Buffer whose memory each of ``kinds`` takes: one of the same kind that is given up before, else its own."""
    taken: dict[str, str] = {}
    until: dict[str, int] = {}
    for name in sorted(kinds, key=lambda n: lives.seen[n].first if n in lives.seen else 0):
        life = lives.seen.get(name)
        free = (
            other for other, end in until.items()
            if life is not None and kinds[other] == kinds[name] and end < life.first
        )  # fmt: skip
        owner = next(free, name)
        taken[name] = owner
        until[owner] = lives.given_up.get(name, 1 << 62)
    return taken


def _common(a: Where, b: Where) -> Where:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]
