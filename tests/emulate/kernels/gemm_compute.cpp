// C block = sum over K blocks of A block x B block; partial sums live in a buffer of their own between blocks.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_partial = get_compile_time_arg_val(2);
    constexpr uint32_t cb_c = get_compile_time_arg_val(3);
    constexpr uint32_t rows = get_compile_time_arg_val(4);
    constexpr uint32_t columns = get_compile_time_arg_val(5);
    constexpr uint32_t depth = get_compile_time_arg_val(6);
    constexpr uint32_t blocks = get_compile_time_arg_val(7);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_c);
    for (uint32_t block = 0; block < blocks; ++block) {
        const bool last = block == blocks - 1;
        cb_wait_front(cb_a, rows * depth);
        cb_wait_front(cb_b, depth * columns);
        for (uint32_t r = 0; r < rows; ++r) {
            tile_regs_acquire();
            if (block > 0) {
                reconfig_data_format_srca(cb_b, cb_partial);
                copy_init(cb_partial);
                cb_wait_front(cb_partial, columns);
                for (uint32_t n = 0; n < columns; ++n) copy_tile(cb_partial, n, n);
                cb_pop_front(cb_partial, columns);
                reconfig_data_format_srca(cb_partial, cb_b);
            }
            matmul_block_init(cb_a, cb_b, 0, columns, 1, depth);
            for (uint32_t k = 0; k < depth; ++k)
                matmul_block(cb_a, cb_b, r * depth + k, k * columns, 0, 0, columns, 1, depth);
            tile_regs_commit();
            tile_regs_wait();
            const uint32_t cb_out = last ? cb_c : cb_partial;
            pack_reconfig_data_format(cb_out);
            cb_reserve_back(cb_out, columns);
            for (uint32_t n = 0; n < columns; ++n) pack_tile(n, cb_out);
            cb_push_back(cb_out, columns);
            tile_regs_release();
        }
        cb_pop_front(cb_a, rows * depth);
        cb_pop_front(cb_b, depth * columns);
    }
}
