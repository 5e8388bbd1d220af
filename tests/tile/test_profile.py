"""Sums of trip counts: against adding them up one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cpplan.tile.arith import floor_sum
from cpplan.tile.profile import total_trips
from cpplan.tile.program import Profile

FIELDS = ("slope", "offset", "divisor", "low", "high")
QUICK = settings(max_examples=200, deadline=None)
PROFILES = st.builds(
    Profile, st.just("p"), st.integers(-40, 40), st.integers(-200, 400), st.integers(1, 40), st.integers(0, 2),
    st.integers(2, 12),
)  # fmt: skip


@QUICK
@given(st.integers(0, 20), st.integers(1, 30), st.integers(0, 60), st.integers(-90, 90))
def test_floor_sum(count: int, divisor: int, slope: int, offset: int) -> None:
    assert int(floor_sum(count, divisor, slope, offset)) == sum((slope * i + offset) // divisor for i in range(count))


def test_floor_sum_of_long_lines() -> None:
    """As many steps as a closed form cannot take one by one: sum(i // 2 for i in range(2n)) is n * (n - 1)."""
    n = 1 << 30
    assert int(floor_sum(2 * n, 2, 1, 0)) == n * (n - 1)
    assert int(floor_sum(2 * n, 2 * 3, 3, 0)) == n * (n - 1)


def one_by_one(profile: Profile, first: int, step: int, count: int) -> int:
    total = 0
    for i in range(first, first + step * count, step):
        wanted = -(-(profile.slope * i + profile.offset) // profile.divisor)
        total += min(profile.high, max(profile.low, wanted))
    return total


@QUICK
@given(PROFILES, st.integers(0, 4), st.integers(1, 4), st.integers(0, 12))
def test_total_of_some_blocks(profile: Profile, first: int, step: int, count: int) -> None:
    assert int(total_trips(profile, first, step, count)) == one_by_one(profile, first, step, count)


@QUICK
@given(st.lists(st.tuples(PROFILES, st.integers(1, 12)), min_size=1, max_size=5))
def test_many_profiles_at_once(drawn: list[tuple[Profile, int]]) -> None:
    columns = {field: np.array([getattr(profile, field) for profile, _ in drawn]) for field in FIELDS}
    totals = total_trips(Profile("p", **columns), 0, 1, np.array([extent for _, extent in drawn]))
    assert totals.tolist() == [one_by_one(profile, 0, 1, extent) for profile, extent in drawn]
