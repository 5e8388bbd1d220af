"""Hypothesis strategies shared by the tests: random small devices and random tile programs."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from cpplan.device.device import Device, Dram, Forward, Multicast, Noc, SpatialDim, Sram, Transfer, Unit
from cpplan.tile.program import Access, Affine, Buffer, Dim, Loop, Op, Tensor, TileProgram

MESHES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (3, 2), (2, 3), (3, 3), (4, 2), (4, 3), (4, 6)]
RINGS = [(4,), (6,), (8,)]


def units(mac: int, op: int) -> tuple[Unit, ...]:
    """A small core: matrix and vector unit on one thread, unpack and pack on their own."""
    return (
        Unit("matrix", "math", (("mac.full", Fraction(mac)), ("per_call", Fraction(7, 2)))),
        Unit("vector", "math", (("op", Fraction(op)),)),
        Unit("unpack", "unpack", (("bytes", Fraction(64)),)),
        Unit("pack", "pack", (("bytes", Fraction(64)), ("per_call", Fraction(9)))),
    )


@st.composite
def devices(draw: st.DrawFn, meshes: list[tuple[int, ...]] | None = None) -> Device:
    """A mesh or ring with random rates, one or two networks, multicast and/or forwarding."""
    shape = draw(st.sampled_from(meshes or MESHES + RINGS))
    rate = st.sampled_from([Fraction(4), Fraction(16), Fraction(301, 10), Fraction(64)])
    cycles = st.sampled_from([0, 50, 400])
    transfer = st.builds(
        Transfer, cycles, st.sampled_from([Fraction(0), Fraction(45, 2), Fraction(35)]), rate,
        st.sampled_from([Fraction(0), Fraction(11, 10)]), st.sampled_from([4096, 8192]),
    )  # fmt: skip
    torus = tuple(n + 2 for n in shape)
    forwards = tuple((axis, 1) for axis in range(len(shape)))
    backwards = tuple((axis, -1) for axis in reversed(range(len(shape))))
    nocs = tuple(
        Noc(f"noc{i}", route, torus, True, draw(rate))
        for i, route in enumerate([forwards, backwards][: draw(st.integers(1, 2))])
    )
    banks = draw(st.integers(1, 3))
    spots = tuple((0,) * (len(shape) - 1) + (b % torus[-1],) for b in range(banks))
    dram = Dram(
        banks, 1 << 30, draw(rate), draw(rate), draw(rate), draw(rate), draw(st.sampled_from([Fraction(0), Fraction(34, 5)])),
        draw(transfer), draw(transfer), 32, tuple(spots for _ in nocs),
    )  # fmt: skip
    multicast = draw(st.one_of(st.none(), st.builds(Multicast, transfer, cycles)))
    dims = tuple(SpatialDim("xyz"[i], n, tuple(range(1, n + 1))) for i, n in enumerate(shape))
    forward = draw(st.one_of(st.none(), st.builds(Forward, st.just(tuple(d.name for d in dims)), transfer)))
    return Device(
        "random", 1000, dims, Sram(draw(st.sampled_from([40_000, 100_000, 1_000_000])), 1000, 16, 32), nocs, dram,
        multicast, forward, units(draw(st.sampled_from([16, 64])), draw(st.sampled_from([30, 200]))),
        draw(st.sampled_from(["load|compute|store", "load|compute+store", "load+store|compute"])),
        draw(st.sampled_from([0, 4000])), 8, 4, (("bf16", "full"), ("fp32", "full")),
    )  # fmt: skip


@st.composite
def programs(draw: st.DrawFn, max_dims: int = 4, max_loops: int = 2, max_accesses: int = 5) -> TileProgram:
    """1-4 parallel dims, 0-2 sequential loops (nested or side by side), 1-5 accesses, random dependences."""
    dims = tuple(Dim(f"p{i}", draw(st.integers(1, 9))) for i in range(draw(st.integers(1, max_dims))))
    loops: list[Loop] = []
    for i in range(draw(st.integers(0, max_loops))):
        parent = draw(st.sampled_from([None, *(loop.name for loop in loops)]))
        loops.append(Loop(f"k{i}", draw(st.integers(1, 6)), parent))
    positions = [None, *(loop.name for loop in loops)]
    tensors, accesses = [], []
    count = draw(st.integers(1, max_accesses))
    for i in range(count):
        kind = "store" if i == count - 1 else "load"
        loop = draw(st.sampled_from(positions))
        path = _path(loops, loop)
        usable = [d.name for d in dims] + path
        chosen = draw(st.lists(st.sampled_from(usable), unique=True, max_size=len(usable)))
        if kind == "store":
            chosen = [d.name for d in dims] + [n for n in path if n in chosen]
        dtype = draw(st.sampled_from(["bf16", "fp32"]))
        tile = (draw(st.sampled_from([32, 64, 100])), draw(st.sampled_from([32, 64])))
        starts = (Affine(0, tuple(sorted((n, 64) for n in chosen))), Affine())
        tensors.append(Tensor(f"t{i}", dtype, (4096, 4096), (4096, 1)))
        accesses.append(Access(f"a{i}", f"t{i}", kind, tile, starts, loop, value=f"v{i}"))
    ops = (
        Op("d", "dot", ("x", "y"), (64, 64), "fp32", draw(st.sampled_from(positions)), (("k", 64),), ((64, 64),) * 2,
           ("bf16", "bf16")),
        Op("e", "exp", ("d",), (64, 32), "fp32", draw(st.sampled_from(positions)), (), ((64, 32),), ("fp32",)),
    )  # fmt: skip
    buffers = (Buffer("acc", (64, 64), "fp32"),) if draw(st.booleans()) else ()
    return TileProgram("random", dims, tuple(loops), tuple(tensors), tuple(accesses), ops, buffers)


def _path(loops: list[Loop], loop: str | None) -> list[str]:
    parents = {item.name: item.parent for item in loops}
    path = []
    while loop is not None:
        path.append(loop)
        loop = parents[loop]
    return path[::-1]
