// swiglu_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=128.
// Plan: along y: offs_m over 2 cores.
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 4 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_x_ptr_2 = 1;  // 4 pages of bf16: load of x_ptr_2 once
    constexpr uint32_t cb_y_ptr = 2;  // 4 pages of bf16: store of y_ptr once

    compute_kernel_hw_startup(cb_x_ptr, cb_y_ptr);
    cb_wait_front(cb_x_ptr, 4);
    cb_wait_front(cb_x_ptr_2, 4);
    cb_reserve_back(cb_y_ptr, 4);
    // to y_ptr: neg, exp, add, div, mul (swiglu.py:15); mul (:40)
    for (uint32_t column = 0; column < 4; column += 2) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_x_ptr);
        copy_init(cb_x_ptr);
        copy_tile(cb_x_ptr, column, 0);
        copy_tile(cb_x_ptr, column + 1, 2);
        copy_dest_values_init();
        copy_dest_values<DataFormat::Float32>(0, 1);
        copy_dest_values<DataFormat::Float32>(2, 3);
        negative_tile_init();
        negative_tile(1);
        negative_tile(3);
        exp_tile_init();
        exp_tile(1);
        exp_tile(3);
        binop_with_scalar_tile_init();
        add_unary_tile(1, 0x3f800000u);  // 1.0
        add_unary_tile(3, 0x3f800000u);  // 1.0
        recip_tile_init();
        recip_tile(1);
        recip_tile(3);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        mul_binary_tile(2, 3, 2);
        copy_init(cb_x_ptr_2);
        copy_tile(cb_x_ptr_2, column, 1);
        copy_tile(cb_x_ptr_2, column + 1, 3);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        mul_binary_tile(2, 3, 2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y_ptr);
        pack_tile<true>(0, cb_y_ptr, column);
        pack_tile<true>(2, cb_y_ptr, column + 1);
        tile_regs_release();
    }
    cb_push_back(cb_y_ptr, 4);
    cb_pop_front(cb_x_ptr_2, 4);
    cb_pop_front(cb_x_ptr, 4);
}
