// linear_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64.
// Plan: along x: k over 2 cores; along y: pid_m over 2 cores; loop k combined in a ring over NoC 1.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

namespace plan {

constexpr int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

}  // namespace plan

void kernel_main() {
    constexpr uint32_t cb_x_ptr = 0;  // 4 pages of bf16: load of x_ptr once
    constexpr uint32_t cb_w_ptr = 1;  // 4 pages of bf16: load of w_ptr once
    constexpr uint32_t cb_bias_ptr = 2;  // 2 pages of bf16: load of bias_ptr once
    constexpr uint32_t cb_y_ptr = 3;  // 4 pages of bf16: store of y_ptr once
    constexpr uint32_t cb_acc_2 = 4;  // 4 pages of fp32: carried by loop k
    constexpr uint32_t cb_combine_acc_3 = 6;  // 2 pages of fp32: state of loop k that arrives
    constexpr uint32_t cb_outgoing_acc_3 = 7;  // 2 pages of fp32: state of loop k that leaves
    const int32_t core_k = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_x_ptr, cb_w_ptr, cb_y_ptr);
    cb_wait_front(cb_x_ptr, 4);
    cb_wait_front(cb_w_ptr, 4);
    cb_wait_front(cb_bias_ptr, 2);
    // acc_2 before loop k
    cb_reserve_back(cb_acc_2, 4);
    for (uint32_t row = 0; row < 2; ++row) {
        tile_regs_acquire();
        fill_tile_init();
        fill_tile_bitcast(0, 0x00000000u);  // 0.0
        fill_tile_bitcast(2, 0x00000000u);  // 0.0
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_acc_2);
        pack_tile(0, cb_acc_2);
        pack_tile(2, cb_acc_2);
        tile_regs_release();
    }
    cb_push_back(cb_acc_2, 4);
    cb_wait_front(cb_acc_2, 4);
    // loop k of the kernel, shared by 2 cores
    for (int32_t turn_k = 0; turn_k < 1; ++turn_k) {
        // next acc_2: transpose (matmul_bias_activation.py:61); dot (:62)
        for (uint32_t row = 0; row < 2; ++row) {
            for (uint32_t column = 0; column < 2; ++column) {
                tile_regs_acquire();
                reconfig_data_format_srca(cb_acc_2);
                copy_init(cb_acc_2);
                copy_tile(cb_acc_2, 0, 0);
                reconfig_data_format<SrcOrder::Reverse>(cb_x_ptr, cb_w_ptr);
                matmul_block_init(cb_x_ptr, cb_w_ptr, 1, 1, 1, 2);
                for (uint32_t depth = 0; depth < 2; ++depth) {
                    matmul_block(cb_x_ptr, cb_w_ptr, depth + 2 * row, 2 * column + depth, 0, 1, 1, 1, 2);
                }
                tile_regs_commit();
                cb_pop_front(cb_acc_2, 1);
                tile_regs_wait();
                cb_reserve_back(cb_acc_2, 1);
                pack_reconfig_data_format(cb_acc_2);
                pack_tile(0, cb_acc_2);
                tile_regs_release();
                cb_push_back(cb_acc_2, 1);
            }
        }
        cb_wait_front(cb_acc_2, 4);
    }
    // loop k: parts of the states go around the ring of 2 cores
    for (int32_t ring_step = 0; ring_step < 1; ++ring_step) {
        cb_reserve_back(cb_outgoing_acc_3, 2);
        for (int32_t ring_sent = 0; ring_sent < 2; ++ring_sent) {
            const int32_t ring_page = plan::least((core_k + 2 - ring_step) % 2 * 2 + ring_sent, 3);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_acc_2);
            copy_init(cb_acc_2);
            copy_tile(cb_acc_2, ring_page, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_outgoing_acc_3);
            pack_tile(0, cb_outgoing_acc_3);
            tile_regs_release();
        }
        cb_push_back(cb_outgoing_acc_3, 2);
        cb_wait_front(cb_combine_acc_3, 2);
        {
            const int32_t ring_first_page = (core_k + 3 - ring_step) % 2 * 2;
            for (int32_t ring_page = 0; ring_page < 4; ++ring_page) {
                tile_regs_acquire();
                reconfig_data_format_srca(cb_acc_2);
                copy_init(cb_acc_2);
                copy_tile(cb_acc_2, 0, 0);
                if (ring_page >= ring_first_page && ring_page < ring_first_page + 2) {
                    copy_init(cb_combine_acc_3);
                    copy_tile(cb_combine_acc_3, -ring_first_page + ring_page, 1);
                    add_binary_tile_init();
                    add_binary_tile(0, 1, 0);
                }
                tile_regs_commit();
                cb_pop_front(cb_acc_2, 1);
                tile_regs_wait();
                cb_reserve_back(cb_acc_2, 1);
                pack_reconfig_data_format(cb_acc_2);
                pack_tile(0, cb_acc_2);
                tile_regs_release();
                cb_push_back(cb_acc_2, 1);
            }
        }
        cb_wait_front(cb_acc_2, 4);
        cb_pop_front(cb_combine_acc_3, 2);
    }
    if (core_k == 0) {
        for (int32_t ring_member = 1; ring_member < 2; ++ring_member) {
            cb_wait_front(cb_combine_acc_3, 2);
            {
                const int32_t ring_first_page = (ring_member + 1) % 2 * 2;
                for (int32_t ring_page = 0; ring_page < 4; ++ring_page) {
                    tile_regs_acquire();
                    if (ring_page >= ring_first_page && ring_page < ring_first_page + 2) {
                        reconfig_data_format_srca(cb_combine_acc_3);
                        copy_init(cb_combine_acc_3);
                        copy_tile(cb_combine_acc_3, -ring_first_page + ring_page, 0);
                    } else {
                        reconfig_data_format_srca(cb_acc_2);
                        copy_init(cb_acc_2);
                        copy_tile(cb_acc_2, 0, 0);
                    }
                    tile_regs_commit();
                    cb_pop_front(cb_acc_2, 1);
                    tile_regs_wait();
                    cb_reserve_back(cb_acc_2, 1);
                    pack_reconfig_data_format(cb_acc_2);
                    pack_tile(0, cb_acc_2);
                    tile_regs_release();
                    cb_push_back(cb_acc_2, 1);
                }
            }
            cb_wait_front(cb_acc_2, 4);
            cb_pop_front(cb_combine_acc_3, 2);
        }
    } else {
        cb_reserve_back(cb_outgoing_acc_3, 2);
        for (int32_t ring_sent = 0; ring_sent < 2; ++ring_sent) {
            const int32_t ring_page = plan::least((core_k + 1) % 2 * 2 + ring_sent, 3);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_acc_2);
            copy_init(cb_acc_2);
            copy_tile(cb_acc_2, ring_page, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_outgoing_acc_3);
            pack_tile(0, cb_outgoing_acc_3);
            tile_regs_release();
        }
        cb_push_back(cb_outgoing_acc_3, 2);
    }
    cb_reserve_back(cb_y_ptr, 4);
    // to y_ptr: add (matmul_bias_activation.py:68); mul, add, neg, exp, div (:16)
    for (uint32_t row = 0; row < 2; ++row) {
        tile_regs_acquire();
        reconfig_data_format_srca(cb_acc_2);
        copy_init(cb_acc_2);
        copy_tile(cb_acc_2, 2 * row, 0);
        copy_tile(cb_acc_2, 2 * row + 1, 2);
        reconfig_data_format(cb_bias_ptr, cb_bias_ptr);
        unary_bcast_init<BroadcastType::ROW>(cb_bias_ptr);
        unary_bcast<BroadcastType::ROW>(cb_bias_ptr, 0, 1);
        unary_bcast<BroadcastType::ROW>(cb_bias_ptr, 1, 3);
        unary_bcast_uninit<BroadcastType::ROW>(cb_bias_ptr);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        add_binary_tile(2, 3, 2);
        copy_dest_values_init();
        copy_dest_values<DataFormat::Float32>(0, 1);
        copy_dest_values<DataFormat::Float32>(2, 3);
        binop_with_scalar_tile_init();
        mul_unary_tile(1, 0x3d372713u);  // 0.044715
        mul_unary_tile(3, 0x3d372713u);  // 0.044715
        mul_binary_tile_init();
        mul_binary_tile(1, 0, 1);
        mul_binary_tile(3, 2, 3);
        mul_binary_tile(1, 0, 1);
        mul_binary_tile(3, 2, 3);
        add_binary_tile_init();
        add_binary_tile(0, 1, 1);
        add_binary_tile(2, 3, 3);
        binop_with_scalar_tile_init();
        mul_unary_tile(1, 0x3fcc422au);  // 1.5957692
        mul_unary_tile(3, 0x3fcc422au);  // 1.5957692
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
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y_ptr);
        pack_tile<true>(0, cb_y_ptr, 2 * row);
        pack_tile<true>(2, cb_y_ptr, 2 * row + 1);
        tile_regs_release();
    }
    cb_pop_front(cb_acc_2, 4);
    cb_push_back(cb_y_ptr, 4);
    cb_pop_front(cb_bias_ptr, 2);
    cb_pop_front(cb_w_ptr, 4);
    cb_pop_front(cb_x_ptr, 4);
}
