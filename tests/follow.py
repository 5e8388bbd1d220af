"""The steps of a schedule's thread, as one core comes to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cpplan.schedule.schedule import For, Guard, Index, Let, Move, Schedule, Step

Values = dict[str, int]


def value_of(index: Index, values: Mapping[str, int]) -> int:
    total = index.const
    for term in index.terms:
        quotient = values[term.symbol] // term.divisor
        total += term.factor * (quotient % term.modulus if term.modulus else quotient)
    return total


def trips(schedule: Schedule, loop: For, values: Values) -> int:
    if loop.profile is None:
        return loop.stop
    extent = next(dim.extent for dim in schedule.program.dims if dim.name == loop.profile.dim)
    return min(loop.stop, int(loop.profile.at(min(extent - 1, value_of(schedule.longest(loop.profile), values)))))


def followed(schedule: Schedule, steps: tuple[Step, ...], values: Values) -> Iterator[tuple[Step, Values]]:
    """Every step that a core comes to, with the indices there; those of a move ahead are of the next iteration."""
    values = dict(values)
    for step in steps:
        match step:
            case Let():
                values[step.name] = value_of(step.value, values)
            case For():
                count = trips(schedule, step, values)
                for turn in range(count):
                    inside = {**values, step.counter: turn}
                    for inner, known in followed(schedule, step.body, inside):
                        if not (isinstance(inner, Move) and inner.ahead and known[step.counter] == turn):
                            yield inner, known
                        elif turn + 1 < count:
                            following = {**known, step.counter: turn + 1}
                            for let in (s for s in step.body if isinstance(s, Let)):
                                following[let.name] = value_of(let.value, following)
                            yield replace(inner, ahead=False), following
            case Guard():
                yield from followed(schedule, step.body, values)
            case _:
                yield step, values
