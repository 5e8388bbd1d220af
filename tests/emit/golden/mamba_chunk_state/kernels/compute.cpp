// chunk_state_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: head over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

void kernel_main() {
    constexpr uint32_t cb_decay_ptr = 0;  // 1 page of fp32: load of decay_ptr once
    constexpr uint32_t cb_x_ptr = 1;  // 2 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_b_ptr = 2;  // 4 pages of bf16: load of b_ptr once
    constexpr uint32_t cb_dt_ptr = 3;  // 2 x 1 page of fp32: load of dt_ptr in loop k
    constexpr uint32_t cb_decay_ptr_2 = 4;  // 2 x 1 page of fp32: load of decay_ptr_2 in loop k
    constexpr uint32_t cb_state_ptr = 5;  // 2 pages of fp32: store of state_ptr once
    constexpr uint32_t cb_acc_8 = 6;  // 2 pages of fp32: carried by loop k
    constexpr uint32_t cb_x = 7;  // 1 page of bf16: transpose (mamba_chunk_state.py:81)
    constexpr uint32_t cb_acc_6 = 8;  // 2 pages of bf16: cast (mamba_chunk_state.py:93)
    constexpr uint32_t cb_scale_4_kept = 9;  // 1 page of fp32: mul (mamba_chunk_state.py:92)

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_x, cb_acc_6, cb_state_ptr);
    cb_wait_front(cb_decay_ptr, 1);
    cb_wait_front(cb_x_ptr, 2);
    cb_wait_front(cb_b_ptr, 4);
    // loop k of the kernel
    for (int32_t k = 0; k < 2; ++k) {
        cb_wait_front(cb_dt_ptr, 1);
        cb_wait_front(cb_decay_ptr_2, 1);
        // x: transpose (mamba_chunk_state.py:81)
        cb_reserve_back(cb_x, 1);
        tile_regs_acquire();
        reconfig_data_format_srca(cb_x_ptr);
        transpose_init(cb_x_ptr);
        transpose_tile(cb_x_ptr, k, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_x);
        pack_tile(0, cb_x);
        tile_regs_release();
        cb_push_back(cb_x, 1);
        cb_wait_front(cb_x, 1);
        // scale_4.kept: sub, exp, mul (mamba_chunk_state.py:92)
        cb_reserve_back(cb_scale_4_kept, 1);
        tile_regs_acquire();
        reconfig_data_format(cb_decay_ptr, cb_decay_ptr);
        unary_bcast_init<BroadcastType::SCALAR>(cb_decay_ptr);
        unary_bcast<BroadcastType::SCALAR>(cb_decay_ptr, 0, 0);
        unary_bcast_uninit<BroadcastType::SCALAR>(cb_decay_ptr);
        copy_init(cb_decay_ptr_2);
        copy_tile(cb_decay_ptr_2, 0, 1);
        sub_binary_tile_init();
        sub_binary_tile(0, 1, 0);
        exp_tile_init();
        exp_tile(0);
        copy_init(cb_dt_ptr);
        copy_tile(cb_dt_ptr, 0, 1);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_scale_4_kept);
        pack_tile(0, cb_scale_4_kept);
        tile_regs_release();
        cb_push_back(cb_scale_4_kept, 1);
        cb_wait_front(cb_scale_4_kept, 1);
        // acc_6: mul (mamba_chunk_state.py:93)
        cb_reserve_back(cb_acc_6, 2);
        tile_regs_acquire();
        reconfig_data_format_srca(cb_b_ptr);
        copy_init(cb_b_ptr);
        copy_tile(cb_b_ptr, 2 * k, 0);
        copy_tile(cb_b_ptr, 2 * k + 1, 2);
        reconfig_data_format(cb_scale_4_kept, cb_scale_4_kept);
        unary_bcast_init<BroadcastType::COL>(cb_scale_4_kept);
        unary_bcast<BroadcastType::COL>(cb_scale_4_kept, 0, 1);
        unary_bcast<BroadcastType::COL>(cb_scale_4_kept, 0, 3);
        unary_bcast_uninit<BroadcastType::COL>(cb_scale_4_kept);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        mul_binary_tile(2, 3, 2);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_acc_6);
        pack_tile(0, cb_acc_6);
        pack_tile(2, cb_acc_6);
        tile_regs_release();
        cb_push_back(cb_acc_6, 2);
        cb_wait_front(cb_acc_6, 2);
        cb_pop_front(cb_scale_4_kept, 1);
        // next acc_8: dot (mamba_chunk_state.py:93)
        tile_regs_acquire();
        if (k > 0) {
            copy_init(cb_acc_8);
            copy_tile(cb_acc_8, 0, 0);
            copy_tile(cb_acc_8, 1, 1);
        }
        reconfig_data_format<SrcOrder::Reverse>(cb_x, cb_acc_6);
        matmul_block_init(cb_x, cb_acc_6, 0, 2, 1, 1);
        matmul_block(cb_x, cb_acc_6, 0, 0, 0, 0, 2, 1, 1);
        tile_regs_commit();
        if (k > 0) cb_pop_front(cb_acc_8, 2);
        tile_regs_wait();
        cb_reserve_back(cb_acc_8, 2);
        pack_reconfig_data_format(cb_acc_8);
        pack_tile(0, cb_acc_8);
        pack_tile(1, cb_acc_8);
        tile_regs_release();
        cb_push_back(cb_acc_8, 2);
        cb_wait_front(cb_acc_8, 2);
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_acc_6, 2);
        cb_pop_front(cb_decay_ptr_2, 1);
        cb_pop_front(cb_dt_ptr, 1);
    }
    cb_reserve_back(cb_state_ptr, 2);
    // to state_ptr: acc, as it is kept
    tile_regs_acquire();
    reconfig_data_format_srca(cb_acc_8);
    copy_init(cb_acc_8);
    copy_tile(cb_acc_8, 0, 0);
    copy_tile(cb_acc_8, 1, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_state_ptr);
    pack_tile<true>(0, cb_state_ptr, 0);
    pack_tile<true>(2, cb_state_ptr, 1);
    tile_regs_release();
    cb_pop_front(cb_acc_8, 2);
    cb_push_back(cb_state_ptr, 2);
    cb_pop_front(cb_b_ptr, 4);
    cb_pop_front(cb_x_ptr, 2);
    cb_pop_front(cb_decay_ptr, 1);
}
