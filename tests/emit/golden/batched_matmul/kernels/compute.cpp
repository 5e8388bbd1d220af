// bmm_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: batch over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a_ptr = 0;  // 4 pages of bf16: load of a_ptr once
    constexpr uint32_t cb_b_ptr = 1;  // 4 pages of bf16: load of b_ptr once
    constexpr uint32_t cb_c_ptr = 2;  // 4 pages of bf16: store of c_ptr once
    constexpr uint32_t cb_acc_2 = 3;  // 4 pages of fp32: carried by loop k

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr, cb_c_ptr);
    cb_wait_front(cb_a_ptr, 4);
    cb_wait_front(cb_b_ptr, 4);
    // loop k of the kernel
    for (int32_t k = 0; k < 2; ++k) {
        // next acc_2: dot (batched_matmul.py:53)
        tile_regs_acquire();
        if (k > 0) {
            reconfig_data_format_srca(cb_acc_2);
            copy_init(cb_acc_2);
            for (uint32_t slot = 0; slot < 4; ++slot) {
                copy_tile(cb_acc_2, slot, slot);
            }
        }
        reconfig_data_format<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr);
        matmul_block_init(cb_a_ptr, cb_b_ptr, 0, 2, 2, 1);
        matmul_block(cb_a_ptr, cb_b_ptr, 2 * k, 2 * k, 0, 0, 2, 2, 1);
        tile_regs_commit();
        if (k > 0) cb_pop_front(cb_acc_2, 4);
        tile_regs_wait();
        cb_reserve_back(cb_acc_2, 4);
        pack_reconfig_data_format(cb_acc_2);
        for (uint32_t slot = 0; slot < 4; ++slot) {
            pack_tile(slot, cb_acc_2);
        }
        tile_regs_release();
        cb_push_back(cb_acc_2, 4);
        cb_wait_front(cb_acc_2, 4);
    }
    cb_reserve_back(cb_c_ptr, 4);
    // to c_ptr: cast (batched_matmul.py:56)
    for (uint32_t row = 0; row < 2; ++row) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_acc_2);
        copy_init(cb_acc_2);
        copy_tile(cb_acc_2, 2 * row, 0);
        copy_tile(cb_acc_2, 2 * row + 1, 2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_c_ptr);
        pack_tile<true>(0, cb_c_ptr, 2 * row);
        pack_tile<true>(2, cb_c_ptr, 2 * row + 1);
        tile_regs_release();
    }
    cb_pop_front(cb_acc_2, 4);
    cb_push_back(cb_c_ptr, 4);
    cb_pop_front(cb_b_ptr, 4);
    cb_pop_front(cb_a_ptr, 4);
}
