// chunk_decay_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_H=32, CHUNK=64.
// Plan: along y: chunk over 2 cores.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

void kernel_main() {
    constexpr uint32_t cb_dt_ptr = 0;  // 2 pages of fp32: load of dt_ptr once
    constexpr uint32_t cb_a_ptr = 1;  // 1 page of fp32: load of a_ptr once
    constexpr uint32_t cb_decay_ptr = 2;  // 2 pages of fp32: store of decay_ptr once
    constexpr uint32_t cb_a_kept = 3;  // 1 page of fp32: value of the kernel
    constexpr uint32_t cb_decay_4_kept = 4;  // 2 pages of fp32: mul (mamba_chunk_state.py:33)

    compute_kernel_hw_startup(cb_a_ptr, cb_decay_ptr);
    cb_wait_front(cb_dt_ptr, 2);
    cb_wait_front(cb_a_ptr, 1);
    cb_reserve_back(cb_decay_ptr, 2);
    // a.kept
    cb_reserve_back(cb_a_kept, 1);
    tile_regs_acquire();
    transpose_init(cb_a_ptr);
    transpose_tile(cb_a_ptr, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_a_kept);
    tile_regs_release();
    cb_push_back(cb_a_kept, 1);
    cb_wait_front(cb_a_kept, 1);
    // decay_4.kept: transpose (mamba_chunk_state.py:31); mul (:33)
    cb_reserve_back(cb_decay_4_kept, 2);
    tile_regs_acquire();
    copy_init(cb_dt_ptr);
    copy_tile(cb_dt_ptr, 0, 0);
    copy_tile(cb_dt_ptr, 1, 2);
    unary_bcast_init<BroadcastType::ROW>(cb_a_kept);
    unary_bcast<BroadcastType::ROW>(cb_a_kept, 0, 1);
    unary_bcast<BroadcastType::ROW>(cb_a_kept, 0, 3);
    unary_bcast_uninit<BroadcastType::ROW>(cb_a_kept);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    mul_binary_tile(2, 3, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_decay_4_kept);
    pack_tile(2, cb_decay_4_kept);
    tile_regs_release();
    cb_push_back(cb_decay_4_kept, 2);
    cb_wait_front(cb_decay_4_kept, 2);
    cb_pop_front(cb_a_kept, 1);
    // decay.kept: scan_sum (mamba_chunk_state.py:33)
    for (uint32_t row = 0; row < 2; ++row) {
        tile_regs_acquire();
        copy_init(cb_decay_4_kept);
        copy_tile(cb_decay_4_kept, 0, 0);
        if (row == 0) cumsum_tile_init();
        cumsum_tile(0, row == 0);
        tile_regs_commit();
        cb_pop_front(cb_decay_4_kept, 1);
        tile_regs_wait();
        cb_reserve_back(cb_decay_4_kept, 1);
        pack_tile(0, cb_decay_4_kept);
        tile_regs_release();
        cb_push_back(cb_decay_4_kept, 1);
    }
    cb_wait_front(cb_decay_4_kept, 2);
    // to decay_ptr: decay, as it is kept
    tile_regs_acquire();
    transpose_init(cb_decay_4_kept);
    transpose_tile(cb_decay_4_kept, 0, 0);
    transpose_tile(cb_decay_4_kept, 1, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(0, cb_decay_ptr, 0);
    pack_tile<true>(2, cb_decay_ptr, 1);
    tile_regs_release();
    cb_pop_front(cb_decay_4_kept, 2);
    cb_push_back(cb_decay_ptr, 2);
    cb_pop_front(cb_a_ptr, 1);
    cb_pop_front(cb_dt_ptr, 2);
}
