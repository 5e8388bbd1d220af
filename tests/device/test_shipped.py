"""Every shipped device loads, is consistent, and survives printing and parsing."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from xdsl.printer import Printer

from cpplan.device.device import Device
from cpplan.device.df import context
from cpplan.device.lint import lint
from cpplan.device.read import device_of
from cpplan.device.source import Spec, load
from cpplan.device.spec import list_devices, load_device
from cpplan.device.syntax import DfParser

REQUIRED = {
    "amd_xdna2_8x4": (8, 4),
    "blackhole": (12, 10),
    "blackhole_11x10": (11, 10),
    "blackhole_13x10": (13, 10),
    "mesh_10x8": (10, 8),
    "mesh_8x10": (8, 10),
    "triple_ring": (32, 2),
    "wormhole": (8, 8),
    "wormhole_1x8": (1, 8),
    "wormhole_4x8": (4, 8),
    "wormhole_8x1": (8, 1),
    "wormhole_8x10": (8, 10),
    "wormhole_8x4": (8, 4),
    "wormhole_8x7": (8, 7),
    "wormhole_8x9": (8, 9),
    "wormhole_tileloom": (8, 8),
}


def shape(device: Device) -> tuple[int, ...]:
    return tuple(dim.extent for dim in device.dims)


def reparsed(text: str) -> Device:
    module = DfParser(context(), text, "printed.mlir").parse_module()
    (op,) = module.ops
    return device_of(Spec(Path("printed.mlir"), op, {}))


def test_the_promised_devices_ship() -> None:
    assert {name: shape(load_device(name)) for name in list_devices()} == REQUIRED


@pytest.mark.parametrize("name", list_devices())
def test_shipped_specs_are_clean(name: str) -> None:
    assert lint(name) == []


@pytest.mark.parametrize("name", list_devices())
def test_names_inside_and_outside_the_file_agree(name: str) -> None:
    assert load_device(name).name == name


@pytest.mark.parametrize("name", list_devices())
def test_printing_and_parsing_gives_the_same_device(name: str) -> None:
    assert reparsed(str(load(name).device)) == load_device(name)


@pytest.mark.parametrize("name", list_devices())
def test_the_generic_form_gives_the_same_device(name: str) -> None:
    text = io.StringIO()
    Printer(text, print_generic_format=True).print_op(load(name).device)
    assert reparsed(text.getvalue()) == load_device(name)


def test_fingerprints_tell_devices_apart() -> None:
    prints = {load_device(name).fingerprint for name in list_devices()}
    assert len(prints) == len(list_devices())
    assert all(len(fingerprint) == 64 for fingerprint in prints)


def test_equal_hardware_under_two_names_has_one_fingerprint() -> None:
    assert load_device("wormhole", cores="4x8").fingerprint == load_device("wormhole_4x8").fingerprint
    assert load_device("wormhole_8x10", cores="8x8").fingerprint == load_device("wormhole").fingerprint


def test_the_meshes_are_each_others_transpose() -> None:
    """Exchanging the coordinates of everything in mesh_8x10 gives mesh_10x8, so mirrored plans cost the same."""
    wide, tall = load_device("mesh_8x10"), load_device("mesh_10x8")
    assert [dim.positions for dim in wide.dims] == [dim.positions for dim in reversed(tall.dims)]
    for noc, mirror in zip(wide.nocs, tall.nocs, strict=True):
        assert [(1 - axis, step) for axis, step in noc.route] == list(mirror.route)
        assert noc.torus == mirror.torus[::-1]
    assert [[r[::-1] for r in routers] for routers in wide.dram.endpoints] == [list(r) for r in tall.dram.endpoints]
    assert (wide.units, wide.sram, wide.multicast) == (tall.units, tall.sram, tall.multicast)


def test_the_ring_shares_one_scratchpad_and_router_between_two_cores() -> None:
    ring = load_device("triple_ring")
    assert ring.sram.size == 2 * 1024 * 1024 // 2
    assert [dim.positions for dim in ring.dims] == [tuple(range(32)), (0, 0)]
    assert ring.dram.endpoints == (((0, 0), (31, 0)),)
    assert ring.multicast is None
    assert ring.forward is not None and ring.forward.dims == ("x",)


def test_the_paper_wormhole_attaches_one_channel_to_each_quadrant() -> None:
    assert load_device("wormhole_tileloom").dram.endpoints == (((0, 0), (4, 0), (0, 4), (4, 4)),)


@pytest.mark.parametrize(("name", "extents"), [("line", (4,)), ("cube", (2, 3, 4))])
def test_nothing_assumes_two_spatial_dims(name: str, extents: tuple[int, ...]) -> None:
    path = str(Path(__file__).parent / "toys" / f"{name}.mlir")
    assert lint(path) == []
    assert shape(load_device(path)) == extents
    part = load_device(path, cores="x".join(["2"] * len(extents)), disable=[",".join(["0"] * len(extents))])
    assert part.disabled == ((0,) * len(extents),)
