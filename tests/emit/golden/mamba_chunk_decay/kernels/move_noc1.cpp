// chunk_decay_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_H=32, CHUNK=64.
// Plan: along y: chunk over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of a_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_a_ptr = 1;
    constexpr uint32_t pages_a_ptr = 1;  // 32 elements
    constexpr uint32_t page_bytes_a_ptr = 4096;  // fp32
    // store of decay_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_decay_ptr = 2;
    constexpr uint32_t pages_decay_ptr = 2;  // 1x32x64 elements
    constexpr uint32_t page_bytes_decay_ptr = 4096;  // fp32

    constexpr auto args_a_ptr = TensorAccessorArgs<0>();
    const auto dram_a_ptr = TensorAccessor(args_a_ptr, get_common_arg_val<uint32_t>(0), page_bytes_a_ptr);
    constexpr auto args_decay_ptr = TensorAccessorArgs<2>();
    const auto dram_decay_ptr = TensorAccessor(args_decay_ptr, get_common_arg_val<uint32_t>(1), page_bytes_decay_ptr);

    const int32_t core_chunk = get_arg_val<uint32_t>(0);

    const int32_t chunk = core_chunk;
    // a_ptr: load of 32 elements at (0) of a_ptr
    cb_reserve_back(cb_a_ptr, pages_a_ptr);
    {
        uint32_t at = get_write_ptr(cb_a_ptr);
        noc_async_read_page(0, dram_a_ptr, at);
    }
    noc_async_read_barrier();
    cb_push_back(cb_a_ptr, pages_a_ptr);
    // decay_ptr: store of 1x32x64 elements at (0, 0, 64 * chunk) of decay_ptr
    cb_wait_front(cb_decay_ptr, pages_decay_ptr);
    {
        uint32_t at = get_read_ptr(cb_decay_ptr);
        for (int32_t p2 = 0; p2 < 2; ++p2) {
            const int32_t i2 = 2 * chunk + p2;
            noc_async_write_page(i2, dram_decay_ptr, at);
            at += page_bytes_decay_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_decay_ptr, pages_decay_ptr);
    noc_async_write_barrier();
}
