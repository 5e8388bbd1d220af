// Brings blocks of A to a row of cores: the leader reads DRAM and multicasts along the row.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t rows = get_compile_time_arg_val(1);      // tiles of a block
    constexpr uint32_t depth = get_compile_time_arg_val(2);
    constexpr uint32_t blocks = get_compile_time_arg_val(3);
    constexpr uint32_t row_tiles = get_compile_time_arg_val(4); // tiles in a row of A
    constexpr uint32_t receivers = get_compile_time_arg_val(5);
    constexpr auto a_args = TensorAccessorArgs<6>();
    constexpr uint32_t block_tiles = rows * depth;

    const uint32_t a_address = get_arg_val<uint32_t>(0);
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t leads = get_arg_val<uint32_t>(2);
    const uint32_t leader_x = get_arg_val<uint32_t>(3);
    const uint32_t leader_y = get_arg_val<uint32_t>(4);
    const uint32_t x0 = get_arg_val<uint32_t>(5);
    const uint32_t y0 = get_arg_val<uint32_t>(6);
    const uint32_t x1 = get_arg_val<uint32_t>(7);
    const uint32_t y1 = get_arg_val<uint32_t>(8);

    const auto a = TensorAccessor(a_args, a_address);
    constexpr uint32_t tile_bytes = get_tile_size(cb_a);
    const uint32_t ready_address = get_semaphore(0);
    const uint32_t valid_address = get_semaphore(1);
    auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_address);
    auto valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_address);

    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(cb_a, block_tiles);
        if (leads) {
            uint32_t at = get_write_ptr(cb_a);
            const uint32_t start = at;
            for (uint32_t r = 0; r < rows; ++r) {
                for (uint32_t k = 0; k < depth; ++k) {
                    noc_async_read_page((first_row + r) * row_tiles + block * depth + k, a, at);
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
        cb_push_back(cb_a, block_tiles);
    }
    noc_async_atomic_barrier();
}
