"""One fixed small launch for tests of files and tables: a 512x512x256 matmul on 3x2 cores."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from cpplan.device.device import Device, Dram, Multicast, Noc, SpatialDim, Sram, Transfer, Unit
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.tile.program import Access, Affine, Buffer, Dim, Loop, Op, Problem, Profile, Tensor, TileProgram


def device() -> Device:
    """3 columns, 2 rows, one network, one DRAM bank at the corner."""
    copy = Transfer(100, Fraction(10), Fraction(16), max_packet=8192)
    return Device(
        name="toy",
        clock_mhz=1000,
        dims=(SpatialDim("x", 3, (1, 2, 3)), SpatialDim("y", 2, (1, 2))),
        sram=Sram(size=400_000, reserved=0, alignment=16, max_buffers=32),
        nocs=(Noc("noc0", ((0, 1), (1, 1)), (4, 3), True, Fraction(32)),),
        dram=Dram(1, 1 << 30, *(Fraction(32),) * 4, Fraction(0), copy, copy, 32, (((0, 0),),)),
        multicast=Multicast(copy, handshake=50),
        forward=None,
        units=(
            Unit("matrix", "math", (("mac.full", Fraction(16)),)),
            Unit("vector", "math", (("op", Fraction(100)),)),
        ),
        overlap="load|compute+store",
        launch_cycles=1000,
        dst_tiles_16bit=8,
        dst_tiles_32bit=4,
        fidelity=(("bf16", "full"),),
        fingerprint="toy-device",
    )


def program() -> TileProgram:
    """c[m,n] += a[m,k] b[k,n] in 128x128x64 blocks."""
    return TileProgram(
        name="matmul",
        dims=(Dim("m", 4), Dim("n", 4)),
        loops=(Loop("k", 4),),
        tensors=(
            Tensor("a", "bf16", (512, 256), (256, 1)),
            Tensor("b", "bf16", (256, 512), (512, 1)),
            Tensor("c", "bf16", (512, 512), (512, 1)),
        ),
        accesses=(
            Access("load_a", "a", "load", (128, 64), (_times("m", 128), _times("k", 64)), "k", value="va"),
            Access("load_b", "b", "load", (64, 128), (_times("k", 64), _times("n", 128)), "k", value="vb"),
            Access("store_c", "c", "store", (128, 128), (_times("m", 128), _times("n", 128)), value="acc"),
        ),
        ops=(
            Op(
                "acc", "dot", ("va", "vb"), (128, 128), "fp32", "k", (("k", 64),), ((128, 64), (64, 128)), ("bf16",) * 2
            ),
        ),
        buffers=(Buffer("acc", (128, 128), "fp32"),),
        block=(("BM", 128), ("BN", 128), ("BK", 64)),
    )


def triangular() -> TileProgram:
    """The matmul with a lower triangular left side: row block i of four takes i + 1 trips."""
    return replace(program(), loops=(Loop("k", 4, None, 4 * 10, (), Profile("m", 1, 1, 1, 1, 4)),))


def _times(index: str, step: int) -> Affine:
    return Affine(0, ((index, step),))


def problem() -> Problem:
    """The launch as a problem, without its families."""
    return Problem("matmul", (), (("a_ptr", "bf16[512,256]"), ("M", "512")), "matmul.py", "toy-kernel")


def plan(shared: bool = True) -> Plan:
    """m over the 2 rows, n over 2 of the 3 columns; rows share ``a`` and columns share ``b`` when ``shared``."""
    groups = ((2, 1), (1, 2)) if shared else ((1, 1), (1, 1))
    pattern = "multicast" if shared else "private"
    return Plan(
        block=program().block,
        spatial=((Split("n", 2),), (Split("m", 2),)),
        order=(("m",), ("n",)),
        placements=(
            Placement("load_a", "wave.m", 2, groups[0], pattern),
            Placement("load_b", "k", 2, groups[1], pattern),
            Placement("store_c", "wave.n", 1, (1, 1)),
        ),
    )
