// matmul_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8.
// Plan: along x: pid_m over 2 cores; along y: pid_n over 2 cores.
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a_ptr = 0;  // 8 pages of bfp8_b: load of a_ptr once
    constexpr uint32_t cb_b_ptr = 1;  // 8 pages of bfp8_b: load of b_ptr once
    constexpr uint32_t cb_c_ptr = 2;  // 4 pages of bf16: store of c_ptr once
    constexpr uint32_t cb_acc_2 = 3;  // 4 pages of fp32: carried by loop k

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr, cb_c_ptr);
    cb_wait_front(cb_a_ptr, 8);
    cb_wait_front(cb_b_ptr, 8);
    // loop k of the kernel
    for (int32_t k = 0; k < 2; ++k) {
        // next acc_2: dot (matmul.py:62)
        tile_regs_acquire();
        if (k > 0) {
            reconfig_data_format_srca(cb_acc_2);
            copy_init(cb_acc_2);
            for (uint32_t slot = 0; slot < 4; ++slot) {
                copy_tile(cb_acc_2, slot, slot);
            }
        }
        reconfig_data_format<SrcOrder::Reverse>(cb_a_ptr, cb_b_ptr);
        matmul_block_init(cb_a_ptr, cb_b_ptr, 0, 2, 2, 2);
        for (uint32_t depth = 0; depth < 2; ++depth) {
            matmul_block(cb_a_ptr, cb_b_ptr, 4 * k + depth, 4 * k + 2 * depth, 0, 0, 2, 2, 2);
        }
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
    // to c_ptr: cmp, mul, where (matmul.py:26)
    for (uint32_t row = 0; row < 2; ++row) {
        for (uint32_t column = 0; column < 2; ++column) {
            tile_regs_acquire();
            reconfig_data_format_srca(cb_acc_2);
            copy_init(cb_acc_2);
            copy_tile(cb_acc_2, column + 2 * row, 0);
            copy_dest_values_init();
            copy_dest_values<DataFormat::Float32>(0, 1);
            unary_ge_tile_init();
            unary_ge_tile(1, 0x00000000u);  // 0.0
            copy_dest_values_init();
            copy_dest_values<DataFormat::Float32>(0, 2);
            binop_with_scalar_tile_init();
            mul_unary_tile(2, 0x3c23d70au);  // 0.01
            where_tile_init();
            where_tile<DataFormat::Float32>(1, 0, 2, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_c_ptr);
            pack_tile<true>(0, cb_c_ptr, column + 2 * row);
            tile_regs_release();
        }
    }
    cb_pop_front(cb_acc_2, 4);
    cb_push_back(cb_c_ptr, 4);
    cb_pop_front(cb_b_ptr, 8);
    cb_pop_front(cb_a_ptr, 8);
}
