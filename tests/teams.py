"""Rows of cores and products of matrices for tests of shared loops: cycles are easily counted by hand."""

from __future__ import annotations

from fractions import Fraction

from gemm import gemm

from cpplan.device.device import Device, Dram, Multicast, Noc, SpatialDim, Sram, Transfer, Unit
from cpplan.plan.nest import build_nest
from cpplan.plan.plan import Combine, Placement, Plan, Split
from cpplan.plan.space import Spatial, orders
from cpplan.tile.program import TileProgram

COPY = Transfer(100, Fraction(10), Fraction(16), max_packet=8192)
"""Core to core, and DRAM to core: 100 cycles, then 512 per packet of 8 KiB."""
HANDSHAKE = 50


def row_of_cores(cores: int, link_rate: int = 64, rows: int = 1) -> Device:
    """Cores in a row at routers 1, 2, ... of a torus that is two routers wider; noc0 goes right, noc1 left.

    A vector unit of 100 cycles per hardware tile combines.
    """
    torus, rate = (cores + 2, rows + 2), Fraction(link_rate)
    nocs = (
        Noc("noc0", ((0, 1), (1, 1)), torus, True, rate),
        Noc("noc1", ((1, -1), (0, -1)), torus, True, rate),
    )
    corner = ((0, 0),)
    return Device(
        name=f"row of {cores} over {link_rate} by {rows}",
        clock_mhz=1000,
        dims=(
            SpatialDim("x", cores, tuple(range(1, cores + 1))),
            SpatialDim("y", rows, tuple(range(1, rows + 1))),
        ),
        sram=Sram(size=1_000_000, reserved=0, alignment=16, max_buffers=32),
        nocs=nocs,
        dram=Dram(1, 1 << 30, *(Fraction(32),) * 4, Fraction(0), COPY, COPY, 32, (corner, corner)),
        multicast=Multicast(COPY, HANDSHAKE),
        forward=None,
        units=(
            Unit("matrix", "math", (("mac.full", Fraction(16)),)),
            Unit("vector", "math", (("op", Fraction(100)),)),
        ),
        overlap="load|compute|store",
        launch_cycles=0,
        dst_tiles_16bit=8,
        dst_tiles_32bit=4,
        fidelity=(("bf16", "full"),),
    )


def product(trips: int, rows: int = 64) -> TileProgram:
    """c[rows,128] = a b in one block of 64 rows per 64, with ``trips`` trips; a state is 8 tiles of fp32: 32 KiB."""
    return gemm(rows, 128, 32 * trips, (64, 128, 32))


def private_plan(program: TileProgram, device: Device, spatial: Spatial, combine: Combine | None) -> Plan:
    """Everything private, single buffered and where it is used; all waves in one loop."""
    waves = [order for order in orders(program, spatial) if len(order) <= 1]
    nest = build_nest(program, spatial, waves[0])
    places = tuple(
        Placement(a.name, nest.names[nest.home[a.loop or ""]], 1, (1,) * len(device.dims)) for a in program.accesses
    )
    return Plan(program.block, spatial, waves[0], places, combine)


def along_x(device: Device, *splits: Split) -> Spatial:
    return (splits, *((),) * (len(device.dims) - 1))
