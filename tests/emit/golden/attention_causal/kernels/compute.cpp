// attention_kernel on blackhole[2x2]: the computation, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: block over 2 cores.
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

// Called from many places: one copy of each leaves more of the memory for code.
__attribute__((noinline)) void cb_reserve_back(uint32_t cb, uint32_t count) { ::cb_reserve_back(cb, count); }
__attribute__((noinline)) void tile_regs_acquire() { ::tile_regs_acquire(); }
__attribute__((noinline)) void fill_tile_init() { ::fill_tile_init(); }
__attribute__((noinline)) void fill_tile_bitcast(uint32_t dst, uint32_t bits) {
    ::fill_tile_bitcast(dst, bits);
}
__attribute__((noinline)) void tile_regs_commit() { ::tile_regs_commit(); }
__attribute__((noinline)) void tile_regs_wait() { ::tile_regs_wait(); }
__attribute__((noinline)) void pack_reconfig_data_format(uint32_t cb) { ::pack_reconfig_data_format(cb); }
__attribute__((noinline)) void pack_tile(uint32_t dst, uint32_t cb) { ::pack_tile(dst, cb); }
__attribute__((noinline)) void tile_regs_release() { ::tile_regs_release(); }
__attribute__((noinline)) void cb_push_back(uint32_t cb, uint32_t count) { ::cb_push_back(cb, count); }
__attribute__((noinline)) void cb_wait_front(uint32_t cb, uint32_t count) { ::cb_wait_front(cb, count); }
__attribute__((noinline)) void reconfig_data_format_srca(uint32_t cb) { ::reconfig_data_format_srca(cb); }
__attribute__((noinline)) void copy_init(uint32_t cb) { ::copy_init(cb); }
__attribute__((noinline)) void copy_tile(uint32_t cb, uint32_t index, uint32_t dst) {
    ::copy_tile(cb, index, dst);
}
__attribute__((noinline)) void unary_bcast_init_col(uint32_t cb) { ::unary_bcast_init<BroadcastType::COL>(cb); }
__attribute__((noinline)) void unary_bcast_col(uint32_t cb, uint32_t index, uint32_t dst) {
    ::unary_bcast<BroadcastType::COL>(cb, index, dst);
}
__attribute__((noinline)) void unary_bcast_uninit_col(uint32_t cb) {
    ::unary_bcast_uninit<BroadcastType::COL>(cb);
}
__attribute__((noinline)) void sub_binary_tile_init() { ::sub_binary_tile_init(); }
__attribute__((noinline)) void sub_binary_tile(uint32_t dst0, uint32_t dst1, uint32_t out) {
    ::sub_binary_tile(dst0, dst1, out);
}
__attribute__((noinline)) void exp2_tile_init() { ::exp2_tile_init(); }
__attribute__((noinline)) void exp2_tile(uint32_t dst) { ::exp2_tile(dst); }
__attribute__((noinline)) void cb_pop_front(uint32_t cb, uint32_t count) { ::cb_pop_front(cb, count); }

}  // namespace plan

