"""Unit times: cycles that the functional units of one core need for the tile ops of each loop level.

Units driven by one instruction thread take turns; threads (unpack, math, pack) run side by side, so a level costs the
busiest thread. Every function takes a plain or a stacked program (ints or int64 arrays).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from cpplan.cost.fidelity import mac_cycles, math_fidelity
from cpplan.device.device import Device, Unit
from cpplan.tile.arith import Int, ceil_div, cycles_at, times
from cpplan.tile.layout import BLOCK_FORMATS, hardware_tiles, shape_bytes, tile_bytes
from cpplan.tile.program import DTYPE_BITS, HARDWARE_TILE, Op, TileProgram
from cpplan.tile.reduction import Reduction

FREE_KINDS = frozenset({"constant", "index", "reshape", "splat", "broadcast", "expand_dims", "cast", "bitcast", "view"})
"""Ops that cost no unit time of their own: they are folded into the op that uses them or into pack/unpack."""

MATRIX_KINDS = {"add": "elementwise", "sub": "elementwise", "mul": "elementwise", "reduce_sum": "reduce",
                "reduce_max": "reduce", "transpose": "transpose"}  # fmt: skip
"""Ops that run on the matrix unit when its spec lists a cost for them."""


@dataclass(frozen=True)
class Work:
    """Cycles per thread that one execution of a level's own ops takes."""

    threads: Mapping[str, Int]

    def cycles(self) -> Int:
        """Time of the level's ops: the busiest thread."""
        busiest: Int = 0
        for value in self.threads.values():
            busiest = np.maximum(busiest, value)
        return busiest


def level_work(program: TileProgram, device: Device) -> dict[str, Work]:
    """Work of every position of the program (loop name, or "" for block level)."""
    totals: dict[str, dict[str, Int]] = {name: {} for name in ("", *(loop.name for loop in program.loops))}
    loaded = {a.value for a in program.accesses if a.kind == "load"}
    stored = _packed(program)
    fidelity = math_fidelity(program.ops, device)
    carried = {c.argument for loop in program.loops for c in loop.carries}
    resident = loaded | carried | {c.result for loop in program.loops for c in loop.carries}
    for op in program.ops:
        level = totals[op.loop or ""]
        for unit, cycles in op_cycles(op, device, resident, stored, program.in_runs, fidelity).items():
            thread = device.unit(unit).thread
            level[thread] = level.get(thread, 0) + cycles
    return {name: Work(threads) for name, threads in totals.items()}


def combine_work(reduction: Reduction, device: Device, in_runs: Int) -> Work:
    """Work of one combine step of two partial states, both in SRAM."""
    read = {f"{side}.{state.result}" for side in ("left", "right") for state in reduction.state}
    written = dict.fromkeys((state.combined for state in reduction.state), "")
    fidelity = math_fidelity(reduction.ops, device)
    threads: dict[str, Int] = {}
    for op in reduction.ops:
        for unit, cycles in op_cycles(op, device, read, written, in_runs, fidelity).items():
            thread = device.unit(unit).thread
            threads[thread] = threads.get(thread, 0) + cycles
    return Work(threads)


def _packed(program: TileProgram) -> dict[str, str]:
    """Values that are written out -> the block format in which, or "" for their own type.

    Of a value that goes to several tensors the one with the largest tiles counts.
    """
    out: dict[str, str] = {}
    for access in program.accesses:
        if access.kind != "load":
            dtype = program.tensor(access.tensor).dtype
            format_ = dtype if dtype in BLOCK_FORMATS else ""
            out[access.value] = max(out.get(access.value, format_), format_, key=_packed_bytes)
    return out


def _packed_bytes(format_: str) -> float:
    return tile_bytes(format_) if format_ else math.inf


def op_cycles(
    op: Op, device: Device, resident: set[str], stored: Mapping[str, str], in_runs: Int, fidelity: str | None
) -> dict[str, Int]:
    """Cycles per unit of one execution of ``op``.

    ``resident`` names values read from SRAM (they must be unpacked), ``stored`` values that are written out (packed) in
    the block format given, else in the type of the op; ``in_runs`` is the program's, ``fidelity`` that of products.
    """
    packed_as = stored.get(op.name) or op.dtype
    if op.kind == "dot":
        return dot_cycles(op, device, packed_as, fidelity)
    units = {u.name: u for u in device.units}
    tiles = hardware_tiles(op.shape, in_runs)
    out: dict[str, Int] = {}
    reads: Int = 0
    for operand, shape, dtype in zip(op.operands, op.operand_shapes, op.operand_dtypes, strict=False):
        if operand in resident and dtype in DTYPE_BITS:
            reads = reads + shape_bytes(shape, dtype, in_runs)
            if op.kind.startswith(("reduce", "scan")):
                tiles = np.maximum(tiles, hardware_tiles(shape, in_runs))
    if op.kind not in FREE_KINDS:
        unit, cost = _math_cost(units, op)
        out[unit] = times(tiles, cost)
    if "unpack" in units:
        out["unpack"] = cycles_at(reads, _rate(units["unpack"]))
    if "pack" in units and op.name in stored:
        out["pack"] = _pack(units["pack"], tiles, packed_as, 1, accumulate=False)
    return out


