"""Turns at atomics, played through: in any order of events that the schedule allows, a tile is never read by one block
between the reading and the writing of another, and everybody gets to the end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from follow import followed
from schedule.test_threads import random_schedule

from cpplan.device.spec import load_device
from cpplan.frontend import read_launches
from cpplan.plan.space import shared_loop
from cpplan.schedule.mlir import print_schedule
from cpplan.schedule.parse import parse_schedule
from cpplan.schedule.schedule import Await, Coordinate, For, Guard, Move, Pass, Schedule, Step, Turns
from cpplan.schedule.turns import indices_that_tell_apart
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, Affine, TileProgram

TESTS = Path(__file__).parents[1]
LAUNCHES = (
    ("../examples/split_k_matmul.py", "64 128 1024"),
    ("emit/kernels/atomics.py", "column_sums 200 150"),
    ("emit/kernels/atomics.py", "in_a_loop 200 150"),
    ("emit/kernels/atomics.py", "two_at_once 200 150"),
    ("emit/kernels/atomics.py", "overlapping 200 150"),
)


def program(file: str, sizes: str) -> TileProgram:
    (problem,) = read_launches(str(TESTS / file), argv=sizes.split()).problems
    return candidate_program(problem.families[0], 0)


@dataclass
class Event:
    """A step of one core: ``count`` numbers the steps of its kind, ``tile`` is where the atomic is then."""

    step: Await | Move | Pass
    access: Access
    count: int
    tile: tuple[int, ...] | None


def events(schedule: Schedule, core: Coordinate) -> list[list[Event]]:
    """What the data-movement threads of ``core`` do about atomics."""
    program, digits = schedule.program, {f"core_{name}": number for name, number in schedule.digits[core]}
    atomics = {a.name: a for a in program.accesses if a.kind == "atomic"}
    atomics |= {a.replaces: a for a in program.accesses if a.kind == "atomic"}
    shared = shared_loop(program, schedule.plan.spatial)
    writes = shared is None or digits[f"core_{shared[0]}"] == 0
    out = []
    for thread in schedule.threads[:-1]:
        counts: dict[object, int] = {}
        mine = []
        for step, values in followed(schedule, thread.steps, digits):
            name = step.stream if isinstance(step, Move) else step.access if isinstance(step, Await | Pass) else ""
            if name in atomics and isinstance(step, Await | Move | Pass):
                counts[step] = counts.get(step, 0) + 1
                exists = writes and all(values.get(dim.name, 0) < dim.extent for dim in program.dims)
                starts = tuple(_at(start, values) for start in atomics[name].starts)
                mine.append(Event(step, atomics[name], counts[step], starts if exists else None))
        out.append(mine)
    return out


def _at(start: Affine, values: dict[str, int]) -> int:
    return start.const + sum(step * values.get(name, 0) for name, step in start.terms)


class Play:
    """All cores at once; ``open`` holds who is at which tile."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.left = [(core, thread) for core in schedule.digits for thread in events(schedule, core) if thread]
        self.told: dict[tuple[str, Coordinate], int] = {}
        self.read: dict[tuple[str, Coordinate], int] = {}
        self.open: dict[tuple[str, tuple[int, ...]], Coordinate] = {}
        self.updates = 0

    def may(self, core: Coordinate, event: Event) -> bool:
        name, key = event.access.name, (event.access.name, core)
        if isinstance(event.step, Await):
            turns = self.schedule.turns_at(name)
            assert turns is not None
            line = turns.line_of(core)
            if not line or (core == line[0] and not turns.around):
                return True
            return self.told.get(key, 0) >= event.count - (core == line[0])
        is_store = isinstance(event.step, Move) and event.step.stream == name
        return not is_store or self.read.get(key, 0) >= event.count

    def do(self, core: Coordinate, event: Event) -> None:
        name, key = event.access.name, (event.access.name, core)
        turns = self.schedule.turns_at(name)
        if isinstance(event.step, Move) and event.step.stream != name:
            self.read[key] = self.read.get(key, 0) + 1
            if event.tile is not None:
                for place, other in self.open.items():
                    assert place[0] != name or other == core or not self._overlap(event.access, place[1], event.tile)
                assert (name, event.tile) not in self.open, f"{core} reads what it is about to write"
                self.open[name, event.tile] = core
        elif isinstance(event.step, Pass) or (isinstance(event.step, Move) and turns is None):
            if event.tile is not None:
                assert self.open.pop((name, event.tile)) == core
                self.updates += 1
            following = turns.following(core) if turns is not None else None
            if following is not None:
                self.told[name, following] = self.told.get((name, following), 0) + 1

    def _overlap(self, access: Access, a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return all(abs(x - y) < extent for x, y, extent in zip(a, b, access.tile, strict=True))

    def run(self, random: Random) -> None:
        """To the end, in a random order of what may happen."""
        while self.left:
            ready = [number for number, (core, thread) in enumerate(self.left) if self.may(core, thread[0])]
            assert ready, f"nobody can go on: {[(core, thread[0]) for core, thread in self.left]}"
            number = random.choice(ready)
            core, thread = self.left[number]
            self.do(core, thread.pop(0))
            if not thread:
                del self.left[number]


CASES = list(itertools.product(LAUNCHES, range(6)))


@pytest.mark.parametrize(("launch", "seed"), CASES, ids=lambda value: str(value[1] if type(value) is tuple else value))
def test_nobody_is_at_a_tile_while_another_block_updates_it(launch: tuple[str, str], seed: int) -> None:
    random, found = Random(seed), program(*launch)
    device = load_device("wormhole", cores=random.choice(("2x3", "4x1", "3x3", "1x1")))
    schedule = random_schedule(found, device, random)
    for _ in range(5):
        play = Play(schedule)
        play.run(random)
        assert not play.open
        assert play.updates == updates(found)
    assert parse_schedule(print_schedule(schedule), schedule.device) == schedule


def _pruned(steps: tuple[Step, ...], kind: type[Step]) -> tuple[Step, ...]:
    """``steps`` without those of one kind."""
    kept = (step for step in steps if not isinstance(step, kind))
    return tuple(replace(s, body=_pruned(s.body, kind)) if isinstance(s, For | Guard) else s for s in kept)


def without(kind: type[Step]) -> Callable[[Schedule], Schedule]:
    return lambda s: replace(s, threads=tuple(replace(t, steps=_pruned(t.steps, kind)) for t in s.threads))


def lines(change: Callable[[Turns], Turns]) -> Callable[[Schedule], Schedule]:
    return lambda s: replace(s, turns=tuple(map(change, s.turns)))


def cut(turns: Turns) -> Turns:
    """Every core a line of its own."""
    return replace(turns, around=False, lines=tuple((core,) for line in turns.lines for core in line))


MISTAKES: dict[str, Callable[[Schedule], Schedule]] = {
    "nobody waits": without(Await),
    "nobody passes": without(Pass),
    "everybody alone": lines(cut),
    "not around": lines(lambda t: replace(t, around=False)),
    "one core left out": lines(lambda t: replace(t, lines=tuple(line[1:] for line in t.lines))),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_show(mistake: str) -> None:
    """Some order of events meets each of them, so that the test above means something."""
    found, device = program(*LAUNCHES[0]), load_device("wormhole", cores="2x3")
    schedules = (random_schedule(found, device, Random(seed)) for seed in range(60))
    schedule = next(s for s in schedules if any(t.around and len(t.lines[0]) > 1 for t in s.turns))
    with pytest.raises(AssertionError):
        for seed in range(50):
            play = Play(MISTAKES[mistake](schedule))
            play.run(Random(seed))
            assert not play.open


def updates(found: TileProgram) -> int:
    """How many there are, by definition: one per block and trip around it."""
    total = 0
    for access in found.accesses:
        if access.kind == "atomic":
            count = 1
            for dim in found.dims:
                count *= dim.extent
            for name in found.loop_path(access.loop):
                count *= found.loop(name).trips
            total += count
    return total


def test_a_core_alone_waits_for_itself_where_two_threads_read_and_write() -> None:
    found, device = program(*LAUNCHES[0]), load_device("wormhole", cores="1x1")
    schedules = [random_schedule(found, device, Random(seed)) for seed in range(12)]
    for schedule in schedules:
        assert bool(schedule.turns) == (schedule.stream("c_ptr").noc != schedule.stream("c_ptr_old").noc)
    turns = next(turns for schedule in schedules for turns in schedule.turns)
    assert turns.around and turns.lines == (((0, 0),),) and turns.following((0, 0)) == (0, 0)


def test_blocks_with_tiles_of_their_own_take_no_turns() -> None:
    found = program("emit/kernels/atomics.py", "kept_old 200 150")
    assert all(not random_schedule(found, load_device("wormhole", cores="2x2"), Random(n)).turns for n in range(4))


@pytest.mark.parametrize(
    ("tile", "terms", "apart"),
    [
        (32, (("m", 32),), True),
        (32, (("m", 16),), False),
        (32, (("m", 32), ("n", 96)), True),
        (32, (("m", 32), ("n", 64)), False),  # m reaches 96 elements, so n = 1 meets m = 2
        (32, (("m", -32), ("n", 96)), True),
        (32, (("m", 32), ("n", 32)), False),
    ],
)
def test_tiles_apart_by_definition(tile: int, terms: tuple[tuple[str, int], ...], apart: bool) -> None:
    found = program("emit/kernels/atomics.py", "overlapping 200 150")
    dims = (replace(found.dims[0], name="m", extent=3), replace(found.dims[1], name="n", extent=2))
    access = replace(found.accesses[-1], tile=(tile,), starts=(Affine(0, terms),))
    names = [name for name, _ in terms]
    extents = {dim.name: dim.extent for dim in dims}
    starts = [
        sum(step * at for (_, step), at in zip(terms, place, strict=True))
        for place in itertools.product(*(range(extents[name]) for name in names))
    ]
    by_definition = all(abs(a - b) >= tile for a, b in itertools.combinations(starts, 2))
    assert by_definition == apart
    assert bool(indices_that_tell_apart(replace(found, dims=dims), access)) == apart
