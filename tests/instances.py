"""Random small devices and tile programs, drawn from a ``random.Random``.

A test gets one from a saved seed, or from hypothesis through ``st.randoms()``, so that failures shrink.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from cpplan.device.device import Device, Dram, Forward, Multicast, Noc, SpatialDim, Sram, Transfer, Unit
from cpplan.tile.family import stack
from cpplan.tile.program import Access, Affine, Buffer, Carry, Dim, Loop, Op, Problem, Profile, Tensor, TileProgram

MESHES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (3, 2), (2, 3), (3, 3), (4, 2), (4, 3), (4, 6)]
RINGS = [(4,), (6,), (8,)]
RATES = [Fraction(4), Fraction(16), Fraction(301, 10), Fraction(64)]
OVERLAPS = ["load|compute|store", "load|compute+store", "load+store|compute"]


def units(mac: int, op: int) -> tuple[Unit, ...]:
    """A small core: matrix and vector unit on one thread, unpack and pack on their own."""
    return (
        Unit("matrix", "math", (("mac.full", Fraction(mac)), ("per_call", Fraction(7, 2)))),
        Unit("vector", "math", (("op", Fraction(op)),)),
        Unit("unpack", "unpack", (("bytes", Fraction(64)),)),
        Unit("pack", "pack", (("bytes", Fraction(64)), ("per_call", Fraction(9)))),
    )


def random_transfer(r: Random) -> Transfer:
    """Random latency, issue cost, rate, acknowledgement cost and packet size."""
    issue = r.choice([Fraction(0), Fraction(45, 2), Fraction(35)])
    per_target = r.choice([Fraction(0), Fraction(11, 10)])
    return Transfer(r.choice([0, 50, 400]), issue, r.choice(RATES), per_target, r.choice([4096, 8192]))


def random_device(r: Random, shape: tuple[int, ...] | None = None) -> Device:
    """A mesh up to 4x6 or a ring, one or two networks, multicast and/or forwarding, tight or loose SRAM."""
    shape = shape or r.choice(MESHES + RINGS)
    torus = tuple(n + 2 for n in shape)
    routes = [
        tuple((axis, 1) for axis in range(len(shape))),
        tuple((axis, -1) for axis in reversed(range(len(shape)))),
    ][: r.randint(1, 2)]
    nocs = tuple(Noc(f"noc{i}", route, torus, True, r.choice(RATES)) for i, route in enumerate(routes))
    banks = r.randint(1, 3)
    spots = tuple((0,) * (len(shape) - 1) + (b % torus[-1],) for b in range(banks))
    rates = [r.choice(RATES) for _ in range(4)]
    interval = r.choice([Fraction(0), Fraction(34, 5)])
    dram = Dram(
        banks, 1 << 30, *rates, interval, random_transfer(r), random_transfer(r), 32, tuple(spots for _ in nocs)
    )
    dims = tuple(SpatialDim("xyz"[i], n, tuple(range(1, n + 1))) for i, n in enumerate(shape))
    return Device(
        name="random",
        clock_mhz=1000,
        dims=dims,
        sram=Sram(r.choice([40_000, 100_000, 1_000_000]), 1000, 16, 32),
        nocs=nocs,
        dram=dram,
        multicast=r.choice([None, Multicast(random_transfer(r), r.choice([0, 50, 400]))]),
        forward=r.choice([None, Forward(tuple(d.name for d in dims), random_transfer(r))]),
        units=units(r.choice([16, 64]), r.choice([30, 200])),
        overlap=r.choice(OVERLAPS),  # type: ignore[arg-type]
        launch_cycles=r.choice([0, 4000]),
        dst_tiles_16bit=8,
        dst_tiles_32bit=4,
        fidelity=(("bf16", "full"), ("fp32", "full")),
    )


def random_program(r: Random) -> TileProgram:
    """1-4 parallel dims, 0-2 sequential loops (nested or side by side), 1-5 accesses, extents that need not divide; in
    one of four, tiles are pieces of rows."""
    dims = tuple(Dim(f"p{i}", r.choice([1, 2, 3, 4, 4, 5, 7, 9])) for i in range(r.randint(1, 4)))
    loops: list[Loop] = []
    for i in range(r.randint(0, 2)):
        loops.append(Loop(f"k{i}", r.randint(1, 6), r.choice([None, *(loop.name for loop in loops)])))
    positions = [None, *(loop.name for loop in loops)]
    tensors, accesses = [], []
    count = r.randint(1, 5)
    for i in range(count):
        store = i == count - 1
        loop = r.choice(positions)
        path = _path(loops, loop)
        chosen = [n for n in [d.name for d in dims] + path if r.random() < 0.5]
        if store:
            chosen = [d.name for d in dims] + [n for n in path if n in chosen]
        tile = (r.choice([32, 64, 64, 100]), r.choice([32, 64]))
        tensors.append(Tensor(f"t{i}", r.choice(["bf16", "bf16", "fp32"]), (4096, 4096), (4096, 1)))
        starts = (Affine(0, tuple(sorted((n, 64) for n in chosen))), Affine())
        kind = "store" if store else "load"
        accesses.append(Access(f"a{i}", f"t{i}", kind, tile, starts, loop, value=f"v{i}"))  # type: ignore[arg-type]
    square = (64, 64)
    ops = (
        Op("d", "dot", ("x", "y"), square, "fp32", r.choice(positions), (("k", 64),), (square,) * 2, ("bf16",) * 2),
        Op("e", "exp", ("d",), (64, 32), "fp32", r.choice(positions), (), ((64, 32),), ("fp32",)),
    )
    buffers = (Buffer("acc", square, "fp32"),) if r.random() < 0.5 else ()
    program = TileProgram("random", dims, tuple(loops), tuple(tensors), tuple(accesses), ops, buffers)
    program = of_rows(r, program) if r.random() < 0.25 else program
    return with_reduction(r, program) if r.random() < 0.5 else program


def with_reduction(r: Random, program: TileProgram) -> TileProgram:
    """``program`` with one outermost loop that carries a sum or a maximum, few blocks and a store after the loop, so
    that it pays to share the trips of the loop."""
    dims = tuple(replace(d, extent=r.choice([1, 1, 2, 3])) for d in program.dims[:3])
    kept = {d.name for d in dims} | {"k0", *(loop.name for loop in program.loops if loop.parent is not None)}
    loops = tuple(loop for loop in program.loops if loop.name in kept and loop.parent in (None, "k0"))[:2]
    names = {d.name for d in dims} | {loop.name for loop in loops}
    if not loops:
        return program

    def moved(access: Access, loop: str | None) -> Access:
        starts = tuple(Affine(s.const, tuple(t for t in s.terms if t[0] in names)) for s in access.starts)
        return replace(access, loop=loop, starts=starts)

    loads = [moved(a, a.loop if a.loop in names else r.choice([None, "k0"])) for a in program.accesses[:-1]]
    if not any("k0" in program.loop_path(a.loop) for a in loads):
        return program
    square = tuple((d.name, 64) for d in dims)
    store = replace(program.accesses[-1], loop=None, starts=(Affine(0, square), Affine()), value="reduced")
    shape = r.choice([(64, 64), (32, 32), (1, 64)])
    kind, start = r.choice([("add", "0.0"), ("max", "-inf")])
    term = next(a.value for a in loads if "k0" in program.loop_path(a.loop))
    ops = (
        Op("start", "constant", (), shape, "fp32", None, (("value", start),)),
        Op("term", "exp", (term,), shape, "fp32", "k0", (), (shape,), ("fp32",)),
        Op("next", kind, ("carried", "term"), shape, "fp32", "k0", (), (shape,) * 2, ("fp32",) * 2),
    )
    first = replace(loops[0], trips=r.randint(2, 9), carries=(Carry("start", "carried", "next", "reduced"),))
    old = tuple(replace(op, loop=op.loop if op.loop in names else "k0") for op in program.ops)
    return replace(program, dims=dims, loops=(first, *loops[1:]), accesses=(*loads, store), ops=old + ops)


def varying_program(r: Random) -> TileProgram:
    """A random program whose loops, if it has any, run more often in some blocks than in others."""
    program = random_program(r)
    dims = [
        d if d.extent > 1 or any(e.extent > 1 for e in program.dims) else replace(d, extent=3) for d in program.dims
    ]
    return replace(program, dims=tuple(dims), loops=tuple(_varying_loops(r, program.loops, dims)))


def _varying_loops(r: Random, loops: tuple[Loop, ...], dims: list[Dim]) -> Iterator[Loop]:
    """Outermost loops get profiles, or else one inside them, with the same largest trip count or a smaller one."""
    inside: set[str] = set()
    for loop in loops:
        nested = loop.parent in inside
        plain = nested or (r.random() < 0.2 and any(other.parent == loop.name for other in loops))
        profile = None if plain else random_profile(r, r.choice([d for d in dims if d.extent > 1]), loop.trips)
        inside |= {loop.name} if nested or profile is not None else set()
        yield loop if profile is None else replace(loop, trips=profile.high, profile=profile)


def random_profile(r: Random, dim: Dim, most: int) -> Profile:
    """Trip counts that grow or fall with the blocks of ``dim``, with or without limits, up to ``most``."""
    for _ in range(20):
        slope, divisor = r.choice([1, -1]) * r.choice([1, 2, 32, 64, 96, 128]), r.choice([1, 2, 3, 32, 64, 100])
        offset = r.choice([0, 0, abs(slope), -slope, r.randint(-200, 200), -slope * dim.extent])
        profile = Profile(dim.name, slope, offset, divisor, r.choice([0, 0, 0, 1, 2]), most)
        trips = [int(profile.at(i)) for i in range(dim.extent)]
        if max(trips) > min(trips):
            return replace(profile, high=max(trips))
    return Profile(dim.name, 1, 0, 1, 0, min(most, dim.extent - 1))


def of_rows(r: Random, program: TileProgram) -> TileProgram:
    """``program`` with pieces of rows for tiles, from one element to some that pad a hardware tile, and row ops."""
    widths = [r.choice([1, 32, 100, 1024, 1500, 4096]) for _ in program.accesses]
    accesses = tuple(replace(a, tile=(1, width)) for a, width in zip(program.accesses, widths, strict=True))
    summed, scaled = (op.loop for op in program.ops)
    row = (1, widths[0])
    ops = (
        Op("s", "reduce_sum", ("v0",), (1, 1), "fp32", summed, (("axis", 1),), (row,), ("bf16",)),
        Op("e", "exp", ("v0",), row, "fp32", scaled, (), (row,), ("bf16",)),
    )
    buffers = tuple(replace(buffer, shape=row) for buffer in program.buffers)
    return replace(program, accesses=accesses, ops=ops, buffers=buffers)


def stencil(points: int, dims: tuple[int, ...], trips: int) -> TileProgram:
    """``points`` loads of one tensor at shifted addresses inside a loop, and a store after it."""
    names = [f"p{i}" for i in range(len(dims))]
    at = tuple((name, 32) for name in names)
    loads = tuple(
        Access(f"a{i}", "x", "load", (32, 32), (Affine(i, (("k", 32), *at)), Affine()), "k") for i in range(points)
    )
    store = Access("y", "y", "store", (32, 32), (Affine(0, at), Affine()))
    tensors = tuple(Tensor(name, "bf16", (4096, 4096), (4096, 1)) for name in ("x", "y"))
    grid = tuple(Dim(name, extent) for name, extent in zip(names, dims, strict=True))
    return TileProgram("stencil", grid, (Loop("k", trips),), tensors, (*loads, store))


def _path(loops: list[Loop], loop: str | None) -> list[str]:
    parents = {item.name: item.parent for item in loops}
    path = []
    while loop is not None:
        path.append(loop)
        loop = parents[loop]
    return path[::-1]


def problem(*programs: TileProgram) -> Problem:
    """A problem whose block-shape candidates are ``programs``, one family each."""
    return Problem(programs[0].name, tuple(stack([p]) for p in programs), (), "", "")
