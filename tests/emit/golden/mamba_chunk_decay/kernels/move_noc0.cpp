// chunk_decay_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_H=32, CHUNK=64.
// Plan: along y: chunk over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of dt_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_dt_ptr = 0;
    constexpr uint32_t pages_dt_ptr = 2;  // 1x64x32 elements
    constexpr uint32_t page_bytes_dt_ptr = 4096;  // fp32

    constexpr auto args_dt_ptr = TensorAccessorArgs<0>();
    const auto dram_dt_ptr = TensorAccessor(args_dt_ptr, get_common_arg_val<uint32_t>(0), page_bytes_dt_ptr);

    const int32_t core_chunk = get_arg_val<uint32_t>(0);

    const int32_t chunk = core_chunk;
    // dt_ptr: load of 1x64x32 elements at (0, 64 * chunk, 0) of dt_ptr
    cb_reserve_back(cb_dt_ptr, pages_dt_ptr);
    {
        uint32_t at = get_write_ptr(cb_dt_ptr);
        for (int32_t p1 = 0; p1 < 2; ++p1) {
            const int32_t i1 = 2 * chunk + p1;
            noc_async_read_page(i1, dram_dt_ptr, at);
            at += page_bytes_dt_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_dt_ptr, pages_dt_ptr);
}
