// decode_combine_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_P=2, DIM=64.
// Plan: along x: batch over 2 cores; along y: head over 2 cores; waves: head.
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
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_lse_ptr = 0;  // 2 x 1 page of fp32: load of lse_ptr in every wave of head
    constexpr uint32_t cb_part_ptr = 1;  // 2 x 2 pages of fp32: load of part_ptr in every wave of head
    constexpr uint32_t cb_o_ptr = 2;  // 8 pages of bf16: store of o_ptr once
    constexpr uint32_t cb_share_4 = 3;  // 1 page of fp32: exp2 (flash_decode.py:88)
    constexpr uint32_t cb_share_kept = 4;  // 1 page of fp32: reduce_max (flash_decode.py:88)
    constexpr uint32_t cb_index_rows = 5;  // 1 page of fp32: the row of every element of a page, for masks and indices
    constexpr uint32_t cb_o_5_kept = cb_share_kept;  // once that is given up
    const int32_t core_head = get_arg_val<uint32_t>(1);

    compute_kernel_hw_startup(cb_index_rows, cb_o_ptr);
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
    cb_reserve_back(cb_o_ptr, 8);
    // waves of head
    for (int32_t wave_head = 0; wave_head < 4; ++wave_head) {
        const int32_t head = core_head + 2 * wave_head;
        cb_wait_front(cb_lse_ptr, 1);
        cb_wait_front(cb_part_ptr, 2);
        // share.kept: reduce_max (flash_decode.py:88)
        cb_reserve_back(cb_share_kept, 1);
        tile_regs_acquire();
        reconfig_data_format_srca(cb_index_rows);
        copy_init(cb_index_rows);
        copy_tile(cb_index_rows, 0, 0);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, 0xbf800000u);  // -1.0
        add_unary_tile(0, 0x3f800000u);  // 1.0
        gez_tile_init();
        gez_tile(0);
        copy_init(cb_lse_ptr);
        copy_tile(cb_lse_ptr, 0, 1);
        fill_tile_init();
        fill_tile_bitcast(2, 0xff800000u);  // -inf
        where_tile_init();
        where_tile<DataFormat::Float32>(0, 1, 2, 0);
        sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
        sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_share_kept);
        pack_tile(0, cb_share_kept);
        tile_regs_release();
        cb_push_back(cb_share_kept, 1);
        cb_wait_front(cb_share_kept, 1);
        // share_4: sub, exp2 (flash_decode.py:88)
        cb_reserve_back(cb_share_4, 1);
        tile_regs_acquire();
        copy_init(cb_lse_ptr);
        copy_tile(cb_lse_ptr, 0, 0);
        reconfig_data_format(cb_share_kept, cb_share_kept);
        unary_bcast_init<BroadcastType::SCALAR>(cb_share_kept);
        unary_bcast<BroadcastType::SCALAR>(cb_share_kept, 0, 1);
        unary_bcast_uninit<BroadcastType::SCALAR>(cb_share_kept);
        sub_binary_tile_init();
        sub_binary_tile(0, 1, 0);
        exp2_tile_init();
        exp2_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_share_4);
        tile_regs_release();
        cb_push_back(cb_share_4, 1);
        cb_wait_front(cb_share_4, 1);
        cb_pop_front(cb_share_kept, 1);
        // o_5.kept: reduce_sum (flash_decode.py:89)
        cb_reserve_back(cb_o_5_kept, 1);
        tile_regs_acquire();
        copy_init(cb_index_rows);
        copy_tile(cb_index_rows, 0, 0);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, 0xbf800000u);  // -1.0
        add_unary_tile(0, 0x3f800000u);  // 1.0
        gez_tile_init();
        gez_tile(0);
        copy_init(cb_share_4);
        copy_tile(cb_share_4, 0, 1);
        fill_tile_init();
        fill_tile_bitcast(2, 0x00000000u);  // 0.0
        where_tile_init();
        where_tile<DataFormat::Float32>(0, 1, 2, 0);
        sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
        sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_o_5_kept);
        tile_regs_release();
        cb_push_back(cb_o_5_kept, 1);
        cb_wait_front(cb_o_5_kept, 1);
        // to o_ptr: mul, reduce_sum, div (flash_decode.py:89)
        for (uint32_t column = 0; column < 2; ++column) {
            tile_regs_acquire();
            reconfig_data_format(cb_share_4, cb_share_4);
            unary_bcast_init<BroadcastType::COL>(cb_share_4);
            unary_bcast<BroadcastType::COL>(cb_share_4, 0, 0);
            unary_bcast_uninit<BroadcastType::COL>(cb_share_4);
            copy_init(cb_part_ptr);
            copy_tile(cb_part_ptr, column, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            copy_init(cb_index_rows);
            copy_tile(cb_index_rows, 0, 1);
            binop_with_scalar_tile_init();
            mul_unary_tile(1, 0xbf800000u);  // -1.0
            add_unary_tile(1, 0x3f800000u);  // 1.0
            gez_tile_init();
            gez_tile(1);
            fill_tile_init();
            fill_tile_bitcast(2, 0x00000000u);  // 0.0
            where_tile_init();
            where_tile<DataFormat::Float32>(1, 0, 2, 0);
            sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
            sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
            unary_bcast_init<BroadcastType::SCALAR>(cb_o_5_kept);
            unary_bcast<BroadcastType::SCALAR>(cb_o_5_kept, 0, 1);
            unary_bcast_uninit<BroadcastType::SCALAR>(cb_o_5_kept);
            div_binary_tile_init();
            div_binary_tile(0, 1, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_o_ptr);
            pack_tile<true>(0, cb_o_ptr, 2 * (head / 2) + column);
            tile_regs_release();
        }
        cb_pop_front(cb_share_4, 1);
        cb_pop_front(cb_o_5_kept, 1);
        cb_pop_front(cb_part_ptr, 2);
        cb_pop_front(cb_lse_ptr, 1);
    }
    cb_push_back(cb_o_ptr, 8);
    cb_pop_front(cb_index_rows, 1);
}
