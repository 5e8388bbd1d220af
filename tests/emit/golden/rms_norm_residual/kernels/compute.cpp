// rms_norm_residual_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_ROWS=32, BLOCK_COLUMNS=128.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 4 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_r_ptr = 1;  // 4 pages of bf16: load of r_ptr once
    constexpr uint32_t cb_h_ptr = 2;  // 4 pages of bf16: store of h_ptr once
    constexpr uint32_t cb_w_ptr = 3;  // 4 pages of bf16: load of w_ptr once
    constexpr uint32_t cb_y_ptr = 4;  // 4 pages of bf16: store of y_ptr once
    constexpr uint32_t cb_scale_6_kept = 5;  // 1 page of fp32: rsqrt (rms_norm_residual.py:31)

    compute_kernel_hw_startup(cb_x_ptr, cb_h_ptr);
    cb_wait_front(cb_x_ptr, 4);
    cb_wait_front(cb_r_ptr, 4);
    cb_wait_front(cb_w_ptr, 4);
    cb_reserve_back(cb_h_ptr, 4);
    cb_reserve_back(cb_y_ptr, 4);
    // to h_ptr: add (rms_norm_residual.py:28)
    for (uint32_t column = 0; column < 4; column += 2) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_x_ptr);
        copy_init(cb_x_ptr);
        copy_tile(cb_x_ptr, column, 0);
        copy_tile(cb_x_ptr, column + 1, 2);
        copy_init(cb_r_ptr);
        copy_tile(cb_r_ptr, column, 1);
        copy_tile(cb_r_ptr, column + 1, 3);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        add_binary_tile(2, 3, 2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_h_ptr);
        pack_tile<true>(0, cb_h_ptr, column);
        pack_tile<true>(2, cb_h_ptr, column + 1);
        tile_regs_release();
    }
    // scale_6.kept: add (rms_norm_residual.py:28); mul, reduce_sum, div, add, rsqrt (:31)
    cb_reserve_back(cb_scale_6_kept, 1);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile_bitcast(0, 0x00000000u);  // 0.0
    for (uint32_t tile = 0; tile < 4; ++tile) {
        reconfig_data_format_srca(cb_x_ptr);
        copy_init(cb_x_ptr);
        copy_tile(cb_x_ptr, tile, 1);
        copy_init(cb_r_ptr);
        copy_tile(cb_r_ptr, tile, 2);
        add_binary_tile_init();
        add_binary_tile(1, 2, 1);
        mul_binary_tile_init();
        mul_binary_tile(1, 1, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3c000000u);  // 0.0078125
    add_unary_tile(0, 0x358637bdu);  // 1e-06
    rsqrt_tile_init();
    rsqrt_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_scale_6_kept);
    pack_tile(0, cb_scale_6_kept);
    tile_regs_release();
    cb_push_back(cb_scale_6_kept, 1);
    cb_wait_front(cb_scale_6_kept, 1);
    // to y_ptr: add (rms_norm_residual.py:28); mul (:33)
    for (uint32_t column = 0; column < 4; column += 2) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_x_ptr);
        copy_init(cb_x_ptr);
        copy_tile(cb_x_ptr, column, 0);
        copy_tile(cb_x_ptr, column + 1, 2);
        copy_init(cb_r_ptr);
        copy_tile(cb_r_ptr, column, 1);
        copy_tile(cb_r_ptr, column + 1, 3);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        add_binary_tile(2, 3, 2);
        reconfig_data_format(cb_scale_6_kept, cb_scale_6_kept);
        unary_bcast_init<BroadcastType::COL>(cb_scale_6_kept);
        unary_bcast<BroadcastType::COL>(cb_scale_6_kept, 0, 1);
        unary_bcast<BroadcastType::COL>(cb_scale_6_kept, 0, 3);
        unary_bcast_uninit<BroadcastType::COL>(cb_scale_6_kept);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        mul_binary_tile(2, 3, 2);
        reconfig_data_format(cb_w_ptr, cb_w_ptr);
        unary_bcast_init<BroadcastType::ROW>(cb_w_ptr);
        unary_bcast<BroadcastType::ROW>(cb_w_ptr, column, 1);
        unary_bcast<BroadcastType::ROW>(cb_w_ptr, column + 1, 3);
        unary_bcast_uninit<BroadcastType::ROW>(cb_w_ptr);
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
    cb_pop_front(cb_scale_6_kept, 1);
    cb_push_back(cb_y_ptr, 4);
    cb_push_back(cb_h_ptr, 4);
    cb_pop_front(cb_w_ptr, 4);
    cb_pop_front(cb_r_ptr, 4);
    cb_pop_front(cb_x_ptr, 4);
}
