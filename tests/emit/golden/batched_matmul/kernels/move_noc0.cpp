// bmm_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: batch over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of a_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_a_ptr = 0;
    constexpr uint32_t pages_a_ptr = 4;  // 2 tiles (2 of k) of 1x64x32 elements
    constexpr uint32_t page_bytes_a_ptr = 2048;  // bf16

    constexpr auto args_a_ptr = TensorAccessorArgs<0>();
    const auto dram_a_ptr = TensorAccessor(args_a_ptr, get_common_arg_val<uint32_t>(0), page_bytes_a_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);

    const int32_t batch = core_batch;
    // a_ptr: load of 1x64x32 elements at (batch, 0, 32 * k) of a_ptr
    cb_reserve_back(cb_a_ptr, pages_a_ptr);
    {
        uint32_t at = get_write_ptr(cb_a_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            const int32_t i0 = batch;
            for (int32_t i1 = 0; i1 < 2; ++i1) {
                const int32_t i2 = k;
                noc_async_read_page((i0 * 2 + i1) * 2 + i2, dram_a_ptr, at);
                at += page_bytes_a_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_a_ptr, pages_a_ptr);
}
