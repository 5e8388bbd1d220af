// split_k_matmul_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, SPLIT_K=4.
// Plan: along x: part over 2 cores; along y: part over 2 cores.
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a_ptr = 0;  // 4 pages of bf16: load of a_ptr once
    constexpr uint32_t cb_b_ptr = 1;  // 4 pages of bf16: load of b_ptr once
    constexpr uint32_t cb_c_ptr_old = 2;  // 4 pages of fp32: load of c_ptr_old once
    constexpr uint32_t cb_c_ptr = 3;  // 4 pages of fp32: store of c_ptr once

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr, cb_c_ptr);
    cb_wait_front(cb_a_ptr, 4);
    cb_wait_front(cb_b_ptr, 4);
    cb_wait_front(cb_c_ptr_old, 4);
    cb_reserve_back(cb_c_ptr, 4);
    // to c_ptr: dot (split_k_matmul.py:50); add (:55)
    for (uint32_t row = 0; row < 2; ++row) {
        tile_regs_acquire();
        reconfig_data_format<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr);
        matmul_block_init(cb_a_ptr, cb_b_ptr, 0, 2, 1, 2);
        for (uint32_t depth = 0; depth < 2; ++depth) {
            matmul_block(cb_a_ptr, cb_b_ptr, depth + 2 * row, 2 * depth, 0, 0, 2, 1, 2);
        }
        reconfig_data_format_srca(cb_c_ptr_old);
        copy_init(cb_c_ptr_old);
        copy_tile(cb_c_ptr_old, 2 * row, 2);
        add_binary_tile_init();
        add_binary_tile(2, 0, 0);
        copy_tile(cb_c_ptr_old, 2 * row + 1, 2);
        add_binary_tile(2, 1, 1);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_c_ptr);
        pack_tile<true>(0, cb_c_ptr, 2 * row);
        pack_tile<true>(1, cb_c_ptr, 2 * row + 1);
        tile_regs_release();
    }
    cb_push_back(cb_c_ptr, 4);
    cb_pop_front(cb_c_ptr_old, 4);
    cb_pop_front(cb_b_ptr, 4);
    cb_pop_front(cb_a_ptr, 4);
}