def _math_cost(units: Mapping[str, Unit], op: Op) -> tuple[str, Fraction]:
    matrix = units.get("matrix")
    listed = matrix.cost(MATRIX_KINDS[op.kind]) if matrix and op.kind in MATRIX_KINDS else None
    if listed is not None:
        return "matrix", listed
    vector = units["vector"]
    cost = vector.cost(op.kind)
    return "vector", cost if cost is not None else vector.cost("op") or Fraction(0)


def _rate(unit: Unit) -> Fraction:
    return unit.cost("bytes") or Fraction(1)


def _pack(unit: Unit, tiles: Int, dtype: str, calls: Int, accumulate: bool) -> Int:
    per_tile = unit.cost("tile_accumulate" if accumulate else "tile")
    move = cycles_at(tiles * tile_bytes(dtype), _rate(unit))
    fixed = times(tiles, per_tile) if per_tile is not None else 0
    return np.maximum(move, fixed) + times(calls, unit.cost("per_call") or Fraction(0))


def dot_cycles(op: Op, device: Device, packed_as: str, fidelity: str | None) -> dict[str, Int]:
    """Cycles per unit of ``C[m,n] += A[m,k] B[k,n]``, computed sub-block by sub-block in the destination register.

    A call works through one sub-block: it keeps a tile of the shorter side in one source register and streams a tile of
    the other operand through the second one for every multiply-accumulate. Starting a call holds up both threads.
    Results are packed in the format ``packed_as``.
    """
    units = {u.name: u for u in device.units}
    depth: Int = dict(op.attributes)["k"]
    rows, columns = ceil_div(op.shape[-2], HARDWARE_TILE), ceil_div(op.shape[-1], HARDWARE_TILE)
    inner = ceil_div(depth, HARDWARE_TILE)
    batch: Int = 1
    for extent in op.shape[:-2]:
        batch = batch * extent
    wide = DTYPE_BITS[op.dtype] > 16
    height, width = sub_block(rows, columns, device.dst_tiles_32bit if wide else device.dst_tiles_16bit)
    calls = ceil_div(rows, height) * ceil_div(columns, width)
    macs = batch * rows * columns * inner
    matrix = units["matrix"]
    started = times(batch * calls, matrix.cost("per_call") or Fraction(0))
    out = {"matrix": times(macs, mac_cycles(fidelity, device)) + started}
    if "unpack" in units:
        a, b = (tile_bytes(t) for t in op.operand_dtypes[:2])
        lying = width >= height
        streamed = macs * np.where(lying, b, a)
        kept = batch * calls * inner * np.where(lying, height * a, width * b)
        out["unpack"] = _feed(units["unpack"], streamed, kept) + started
    if "pack" in units:
        out["pack"] = _pack(units["pack"], batch * rows * columns, packed_as, batch * calls, accumulate=True)
    return out


def _feed(unit: Unit, streamed: Int, kept: Int) -> Int:
    """Cycles to bring ``streamed`` bytes through one unpacker and ``kept`` bytes through the other, which share L1."""
    single = unit.cost("bytes_single") or _rate(unit)
    return np.maximum(cycles_at(streamed, single), cycles_at(streamed + kept, _rate(unit)))


def sub_block(rows: Int, columns: Int, capacity: int) -> tuple[Int, Int]:
    """(height, width) in hardware tiles of the sub-block that fits the destination register and unpacks least.

    Both divide the block, their product is at most ``capacity``; ties go to the wider one.
    """
    if isinstance(rows, int) and isinstance(columns, int):
        return _sub_block_of(rows, columns, capacity)
    return _sub_block(rows, columns, capacity)


@lru_cache(maxsize=1024)
def _sub_block_of(rows: int, columns: int, capacity: int) -> tuple[int, int]:
    height, width = _sub_block(rows, columns, capacity)
    return int(height), int(width)


def _sub_block(rows: Int, columns: Int, capacity: int) -> tuple[Int, Int]:
    best = np.ones_like(rows), np.ones_like(columns)
    score = np.full_like(np.asarray(rows + columns), 2 * capacity * capacity)
    for height in range(1, capacity + 1):
        for width in range(capacity // height, 0, -1):
            unpacked = (height + width) * capacity * capacity // (height * width)
            better = (rows % height == 0) & (columns % width == 0) & (unpacked < score)
            best = np.where(better, height, best[0]), np.where(better, width, best[1])
            score = np.where(better, unpacked, score)
    return best
