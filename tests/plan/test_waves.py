"""Trips of loops that run more often in some blocks than in others: against a walk over waves, cores and blocks."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import toy
from hypothesis import given, settings
from hypothesis import strategies as st

from cpplan.cost.model import buffer_bytes, tiles_per_transfer
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Placement, Split
from cpplan.plan.space import legal_levels
from cpplan.plan.waves import least_trips_in_waves, trips_in_waves
from cpplan.tile.program import Access, Profile

QUICK = settings(max_examples=200, deadline=None)
PROFILES = st.builds(
    Profile, st.just("p"), st.integers(-40, 40), st.integers(-200, 400), st.integers(1, 40), st.integers(0, 2),
    st.integers(2, 12),
)  # fmt: skip
CASES = (PROFILES, st.integers(1, 20), st.integers(1, 24), st.integers(1, 5))


def walk(profile: Profile, extent: int, cores: int, sharing: int) -> int:
    """Every wave runs as long as the core that has most to do; the mean over waves, rounded up."""
    waves = []
    for first in range(0, extent, cores):
        blocks = range(first, min(first + cores, extent))
        trips = [-(-(profile.slope * i + profile.offset) // profile.divisor) for i in blocks]
        waves.append(max(math.ceil(Fraction(min(profile.high, max(profile.low, t)), sharing)) for t in trips))
    return math.ceil(Fraction(sum(waves), len(waves)))


@QUICK
@given(*CASES)
def test_trips_are_the_mean_of_the_longest_in_every_wave(
    profile: Profile, extent: int, cores: int, sharing: int
) -> None:
    assert int(trips_in_waves(profile, extent, cores, sharing)) == walk(profile, extent, cores, sharing)


@QUICK
@given(*CASES)
def test_no_number_of_cores_takes_fewer_trips_than_the_least(
    profile: Profile, extent: int, cores: int, sharing: int
) -> None:
    fewest = min(walk(profile, extent, count, sharing) for count in range(1, min(cores, extent) + 1))
    assert int(least_trips_in_waves(profile, extent, cores, sharing)) <= fewest


@given(st.lists(st.tuples(*CASES), min_size=1, max_size=6))
def test_many_at_once(drawn: list[tuple[Profile, int, int, int]]) -> None:
    profiles = [profile for profile, *_ in drawn]
    fields = ("slope", "offset", "divisor", "low", "high")
    columns = {field: np.array([getattr(profile, field) for profile in profiles]) for field in fields}
    extents, cores, sharing = (np.array(column) for column in list(zip(*drawn, strict=True))[1:])
    found = trips_in_waves(Profile("p", **columns), extents, cores, sharing).tolist()
    assert found == [walk(p, *numbers) for p, (_, *numbers) in zip(profiles, drawn, strict=True)]


# -- in the nest -------------------------------------------------------------------------------------------------------


def test_one_core_runs_the_mean_and_holds_the_most() -> None:
    nest = build_nest(toy.triangular(), ((), ()), (("m",), ("n",)))
    assert (nest.names, nest.trips, nest.spans) == (("", "wave.m", "wave.n", "k"), (1, 4, 4, 3), (1, 4, 4, 4))  # 10 / 4


def test_two_cores_run_what_the_longer_block_takes() -> None:
    nest = build_nest(toy.triangular(), ((Split("m", 2),), ()), (("m",), ("n",)))
    assert nest.trips[-1] == 3  # (2 + 4) / 2
    assert (
        build_nest(toy.triangular(), ((Split("m", 3),), ()), (("m",), ("n",))).trips[-1] == 4
    )  # (3 + 4) / 2, rounded up


def test_cores_that_share_the_loop_divide_the_trips_of_every_block() -> None:
    nest = build_nest(toy.triangular(), ((Split("k", 3),), ()), (("m",), ("n",)))
    assert (nest.trips[-1], nest.spans[-1]) == (2, 2)  # (1 + 1 + 1 + 2) / 4, rounded up; ceil(4 / 3)
    assert "k" not in build_nest(toy.triangular(), ((Split("k", 2), Split("k", 2)), ()), (("m",), ("n",))).names


def test_a_tile_moved_outside_the_loop_is_held_for_the_longest_block() -> None:
    program, device = toy.triangular(), toy.device()
    nest = build_nest(program, ((), ()), (("m",), ("n",)))
    rows = program.accesses[0]
    place = Placement(rows.name, "wave.m", 1, (1, 1))
    assert tiles_per_transfer(nest, rows, place) == 4
    assert buffer_bytes(program, device, nest, rows, place) == 4 * 128 * 64 * 2


def test_a_loop_of_one_trip_in_the_mean_is_still_a_level_when_some_block_takes_more() -> None:
    """Two trips in the last of four blocks only: half a trip in the mean, but two tiles to hold."""
    program = toy.triangular()
    loop = replace(program.loops[0], trips=2, total_trips=8, profile=Profile("m", 1, -1, 1, 0, 2))
    nest = build_nest(replace(program, loops=(loop,)), ((), ()), (("m",), ("n",)))
    assert (nest.names[-1], nest.trips[-1], nest.spans[-1]) == ("k", 1, 2)


def test_a_store_may_leave_a_varying_loop_that_it_depends_on() -> None:
    program = toy.triangular()
    store: Access = replace(program.accesses[2], loop="k")
    kept = build_nest(program, ((), ()), (("m",), ("n",)))
    assert legal_levels(program, kept, store) == [3]  # one tile, written again in every trip
    column = replace(store, starts=(store.starts[0], program.accesses[1].starts[0]))
    assert legal_levels(program, kept, column)[-1] == 3
