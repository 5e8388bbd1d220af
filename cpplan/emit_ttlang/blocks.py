"""Blocks that hold several tiles of an access: TT-Lang takes a block as a whole, so each tile has a buffer of its own.

A transfer that the plan hoists out of loops brings all tiles that these loops need. The buffers of the tiles form a
list in the order of :attr:`cpplan.schedule.schedule.Stream.inner`; together they have the slots and pages of the plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from cpplan.emit_ttlang.names import Names
from cpplan.emit_ttlang.text import Lines, added, index_text, times
from cpplan.plan.nest import cores_per_dim
from cpplan.schedule.schedule import Index, Schedule, Stream, Term


def tiles_at_once(stream: Stream) -> int:
    """Tiles of one transfer."""
    return math.prod(span for _, span in stream.inner)


@contextmanager
def each_tile(out: Lines, schedule: Schedule, names: Names, stream: Stream) -> Iterator[None]:
    """Loops over the tiles of one transfer, with their indices set."""
    with ExitStack() as loops:
        for name, span in stream.inner:
            counter, index = names.index(f"next.{name}"), names.index(name)
            text = index_text(schedule.index_of(name, Index(0, (Term(f"next.{name}"),))), names)
            loops.enter_context(out.block(f"for {index if text == counter else counter} in range({span}):"))
            if text != counter:
                out.add(f"{index} = {text}")
        yield


def slot_text(schedule: Schedule, names: Names, stream: Stream) -> str:
    """``[4 * (m // 8) + k]``: which of the buffers has the tile at the current indices; nothing if there is one."""
    if not stream.inner:
        return ""
    spread, parts, below = cores_per_dim(schedule.plan.spatial), list[str](), tiles_at_once(stream)
    for name, span in stream.inner:
        below //= span
        cores = spread.get(name, 1)
        parts.append(times(names.index(name) + (f" // {cores}" if cores > 1 else ""), below))
    return f"[{added(parts)}]"
