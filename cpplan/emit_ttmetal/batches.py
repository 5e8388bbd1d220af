"""Several hardware tiles in one phase of DST: every operation is set up once and then called for each of them."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from cpplan.emit_ttmetal.dst import OutOfSlots, Phase
from cpplan.emit_ttmetal.nodes import Dot, Fold, Node, children
from cpplan.emit_ttmetal.text import Calls, Text
from cpplan.emit_ttmetal.unit import Unit


def computed(text: Text, unit: Unit, nodes: Sequence[Node], capacity: int) -> list[int]:
    """Emit expressions of one form, one per tile; returns the slots of their values.

    Pages that are used twice are read twice if there are not slots enough to keep them. Raises
    :class:`~cpplan.emit_ttmetal.dst.OutOfSlots` when they do not fit, or are not of one form.
    """
    if len(nodes) > 1 and any(map(_has_loops, nodes)):
        raise OutOfSlots
    share_of_each = capacity // len(nodes)
    for share in (True, False):
        lines, trial = Text(depth=text.depth), copy.copy(unit)
        try:
            slots = [Phase(lines, trial, share_of_each, share).compute(nodes[0])]
            others: list[Calls] = []
            for number, node in enumerate(nodes[1:], 1):
                others.append(Calls(depth=text.depth))
                phase = Phase(others[-1], copy.copy(unit), share_of_each, share, number * share_of_each)
                slots.append(phase.compute(node))
        except OutOfSlots:
            continue
        text.lines += _interleaved(lines, others)
        unit.take(trial)
        return slots
    raise OutOfSlots


def _has_loops(node: Node) -> bool:
    if isinstance(node, Dot) or (isinstance(node, Fold) and node.loops):
        return True
    return any(map(_has_loops, (*children(node), *((node.body,) if isinstance(node, Fold) else ()))))


def _interleaved(first: Text, others: Sequence[Calls]) -> list[str]:
    """The lines of the first tile, each call followed by that of the other tiles."""
    names = [first.lines[at].split("(")[0].strip() for at in first.calls]
    for other in others:
        if [line.split("(")[0].strip() for line in other.lines] != names:
            raise OutOfSlots  # the expressions differ, as one has an index of 0
    following = {at: [other.lines[number] for other in others] for number, at in enumerate(first.calls)}
    return [line for at, own in enumerate(first.lines) for line in (own, *following.get(at, ()))]
