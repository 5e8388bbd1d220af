"""The turns of a core at the tiles of an atomic, as C++: waiting before what is there is read, passing on after it was
written. Either may be on another network than the other."""

from __future__ import annotations

from collections.abc import Iterator

from cpplan.emit_ttmetal.names import identifier
from cpplan.schedule.schedule import Schedule, Turns


def awaited_over(schedule: Schedule, noc: int) -> tuple[Turns, ...]:
    """Turns that the thread of a network waits for: it reads what is there."""
    return tuple(turns for turns in schedule.turns if schedule.stream(turns.load).noc == noc)


def passed_over(schedule: Schedule, noc: int) -> tuple[Turns, ...]:
    """Turns that the thread of a network passes on: it writes."""
    return tuple(turns for turns in schedule.turns if schedule.stream(turns.access).noc == noc)


def turn_declarations(schedule: Schedule, noc: int, first: int) -> Iterator[str]:
    """What this core does for the turns of a network, from argument ``first`` on, and their semaphores."""
    awaited, passed = awaited_over(schedule, noc), passed_over(schedule, noc)
    for number, turns in enumerate(awaited):
        yield f"const auto turn_{identifier(turns.access)} = plan::turn_at({first + 2 * number});"
        yield f"uint32_t turns_{identifier(turns.access)} = 0;  // how often it was this core's turn"
    first += 2 * len(awaited)
    for number, turns in enumerate(passed):
        yield f"const auto next_{identifier(turns.access)} = plan::next_at({first + 3 * number});"
    for turns in schedule.turns:
        if turns in awaited or turns in passed:
            yield f"const uint32_t told_{identifier(turns.access)} = get_semaphore({turns.semaphore});"


def await_lines(access: str) -> Iterator[str]:
    """Waits for the turn."""
    name = identifier(access)
    yield f"plan::await_turn(turn_{name}, told_{name}, ++turns_{name});  // nobody else is at the tile of {access}"


def pass_lines(access: str) -> Iterator[str]:
    """Passes the turn on; what was written has arrived (``Mover`` waits for it)."""
    name = identifier(access)
    yield f"plan::pass_turn(next_{name}, told_{name});"


def end_lines(schedule: Schedule, noc: int) -> Iterator[str]:
    """At the end of the kernel: waits for the turn that may still be on its way, and resets the semaphore."""
    for turns in awaited_over(schedule, noc):
        name = identifier(turns.access)
        yield f"plan::end_turns(turn_{name}, told_{name}, turns_{name});"
