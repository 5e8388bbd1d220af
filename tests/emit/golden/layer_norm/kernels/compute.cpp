// layer_norm_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_ROWS=32, BLOCK_COLUMNS=128.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

namespace plan {

// A whole number as the bits of a float; exact below 2^24.
inline uint32_t float_bits(int32_t number) {
    if (number == 0) return 0x00000000u;
    const uint32_t size = number < 0 ? 0u - static_cast<uint32_t>(number) : static_cast<uint32_t>(number);
    uint32_t exponent = 0;
    while (size >> exponent > 1) ++exponent;
    const uint32_t fraction = exponent < 24 ? size << (23 - exponent) : size >> (exponent - 23);
    return (number < 0 ? 0x80000000u : 0u) | (127 + exponent) << 23 | (fraction & 0x7fffffu);
}

// Called from many places: one copy of each leaves more of the memory for code.
__attribute__((noinline)) void cb_reserve_back(uint32_t cb, uint32_t count) { ::cb_reserve_back(cb, count); }
__attribute__((noinline)) void tile_regs_acquire() { ::tile_regs_acquire(); }
__attribute__((noinline)) void fill_tile_bitcast(uint32_t dst, uint32_t bits) {
    ::fill_tile_bitcast(dst, bits);
}
__attribute__((noinline)) void tile_regs_commit() { ::tile_regs_commit(); }
__attribute__((noinline)) void tile_regs_wait() { ::tile_regs_wait(); }
__attribute__((noinline)) void pack_tile(uint32_t dst, uint32_t cb) { ::pack_tile(dst, cb); }
__attribute__((noinline)) void tile_regs_release() { ::tile_regs_release(); }
__attribute__((noinline)) void cb_push_back(uint32_t cb, uint32_t count) { ::cb_push_back(cb, count); }
__attribute__((noinline)) void cb_wait_front(uint32_t cb, uint32_t count) { ::cb_wait_front(cb, count); }
__attribute__((noinline)) void reconfig_data_format_srca(uint32_t cb) { ::reconfig_data_format_srca(cb); }
__attribute__((noinline)) void copy_init(uint32_t cb) { ::copy_init(cb); }
__attribute__((noinline)) void copy_tile(uint32_t cb, uint32_t index, uint32_t dst) {
    ::copy_tile(cb, index, dst);
}
__attribute__((noinline)) void cb_pop_front(uint32_t cb, uint32_t count) { ::cb_pop_front(cb, count); }

}  // namespace plan

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 12 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_x_ptr_2 = 1;  // 2 x 4 pages of bf16: load of x_ptr_2 in loop start_2
    constexpr uint32_t cb_mean_ptr = 2;  // 1 page of fp32: store of mean_ptr once
    constexpr uint32_t cb_rstd_ptr = 3;  // 1 page of fp32: store of rstd_ptr once
    constexpr uint32_t cb_w_ptr = 4;  // 12 pages of bf16: load of w_ptr once
    constexpr uint32_t cb_b_ptr = 5;  // 12 pages of bf16: load of b_ptr once
    constexpr uint32_t cb_x_ptr_3 = 6;  // 12 pages of bf16: load of x_ptr_3 once
    constexpr uint32_t cb_y_ptr = 7;  // 12 pages of bf16: store of y_ptr once
    constexpr uint32_t cb_total_4 = 8;  // 4 pages of fp32: carried by loop start
    constexpr uint32_t cb_square_3 = 9;  // 4 pages of fp32: carried by loop start_2
    constexpr uint32_t cb_mean_kept = 10;  // 1 page of fp32: div (layer_norm.py:39)
    constexpr uint32_t cb_rstd_kept = 11;  // 1 page of fp32: div (layer_norm.py:49)
    constexpr uint32_t cb_index_rows = 12;  // 1 page of fp32: the row of every element of a page, for masks and indices
    // 1 page of fp32: the column of every element of a page, for masks and indices
    constexpr uint32_t cb_index_columns = 13;

    compute_kernel_hw_startup(cb_index_rows, cb_mean_ptr);
    // Numbers of the rows and columns of a hardware tile, for masks and indices
    plan::cb_reserve_back(cb_index_rows, 1);
    plan::tile_regs_acquire();
    fill_tile_init();
    plan::fill_tile_bitcast(0, 0x3f800000u);  // 1.0
    cumsum_tile_init();
    cumsum_tile(0, true);
    binop_with_scalar_tile_init();
    sub_unary_tile(0, 0x3f800000u);  // 1.0
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    pack_reconfig_data_format(cb_index_rows);
    plan::pack_tile(0, cb_index_rows);
    plan::tile_regs_release();
    plan::cb_push_back(cb_index_rows, 1);
    plan::cb_wait_front(cb_index_rows, 1);
    plan::cb_reserve_back(cb_index_columns, 1);
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_index_rows);
    transpose_init(cb_index_rows);
    transpose_tile(cb_index_rows, 0, 0);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_tile(0, cb_index_columns);
    plan::tile_regs_release();
    plan::cb_push_back(cb_index_columns, 1);
    plan::cb_wait_front(cb_index_columns, 1);
    plan::cb_wait_front(cb_x_ptr, 12);
    plan::cb_wait_front(cb_w_ptr, 12);
    plan::cb_wait_front(cb_b_ptr, 12);
    plan::cb_wait_front(cb_x_ptr_3, 12);
    // total_4 before loop start
    plan::cb_reserve_back(cb_total_4, 4);
    plan::tile_regs_acquire();
    fill_tile_init();
    for (uint32_t slot = 0; slot < 4; ++slot) {
        plan::fill_tile_bitcast(slot, 0x00000000u);  // 0.0
    }
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    for (uint32_t slot = 0; slot < 4; ++slot) {
        plan::pack_tile(slot, cb_total_4);
    }
    plan::tile_regs_release();
    plan::cb_push_back(cb_total_4, 4);
    plan::cb_wait_front(cb_total_4, 4);
    // loop start of the kernel
    for (int32_t start = 0; start < 3; ++start) {
        // next total_4: add (layer_norm.py:38)
        for (uint32_t column = 0; column < 4; column += 2) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_total_4);
            plan::copy_init(cb_total_4);
            plan::copy_tile(cb_total_4, 0, 0);
            plan::copy_tile(cb_total_4, 1, 2);
            plan::reconfig_data_format_srca(cb_x_ptr);
            plan::copy_init(cb_x_ptr);
            plan::copy_tile(cb_x_ptr, column + 4 * start, 1);
            plan::copy_tile(cb_x_ptr, column + 4 * start + 1, 3);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            add_binary_tile(2, 3, 2);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_total_4, 2);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_total_4, 2);
            pack_reconfig_data_format(cb_total_4);
            plan::pack_tile(0, cb_total_4);
            plan::pack_tile(2, cb_total_4);
            plan::tile_regs_release();
            plan::cb_push_back(cb_total_4, 2);
        }
        plan::cb_wait_front(cb_total_4, 4);
    }
    plan::cb_reserve_back(cb_mean_ptr, 1);
    // mean.kept: reduce_sum, div (layer_norm.py:39)
    plan::cb_reserve_back(cb_mean_kept, 1);
    plan::tile_regs_acquire();
    fill_tile_init();
    plan::fill_tile_bitcast(0, 0x00000000u);  // 0.0
    for (uint32_t tile = 0; tile < 4; ++tile) {
        plan::reconfig_data_format_srca(cb_total_4);
        plan::copy_init(cb_total_4);
        plan::copy_tile(cb_total_4, tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3b5a740eu);  // 0.0033333334
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    pack_reconfig_data_format(cb_mean_kept);
    plan::pack_tile(0, cb_mean_kept);
    plan::tile_regs_release();
    plan::cb_push_back(cb_mean_kept, 1);
    plan::cb_wait_front(cb_mean_kept, 1);
    plan::cb_pop_front(cb_total_4, 4);
    // to mean_ptr: mean, as it is kept
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_mean_kept);
    plan::copy_init(cb_mean_kept);
    plan::copy_tile(cb_mean_kept, 0, 0);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    pack_tile<true>(0, cb_mean_ptr, 0);
    plan::tile_regs_release();
    plan::cb_push_back(cb_mean_ptr, 1);
    // square_3 before loop start_2
    plan::cb_reserve_back(cb_square_3, 4);
    plan::tile_regs_acquire();
    fill_tile_init();
    for (uint32_t slot = 0; slot < 4; ++slot) {
        plan::fill_tile_bitcast(slot, 0x00000000u);  // 0.0
    }
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    for (uint32_t slot = 0; slot < 4; ++slot) {
        plan::pack_tile(slot, cb_square_3);
    }
    plan::tile_regs_release();
    plan::cb_push_back(cb_square_3, 4);
    plan::cb_wait_front(cb_square_3, 4);
    // loop start_2 of the kernel
    for (int32_t start_2 = 0; start_2 < 3; ++start_2) {
        plan::cb_wait_front(cb_x_ptr_2, 4);
        // next square_3: mask (layer_norm.py:46); sub, where (:47); mul, add (:48)
        for (uint32_t column = 0; column < 4; ++column) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_x_ptr_2);
            plan::copy_init(cb_x_ptr_2);
            plan::copy_tile(cb_x_ptr_2, column, 0);
            reconfig_data_format(cb_mean_kept, cb_mean_kept);
            unary_bcast_init<BroadcastType::COL>(cb_mean_kept);
            unary_bcast<BroadcastType::COL>(cb_mean_kept, 0, 1);
            unary_bcast_uninit<BroadcastType::COL>(cb_mean_kept);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            plan::copy_init(cb_index_columns);
            plan::copy_tile(cb_index_columns, 0, 1);
            binop_with_scalar_tile_init();
            mul_unary_tile(1, 0xbf800000u);  // -1.0
            add_unary_tile(1, plan::float_bits(-32 * column - 128 * start_2 + 299));
            gez_tile_init();
            gez_tile(1);
            fill_tile_init();
            plan::fill_tile_bitcast(2, 0x00000000u);  // 0.0
            where_tile_init();
            where_tile<DataFormat::Float32>(1, 0, 2, 0);
            mul_binary_tile_init();
            mul_binary_tile(0, 0, 0);
            plan::copy_init(cb_square_3);
            plan::copy_tile(cb_square_3, 0, 1);
            add_binary_tile_init();
            add_binary_tile(1, 0, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_square_3, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_square_3, 1);
            pack_reconfig_data_format(cb_square_3);
            plan::pack_tile(0, cb_square_3);
            plan::tile_regs_release();
            plan::cb_push_back(cb_square_3, 1);
        }
        plan::cb_wait_front(cb_square_3, 4);
        plan::cb_pop_front(cb_x_ptr_2, 4);
    }
    plan::cb_reserve_back(cb_rstd_ptr, 1);
    // rstd.kept: reduce_sum, div, add, sqrt (layer_norm.py:49)
    plan::cb_reserve_back(cb_rstd_kept, 1);
    plan::tile_regs_acquire();
    fill_tile_init();
    plan::fill_tile_bitcast(0, 0x00000000u);  // 0.0
    for (uint32_t tile = 0; tile < 4; ++tile) {
        plan::reconfig_data_format_srca(cb_square_3);
        plan::copy_init(cb_square_3);
        plan::copy_tile(cb_square_3, tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3b5a740eu);  // 0.0033333334
    add_unary_tile(0, 0x3727c5acu);  // 1e-05
    sqrt_tile_init();
    sqrt_tile(0);
    recip_tile_init();
    recip_tile(0);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    pack_reconfig_data_format(cb_rstd_kept);
    plan::pack_tile(0, cb_rstd_kept);
    plan::tile_regs_release();
    plan::cb_push_back(cb_rstd_kept, 1);
    plan::cb_wait_front(cb_rstd_kept, 1);
    plan::cb_pop_front(cb_square_3, 4);
    // to rstd_ptr: rstd, as it is kept
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_rstd_kept);
    plan::copy_init(cb_rstd_kept);
    plan::copy_tile(cb_rstd_kept, 0, 0);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    pack_tile<true>(0, cb_rstd_ptr, 0);
    plan::tile_regs_release();
    plan::cb_push_back(cb_rstd_ptr, 1);
    plan::cb_reserve_back(cb_y_ptr, 12);
    // loop start_3 of the kernel
    for (int32_t start_3 = 0; start_3 < 3; ++start_3) {
        // to y_ptr: sub, mul, add (layer_norm.py:59)
        for (uint32_t column = 0; column < 4; column += 2) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_x_ptr_3);
            plan::copy_init(cb_x_ptr_3);
            plan::copy_tile(cb_x_ptr_3, column + 4 * start_3, 0);
            plan::copy_tile(cb_x_ptr_3, column + 4 * start_3 + 1, 2);
            reconfig_data_format(cb_mean_kept, cb_mean_kept);
            unary_bcast_init<BroadcastType::COL>(cb_mean_kept);
            unary_bcast<BroadcastType::COL>(cb_mean_kept, 0, 1);
            unary_bcast<BroadcastType::COL>(cb_mean_kept, 0, 3);
            unary_bcast_uninit<BroadcastType::COL>(cb_mean_kept);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            sub_binary_tile(2, 3, 2);
            unary_bcast_init<BroadcastType::COL>(cb_rstd_kept);
            unary_bcast<BroadcastType::COL>(cb_rstd_kept, 0, 1);
            unary_bcast<BroadcastType::COL>(cb_rstd_kept, 0, 3);
            unary_bcast_uninit<BroadcastType::COL>(cb_rstd_kept);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            mul_binary_tile(2, 3, 2);
            reconfig_data_format(cb_w_ptr, cb_w_ptr);
            unary_bcast_init<BroadcastType::ROW>(cb_w_ptr);
            unary_bcast<BroadcastType::ROW>(cb_w_ptr, column + 4 * start_3, 1);
            unary_bcast<BroadcastType::ROW>(cb_w_ptr, column + 4 * start_3 + 1, 3);
            unary_bcast_uninit<BroadcastType::ROW>(cb_w_ptr);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            mul_binary_tile(2, 3, 2);
            unary_bcast_init<BroadcastType::ROW>(cb_b_ptr);
            unary_bcast<BroadcastType::ROW>(cb_b_ptr, column + 4 * start_3, 1);
            unary_bcast<BroadcastType::ROW>(cb_b_ptr, column + 4 * start_3 + 1, 3);
            unary_bcast_uninit<BroadcastType::ROW>(cb_b_ptr);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            add_binary_tile(2, 3, 2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            pack_reconfig_data_format(cb_y_ptr);
            pack_tile<true>(0, cb_y_ptr, column + 4 * start_3);
            pack_tile<true>(2, cb_y_ptr, column + 4 * start_3 + 1);
            plan::tile_regs_release();
        }
    }
    plan::cb_pop_front(cb_mean_kept, 1);
    plan::cb_pop_front(cb_rstd_kept, 1);
    plan::cb_push_back(cb_y_ptr, 12);
    plan::cb_pop_front(cb_x_ptr_3, 12);
    plan::cb_pop_front(cb_b_ptr, 12);
    plan::cb_pop_front(cb_w_ptr, 12);
    plan::cb_pop_front(cb_x_ptr, 12);
    plan::cb_pop_front(cb_index_columns, 1);
    plan::cb_pop_front(cb_index_rows, 1);
}
