// Online softmax attention for one block of queries: running maximum, sum and output alternate between two buffers each.
#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t flash_q = 0, flash_k = 1, flash_v = 2, flash_one = 3, flash_score = 4, flash_factor = 5, flash_partial = 6, flash_scaled = 7;
constexpr uint32_t flash_max[2] = {8, 9}, flash_sum[2] = {10, 11}, flash_acc[2] = {12, 13};
constexpr uint32_t flash_out = 16;

template <typename Math>
void to_buffer(uint32_t buffer, Math math) {
    tile_regs_acquire();
    math();
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(buffer, 1);
    pack_tile(0, buffer);
    cb_push_back(buffer, 1);
    tile_regs_release();
}

void kernel_main() {
    constexpr uint32_t rows = get_compile_time_arg_val(0);
    constexpr uint32_t keys = get_compile_time_arg_val(1);
    constexpr uint32_t blocks = get_compile_time_arg_val(2);
    constexpr uint32_t width = get_compile_time_arg_val(3);
    constexpr uint32_t scale = get_compile_time_arg_val(4);    // bits of 1 / sqrt(d)

    compute_kernel_hw_startup<SrcOrder::Reverse>(flash_q, flash_k, flash_score);
    cb_wait_front(flash_one, 1);
    cb_wait_front(flash_q, rows * width);
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t old = block % 2, now = 1 - old;
        const bool first = block == 0;
        cb_wait_front(flash_k, keys * width);
        for (uint32_t r = 0; r < rows; ++r) {
            // scores of one row of tiles
            for (uint32_t c = 0; c < keys; ++c) {
                matmul_init(flash_q, flash_k, 1);
                binop_with_scalar_tile_init();
                to_buffer(flash_score, [&] {
                    for (uint32_t w = 0; w < width; ++w) matmul_tiles(flash_q, flash_k, r * width + w, c * width + w, 0);
                    mul_unary_tile(0, scale);
                });
            }
            cb_wait_front(flash_score, keys);
            if (!first) cb_wait_front(flash_max[old], 1);
            // new maximum
            reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(flash_score, flash_one, flash_max[now]);
            to_buffer(flash_max[now], [&] {
                for (uint32_t c = 0; c < keys; ++c)
                    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(flash_score, flash_one, c, 0, 0);
                if (!first) {
                    copy_init(flash_max[old]);
                    copy_tile(flash_max[old], 0, 1);
                    binary_max_tile_init();
                    binary_max_tile(0, 1, 0);
                }
            });
            reduce_uninit();
            cb_wait_front(flash_max[now], r + 1);
            // exp(score - maximum)
            sub_bcast_cols_init(flash_score, flash_max[now]);
            exp_tile_init();
            for (uint32_t c = 0; c < keys; ++c)
                to_buffer(flash_partial, [&] {
                    sub_tiles_bcast_cols(flash_score, flash_max[now], c, r, 0);
                    exp_tile(0);
                });
            cb_pop_front(flash_score, keys);
            cb_wait_front(flash_partial, keys);
            if (!first) {
                sub_init(flash_max[old], flash_max[now]);
                exp_tile_init();
                to_buffer(flash_factor, [&] {
                    sub_tiles(flash_max[old], flash_max[now], 0, r, 0);
                    exp_tile(0);
                });
                cb_pop_front(flash_max[old], 1);
                cb_wait_front(flash_factor, 1);
                cb_wait_front(flash_sum[old], 1);
            }
            // sum = old sum * factor + row sums
            if (!first) {
                mul_init(flash_sum[old], flash_factor);
                to_buffer(flash_scaled, [&] { mul_tiles(flash_sum[old], flash_factor, 0, 0, 0); });
                cb_pop_front(flash_sum[old], 1);
                cb_wait_front(flash_scaled, 1);
            }
            reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(flash_partial, flash_one, flash_sum[now]);
            to_buffer(flash_sum[now], [&] {
                if (!first) {
                    copy_init(flash_scaled);
                    copy_tile(flash_scaled, 0, 0);
                    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(flash_partial, flash_one, flash_sum[now]);
                }
                for (uint32_t c = 0; c < keys; ++c)
                    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(flash_partial, flash_one, c, 0, 0);
            });
            reduce_uninit();
            if (!first) cb_pop_front(flash_scaled, 1);
            // output = old output * factor + P V
            if (r == 0) cb_wait_front(flash_v, keys * width);
            if (!first) cb_wait_front(flash_acc[old], width);
            for (uint32_t w = 0; w < width; ++w) {
                to_buffer(flash_acc[now], [&] {
                    if (!first) {
                        mul_bcast_cols_init(flash_acc[old], flash_factor);
                        mul_tiles_bcast_cols(flash_acc[old], flash_factor, w, 0, 0);
                    }
                    matmul_init(flash_partial, flash_v);
                    for (uint32_t c = 0; c < keys; ++c) matmul_tiles(flash_partial, flash_v, c, c * width + w, 0);
                });
            }
            cb_pop_front(flash_partial, keys);
            if (!first) {
                cb_pop_front(flash_acc[old], width);
                cb_pop_front(flash_factor, 1);
            }
        }
        cb_pop_front(flash_k, keys * width);
        cb_pop_front(flash_v, keys * width);
    }
    const uint32_t last = blocks % 2;
    for (uint32_t r = 0; r < rows; ++r) {
        cb_wait_front(flash_sum[last], 1);
        copy_init(flash_sum[last]);
        recip_tile_init();
        to_buffer(flash_factor, [&] {
            copy_tile(flash_sum[last], 0, 0);
            recip_tile(0);
        });
        cb_wait_front(flash_factor, 1);
        cb_wait_front(flash_acc[last], width);
        mul_bcast_cols_init(flash_acc[last], flash_factor);
        for (uint32_t w = 0; w < width; ++w)
            to_buffer(flash_out, [&] { mul_tiles_bcast_cols(flash_acc[last], flash_factor, w, 0, 0); });
        cb_pop_front(flash_acc[last], width);
        cb_pop_front(flash_factor, 1);
        cb_pop_front(flash_sum[last], 1);
        cb_wait_front(flash_max[last], 1);
        cb_pop_front(flash_max[last], 1);
    }
    cb_pop_front(flash_q, rows * width);
    cb_pop_front(flash_one, 1);
}