void kernel_main() {
    constexpr uint32_t cb_q_ptr = 0;  // 2 pages of bf16: load of q_ptr once
    constexpr uint32_t cb_k_ptr = 1;  // 2 pages of bf16: load of k_ptr once
    constexpr uint32_t cb_v_ptr = 2;  // 2 pages of bf16: load of v_ptr once
    constexpr uint32_t cb_k_ptr_2 = 3;  // 2 pages of bf16: load of k_ptr_2 once
    constexpr uint32_t cb_v_ptr_2 = 4;  // 2 pages of bf16: load of v_ptr_2 once
    constexpr uint32_t cb_o_ptr = 5;  // 2 pages of bf16: store of o_ptr once
    constexpr uint32_t cb_acc_5 = 6;  // 2 pages of fp32: carried by loop start
    constexpr uint32_t cb_peak = 7;  // 2 pages of fp32: carried by loop start
    constexpr uint32_t cb_total_2 = 8;  // 2 pages of fp32: carried by loop start
    constexpr uint32_t cb_acc_12 = 9;  // 2 pages of fp32: carried by loop start_2
    constexpr uint32_t cb_peak_3 = 10;  // 2 pages of fp32: carried by loop start_2
    constexpr uint32_t cb_total_7 = 11;  // 2 pages of fp32: carried by loop start_2
    constexpr uint32_t cb_q_4 = 12;  // 2 pages of bf16: cast (attention.py:78)
    constexpr uint32_t cb_acc = 14;  // 4 pages of bf16: cast (attention.py:43)
    constexpr uint32_t cb_acc_8 = 16;  // 4 pages of bf16: cast (attention.py:43)
    constexpr uint32_t cb_score = 17;  // 4 pages of fp32: dot (attention.py:33)
    constexpr uint32_t cb_weight_4 = 18;  // 4 pages of fp32: exp2 (attention.py:41)
    constexpr uint32_t cb_score_3 = 19;  // 4 pages of fp32: where (attention.py:38)
    constexpr uint32_t cb_weight_8 = 20;  // 4 pages of fp32: exp2 (attention.py:41)
    constexpr uint32_t cb_new_peak_2_kept = 21;  // 2 pages of fp32: max (attention.py:39)
    constexpr uint32_t cb_index_rows = 22;  // 1 page of fp32: the row of every element of a page, for masks and indices
    // 1 page of fp32: the column of every element of a page, for masks and indices
    constexpr uint32_t cb_index_columns = 23;
    constexpr uint32_t cb_new_peak_4_kept = cb_new_peak_2_kept;  // once that is given up
    const int32_t core_block = get_arg_val<uint32_t>(1);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_q_4, cb_k_ptr, cb_o_ptr);
    // Numbers of the rows and columns of a hardware tile, for masks and indices
    plan::cb_reserve_back(cb_index_rows, 1);
    plan::tile_regs_acquire();
    plan::fill_tile_init();
    plan::fill_tile_bitcast(0, 0x3f800000u);  // 1.0
    cumsum_tile_init();
    cumsum_tile(0, true);
    binop_with_scalar_tile_init();
    sub_unary_tile(0, 0x3f800000u);  // 1.0
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_reconfig_data_format(cb_index_rows);
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
    const int32_t block = core_block;
    plan::cb_wait_front(cb_q_ptr, 2);
    plan::cb_wait_front(cb_k_ptr, 2);
    plan::cb_wait_front(cb_v_ptr, 2);
    plan::cb_wait_front(cb_k_ptr_2, 2);
    plan::cb_wait_front(cb_v_ptr_2, 2);
    // q_4: mul (attention.py:78)
    plan::cb_reserve_back(cb_q_4, 2);
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_q_ptr);
    plan::copy_init(cb_q_ptr);
    plan::copy_tile(cb_q_ptr, 0, 0);
    plan::copy_tile(cb_q_ptr, 1, 2);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3e8293eeu);  // 0.25503486
    mul_unary_tile(2, 0x3e8293eeu);  // 0.25503486
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_reconfig_data_format(cb_q_4);
    plan::pack_tile(0, cb_q_4);
    plan::pack_tile(2, cb_q_4);
    plan::tile_regs_release();
    plan::cb_push_back(cb_q_4, 2);
    plan::cb_wait_front(cb_q_4, 2);
    // acc_5 before loop start
    plan::cb_reserve_back(cb_acc_5, 2);
    plan::tile_regs_acquire();
    plan::fill_tile_init();
    plan::fill_tile_bitcast(0, 0x00000000u);  // 0.0
    plan::fill_tile_bitcast(2, 0x00000000u);  // 0.0
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_reconfig_data_format(cb_acc_5);
    plan::pack_tile(0, cb_acc_5);
    plan::pack_tile(2, cb_acc_5);
    plan::tile_regs_release();
    plan::cb_push_back(cb_acc_5, 2);
    plan::cb_wait_front(cb_acc_5, 2);
    // peak before loop start
    plan::cb_reserve_back(cb_peak, 2);
    plan::tile_regs_acquire();
    plan::fill_tile_bitcast(0, 0xf149f2cau);  // -1e+30
    plan::fill_tile_bitcast(2, 0xf149f2cau);  // -1e+30
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_tile(0, cb_peak);
    plan::pack_tile(2, cb_peak);
    plan::tile_regs_release();
    plan::cb_push_back(cb_peak, 2);
    plan::cb_wait_front(cb_peak, 2);
    // total_2 before loop start
    plan::cb_reserve_back(cb_total_2, 2);
    plan::tile_regs_acquire();
    plan::fill_tile_bitcast(0, 0x00000000u);  // 0.0
    plan::fill_tile_bitcast(2, 0x00000000u);  // 0.0
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_tile(0, cb_total_2);
    plan::pack_tile(2, cb_total_2);
    plan::tile_regs_release();
    plan::cb_push_back(cb_total_2, 2);
    plan::cb_wait_front(cb_total_2, 2);
    // loop start of the kernel
    for (int32_t start = 0; start < 1; ++start) {
        if (start < plan::trips(64 * block, 64, 0, 1)) {
            // score: transpose (attention.py:31); dot (:33)
            plan::cb_reserve_back(cb_score, 4);
            plan::tile_regs_acquire();
            reconfig_data_format<SrcOrder::Reverse>(cb_q_4, cb_k_ptr);
            matmul_block_init(cb_q_4, cb_k_ptr, 1, 2, 2, 1);
            matmul_block(cb_q_4, cb_k_ptr, 0, 0, 0, 1, 2, 2, 1);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_score);
            for (uint32_t slot = 0; slot < 4; ++slot) {
                plan::pack_tile(slot, cb_score);
            }
            plan::tile_regs_release();
            plan::cb_push_back(cb_score, 4);
            plan::cb_wait_front(cb_score, 4);
            // new_peak_2.kept: reduce_max, max (attention.py:39)
            plan::cb_reserve_back(cb_new_peak_2_kept, 2);
            for (uint32_t row = 0; row < 2; ++row) {
                plan::tile_regs_acquire();
                plan::fill_tile_init();
                plan::fill_tile_bitcast(0, 0xff800000u);  // -inf
                for (uint32_t tile = 0; tile < 2; ++tile) {
                    plan::reconfig_data_format_srca(cb_score);
                    plan::copy_init(cb_score);
                    plan::copy_tile(cb_score, 2 * row + tile, 1);
                    binary_max_tile_init();
                    binary_max_tile(0, 1, 0);
                }
                sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
                sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
                plan::reconfig_data_format_srca(cb_peak);
                plan::copy_init(cb_peak);
                plan::copy_tile(cb_peak, row, 1);
                binary_max_tile_init();
                binary_max_tile(1, 0, 0);
                plan::tile_regs_commit();
                plan::tile_regs_wait();
                plan::pack_reconfig_data_format(cb_new_peak_2_kept);
                plan::pack_tile(0, cb_new_peak_2_kept);
                plan::tile_regs_release();
            }
            plan::cb_push_back(cb_new_peak_2_kept, 2);
            plan::cb_wait_front(cb_new_peak_2_kept, 2);
            // weight_4: sub, exp2 (attention.py:41)
            plan::cb_reserve_back(cb_weight_4, 4);
            for (uint32_t row = 0; row < 2; ++row) {
                plan::tile_regs_acquire();
                plan::reconfig_data_format_srca(cb_score);
                plan::copy_init(cb_score);
                plan::copy_tile(cb_score, 2 * row, 0);
                plan::copy_tile(cb_score, 2 * row + 1, 2);
                reconfig_data_format(cb_new_peak_2_kept, cb_new_peak_2_kept);
                plan::unary_bcast_init_col(cb_new_peak_2_kept);
                plan::unary_bcast_col(cb_new_peak_2_kept, row, 1);
                plan::unary_bcast_col(cb_new_peak_2_kept, row, 3);
                plan::unary_bcast_uninit_col(cb_new_peak_2_kept);
                plan::sub_binary_tile_init();
                plan::sub_binary_tile(0, 1, 0);
                plan::sub_binary_tile(2, 3, 2);
                plan::exp2_tile_init();
                plan::exp2_tile(0);
                plan::exp2_tile(2);
                plan::tile_regs_commit();
                plan::tile_regs_wait();
                plan::pack_reconfig_data_format(cb_weight_4);
                plan::pack_tile(0, cb_weight_4);
                plan::pack_tile(2, cb_weight_4);
                plan::tile_regs_release();
            }
            plan::cb_push_back(cb_weight_4, 4);
            plan::cb_wait_front(cb_weight_4, 4);
            plan::cb_pop_front(cb_score, 4);
            // acc: cast (attention.py:43)
            plan::cb_reserve_back(cb_acc, 4);
            for (uint32_t row = 0; row < 2; ++row) {
                plan::tile_regs_acquire();
                plan::reconfig_data_format_srca(cb_weight_4);
                plan::copy_init(cb_weight_4);
                plan::copy_tile(cb_weight_4, 2 * row, 0);
                plan::copy_tile(cb_weight_4, 2 * row + 1, 2);
                plan::tile_regs_commit();
                plan::tile_regs_wait();
                plan::pack_reconfig_data_format(cb_acc);
                plan::pack_tile(0, cb_acc);
                plan::pack_tile(2, cb_acc);
                plan::tile_regs_release();
            }
            plan::cb_push_back(cb_acc, 4);
            plan::cb_wait_front(cb_acc, 4);
            // next acc_5: sub, exp2 (attention.py:40); mul, dot (:43)
            plan::tile_regs_acquire();
            reconfig_data_format(cb_peak, cb_peak);
            plan::unary_bcast_init_col(cb_peak);
            plan::unary_bcast_col(cb_peak, 0, 2);
            plan::unary_bcast_uninit_col(cb_peak);
            plan::unary_bcast_init_col(cb_new_peak_2_kept);
            plan::unary_bcast_col(cb_new_peak_2_kept, 0, 3);
            plan::unary_bcast_uninit_col(cb_new_peak_2_kept);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(2, 3, 2);
            plan::exp2_tile_init();
            plan::exp2_tile(2);
            plan::copy_init(cb_acc_5);
            plan::copy_tile(cb_acc_5, 0, 3);
            mul_binary_tile_init();
            mul_binary_tile(3, 2, 0);
            plan::unary_bcast_init_col(cb_peak);
            plan::unary_bcast_col(cb_peak, 1, 2);
            plan::unary_bcast_uninit_col(cb_peak);
            plan::unary_bcast_init_col(cb_new_peak_2_kept);
            plan::unary_bcast_col(cb_new_peak_2_kept, 1, 3);
            plan::unary_bcast_uninit_col(cb_new_peak_2_kept);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(2, 3, 2);
            plan::exp2_tile_init();
            plan::exp2_tile(2);
            plan::copy_init(cb_acc_5);
            plan::copy_tile(cb_acc_5, 1, 3);
            mul_binary_tile_init();
            mul_binary_tile(3, 2, 1);
            reconfig_data_format<SrcOrder::Reverse>(cb_acc, cb_v_ptr);
            matmul_block_init(cb_acc, cb_v_ptr, 0, 1, 2, 2);
            for (uint32_t depth = 0; depth < 2; ++depth) {
                matmul_block(cb_acc, cb_v_ptr, depth, depth, 0, 0, 1, 2, 2);
            }
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_acc_5, 2);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_acc_5, 2);
            plan::pack_reconfig_data_format(cb_acc_5);
            plan::pack_tile(0, cb_acc_5);
            plan::pack_tile(1, cb_acc_5);
            plan::tile_regs_release();
            plan::cb_push_back(cb_acc_5, 2);
            plan::cb_wait_front(cb_acc_5, 2);
            // next total_2: sub, exp2 (attention.py:40); mul, reduce_sum, add (:42)
            for (uint32_t row = 0; row < 2; ++row) {
                plan::tile_regs_acquire();
                plan::reconfig_data_format_srca(cb_peak);
                plan::copy_init(cb_peak);
                plan::copy_tile(cb_peak, row, 0);
                plan::copy_init(cb_new_peak_2_kept);
                plan::copy_tile(cb_new_peak_2_kept, row, 1);
                plan::sub_binary_tile_init();
                plan::sub_binary_tile(0, 1, 0);
                plan::exp2_tile_init();
                plan::exp2_tile(0);
                plan::copy_init(cb_total_2);
                plan::copy_tile(cb_total_2, 0, 1);
                mul_binary_tile_init();
                mul_binary_tile(1, 0, 0);
                plan::fill_tile_init();
                plan::fill_tile_bitcast(1, 0x00000000u);  // 0.0
                for (uint32_t tile = 0; tile < 2; ++tile) {
                    plan::reconfig_data_format_srca(cb_weight_4);
                    plan::copy_init(cb_weight_4);
                    plan::copy_tile(cb_weight_4, 2 * row + tile, 2);
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
            }
            plan::cb_wait_front(cb_total_2, 2);
            // next peak: transpose (attention.py:31); dot (:33); reduce_max, max (:39)
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_new_peak_2_kept);
            plan::copy_init(cb_new_peak_2_kept);
            plan::copy_tile(cb_new_peak_2_kept, 0, 0);
            plan::copy_tile(cb_new_peak_2_kept, 1, 2);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_peak, 2);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_peak, 2);
            plan::pack_reconfig_data_format(cb_peak);
            plan::pack_tile(0, cb_peak);
            plan::pack_tile(2, cb_peak);
            plan::tile_regs_release();
            plan::cb_push_back(cb_peak, 2);
            plan::cb_wait_front(cb_peak, 2);
            plan::cb_pop_front(cb_new_peak_2_kept, 2);
            plan::cb_pop_front(cb_weight_4, 4);
            plan::cb_pop_front(cb_acc, 4);
        }
    }
    // acc_12 before loop start_2
    plan::cb_reserve_back(cb_acc_12, 2);
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_acc_5);
    plan::copy_init(cb_acc_5);
    plan::copy_tile(cb_acc_5, 0, 0);
    plan::copy_tile(cb_acc_5, 1, 2);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_reconfig_data_format(cb_acc_12);
    plan::pack_tile(0, cb_acc_12);
    plan::pack_tile(2, cb_acc_12);
    plan::tile_regs_release();
    plan::cb_push_back(cb_acc_12, 2);
    plan::cb_wait_front(cb_acc_12, 2);
    // peak_3 before loop start_2
    plan::cb_reserve_back(cb_peak_3, 2);
    plan::tile_regs_acquire();
    plan::copy_init(cb_peak);
    plan::copy_tile(cb_peak, 0, 0);
    plan::copy_tile(cb_peak, 1, 2);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_tile(0, cb_peak_3);
    plan::pack_tile(2, cb_peak_3);
    plan::tile_regs_release();
    plan::cb_push_back(cb_peak_3, 2);
    plan::cb_wait_front(cb_peak_3, 2);
    // total_7 before loop start_2
    plan::cb_reserve_back(cb_total_7, 2);
    plan::tile_regs_acquire();
    plan::copy_init(cb_total_2);
    plan::copy_tile(cb_total_2, 0, 0);
    plan::copy_tile(cb_total_2, 1, 2);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_tile(0, cb_total_7);
    plan::pack_tile(2, cb_total_7);
    plan::tile_regs_release();
    plan::cb_push_back(cb_total_7, 2);
    plan::cb_wait_front(cb_total_7, 2);
    // loop start_2 of the kernel
    for (int32_t start_2 = 0; start_2 < 1; ++start_2) {
        // score_3: transpose (attention.py:28); dot (:33); mask (:37); where (:38)
        plan::cb_reserve_back(cb_score_3, 4);
        for (uint32_t row = 0; row < 2; ++row) {
            plan::tile_regs_acquire();
            reconfig_data_format<SrcOrder::Reverse>(cb_q_4, cb_k_ptr_2);
            matmul_block_init(cb_q_4, cb_k_ptr_2, 1, 2, 1, 1);
            matmul_block(cb_q_4, cb_k_ptr_2, row, 0, 0, 1, 2, 1, 1);
            plan::reconfig_data_format_srca(cb_index_rows);
            plan::copy_init(cb_index_rows);
            plan::copy_tile(cb_index_rows, 0, 2);
            plan::copy_init(cb_index_columns);
            plan::copy_tile(cb_index_columns, 0, 3);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(2, 3, 2);
            binop_with_scalar_tile_init();
            add_unary_tile(2, plan::float_bits(32 * row));
            gez_tile_init();
            gez_tile(2);
            plan::fill_tile_init();
            plan::fill_tile_bitcast(3, 0xf149f2cau);  // -1e+30
            where_tile_init();
            where_tile<DataFormat::Float32>(2, 0, 3, 0);
            plan::copy_init(cb_index_rows);
            plan::copy_tile(cb_index_rows, 0, 2);
            plan::copy_init(cb_index_columns);
            plan::copy_tile(cb_index_columns, 0, 3);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(2, 3, 2);
            binop_with_scalar_tile_init();
            add_unary_tile(2, plan::float_bits(32 * row - 32));
            gez_tile_init();
            gez_tile(2);
            plan::fill_tile_init();
            plan::fill_tile_bitcast(3, 0xf149f2cau);  // -1e+30
            where_tile_init();
            where_tile<DataFormat::Float32>(2, 1, 3, 1);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_score_3);
            plan::pack_tile(0, cb_score_3);
            plan::pack_tile(1, cb_score_3);
            plan::tile_regs_release();
        }
        plan::cb_push_back(cb_score_3, 4);
        plan::cb_wait_front(cb_score_3, 4);
        // new_peak_4.kept: reduce_max, max (attention.py:39)
        plan::cb_reserve_back(cb_new_peak_4_kept, 2);
        for (uint32_t row = 0; row < 2; ++row) {
            plan::tile_regs_acquire();
            plan::fill_tile_init();
            plan::fill_tile_bitcast(0, 0xff800000u);  // -inf
            for (uint32_t tile = 0; tile < 2; ++tile) {
                plan::reconfig_data_format_srca(cb_score_3);
                plan::copy_init(cb_score_3);
                plan::copy_tile(cb_score_3, 2 * row + tile, 1);
                binary_max_tile_init();
                binary_max_tile(0, 1, 0);
            }
            sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
            sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
            plan::reconfig_data_format_srca(cb_peak_3);
            plan::copy_init(cb_peak_3);
            plan::copy_tile(cb_peak_3, row, 1);
            binary_max_tile_init();
            binary_max_tile(1, 0, 0);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_new_peak_4_kept);
            plan::pack_tile(0, cb_new_peak_4_kept);
            plan::tile_regs_release();
        }
        plan::cb_push_back(cb_new_peak_4_kept, 2);
        plan::cb_wait_front(cb_new_peak_4_kept, 2);
        // weight_8: sub, exp2 (attention.py:41)
        plan::cb_reserve_back(cb_weight_8, 4);
        for (uint32_t row = 0; row < 2; ++row) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_score_3);
            plan::copy_init(cb_score_3);
            plan::copy_tile(cb_score_3, 2 * row, 0);
            plan::copy_tile(cb_score_3, 2 * row + 1, 2);
            reconfig_data_format(cb_new_peak_4_kept, cb_new_peak_4_kept);
            plan::unary_bcast_init_col(cb_new_peak_4_kept);
            plan::unary_bcast_col(cb_new_peak_4_kept, row, 1);
            plan::unary_bcast_col(cb_new_peak_4_kept, row, 3);
            plan::unary_bcast_uninit_col(cb_new_peak_4_kept);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(0, 1, 0);
            plan::sub_binary_tile(2, 3, 2);
            plan::exp2_tile_init();
            plan::exp2_tile(0);
            plan::exp2_tile(2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_weight_8);
            plan::pack_tile(0, cb_weight_8);
            plan::pack_tile(2, cb_weight_8);
            plan::tile_regs_release();
        }
        plan::cb_push_back(cb_weight_8, 4);
        plan::cb_wait_front(cb_weight_8, 4);
        plan::cb_pop_front(cb_score_3, 4);
        // acc_8: cast (attention.py:43)
        plan::cb_reserve_back(cb_acc_8, 4);
        for (uint32_t row = 0; row < 2; ++row) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_weight_8);
            plan::copy_init(cb_weight_8);
            plan::copy_tile(cb_weight_8, 2 * row, 0);
            plan::copy_tile(cb_weight_8, 2 * row + 1, 2);
            plan::tile_regs_commit();
            plan::tile_regs_wait();
            plan::pack_reconfig_data_format(cb_acc_8);
            plan::pack_tile(0, cb_acc_8);
            plan::pack_tile(2, cb_acc_8);
            plan::tile_regs_release();
        }
        plan::cb_push_back(cb_acc_8, 4);
        plan::cb_wait_front(cb_acc_8, 4);
        // next acc_12: sub, exp2 (attention.py:40); mul, dot (:43)
        plan::tile_regs_acquire();
        reconfig_data_format(cb_peak_3, cb_peak_3);
        plan::unary_bcast_init_col(cb_peak_3);
        plan::unary_bcast_col(cb_peak_3, 0, 2);
        plan::unary_bcast_uninit_col(cb_peak_3);
        plan::unary_bcast_init_col(cb_new_peak_4_kept);
        plan::unary_bcast_col(cb_new_peak_4_kept, 0, 3);
        plan::unary_bcast_uninit_col(cb_new_peak_4_kept);
        plan::sub_binary_tile_init();
        plan::sub_binary_tile(2, 3, 2);
        plan::exp2_tile_init();
        plan::exp2_tile(2);
        plan::copy_init(cb_acc_12);
        plan::copy_tile(cb_acc_12, 0, 3);
        mul_binary_tile_init();
        mul_binary_tile(3, 2, 0);
        plan::unary_bcast_init_col(cb_peak_3);
        plan::unary_bcast_col(cb_peak_3, 1, 2);
        plan::unary_bcast_uninit_col(cb_peak_3);
        plan::unary_bcast_init_col(cb_new_peak_4_kept);
        plan::unary_bcast_col(cb_new_peak_4_kept, 1, 3);
        plan::unary_bcast_uninit_col(cb_new_peak_4_kept);
        plan::sub_binary_tile_init();
        plan::sub_binary_tile(2, 3, 2);
        plan::exp2_tile_init();
        plan::exp2_tile(2);
        plan::copy_init(cb_acc_12);
        plan::copy_tile(cb_acc_12, 1, 3);
        mul_binary_tile_init();
        mul_binary_tile(3, 2, 1);
        reconfig_data_format<SrcOrder::Reverse>(cb_acc_8, cb_v_ptr_2);
        matmul_block_init(cb_acc_8, cb_v_ptr_2, 0, 1, 2, 2);
        for (uint32_t depth = 0; depth < 2; ++depth) {
            matmul_block(cb_acc_8, cb_v_ptr_2, depth, depth, 0, 0, 1, 2, 2);
        }
        plan::tile_regs_commit();
        plan::cb_pop_front(cb_acc_12, 2);
        plan::tile_regs_wait();
        plan::cb_reserve_back(cb_acc_12, 2);
        plan::pack_reconfig_data_format(cb_acc_12);
        plan::pack_tile(0, cb_acc_12);
        plan::pack_tile(1, cb_acc_12);
        plan::tile_regs_release();
        plan::cb_push_back(cb_acc_12, 2);
        plan::cb_wait_front(cb_acc_12, 2);
        // next total_7: sub, exp2 (attention.py:40); mul, reduce_sum, add (:42)
        for (uint32_t row = 0; row < 2; ++row) {
            plan::tile_regs_acquire();
            plan::reconfig_data_format_srca(cb_peak_3);
            plan::copy_init(cb_peak_3);
            plan::copy_tile(cb_peak_3, row, 0);
            plan::copy_init(cb_new_peak_4_kept);
            plan::copy_tile(cb_new_peak_4_kept, row, 1);
            plan::sub_binary_tile_init();
            plan::sub_binary_tile(0, 1, 0);
            plan::exp2_tile_init();
            plan::exp2_tile(0);
            plan::copy_init(cb_total_7);
            plan::copy_tile(cb_total_7, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(1, 0, 0);
            plan::fill_tile_init();
            plan::fill_tile_bitcast(1, 0x00000000u);  // 0.0
            for (uint32_t tile = 0; tile < 2; ++tile) {
                plan::reconfig_data_format_srca(cb_weight_8);
                plan::copy_init(cb_weight_8);
                plan::copy_tile(cb_weight_8, 2 * row + tile, 2);
                add_binary_tile_init();
                add_binary_tile(1, 2, 1);
            }
            sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
            sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            plan::tile_regs_commit();
            plan::cb_pop_front(cb_total_7, 1);
            plan::tile_regs_wait();
            plan::cb_reserve_back(cb_total_7, 1);
            plan::pack_reconfig_data_format(cb_total_7);
            plan::pack_tile(0, cb_total_7);
            plan::tile_regs_release();
            plan::cb_push_back(cb_total_7, 1);
        }
        plan::cb_wait_front(cb_total_7, 2);
        // next peak_3: transpose (attention.py:28); dot (:33); mask (:37); where (:38); reduce_max, max (:39)
        plan::tile_regs_acquire();
        plan::reconfig_data_format_srca(cb_new_peak_4_kept);
        plan::copy_init(cb_new_peak_4_kept);
        plan::copy_tile(cb_new_peak_4_kept, 0, 0);
        plan::copy_tile(cb_new_peak_4_kept, 1, 2);
        plan::tile_regs_commit();
        plan::cb_pop_front(cb_peak_3, 2);
        plan::tile_regs_wait();
        plan::cb_reserve_back(cb_peak_3, 2);
        plan::pack_reconfig_data_format(cb_peak_3);
        plan::pack_tile(0, cb_peak_3);
        plan::pack_tile(2, cb_peak_3);
        plan::tile_regs_release();
        plan::cb_push_back(cb_peak_3, 2);
        plan::cb_wait_front(cb_peak_3, 2);
        plan::cb_pop_front(cb_new_peak_4_kept, 2);
        plan::cb_pop_front(cb_weight_8, 4);
        plan::cb_pop_front(cb_acc_8, 4);
    }
    plan::cb_pop_front(cb_q_4, 2);
    plan::cb_pop_front(cb_acc_5, 2);
    plan::cb_pop_front(cb_peak, 2);
    plan::cb_pop_front(cb_total_2, 2);
    plan::cb_pop_front(cb_peak_3, 2);
    plan::cb_reserve_back(cb_o_ptr, 2);
    // to o_ptr: div (attention.py:104)
    plan::tile_regs_acquire();
    plan::reconfig_data_format_srca(cb_acc_12);
    plan::copy_init(cb_acc_12);
    plan::copy_tile(cb_acc_12, 0, 0);
    plan::copy_tile(cb_acc_12, 1, 2);
    reconfig_data_format(cb_total_7, cb_total_7);
    plan::unary_bcast_init_col(cb_total_7);
    plan::unary_bcast_col(cb_total_7, 0, 1);
    plan::unary_bcast_col(cb_total_7, 1, 3);
    plan::unary_bcast_uninit_col(cb_total_7);
    div_binary_tile_init();
    div_binary_tile(0, 1, 0);
    div_binary_tile(2, 3, 2);
    plan::tile_regs_commit();
    plan::tile_regs_wait();
    plan::pack_reconfig_data_format(cb_o_ptr);
    pack_tile<true>(0, cb_o_ptr, 0);
    pack_tile<true>(2, cb_o_ptr, 1);
    plan::tile_regs_release();
    plan::cb_pop_front(cb_acc_12, 2);
    plan::cb_pop_front(cb_total_7, 2);
    plan::cb_push_back(cb_o_ptr, 2);
    plan::cb_pop_front(cb_v_ptr_2, 2);
    plan::cb_pop_front(cb_k_ptr_2, 2);
    plan::cb_pop_front(cb_v_ptr, 2);
    plan::cb_pop_front(cb_k_ptr, 2);
    plan::cb_pop_front(cb_q_ptr, 2);
    plan::cb_pop_front(cb_index_columns, 1);
    plan::cb_pop_front(cb_index_rows, 1);
}
