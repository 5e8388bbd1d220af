"""Boxes of enabled cores, against every box of small arrays tried one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cpplan.device.device import Device
from cpplan.device.free_boxes import Box, free_boxes, origins, seen_from
from cpplan.device.spec import load_device

Core = tuple[int, ...]


def cores_of(box: Box) -> set[Core]:
    return set(itertools.product(*(range(o, o + n) for o, n in zip(box.origin, box.extents, strict=True))))


def every_free_box(device: Device) -> list[Box]:
    """All boxes without a disabled core."""
    sides = [[(o, n) for o in range(d.extent) for n in range(1, d.extent - o + 1)] for d in device.dims]
    boxes = [Box(tuple(o for o, _ in s), tuple(n for _, n in s)) for s in itertools.product(*sides)]
    return [box for box in boxes if not cores_of(box) & set(device.disabled)]


disabled_cores = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=9)


@given(disabled_cores)
def test_the_free_boxes_are_those_that_lie_in_no_larger_one(disabled: set[Core]) -> None:
    device = replace(load_device("wormhole", cores="4x3"), disabled=tuple(sorted(disabled)), fingerprint=str(disabled))
    boxes = every_free_box(device)
    largest = [b for b in boxes if not any(cores_of(b) < cores_of(other) for other in boxes)]
    assert free_boxes(device) == tuple(sorted(largest))


@given(disabled_cores, st.integers(1, 4), st.integers(1, 3))
def test_a_box_may_lie_at_the_corner_of_every_largest_box_that_holds_it(
    disabled: set[Core], width: int, height: int
) -> None:
    device = replace(load_device("wormhole", cores="4x3"), disabled=tuple(sorted(disabled)), fingerprint=str(disabled))
    found = origins(device, (width, height))
    fits = [b for b in every_free_box(device) if b.extents == (width, height)]
    assert bool(found) == bool(fits)
    assert {origin or (0, 0) for origin in found} <= {b.origin for b in fits}


def test_without_disabled_cores_the_only_box_is_the_array() -> None:
    blackhole = load_device("blackhole")
    assert free_boxes(blackhole) == (Box((0, 0), (12, 10)),)
    assert origins(blackhole, (3, 4)) == ((),)


def test_one_faulty_core_leaves_four_boxes() -> None:
    """Wormhole without core 2,5: left of it, right of it, above it, below it."""
    device = load_device("wormhole", disable=["2,5"])
    assert free_boxes(device) == (Box((0, 0), (2, 8)), Box((0, 0), (8, 5)), Box((0, 6), (8, 2)), Box((3, 0), (5, 8)))
    assert origins(device, (5, 5)) == ((), (3, 0))
    assert origins(device, (8, 2)) == ((), (0, 6))
    assert origins(device, (6, 6)) == ()


def test_a_device_seen_from_a_core_is_the_cut_that_starts_there() -> None:
    """Routers, DRAM and faults stay where they are."""
    device = load_device("wormhole", disable=["2,5", "6,6"])
    seen, cut = seen_from(device, (4, 3)), load_device("wormhole", cores="4x5@4,3", disable=["2,5", "6,6"])
    assert (seen.dims, seen.disabled, seen.dram, seen.nocs) == (cut.dims, cut.disabled, cut.dram, cut.nocs)
    assert seen_from(device, ()) is device
    assert len({seen_from(device, (0, 1)).fingerprint, seen.fingerprint, device.fingerprint}) == 3
