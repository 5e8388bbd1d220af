// softmax_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_ROWS=32.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
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

}  // namespace plan

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 4 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_y_ptr = 1;  // 4 pages of bf16: store of y_ptr once
    constexpr uint32_t cb_x_2 = 2;  // 4 pages of fp32: cast (softmax.py:29)
    constexpr uint32_t cb_weight_5 = 3;  // 4 pages of fp32: exp (softmax.py:30)
    constexpr uint32_t cb_weight_kept = 4;  // 1 page of fp32: reduce_max (softmax.py:30)
    constexpr uint32_t cb_index_rows = 5;  // 1 page of fp32: the row of every element of a page, for masks and indices
    // 1 page of fp32: the column of every element of a page, for masks and indices
    constexpr uint32_t cb_index_columns = 6;
    constexpr uint32_t cb_y_kept = cb_weight_kept;  // once that is given up
    const int32_t core_row = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_index_rows, cb_y_ptr);
    // Numbers of the rows and columns of a hardware tile, for masks and indices
    cb_reserve_back(cb_index_rows, 1);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile_bitcast(0, 0x3f800000u);  // 1.0
    cumsum_tile_init();
    cumsum_tile(0, true);
    binop_with_scalar_tile_init();
    sub_unary_tile(0, 0x3f800000u);  // 1.0
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_index_rows);
    pack_tile(0, cb_index_rows);
    tile_regs_release();
    cb_push_back(cb_index_rows, 1);
    cb_wait_front(cb_index_rows, 1);
    cb_reserve_back(cb_index_columns, 1);
    tile_regs_acquire();
    reconfig_data_format_srca(cb_index_rows);
    transpose_init(cb_index_rows);
    transpose_tile(cb_index_rows, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_index_columns);
    tile_regs_release();
    cb_push_back(cb_index_columns, 1);
    cb_wait_front(cb_index_columns, 1);
    const int32_t row = core_row;
    cb_wait_front(cb_x_ptr, 4);
    cb_reserve_back(cb_y_ptr, 4);
    // x_2: fill, cast (softmax.py:29)
    cb_reserve_back(cb_x_2, 4);
    for (uint32_t column = 0; column < 4; ++column) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_index_rows);
        copy_init(cb_index_rows);
        copy_tile(cb_index_rows, 0, 0);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, 0xbf800000u);  // -1.0
        add_unary_tile(0, plan::float_bits(-32 * row + 32));
        gez_tile_init();
        gez_tile(0);
        copy_init(cb_index_columns);
        copy_tile(cb_index_columns, 0, 1);
        binop_with_scalar_tile_init();
        mul_unary_tile(1, 0xbf800000u);  // -1.0
        add_unary_tile(1, plan::float_bits(-32 * column + 99));
        gez_tile_init();
        gez_tile(1);
        binary_min_tile_init();
        binary_min_tile(0, 1, 0);
        reconfig_data_format_srca(cb_x_ptr);
        copy_init(cb_x_ptr);
        copy_tile(cb_x_ptr, column, 1);
        fill_tile_init();
        fill_tile_bitcast(2, 0xff800000u);  // -inf
        where_tile_init();
        where_tile<DataFormat::Float32>(0, 1, 2, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_x_2);
        pack_tile(0, cb_x_2);
        tile_regs_release();
    }
    cb_push_back(cb_x_2, 4);
    cb_wait_front(cb_x_2, 4);
    // weight.kept: reduce_max (softmax.py:30)
    cb_reserve_back(cb_weight_kept, 1);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile_bitcast(0, 0xff800000u);  // -inf
    for (uint32_t tile = 0; tile < 4; ++tile) {
        reconfig_data_format_srca(cb_x_2);
        copy_init(cb_x_2);
        copy_tile(cb_x_2, tile, 1);
        binary_max_tile_init();
        binary_max_tile(0, 1, 0);
    }
    sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
    sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_weight_kept);
    pack_tile(0, cb_weight_kept);
    tile_regs_release();
    cb_push_back(cb_weight_kept, 1);
    cb_wait_front(cb_weight_kept, 1);
    // weight_5: sub, exp (softmax.py:30)
    cb_reserve_back(cb_weight_5, 4);
    for (uint32_t column = 0; column < 4; column += 2) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_x_2);
        copy_init(cb_x_2);
        copy_tile(cb_x_2, column, 0);
        copy_tile(cb_x_2, column + 1, 2);
        reconfig_data_format(cb_weight_kept, cb_weight_kept);
        unary_bcast_init<BroadcastType::COL>(cb_weight_kept);
        unary_bcast<BroadcastType::COL>(cb_weight_kept, 0, 1);
        unary_bcast<BroadcastType::COL>(cb_weight_kept, 0, 3);
        unary_bcast_uninit<BroadcastType::COL>(cb_weight_kept);
        sub_binary_tile_init();
        sub_binary_tile(0, 1, 0);
        sub_binary_tile(2, 3, 2);
        exp_tile_init();
        exp_tile(0);
        exp_tile(2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_weight_5);
        pack_tile(0, cb_weight_5);
        pack_tile(2, cb_weight_5);
        tile_regs_release();
    }
    cb_push_back(cb_weight_5, 4);
    cb_wait_front(cb_weight_5, 4);
    cb_pop_front(cb_x_2, 4);
    cb_pop_front(cb_weight_kept, 1);
    // y.kept: reduce_sum (softmax.py:31)
    cb_reserve_back(cb_y_kept, 1);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile_bitcast(0, 0x00000000u);  // 0.0
    for (uint32_t tile = 0; tile < 4; ++tile) {
        reconfig_data_format_srca(cb_weight_5);
        copy_init(cb_weight_5);
        copy_tile(cb_weight_5, tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_y_kept);
    pack_tile(0, cb_y_kept);
    tile_regs_release();
    cb_push_back(cb_y_kept, 1);
    cb_wait_front(cb_y_kept, 1);
    // to y_ptr: div (softmax.py:31)
    for (uint32_t column = 0; column < 4; column += 2) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_weight_5);
        copy_init(cb_weight_5);
        copy_tile(cb_weight_5, column, 0);
        copy_tile(cb_weight_5, column + 1, 2);
        reconfig_data_format(cb_y_kept, cb_y_kept);
        unary_bcast_init<BroadcastType::COL>(cb_y_kept);
        unary_bcast<BroadcastType::COL>(cb_y_kept, 0, 1);
        unary_bcast<BroadcastType::COL>(cb_y_kept, 0, 3);
        unary_bcast_uninit<BroadcastType::COL>(cb_y_kept);
        div_binary_tile_init();
        div_binary_tile(0, 1, 0);
        div_binary_tile(2, 3, 2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y_ptr);
        pack_tile<true>(0, cb_y_ptr, column);
        pack_tile<true>(2, cb_y_ptr, column + 1);
        tile_regs_release();
    }
    cb_pop_front(cb_weight_5, 4);
    cb_pop_front(cb_y_kept, 1);
    cb_push_back(cb_y_ptr, 4);
    cb_pop_front(cb_x_ptr, 4);
    cb_pop_front(cb_index_columns, 1);
    cb_pop_front(cb_index_rows, 1);
}
