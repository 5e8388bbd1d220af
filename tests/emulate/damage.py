"""Kinds of damage to the handwritten GEMM and flash attention, each with the faults that may report it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from emulate.flash_program import Flash
from emulate.gemm_program import Gemm

from cpplan.emit_ttmetal.program import Program, TensorAddress

GEMM = Gemm(grid=(3, 2), blocks=3)
FLASH = Flash(heads=1, query_blocks=1)


def text(kernel: str, old: str, new: str, count: int = 1) -> Callable[[Program], Program]:
    """Replaces code in one kernel; the original must hold it ``count`` times."""

    def damage(program: Program) -> Program:
        kernels = []
        for k in program.kernels:
            if k.name == kernel:
                assert k.source.count(old) == count, (old, k.source.count(old))
                k = replace(k, source=k.source.replace(old, new))
            kernels.append(k)
        return replace(program, kernels=tuple(kernels))

    return damage


def buffer(name: str, **changes: object) -> Callable[[Program], Program]:
    def damage(program: Program) -> Program:
        changed = tuple(replace(b, **changes) if b.name == name else b for b in program.buffers)  # type: ignore
        return replace(program, buffers=changed)

    return damage


def arguments(kernel: str, change: Callable[[tuple], tuple]) -> Callable[[Program], Program]:
    def damage(program: Program) -> Program:
        changed = tuple(
            replace(k, runtime_args={c: change(args) for c, args in k.runtime_args.items()}) if k.name == kernel else k
            for k in program.kernels
        )
        return replace(program, kernels=changed)

    return damage


def compute(**changes: object) -> Callable[[Program], Program]:
    def damage(program: Program) -> Program:
        changed = tuple(
            replace(k, compute=replace(k.compute, **changes)) if k.compute else k  # type: ignore[arg-type]
            for k in program.kernels
        )
        return replace(program, kernels=changed)

    return damage


def without_semaphore(id: int) -> Callable[[Program], Program]:
    return lambda program: replace(program, semaphores=tuple(s for s in program.semaphores if s.id != id))


def without_buffer_on(core: tuple[int, int], name: str) -> Callable[[Program], Program]:
    def damage(program: Program) -> Program:
        changed = tuple(
            replace(b, cores=tuple(c for c in b.cores if c != core)) if b.name == name else b for b in program.buffers
        )
        return replace(program, buffers=changed)

    return damage


@dataclass(frozen=True)
class Damage:
    """``kinds`` are the faults that may report it; "wrong" stands for a wrong result."""

    change: Callable[[Program], Program]
    kinds: tuple[str, ...]


A, B, MM = "read_a", "read_b_write_c", "multiply"
RAISE = "noc_semaphore_set(valid, 1);"
SEND_FLAG = (
    "noc_semaphore_set_multicast(valid_address, get_noc_multicast_addr(x0, y0, x1, y1, valid_address), receivers);"
)
GEMM_DAMAGE = {
    "no read barrier": Damage(text(A, "noc_async_read_barrier();", ""), ("barrier",)),
    "reads without a barrier before the multicast": Damage(
        text(A, "noc_async_read_barrier();\n            if", "if"), ("barrier",)
    ),
    "flag sent before the data": Damage(
        lambda p: text(A, f"noc_async_writes_flushed();\n                {RAISE}", "")(
            text(A, "noc_async_write_multicast(start,", f"{RAISE} {SEND_FLAG} noc_async_write_multicast(start,")(p)
        ),
        ("uninitialised", "multicast", "wrong", "overwrite", "barrier"),
    ),
    "ready count not reset": Damage(
        text(A, "noc_semaphore_set(ready, 0);", ""), ("deadlock", "overwrite", "reserve", "wrong")
    ),
    "valid flag not cleared": Damage(
        text(A, "noc_semaphore_set(valid, 0);", ""), ("uninitialised", "overwrite", "reserve", "wrong")
    ),
    "no wait for the receivers": Damage(
        text(A, "noc_semaphore_wait(ready, receivers);", ""),
        ("overwrite", "reserve", "uninitialised", "wrong", "deadlock"),
    ),
    "receiver does not wait": Damage(
        text(A, "noc_semaphore_wait(valid, 1);", ""),
        ("uninitialised", "overwrite", "reserve", "wrong", "deadlock", "barrier"),
    ),
    "wrong number of receivers": Damage(
        text(A, "block_tiles * tile_bytes, receivers, true", "block_tiles * tile_bytes, receivers + 1, true"),
        ("multicast",),
    ),
    "chain left open": Damage(
        text(
            A,
            "get_noc_multicast_addr(x0, y0, x1, y1, valid_address), receivers)",
            "get_noc_multicast_addr(x0, y0, x1, y1, valid_address), receivers, true)",
        ),
        ("multicast",),
    ),
    "corners in the wrong order": Damage(
        text(A, "get_noc_multicast_addr(x0, y0, x1, y1, start)", "get_noc_multicast_addr(x1, y1, x0, y0, start)"),
        ("multicast",),
    ),
    "sender inside the rectangle": Damage(
        text(A, "get_noc_multicast_addr(x0, y0, x1, y1, start)", "get_noc_multicast_addr(leader_x, y0, x1, y1, start)"),
        ("multicast",),
    ),
    "half of the block sent": Damage(
        text(A, "block_tiles * tile_bytes, receivers, true", "block_tiles * tile_bytes / 2, receivers, true"),
        ("uninitialised",),
    ),
    "no final write barrier": Damage(
        text(B, "noc_async_write_barrier();\n    noc_async_atomic_barrier();", "noc_async_atomic_barrier();"),
        ("barrier",),
    ),
    "pop before the write left": Damage(
        text(B, "noc_async_writes_flushed();\n        cb_pop_front(cb_c, columns);", "cb_pop_front(cb_c, columns);"),
        ("barrier",),
    ),
    "missing pop in compute": Damage(text(MM, "cb_pop_front(cb_a, rows * depth);", ""), ("lap", "deadlock", "left")),
    "missing last pop of the writer": Damage(
        text(B, "cb_pop_front(cb_c, columns);", "if (r + 1 < rows) cb_pop_front(cb_c, columns);"), ("left",)
    ),
    "missing wait in compute": Damage(text(MM, "cb_wait_front(cb_a, rows * depth);", ""), ("wait",)),
    "missing reserve": Damage(text(A, "cb_reserve_back(cb_a, block_tiles);", ""), ("reserve",)),
    "missing push": Damage(text(A, "cb_push_back(cb_a, block_tiles);", ""), ("deadlock",)),
    "writer does not wait": Damage(text(B, "cb_wait_front(cb_c, columns);", ""), ("wait", "uninitialised")),
    "no tile_regs_wait": Damage(text(MM, "tile_regs_wait();", ""), ("dst",)),
    "no tile_regs_release": Damage(text(MM, "tile_regs_release();", ""), ("dst",)),
    "no tile_regs_commit": Damage(text(MM, "tile_regs_commit();", ""), ("dst",)),
    "DST index past the end": Damage(text(MM, "k * columns, 0, 0, columns", "k * columns, 7, 0, columns"), ("dst",)),
    "DST index past the end of 32-bit DST": Damage(
        lambda p: compute(fp32_dest_acc=True)(text(MM, "k * columns, 0, 0, columns", "k * columns, 3, 0, columns")(p)),
        ("dst",),
    ),
    "packs a tile nobody computed": Damage(
        text(MM, "pack_tile(n, cb_out)", "pack_tile(n + columns, cb_out)"), ("dst",)
    ),
    "no matmul init after the copy": Damage(
        text(
            MM,
            "matmul_block_init(cb_a, cb_b, 0, columns, 1, depth);",
            "if (block == 0) matmul_block_init(cb_a, cb_b, 0, columns, 1, depth);",
        ),
        ("setup",),
    ),
    "init with another block shape": Damage(
        text(
            MM,
            "matmul_block_init(cb_a, cb_b, 0, columns, 1, depth);",
            "matmul_block_init(cb_a, cb_b, 0, columns, 2, depth);",
        ),
        ("setup",),
    ),
    "no start-up": Damage(text(MM, "compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_c);", ""), ("setup",)),
    "no pack reconfiguration": Damage(
        lambda p: buffer("partial", format="fp32", page_bytes=4096)(
            text(MM, "pack_reconfig_data_format(cb_out);", "")(p)
        ),
        ("format",),
    ),
    "no source reconfiguration": Damage(
        lambda p: buffer("partial", format="fp32", page_bytes=4096)(
            text(MM, "reconfig_data_format_srca(cb_b, cb_partial);", "")(p)
        ),
        ("format",),
    ),
    "wrong stride": Damage(text(A, "(first_row + r) * row_tiles", "(first_row + r) * (row_tiles - 1)"), ("wrong",)),
    "page past the tensor": Damage(
        text(A, "(first_row + r) * row_tiles + block", "(first_row + r + 3) * row_tiles + block"), ("address",)
    ),
    "write to a misaligned place": Damage(text(A, "+ k, a, at);", "+ k, a, at + 8);"), ("alignment", "address")),
    "argument not given": Damage(arguments(A, lambda args: args[:-1]), ("argument",)),
    "wrong tensor": Damage(arguments(A, lambda args: (TensorAddress("B"), *args[1:])), ("wrong", "address")),
    "semaphore missing": Damage(without_semaphore(1), ("configuration",)),
    "buffer missing on one core": Damage(without_buffer_on((2, 1), "partial"), ("configuration",)),
    "buffer not a multiple of the block": Damage(buffer("a", pages=7), ("lap",)),
    "buffer smaller than the block": Damage(buffer("b", pages=3), ("capacity",)),
    "two kernels on one NoC": Damage(
        lambda p: replace(p, kernels=tuple(replace(k, noc=0) if k.name == B else k for k in p.kernels)), ("program",)
    ),
    "L1 overflow": Damage(buffer("a", pages=800), ("program",)),
    "both processors push one buffer": Damage(
        text(
            B,
            "cb_push_back(cb_b, block_tiles);",
            "cb_push_back(cb_b, block_tiles); if (block == 0) { cb_reserve_back(0, 1); cb_push_back(0, 1); }",
        ),
        ("pointer", "lap", "reserve", "deadlock", "overwrite"),
    ),
    "spins on a word without a wait": Damage(
        text(A, "noc_semaphore_wait(valid, 1);", "while (*valid != 1) {}"), ("spin",)
    ),
    "pointer outside L1": Damage(
        text(A, "noc_semaphore_set(ready, 0);", "*reinterpret_cast<volatile uint32_t*>(16) = 0;"), ("memory",)
    ),
}
FC = "flash_compute"
FLASH_DAMAGE = {
    "no exp init": Damage(text(FC, "exp_tile_init();\n            for", "for"), ("setup",)),
    "no reduce_uninit": Damage(text(FC, "reduce_uninit();", "", 2), ("wrong", "uninitialised")),
    "sum not rescaled": Damage(
        text(
            FC,
            "mul_tiles(flash_sum[old], flash_factor, 0, 0, 0);",
            "copy_init(flash_sum[old]); copy_tile(flash_sum[old], 0, 0);",
        ),
        ("wrong",),
    ),
    "DST written by nobody": Damage(text(FC, "copy_tile(flash_max[old], 0, 1);", ""), ("dst",)),
    "tile index past the buffer": Damage(
        text(
            FC,
            "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(flash_score, flash_one, c, 0, 0);",
            "reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(flash_score, flash_one, c + 1, 0, 0);",
        ),
        ("wait", "lap"),
    ),
    "scaler never filled": Damage(
        text("flash_read", "for (uint32_t i = 0; i < 512; ++i) one[i] = 0x3F803F80;", ""), ("uninitialised",)
    ),
    "scaler half filled": Damage(text("flash_read", "i < 512", "i < 256"), ("uninitialised",)),
    "maximum in the sum's place": Damage(text(FC, "PoolType::SUM", "PoolType::MAX", 3), ("wrong",)),
}
