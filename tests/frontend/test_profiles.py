"""Trip counts by block: recognised from bounds, equal to what the bounds say block by block, or left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.program import Loop, Profile, TileProgram

KERNELS = Path(__file__).parent / "kernels"
N, BLOCK, STEP = 256, 32, 16


@cache
def program(*argv: object) -> TileProgram:
    (launch,) = capture_launches(str(KERNELS / "profiles.py"), argv=[str(a) for a in argv])
    return build(launch).program


def loop(*argv: object) -> Loop:
    (found,) = program(*argv).loops
    return found


def line(*argv: object) -> Profile:
    profile = loop(*argv).profile
    assert profile is not None
    return replace(profile, dim="")


def trips(first: int, last: int) -> int:
    return len(range(first, last, STEP))


BOUNDS: dict[str, Callable[[int, int, int], tuple[int, int]]] = {
    "before": lambda i, n, width: (0, i * BLOCK),
    "up_to": lambda i, n, width: (0, min((i + 1) * BLOCK, n)),
    "beside": lambda i, n, width: (i * BLOCK, min((i + 1) * BLOCK, n)),
    "after": lambda i, n, width: (i * BLOCK, n),
    "band": lambda i, n, width: (max(i * BLOCK - width, 0), min((i + 1) * BLOCK, n)),
}


@pytest.mark.parametrize(
    ("which", "n", "width"),
    [
        ("before", 256, 0), ("before", 250, 0), ("up_to", 256, 0), ("up_to", 250, 0), ("beside", 232, 0),
        ("after", 256, 0), ("after", 250, 0), ("band", 256, 64), ("band", 256, 100),
    ],
)  # fmt: skip
def test_profile_gives_the_trips_of_every_block(which: str, n: int, width: int) -> None:
    whole, blocks = program(which, n, BLOCK, STEP, width), -(-n // BLOCK)
    (found,), rows = whole.loops, {dim.name for dim in whole.dims if dim.extent == blocks}
    expected = [trips(*BOUNDS[which](i, n, width)) for i in range(blocks)]
    assert found.profile is not None and found.profile.dim in rows
    assert [int(found.profile.at(i)) for i in range(blocks)] == expected
    assert (found.trips, found.total_trips) == (max(expected), 2 * sum(expected))


def test_the_line_is_that_of_the_bounds() -> None:
    assert line("before") == Profile("", BLOCK, 0, STEP, 0, 14)
    assert line("up_to") == Profile("", BLOCK, BLOCK, STEP, 2, 16)
    assert line("after") == Profile("", -BLOCK, N, STEP, 2, 16)
    assert line("beside", 232) == Profile("", -BLOCK, 232, STEP, 1, 2)


def test_a_loop_that_always_runs_as_often_needs_none() -> None:
    assert loop("beside") == loop("beside", 256) and loop("beside").profile is None
    assert loop("all").total_trips is None and loop("all").profile is None


@pytest.mark.parametrize("which", ["square", "two_dims"])
def test_other_trip_counts_are_taken_at_their_maximum(which: str) -> None:
    found = loop(which)
    assert found.profile is None and found.total_trips is not None


def test_of_nested_loops_only_the_outer_one_has_a_profile() -> None:
    outer, inner = program("nested").loops
    assert outer.profile == Profile("row", 1, 1, 1, 1, 4) and inner.parent == outer.name
    assert (inner.trips, inner.profile) == (8, None)
