// add_gelu_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK=2048.
// Plan: along y: pid over 2 cores.
#include <cstdint>
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/erf_erfc.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 2 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_r_ptr = 1;  // 2 pages of bf16: load of r_ptr once
    constexpr uint32_t cb_y_ptr = 2;  // 2 pages of bf16: store of y_ptr once

    compute_kernel_hw_startup(cb_x_ptr, cb_y_ptr);
    cb_wait_front(cb_x_ptr, 2);
    cb_wait_front(cb_r_ptr, 2);
    cb_reserve_back(cb_y_ptr, 2);
    // to y_ptr: add (elementwise.py:20); mul, erf, add (:21)
    tile_regs_acquire();
    reconfig_data_format_srca(cb_x_ptr);
    copy_init(cb_x_ptr);
    copy_tile(cb_x_ptr, 0, 0);
    copy_tile(cb_x_ptr, 1, 2);
    copy_init(cb_r_ptr);
    copy_tile(cb_r_ptr, 0, 1);
    copy_tile(cb_r_ptr, 1, 3);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
    add_binary_tile(2, 3, 2);
    copy_dest_values_init();
    copy_dest_values<DataFormat::Float32>(0, 1);
    copy_dest_values<DataFormat::Float32>(2, 3);
    binop_with_scalar_tile_init();
    mul_unary_tile(1, 0x3f000000u);  // 0.5
    mul_unary_tile(3, 0x3f000000u);  // 0.5
    mul_unary_tile(0, 0x3f3504f3u);  // 0.70710677
    mul_unary_tile(2, 0x3f3504f3u);  // 0.70710677
    erf_tile_init<false>();
    erf_tile<false>(0);
    erf_tile<false>(2);
    binop_with_scalar_tile_init();
    add_unary_tile(0, 0x3f800000u);  // 1.0
    add_unary_tile(2, 0x3f800000u);  // 1.0
    mul_binary_tile_init();
    mul_binary_tile(1, 0, 0);
    mul_binary_tile(3, 2, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_y_ptr);
    pack_tile<true>(0, cb_y_ptr, 0);
    pack_tile<true>(2, cb_y_ptr, 1);
    tile_regs_release();
    cb_push_back(cb_y_ptr, 2);
    cb_pop_front(cb_r_ptr, 2);
    cb_pop_front(cb_x_ptr, 2);
}
