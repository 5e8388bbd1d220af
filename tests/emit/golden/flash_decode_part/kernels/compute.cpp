// decode_part_kernel on wormhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: start over 2 cores; waves: kv_head and part; loop start combined in a
// tree over NoC 1.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

namespace plan {

// Called from many places: one copy of each leaves more of the memory for code.
__attribute__((noinline)) void cb_wait_front(uint32_t cb, uint32_t count) { ::cb_wait_front(cb, count); }
__attribute__((noinline)) void cb_reserve_back(uint32_t cb, uint32_t count) { ::cb_reserve_back(cb, count); }
__attribute__((noinline)) void tile_regs_acquire() { ::tile_regs_acquire(); }
__attribute__((noinline)) void reconfig_data_format_srca(uint32_t cb) { ::reconfig_data_format_srca(cb); }
__attribute__((noinline)) void copy_init(uint32_t cb) { ::copy_init(cb); }
__attribute__((noinline)) void copy_tile(uint32_t cb, uint32_t index, uint32_t dst) {
    ::copy_tile(cb, index, dst);
}
__attribute__((noinline)) void tile_regs_commit() { ::tile_regs_commit(); }
__attribute__((noinline)) void tile_regs_wait() { ::tile_regs_wait(); }
__attribute__((noinline)) void pack_reconfig_data_format(uint32_t cb) { ::pack_reconfig_data_format(cb); }
__attribute__((noinline)) void pack_tile(uint32_t dst, uint32_t cb) { ::pack_tile(dst, cb); }
__attribute__((noinline)) void tile_regs_release() { ::tile_regs_release(); }
__attribute__((noinline)) void cb_push_back(uint32_t cb, uint32_t count) { ::cb_push_back(cb, count); }
__attribute__((noinline)) void unary_bcast_col(uint32_t cb, uint32_t index, uint32_t dst) {
    ::unary_bcast<BroadcastType::COL>(cb, index, dst);
}
__attribute__((noinline)) void cb_pop_front(uint32_t cb, uint32_t count) { ::cb_pop_front(cb, count); }

}  // namespace plan

