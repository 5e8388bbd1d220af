// Brings blocks of B to a column of cores, then writes the block of C.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_b = get_compile_time_arg_val(0);
    constexpr uint32_t cb_c = get_compile_time_arg_val(1);
    constexpr uint32_t rows = get_compile_time_arg_val(2);
    constexpr uint32_t columns = get_compile_time_arg_val(3);
    constexpr uint32_t depth = get_compile_time_arg_val(4);
    constexpr uint32_t blocks = get_compile_time_arg_val(5);
    constexpr uint32_t row_tiles = get_compile_time_arg_val(6); // tiles in a row of B and C
    constexpr uint32_t receivers = get_compile_time_arg_val(7);
    constexpr auto b_args = TensorAccessorArgs<8>();
    constexpr auto c_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();
    constexpr uint32_t block_tiles = depth * columns;

    const uint32_t b_address = get_arg_val<uint32_t>(0);
    const uint32_t c_address = get_arg_val<uint32_t>(1);
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t first_column = get_arg_val<uint32_t>(3);
    const uint32_t leads = get_arg_val<uint32_t>(4);
    const uint32_t leader_x = get_arg_val<uint32_t>(5);
    const uint32_t leader_y = get_arg_val<uint32_t>(6);
    const uint32_t x0 = get_arg_val<uint32_t>(7);
    const uint32_t y0 = get_arg_val<uint32_t>(8);
    const uint32_t x1 = get_arg_val<uint32_t>(9);
    const uint32_t y1 = get_arg_val<uint32_t>(10);

    const auto b = TensorAccessor(b_args, b_address);
    const auto c = TensorAccessor(c_args, c_address);
    constexpr uint32_t tile_bytes = get_tile_size(cb_b);
    const uint32_t ready_address = get_semaphore(2);
    const uint32_t valid_address = get_semaphore(3);
    auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_address);
    auto valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_address);

    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(cb_b, block_tiles);
        if (leads) {
            uint32_t at = get_write_ptr(cb_b);
            const uint32_t start = at;
            for (uint32_t k = 0; k < depth; ++k) {
                for (uint32_t n = 0; n < columns; ++n) {
                    noc_async_read_page((block * depth + k) * row_tiles + first_column + n, b, at);
                    at += tile_bytes;
                }
            }
            noc_async_read_barrier();
            if (receivers > 0) {
                noc_semaphore_wait(ready, receivers);
                noc_semaphore_set(ready, 0);
                noc_async_write_multicast(start, get_noc_multicast_addr(x0, y0, x1, y1, start), block_tiles * tile_bytes, receivers, true);
                noc_async_writes_flushed();
                noc_semaphore_set(valid, 1);
                noc_semaphore_set_multicast(valid_address, get_noc_multicast_addr(x0, y0, x1, y1, valid_address), receivers);
                noc_async_write_barrier();
            }
        } else {
            noc_semaphore_set(valid, 0);
            noc_semaphore_inc(get_noc_addr(leader_x, leader_y, ready_address), 1);
            noc_semaphore_wait(valid, 1);
        }
        cb_push_back(cb_b, block_tiles);
    }
    for (uint32_t r = 0; r < rows; ++r) {
        cb_wait_front(cb_c, columns);
        uint32_t at = get_read_ptr(cb_c);
        for (uint32_t n = 0; n < columns; ++n) {
            noc_async_write_page((first_row + r) * row_tiles + first_column + n, c, at);
            at += get_tile_size(cb_c);
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_c, columns);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
