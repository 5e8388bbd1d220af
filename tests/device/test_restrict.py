"""Sub-meshes, faulty cores and background traffic."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cpplan.device.device import Device
from cpplan.device.restrict import enabled_cores
from cpplan.device.spec import load_device
from cpplan.errors import SpecError


def positions(device: Device) -> list[tuple[int, ...]]:
    return [dim.positions for dim in device.dims]


def test_a_cut_keeps_the_routers_of_its_cores() -> None:
    """Logical columns 2..5 of Wormhole sit at routers 3, 4, 6, 7: the DRAM column lies between them."""
    part = load_device("wormhole", cores="4x8@2,0")
    assert positions(part) == [(3, 4, 6, 7), (1, 2, 3, 4, 5, 7, 8, 9)]
    assert part.dram == load_device("wormhole").dram
    assert part.cores == 32


def test_a_cut_without_an_offset_starts_at_the_origin() -> None:
    assert positions(load_device("wormhole", cores="2x3")) == [(1, 2), (1, 2, 3)]


def test_disabled_cores_are_named_in_coordinates_of_the_whole_array() -> None:
    part = load_device("wormhole", cores="4x4@2,2", disable=["3,2", "0,0"])
    assert part.disabled == ((1, 0),)
    assert len(enabled_cores(part)) == 15


def test_disabling_twice_is_disabling_once() -> None:
    assert load_device("wormhole", disable=["1,1", "1,1"]).disabled == ((1, 1),)


def test_derating_dram_scales_banks_ports_and_request_rate() -> None:
    full, slow = load_device("wormhole").dram, load_device("wormhole", derate=["dram=0.7"]).dram
    assert slow.bank_read_rate == full.bank_read_rate * Fraction(7, 10)
    assert slow.port_write_rate == full.port_write_rate * Fraction(7, 10)
    assert slow.request_interval == full.request_interval / Fraction(7, 10)
    assert slow.read == full.read


def test_derating_the_noc_scales_links_and_transfers() -> None:
    full, slow = load_device("wormhole"), load_device("wormhole", derate=["noc=1/3"])
    assert [noc.link_rate * 3 for noc in slow.nocs] == [noc.link_rate for noc in full.nocs]
    assert slow.multicast and full.multicast
    assert slow.multicast.transfer.rate * 3 == full.multicast.transfer.rate
    assert slow.dram.bank_read_rate == full.dram.bank_read_rate


def test_restrictions_change_the_fingerprint() -> None:
    options = [{}, {"cores": "4x8"}, {"cores": "4x8@1,0"}, {"disable": ["0,0"]}, {"derate": ["dram=0.5"]}]
    assert len({load_device("wormhole", **option).fingerprint for option in options}) == len(options)


def test_restrictions_that_change_nothing_keep_the_fingerprint() -> None:
    same = load_device("wormhole", cores="8x8@0,0", derate=["noc=1", "dram=1.0"])
    assert same.fingerprint == load_device("wormhole").fingerprint


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cores": "9x8"}, "--cores 9x8: 9 cores from 0 on do not fit in the 8 of dim x of wormhole"),
        ({"cores": "4x8@5,0"}, "4 cores from 5 on do not fit"),
        ({"cores": "0x8"}, "do not fit"),
        ({"cores": "4"}, "wormhole has 2 spatial dims; write it like 4x4@0,0"),
        ({"cores": "4by8"}, "write extents and an offset"),
        ({"disable": ["8,0"]}, "--disable-core 8,0: not a core of wormhole; coordinates are 0..7,0..7"),
        ({"disable": ["1"]}, "not a core"),
        ({"cores": "1x1", "disable": ["0,0"]}, "every core of this part of wormhole is disabled"),
        ({"derate": ["dram=0"]}, "the factor must be a number above 0 and at most 1"),
        ({"derate": ["dram=2"]}, "the factor must be"),
        ({"derate": ["dram=1/0"]}, "the factor must be"),
        ({"derate": ["dram"]}, "the factor must be"),
        ({"derate": ["l1=0.5"]}, "'l1' is not a resource; use dram=FACTOR or noc=FACTOR"),
    ],
)
def test_restrictions_that_make_no_sense_say_so(options: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=r".*") as caught:
        load_device("wormhole", **options)
    assert message in str(caught.value)


def test_an_unknown_device_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(SpecError, match="did you mean 'wormhole'"):
        load_device("wormhloe")