void kernel_main() {
    constexpr uint32_t cb_q_ptr = 0;  // 2 x 2 pages of bf16: load of q_ptr in every wave of kv_head and part
    constexpr uint32_t cb_k_ptr = 1;  // 2 x 4 pages of bf16: load of k_ptr in every wave of kv_head and part
    constexpr uint32_t cb_v_ptr = 2;  // 2 x 4 pages of bf16: load of v_ptr in every wave of kv_head and part
    constexpr uint32_t cb_part_ptr = 3;  // 2 x 2 pages of fp32: store of part_ptr in every wave of kv_head and part
    constexpr uint32_t cb_lse_ptr = 4;  // 2 x 1 page of fp32: store of lse_ptr in every wave of kv_head and part
    constexpr uint32_t cb_peak = 5;  // 1 page of fp32: carried by loop start
    constexpr uint32_t cb_total_2 = 6;  // 1 page of fp32: carried by loop start
    constexpr uint32_t cb_acc_5 = 7;  // 2 pages of fp32: carried by loop start
    constexpr uint32_t cb_q_4 = 8;  // 2 pages of bf16: cast (flash_decode.py:41)
    constexpr uint32_t cb_acc = 10;  // 2 pages of bf16: cast (flash_decode.py:60)
    constexpr uint32_t cb_score = 11;  // 2 pages of fp32: dot (flash_decode.py:55)
    constexpr uint32_t cb_weight_4 = 12;  // 2 pages of fp32: exp2 (flash_decode.py:58)
    constexpr uint32_t cb_combine_peak_2 = 13;  // 1 page of fp32: state of loop start that arrives
    constexpr uint32_t cb_outgoing_peak_2 = 14;  // 1 page of fp32: state of loop start that leaves
    constexpr uint32_t cb_combine_total_5 = 15;  // 1 page of fp32: state of loop start that arrives
    constexpr uint32_t cb_outgoing_total_5 = 16;  // 1 page of fp32: state of loop start that leaves
    constexpr uint32_t cb_combine_acc_7 = 17;  // 2 pages of fp32: state of loop start that arrives
    constexpr uint32_t cb_outgoing_acc_7 = 18;  // 2 pages of fp32: state of loop start that leaves
    constexpr uint32_t cb_new_peak_2_kept = 19;  // 1 page of fp32: max (flash_decode.py:56)
    constexpr uint32_t cb_rescale_2_kept = 20;  // 1 page of fp32: exp2 (flash_decode.py:57)
    constexpr uint32_t cb_combine_exp2_2_kept = cb_new_peak_2_kept;  // once that is given up
    constexpr uint32_t cb_combine_exp2_5_kept = cb_rescale_2_kept;  // once that is given up
    const int32_t core_start = get_arg_val<uint32_t>(1);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_q_4, cb_k_ptr, cb_part_ptr);
    // waves of kv_head, part
    for (int32_t wave_kv_head_part = 0; wave_kv_head_part < 4; ++wave_kv_head_part) {
        plan::cb_wait_front(cb_q_ptr, 2);
        plan::cb_wait_front(cb_k_ptr, 4);
        plan::cb_wait_front(cb_v_ptr, 4);
        // q_4: mul (flash_decode.py:41)
        plan::cb_reserve_back(cb_q_4, 2);
        plan::tile_regs_acquire();
        plan::reconfig_data_format_srca(cb_q_ptr);
        plan::copy_init(cb_q_ptr);
        plan::copy_tile(cb_q_ptr, 0, 0);
        plan::copy_tile(cb_q_ptr, 1, 2);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, 0x3e38aa3bu);  // 0.18033688
        mul_unary_tile(2, 0x3e38aa3bu);  // 0.18033688
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        plan::pack_reconfig_data_format(cb_q_4);
        plan::pack_tile(0, cb_q_4);
        plan::pack_tile(2, cb_q_4);
        plan::tile_regs_release();
        plan::cb_push_back(cb_q_4, 2);
        plan::cb_wait_front(cb_q_4, 2);
        // peak before loop start
        plan::cb_reserve_back(cb_peak, 1);
        plan::tile_regs_acquire();
        fill_tile_init();
        fill_tile_bitcast(0, 0xf149f2cau);  // -1e+30
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        plan::pack_reconfig_data_format(cb_peak);
        plan::pack_tile(0, cb_peak);
        plan::tile_regs_release();
        plan::cb_push_back(cb_peak, 1);
        plan::cb_wait_front(cb_peak, 1);
        // total_2 before loop start
        plan::cb_reserve_back(cb_total_2, 1);
        plan::tile_regs_acquire();
        fill_tile_bitcast(0, 0x00000000u);  // 0.0
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        plan::pack_tile(0, cb_total_2);
        plan::tile_regs_release();
        plan::cb_push_back(cb_total_2, 1);
        plan::cb_wait_front(cb_total_2, 1);
        // acc_5 before loop start
        plan::cb_reserve_back(cb_acc_5, 2);
        plan::tile_regs_acquire();
        fill_tile_bitcast(0, 0x00000000u);  // 0.0
        fill_tile_bitcast(2, 0x00000000u);  // 0.0
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        plan::pack_tile(0, cb_acc_5);
        plan::pack_tile(2, cb_acc_5);
        plan::tile_regs_release();
        plan::cb_push_back(cb_acc_5, 2);
        plan::cb_wait_front(cb_acc_5, 2);
        // loop start of the kernel, shared by 2 cores
        for (int32_t turn_start = 0; turn_start < 1; ++turn_start) {
            // score: transpose (flash_decode.py:53); dot (:55)
            plan::cb_reserve_back(cb_score, 2);
            for (uint32_t column = 0; column < 2; ++column) {
                plan::tile_regs_acquire();
                reconfig_data_format<SrcOrder::Reverse>(cb_q_4, cb_k_ptr);
                matmul_block_init(cb_q_4, cb_k_ptr, 1, 1, 1, 2);
                for (uint32_t depth = 0; depth < 2; ++depth) {
                    matmul_block(cb_q_4, cb_k_ptr, depth, 2 * column + depth, 0, 1, 1, 1, 2);
                }
                plan::tile_regs_commit();
                plan::tile_regs_wait();
                plan::pack_reconfig_data_format(cb_score);
                plan::pack_tile(0, cb_score);
                plan::tile_regs_release();
            }
            plan::cb_push_back(cb_score, 2);
            plan::cb_wait_front(cb_score, 2);
            // new_peak_2.kept: reduce_max, max (flash_decode.py:56)
            plan::cb_reserve_back(cb_new_peak_2_kept, 1);
            plan::tile_regs_acquire();
            fill_tile_init();
            fill_tile_bitcast(0, 0xff800000u);  // -inf
            for (uint32_t tile = 0; tile < 2; ++tile) {
                plan::reconfig_data_format_srca(cb_score);
                plan::copy_init(cb_score);
                plan::copy_tile(cb_score, tile, 1);
                binary_max_tile_init();
                binary_max_tile(0, 1, 0);
            }
            sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
            sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
            plan::reconfig_data_format_srca(cb_peak);
            plan::copy_init(cb_peak);
            plan::copy_tile(cb_peak, 0, 1);
            binary_max_tile_init();
            binary_max_tile(1, 0, 0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_new_peak_2_kept);
            plan::pack_tile(0, cb_new_peak_2_kept);
            plan::tile_regs_release();
            plan::cb_push_back(cb_new_peak_2_kept, 1);
            plan::cb_wait_front(cb_new_peak_2_kept, 1);
            // rescale_2.kept: sub, exp2 (flash_decode.py:57)
            plan::cb_reserve_back(cb_rescale_2_kept, 1);
            plan::tile_regs_acquire();
            plan::copy_tile(cb_peak, 0, 0);
            plan::copy_init(cb_new_peak_2_kept);
            plan::copy_tile(cb_new_peak_2_kept, 0, 1);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            exp2_tile_init();
            exp2_tile(0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_tile(0, cb_rescale_2_kept);
            plan::tile_regs_release();
            plan::cb_push_back(cb_rescale_2_kept, 1);
            plan::cb_wait_front(cb_rescale_2_kept, 1);
            // weight_4: sub, exp2 (flash_decode.py:58)
            plan::cb_reserve_back(cb_weight_4, 2);
            plan::tile_regs_acquire();
            plan::copy_init(cb_score);
            plan::copy_tile(cb_score, 0, 0);
            plan::copy_tile(cb_score, 1, 2);
            reconfig_data_format(cb_new_peak_2_kept, cb_new_peak_2_kept);
            unary_bcast_init<BroadcastType::COL>(cb_new_peak_2_kept);
            plan::unary_bcast_col(cb_new_peak_2_kept, 0, 1);
            plan::unary_bcast_col(cb_new_peak_2_kept, 0, 3);
            unary_bcast_uninit<BroadcastType::COL>(cb_new_peak_2_kept);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            sub_binary_tile(2, 3, 2);
            exp2_tile_init();
            exp2_tile(0);
            exp2_tile(2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_tile(0, cb_weight_4);
            plan::pack_tile(2, cb_weight_4);
            plan::tile_regs_release();
            plan::cb_push_back(cb_weight_4, 2);
            plan::cb_wait_front(cb_weight_4, 2);
            plan::cb_pop_front(cb_score, 2);
            // acc: cast (flash_decode.py:60)
            plan::cb_reserve_back(cb_acc, 2);
            plan::tile_regs_acquire();
            plan::copy_init(cb_weight_4);
            plan::copy_tile(cb_weight_4, 0, 0);
            plan::copy_tile(cb_weight_4, 1, 2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_acc);
            plan::pack_tile(0, cb_acc);
            plan::pack_tile(2, cb_acc);
            plan::tile_regs_release();
            plan::cb_push_back(cb_acc, 2);
            plan::cb_wait_front(cb_acc, 2);
            // next peak: transpose (flash_decode.py:53); dot (:55); reduce_max, max (:56)
            plan::tile_regs_acquire();
            plan::copy_init(cb_new_peak_2_kept);
            plan::copy_tile(cb_new_peak_2_kept, 0, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_peak, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_peak, 1);
            plan::pack_reconfig_data_format(cb_peak);
            plan::pack_tile(0, cb_peak);
            plan::tile_regs_release();
            plan::cb_push_back(cb_peak, 1);
            plan::cb_wait_front(cb_peak, 1);
            // next total_2: mul, reduce_sum, add (flash_decode.py:59)
            plan::tile_regs_acquire();
            plan::copy_init(cb_total_2);
            plan::copy_tile(cb_total_2, 0, 0);
            plan::copy_init(cb_rescale_2_kept);
            plan::copy_tile(cb_rescale_2_kept, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            fill_tile_init();
            fill_tile_bitcast(1, 0x00000000u);  // 0.0
            for (uint32_t tile = 0; tile < 2; ++tile) {
                plan::reconfig_data_format_srca(cb_weight_4);
                plan::copy_init(cb_weight_4);
                plan::copy_tile(cb_weight_4, tile, 2);
                add_binary_tile_init();
                add_binary_tile(1, 2, 1);
            }
            sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
            sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_total_2, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_total_2, 1);
            plan::pack_reconfig_data_format(cb_total_2);
            plan::pack_tile(0, cb_total_2);
            plan::tile_regs_release();
            plan::cb_push_back(cb_total_2, 1);
            plan::cb_wait_front(cb_total_2, 1);
            // next acc_5: mul, dot (flash_decode.py:60)
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_acc_5);
            plan::copy_init(cb_acc_5);
            plan::copy_tile(cb_acc_5, 0, 2);
            reconfig_data_format(cb_rescale_2_kept, cb_rescale_2_kept);
            unary_bcast_init<BroadcastType::COL>(cb_rescale_2_kept);
            plan::unary_bcast_col(cb_rescale_2_kept, 0, 3);
            unary_bcast_uninit<BroadcastType::COL>(cb_rescale_2_kept);
            mul_binary_tile_init();
            mul_binary_tile(2, 3, 0);
            plan::copy_init(cb_acc_5);
            plan::copy_tile(cb_acc_5, 1, 2);
            unary_bcast_init<BroadcastType::COL>(cb_rescale_2_kept);
            plan::unary_bcast_col(cb_rescale_2_kept, 0, 3);
            unary_bcast_uninit<BroadcastType::COL>(cb_rescale_2_kept);
            mul_binary_tile_init();
            mul_binary_tile(2, 3, 1);
            reconfig_data_format<SrcOrder::Reverse>(cb_acc, cb_v_ptr);
            matmul_block_init(cb_acc, cb_v_ptr, 0, 2, 1, 2);
            for (uint32_t depth = 0; depth < 2; ++depth) {
                matmul_block(cb_acc, cb_v_ptr, depth, 2 * depth, 0, 0, 2, 1, 2);
            }
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_acc_5, 2);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_acc_5, 2);
            plan::pack_tile(0, cb_acc_5);
            plan::pack_tile(1, cb_acc_5);
            plan::tile_regs_release();
            plan::cb_push_back(cb_acc_5, 2);
            plan::cb_wait_front(cb_acc_5, 2);
            plan::cb_pop_front(cb_new_peak_2_kept, 1);
            plan::cb_pop_front(cb_rescale_2_kept, 1);
            plan::cb_pop_front(cb_weight_4, 2);
            plan::cb_pop_front(cb_acc, 2);
        }
        plan::cb_pop_front(cb_q_4, 2);
        // round 0 of combining loop start over 2 cores
        if (core_start % 2 == 1) {
            plan::cb_reserve_back(cb_outgoing_peak_2, 1);
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_peak);
            plan::copy_init(cb_peak);
            plan::copy_tile(cb_peak, 0, 0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_outgoing_peak_2);
            plan::pack_tile(0, cb_outgoing_peak_2);
            plan::tile_regs_release();
            plan::cb_push_back(cb_outgoing_peak_2, 1);
            plan::cb_reserve_back(cb_outgoing_total_5, 1);
            plan::tile_regs_acquire();
            plan::copy_init(cb_total_2);
            plan::copy_tile(cb_total_2, 0, 0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_tile(0, cb_outgoing_total_5);
            plan::tile_regs_release();
            plan::cb_push_back(cb_outgoing_total_5, 1);
            plan::cb_reserve_back(cb_outgoing_acc_7, 2);
            plan::tile_regs_acquire();
            plan::copy_init(cb_acc_5);
            plan::copy_tile(cb_acc_5, 0, 0);
            plan::copy_tile(cb_acc_5, 1, 2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_tile(0, cb_outgoing_acc_7);
            plan::pack_tile(2, cb_outgoing_acc_7);
            plan::tile_regs_release();
            plan::cb_push_back(cb_outgoing_acc_7, 2);
        } else if (core_start % 2 == 0 && core_start + 1 < 2) {
            plan::cb_wait_front(cb_combine_peak_2, 1);
            plan::cb_wait_front(cb_combine_total_5, 1);
            plan::cb_wait_front(cb_combine_acc_7, 2);
            // combine.exp2_2.kept
            plan::cb_reserve_back(cb_combine_exp2_2_kept, 1);
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_peak);
            plan::copy_init(cb_peak);
            plan::copy_tile(cb_peak, 0, 0);
            plan::copy_init(cb_combine_peak_2);
            plan::copy_tile(cb_combine_peak_2, 0, 1);
            binary_max_tile_init();
            binary_max_tile(0, 1, 1);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            exp2_tile_init();
            exp2_tile(0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_combine_exp2_2_kept);
            plan::pack_tile(0, cb_combine_exp2_2_kept);
            plan::tile_regs_release();
            plan::cb_push_back(cb_combine_exp2_2_kept, 1);
            plan::cb_wait_front(cb_combine_exp2_2_kept, 1);
            // combine.exp2_5.kept
            plan::cb_reserve_back(cb_combine_exp2_5_kept, 1);
            plan::tile_regs_acquire();
            plan::copy_init(cb_peak);
            plan::copy_tile(cb_peak, 0, 0);
            plan::copy_init(cb_combine_peak_2);
            plan::copy_tile(cb_combine_peak_2, 0, 1);
            binary_max_tile_init();
            binary_max_tile(0, 1, 0);
            sub_binary_tile_init();
            sub_binary_tile(1, 0, 0);
            exp2_tile_init();
            exp2_tile(0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_tile(0, cb_combine_exp2_5_kept);
            plan::tile_regs_release();
            plan::cb_push_back(cb_combine_exp2_5_kept, 1);
            plan::cb_wait_front(cb_combine_exp2_5_kept, 1);
            // total_5 of both
            plan::tile_regs_acquire();
            plan::copy_init(cb_total_2);
            plan::copy_tile(cb_total_2, 0, 0);
            plan::copy_init(cb_combine_exp2_2_kept);
            plan::copy_tile(cb_combine_exp2_2_kept, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            plan::copy_init(cb_combine_total_5);
            plan::copy_tile(cb_combine_total_5, 0, 1);
            plan::copy_init(cb_combine_exp2_5_kept);
            plan::copy_tile(cb_combine_exp2_5_kept, 0, 2);
            mul_binary_tile_init();
            mul_binary_tile(1, 2, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_total_2, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_total_2, 1);
            plan::pack_tile(0, cb_total_2);
            plan::tile_regs_release();
            plan::cb_push_back(cb_total_2, 1);
            plan::cb_wait_front(cb_total_2, 1);
            // acc_7 of both
            for (uint32_t column = 0; column < 2; ++column) {
                plan::tile_regs_acquire();
                plan::reconfig_data_format_srca(cb_acc_5);
                plan::copy_init(cb_acc_5);
                plan::copy_tile(cb_acc_5, 0, 0);
                reconfig_data_format(cb_combine_exp2_2_kept, cb_combine_exp2_2_kept);
                unary_bcast_init<BroadcastType::COL>(cb_combine_exp2_2_kept);
                plan::unary_bcast_col(cb_combine_exp2_2_kept, 0, 1);
                unary_bcast_uninit<BroadcastType::COL>(cb_combine_exp2_2_kept);
                mul_binary_tile_init();
                mul_binary_tile(0, 1, 0);
                plan::copy_init(cb_combine_acc_7);
                plan::copy_tile(cb_combine_acc_7, column, 1);
                unary_bcast_init<BroadcastType::COL>(cb_combine_exp2_5_kept);
                plan::unary_bcast_col(cb_combine_exp2_5_kept, 0, 2);
                unary_bcast_uninit<BroadcastType::COL>(cb_combine_exp2_5_kept);
                mul_binary_tile_init();
                mul_binary_tile(1, 2, 1);
                add_binary_tile_init();
                add_binary_tile(0, 1, 0);
                plan::tile_regs_commit();
                plan::cb_pop_front(cb_acc_5, 1);
                plan::tile_regs_wait();
                plan::cb_reserve_back(cb_acc_5, 1);
                plan::pack_reconfig_data_format(cb_acc_5);
                plan::pack_tile(0, cb_acc_5);
                plan::tile_regs_release();
                plan::cb_push_back(cb_acc_5, 1);
            }
            plan::cb_wait_front(cb_acc_5, 2);
            // peak_2 of both
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_peak);
            plan::copy_init(cb_peak);
            plan::copy_tile(cb_peak, 0, 0);
            plan::copy_init(cb_combine_peak_2);
            plan::copy_tile(cb_combine_peak_2, 0, 1);
            binary_max_tile_init();
            binary_max_tile(0, 1, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_peak, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_peak, 1);
            plan::pack_reconfig_data_format(cb_peak);
            plan::pack_tile(0, cb_peak);
            plan::tile_regs_release();
            plan::cb_push_back(cb_peak, 1);
            plan::cb_wait_front(cb_peak, 1);
            plan::cb_pop_front(cb_combine_exp2_2_kept, 1);
            plan::cb_pop_front(cb_combine_exp2_5_kept, 1);
            plan::cb_pop_front(cb_combine_peak_2, 1);
            plan::cb_pop_front(cb_combine_total_5, 1);
            plan::cb_pop_front(cb_combine_acc_7, 2);
        }
        plan::cb_reserve_back(cb_part_ptr, 2);
        plan::cb_reserve_back(cb_lse_ptr, 1);
        // to part_ptr: div (flash_decode.py:64)
        plan::tile_regs_acquire();
        plan::reconfig_data_format_srca(cb_acc_5);
        plan::copy_init(cb_acc_5);
        plan::copy_tile(cb_acc_5, 0, 0);
        plan::copy_tile(cb_acc_5, 1, 2);
        reconfig_data_format(cb_total_2, cb_total_2);
        unary_bcast_init<BroadcastType::COL>(cb_total_2);
        plan::unary_bcast_col(cb_total_2, 0, 1);
        plan::unary_bcast_col(cb_total_2, 0, 3);
        unary_bcast_uninit<BroadcastType::COL>(cb_total_2);
        div_binary_tile_init();
        div_binary_tile(0, 1, 0);
        div_binary_tile(2, 3, 2);
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        plan::pack_reconfig_data_format(cb_part_ptr);
        pack_tile<true>(0, cb_part_ptr, 0);
        pack_tile<true>(2, cb_part_ptr, 1);
        plan::tile_regs_release();
        plan::cb_pop_front(cb_acc_5, 2);
        // to lse_ptr: log2, add (flash_decode.py:65)
        plan::tile_regs_acquire();
        plan::copy_init(cb_peak);
        plan::copy_tile(cb_peak, 0, 0);
        plan::copy_init(cb_total_2);
        plan::copy_tile(cb_total_2, 0, 1);
        log_with_base_tile_init();
        log_with_base_tile(1, 0x3fb8aa3bu);  // 1.442695
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        plan::tile_regs_commit();
        plan::tile_regs_wait();
        pack_tile<true>(0, cb_lse_ptr, 0);
        plan::tile_regs_release();
        plan::cb_pop_front(cb_peak, 1);
        plan::cb_pop_front(cb_total_2, 1);
        plan::cb_push_back(cb_lse_ptr, 1);
        plan::cb_push_back(cb_part_ptr, 2);
        plan::cb_pop_front(cb_v_ptr, 4);
        plan::cb_pop_front(cb_k_ptr, 4);
        plan::cb_pop_front(cb_q_ptr, 2);
    }
}
