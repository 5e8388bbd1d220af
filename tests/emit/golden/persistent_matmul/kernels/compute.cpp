// persistent_matmul_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8.
// Plan: along x: tile_n over 2 cores; along y: tile_m over 2 cores.
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
    constexpr uint32_t cb_a_desc = 0;  // 2 x 8 pages of bf16: load of a_desc in loop k
    constexpr uint32_t cb_b_desc = 1;  // 2 x 8 pages of bf16: load of b_desc in loop k
    constexpr uint32_t cb_c_desc = 2;  // 16 pages of bf16: store of c_desc once
    constexpr uint32_t cb_acc_3 = 3;  // 16 pages of fp32: carried by loop k

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_desc, cb_b_desc, cb_c_desc);
    // loop k of the kernel
    for (int32_t k = 0; k < 2; ++k) {
        cb_wait_front(cb_a_desc, 8);
        cb_wait_front(cb_b_desc, 8);
        // next acc_3: transpose, dot (persistent_matmul.py:57)
        for (uint32_t row = 0; row < 4; ++row) {
            for (uint32_t column = 0; column < 4; ++column) {
                tile_regs_acquire();
                if (k > 0) {
                    reconfig_data_format_srca(cb_acc_3);
                    copy_init(cb_acc_3);
                    copy_tile(cb_acc_3, 0, 0);
                }
                reconfig_data_format<SrcOrder::Reverse>(cb_a_desc, cb_b_desc);
                matmul_block_init(cb_a_desc, cb_b_desc, 1, 1, 1, 2);
                for (uint32_t depth = 0; depth < 2; ++depth) {
                    matmul_block(cb_a_desc, cb_b_desc, depth + 2 * row, 2 * column + depth, 0, 1, 1, 1, 2);
                }
                tile_regs_commit();
                if (k > 0) cb_pop_front(cb_acc_3, 1);
                tile_regs_wait();
                cb_reserve_back(cb_acc_3, 1);
                pack_reconfig_data_format(cb_acc_3);
                pack_tile(0, cb_acc_3);
                tile_regs_release();
                cb_push_back(cb_acc_3, 1);
            }
        }
        cb_wait_front(cb_acc_3, 16);
        cb_pop_front(cb_b_desc, 8);
        cb_pop_front(cb_a_desc, 8);
    }
    cb_reserve_back(cb_c_desc, 16);
    // to c_desc: cast (persistent_matmul.py:58)
    for (uint32_t row = 0; row < 4; ++row) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_acc_3);
        copy_init(cb_acc_3);
        for (uint32_t slot = 0; slot < 4; ++slot) {
            copy_tile(cb_acc_3, 4 * row + slot, slot);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_c_desc);
        for (uint32_t slot = 0; slot < 4; ++slot) {
            pack_tile<true>(slot, cb_c_desc, 4 * row + slot);
        }
        tile_regs_release();
    }
    cb_pop_front(cb_acc_3, 16);
    cb_push_back(cb_c_desc, 16);
}
