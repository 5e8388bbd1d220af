// chunk_scan_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=32, BLOCK_K=32.
// Plan: along x: tile over 2 cores; along y: head over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

namespace plan {

// Trips of a loop: ceil(line / divisor) between two limits.
constexpr int32_t trips(int32_t line, int32_t divisor, int32_t low, int32_t high) {
    const int32_t wanted = line > 0 ? (line + divisor - 1) / divisor : 0;
    return wanted < low ? low : wanted > high ? high : wanted;
}

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
    constexpr uint32_t cb_c_ptr = 0;  // 2 pages of bf16: load of c_ptr once
    constexpr uint32_t cb_state_ptr = 1;  // 1 page of fp32: load of state_ptr once
    constexpr uint32_t cb_decay_ptr = 2;  // 2 pages of fp32: load of decay_ptr once
    constexpr uint32_t cb_b_ptr = 3;  // 2 x 1 page of bf16: load of b_ptr in loop k
    constexpr uint32_t cb_dt_ptr = 4;  // 2 x 1 page of fp32: load of dt_ptr in loop k
    constexpr uint32_t cb_decay_ptr_2 = 5;  // 2 x 1 page of fp32: load of decay_ptr_2 in loop k
    constexpr uint32_t cb_x_ptr = 6;  // 2 x 1 page of bf16: load of x_ptr in loop k
    constexpr uint32_t cb_x_ptr_2 = 7;  // 2 pages of bf16: load of x_ptr_2 once
    constexpr uint32_t cb_d_ptr = 8;  // 1 page of fp32: load of d_ptr once
    constexpr uint32_t cb_y_ptr = 9;  // 2 pages of bf16: store of y_ptr once
    constexpr uint32_t cb_acc_10 = 10;  // 2 pages of fp32: carried by loop k
    constexpr uint32_t cb_acc_2 = 11;  // 1 page of bf16: cast (mamba_chunk_scan.py:65)
    constexpr uint32_t cb_acc_8 = 13;  // 2 pages of bf16: cast (mamba_chunk_scan.py:80)
    constexpr uint32_t cb_index_rows = 14;  // 1 page of fp32: the row of every element of a page, for masks and indices
    // 1 page of fp32: the column of every element of a page, for masks and indices
    constexpr uint32_t cb_index_columns = 15;
    const int32_t core_tile = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_c_ptr, cb_acc_2, cb_y_ptr);
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
    const int32_t tile = core_tile;
    cb_wait_front(cb_c_ptr, 2);
    cb_wait_front(cb_state_ptr, 1);
    cb_wait_front(cb_decay_ptr, 2);
    cb_wait_front(cb_x_ptr_2, 2);
    cb_wait_front(cb_d_ptr, 1);
    // acc_2: transpose (mamba_chunk_scan.py:63)
    cb_reserve_back(cb_acc_2, 1);
    tile_regs_acquire();
    transpose_init(cb_state_ptr);
    transpose_tile(cb_state_ptr, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_acc_2);
    pack_tile(0, cb_acc_2);
    tile_regs_release();
    cb_push_back(cb_acc_2, 1);
    cb_wait_front(cb_acc_2, 1);
    // acc_10 before loop k
    cb_reserve_back(cb_acc_10, 2);
    tile_regs_acquire();
    reconfig_data_format<SrcOrder::Reverse>(cb_c_ptr, cb_acc_2);
    matmul_block_init(cb_c_ptr, cb_acc_2, 0, 1, 2, 1);
    matmul_block(cb_c_ptr, cb_acc_2, 0, 0, 0, 0, 1, 2, 1);
    reconfig_data_format(cb_decay_ptr, cb_decay_ptr);
    unary_bcast_init<BroadcastType::COL>(cb_decay_ptr);
    unary_bcast<BroadcastType::COL>(cb_decay_ptr, 0, 2);
    unary_bcast_uninit<BroadcastType::COL>(cb_decay_ptr);
    exp_tile_init();
    exp_tile(2);
    mul_binary_tile_init();
    mul_binary_tile(0, 2, 0);
    unary_bcast_init<BroadcastType::COL>(cb_decay_ptr);
    unary_bcast<BroadcastType::COL>(cb_decay_ptr, 1, 2);
    unary_bcast_uninit<BroadcastType::COL>(cb_decay_ptr);
    exp_tile_init();
    exp_tile(2);
    mul_binary_tile_init();
    mul_binary_tile(1, 2, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_acc_10);
    pack_tile(0, cb_acc_10);
    pack_tile(1, cb_acc_10);
    tile_regs_release();
    cb_push_back(cb_acc_10, 2);
    cb_wait_front(cb_acc_10, 2);
    // loop k of the kernel
    for (int32_t k = 0; k < 4; ++k) {
        cb_wait_front(cb_b_ptr, 1);
        cb_wait_front(cb_dt_ptr, 1);
        cb_wait_front(cb_decay_ptr_2, 1);
        cb_wait_front(cb_x_ptr, 1);
        if (k < plan::trips(64 * tile + 64, 32, 2, 4)) {
            // acc_8: transpose (mamba_chunk_scan.py:71); mask, sub, where (:78); dot, exp, mul (:79)
            cb_reserve_back(cb_acc_8, 2);
            for (uint32_t row = 0; row < 2; ++row) {
                tile_regs_acquire();
                reconfig_data_format<SrcOrder::Reverse>(cb_c_ptr, cb_b_ptr);
                matmul_block_init(cb_c_ptr, cb_b_ptr, 1, 1, 1, 1);
                matmul_block(cb_c_ptr, cb_b_ptr, row, 0, 0, 1, 1, 1, 1);
                reconfig_data_format_srca(cb_index_rows);
                copy_init(cb_index_rows);
                copy_tile(cb_index_rows, 0, 1);
                copy_init(cb_index_columns);
                copy_tile(cb_index_columns, 0, 2);
                sub_binary_tile_init();
                sub_binary_tile(1, 2, 1);
                binop_with_scalar_tile_init();
                add_unary_tile(1, plan::float_bits(-32 * k + 32 * row + 64 * tile));
                gez_tile_init();
                gez_tile(1);
                reconfig_data_format(cb_decay_ptr, cb_decay_ptr);
                unary_bcast_init<BroadcastType::COL>(cb_decay_ptr);
                unary_bcast<BroadcastType::COL>(cb_decay_ptr, row, 2);
                unary_bcast_uninit<BroadcastType::COL>(cb_decay_ptr);
                unary_bcast_init<BroadcastType::ROW>(cb_decay_ptr_2);
                unary_bcast<BroadcastType::ROW>(cb_decay_ptr_2, 0, 3);
                unary_bcast_uninit<BroadcastType::ROW>(cb_decay_ptr_2);
                sub_binary_tile_init();
                sub_binary_tile(2, 3, 2);
                fill_tile_init();
                fill_tile_bitcast(3, 0xf149f2cau);  // -1e+30
                where_tile_init();
                where_tile<DataFormat::Float32>(1, 2, 3, 1);
                exp_tile_init();
                exp_tile(1);
                mul_binary_tile_init();
                mul_binary_tile(0, 1, 0);
                unary_bcast_init<BroadcastType::ROW>(cb_dt_ptr);
                unary_bcast<BroadcastType::ROW>(cb_dt_ptr, 0, 1);
                unary_bcast_uninit<BroadcastType::ROW>(cb_dt_ptr);
                mul_binary_tile_init();
                mul_binary_tile(0, 1, 0);
                tile_regs_commit();
                tile_regs_wait();
                pack_reconfig_data_format(cb_acc_8);
                pack_tile(0, cb_acc_8);
                tile_regs_release();
            }
            cb_push_back(cb_acc_8, 2);
            cb_wait_front(cb_acc_8, 2);
            // next acc_10: dot (mamba_chunk_scan.py:80)
            tile_regs_acquire();
            reconfig_data_format_srca(cb_acc_10);
            copy_init(cb_acc_10);
            copy_tile(cb_acc_10, 0, 0);
            copy_tile(cb_acc_10, 1, 1);
            reconfig_data_format<SrcOrder::Reverse>(cb_acc_8, cb_x_ptr);
            matmul_block_init(cb_acc_8, cb_x_ptr, 0, 1, 2, 1);
            matmul_block(cb_acc_8, cb_x_ptr, 0, 0, 0, 0, 1, 2, 1);
            tile_regs_commit();
            cb_pop_front(cb_acc_10, 2);
            tile_regs_wait();
            cb_reserve_back(cb_acc_10, 2);
            pack_reconfig_data_format(cb_acc_10);
            pack_tile(0, cb_acc_10);
            pack_tile(1, cb_acc_10);
            tile_regs_release();
            cb_push_back(cb_acc_10, 2);
            cb_wait_front(cb_acc_10, 2);
            cb_pop_front(cb_acc_8, 2);
        }
        cb_pop_front(cb_x_ptr, 1);
        cb_pop_front(cb_decay_ptr_2, 1);
        cb_pop_front(cb_dt_ptr, 1);
        cb_pop_front(cb_b_ptr, 1);
    }
    cb_pop_front(cb_acc_2, 1);
    cb_reserve_back(cb_y_ptr, 2);
    // to y_ptr: mul, add (mamba_chunk_scan.py:84)
    tile_regs_acquire();
    reconfig_data_format(cb_d_ptr, cb_d_ptr);
    unary_bcast_init<BroadcastType::SCALAR>(cb_d_ptr);
    unary_bcast<BroadcastType::SCALAR>(cb_d_ptr, 0, 0);
    unary_bcast<BroadcastType::SCALAR>(cb_d_ptr, 0, 2);
    unary_bcast_uninit<BroadcastType::SCALAR>(cb_d_ptr);
    reconfig_data_format_srca(cb_x_ptr_2);
    copy_init(cb_x_ptr_2);
    copy_tile(cb_x_ptr_2, 0, 1);
    copy_tile(cb_x_ptr_2, 1, 3);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    mul_binary_tile(2, 3, 2);
    reconfig_data_format_srca(cb_acc_10);
    copy_init(cb_acc_10);
    copy_tile(cb_acc_10, 0, 1);
    copy_tile(cb_acc_10, 1, 3);
    add_binary_tile_init();
    add_binary_tile(1, 0, 0);
    add_binary_tile(3, 2, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_y_ptr);
    pack_tile<true>(0, cb_y_ptr, 0);
    pack_tile<true>(2, cb_y_ptr, 1);
    tile_regs_release();
    cb_pop_front(cb_acc_10, 2);
    cb_push_back(cb_y_ptr, 2);
    cb_pop_front(cb_d_ptr, 1);
    cb_pop_front(cb_x_ptr_2, 2);
    cb_pop_front(cb_decay_ptr, 2);
    cb_pop_front(cb_state_ptr, 1);
    cb_pop_front(cb_c_ptr, 2);
    cb_pop_front(cb_index_columns, 1);
    cb_pop_front(cb_index_rows, 1);
}
