"""A compute kernel for GEMM tile programs written by hand, so that data movement is tested without the generated one.

It multiplies blocks as they come and keeps partial sums in a buffer of two slots.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cpplan.emit_ttmetal.checks import check_emitted
from cpplan.emit_ttmetal.elements import decoded, encoded
from cpplan.emit_ttmetal.emit import ComputeKernel, assemble
from cpplan.emit_ttmetal.pages import from_memory, from_pages, to_memory, to_pages
from cpplan.emit_ttmetal.program import ComputeConfig
from cpplan.emulate import Stats, run
from cpplan.schedule.buffers import placed
from cpplan.schedule.schedule import For, Schedule, Step

SOURCE = """
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t a = 0, b = 1, c = 2, sums = 3;
    constexpr uint32_t rows = ROWS, columns = COLUMNS, inner = INNER, trips = TRIPS, blocks = BLOCKS;
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, c);
    for (uint32_t block = 0; block < blocks; ++block) {
        for (uint32_t k = 0; k < trips; ++k) {
            const bool is_first = k == 0;
            const uint32_t out = k + 1 == trips ? c : sums;
            cb_wait_front(a, rows * inner);
            cb_wait_front(b, inner * columns);
            if (!is_first) {
                cb_wait_front(sums, rows * columns);
            }
            cb_reserve_back(out, rows * columns);
            for (uint32_t i = 0; i < rows * columns; ++i) {
                tile_regs_acquire();
                if (!is_first) {
                    reconfig_data_format_srca(b, sums);
                    copy_init(sums);
                    copy_tile(sums, i, 0);
                    reconfig_data_format_srca(sums, b);
                }
                matmul_init(a, b);
                for (uint32_t t = 0; t < inner; ++t) {
                    matmul_tiles(a, b, i / columns * inner + t, t * columns + i % columns, 0);
                }
                tile_regs_commit();
                tile_regs_wait();
                pack_reconfig_data_format(out);
                pack_tile<true>(0, out, i);
                tile_regs_release();
            }
            cb_push_back(out, rows * columns);
            if (!is_first) {
                cb_pop_front(sums, rows * columns);
            }
            cb_pop_front(a, rows * inner);
            cb_pop_front(b, inner * columns);
        }
    }
}
"""


def matmul_by_hand(schedule: Schedule) -> ComputeKernel:
    """The kernel for a GEMM whose loads sit in its loop and whose store sits at its block."""
    (rows, inner), (_, columns) = (access.tile[-2:] for access in schedule.program.accesses[:2])
    sizes = {"ROWS": rows // 32, "COLUMNS": columns // 32, "INNER": inner // 32}
    sizes |= {"TRIPS": schedule.program.loops[0].trips, "BLOCKS": iterations(schedule.thread("compute").steps)}
    source = SOURCE
    for name, size in sizes.items():
        source = source.replace(f" = {name}", f" = {size}")
    return ComputeKernel(source, ComputeConfig(fp32_dest_acc=True))


def iterations(steps: tuple[Step, ...]) -> int:
    """Blocks that a core works on: trips of all wave loops."""
    loop = next((step for step in steps if isinstance(step, For) and step.counter.startswith("wave")), None)
    return 1 if loop is None else loop.stop * iterations(loop.body)


def run_gemm(schedule: Schedule, seed: int) -> tuple[np.ndarray, np.ndarray, Stats]:
    """(computed, expected) product of random matrices, and what moved."""
    buffers = tuple(replace(b, slots=2) if b.role == "value" else b for b in schedule.buffers)
    schedule = replace(schedule, buffers=placed(buffers, schedule.device, "test"))
    program = assemble(schedule, matmul_by_hand(schedule))
    check_emitted(program)
    random = np.random.default_rng(seed)
    a, b, c = schedule.program.tensors
    matrices = [decoded(encoded(random.standard_normal(t.shape), t.dtype), t.dtype) for t in (a, b)]
    memory = {}
    for tensor, matrix in zip((a, b), matrices, strict=True):
        layout = schedule.layout(tensor.name)
        memory[tensor.name] = to_memory(encoded(to_pages(matrix, layout), tensor.dtype), layout)
    out, stats = run(program, memory, seed=seed)
    layout = schedule.layout(c.name)
    written = decoded(out[c.name].view(np.uint16).reshape(-1, 1024), c.dtype)
    return from_pages(from_memory(written, layout), layout, c.shape), matrices[0] @ matrices[1], stats
