// bmm_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: batch over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of b_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_b_ptr = 1;
    constexpr uint32_t pages_b_ptr = 4;  // 2 tiles (2 of k) of 1x32x64 elements
    constexpr uint32_t page_bytes_b_ptr = 2048;  // bf16
    // store of c_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_c_ptr = 2;
    constexpr uint32_t pages_c_ptr = 4;  // 1x64x64 elements
    constexpr uint32_t page_bytes_c_ptr = 2048;  // bf16

    constexpr auto args_b_ptr = TensorAccessorArgs<0>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(0), page_bytes_b_ptr);
    constexpr auto args_c_ptr = TensorAccessorArgs<2>();
    const auto dram_c_ptr = TensorAccessor(args_c_ptr, get_common_arg_val<uint32_t>(1), page_bytes_c_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);

    const int32_t batch = core_batch;
    // b_ptr: load of 1x32x64 elements at (batch, 32 * k, 0) of b_ptr
    cb_reserve_back(cb_b_ptr, pages_b_ptr);
    {
        uint32_t at = get_write_ptr(cb_b_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            const int32_t i0 = batch;
            const int32_t i1 = k;
            for (int32_t i2 = 0; i2 < 2; ++i2) {
                noc_async_read_page((i0 * 2 + i1) * 2 + i2, dram_b_ptr, at);
                at += page_bytes_b_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_b_ptr, pages_b_ptr);
    // c_ptr: store of 1x64x64 elements at (batch, 0, 0) of c_ptr
    cb_wait_front(cb_c_ptr, pages_c_ptr);
    {
        uint32_t at = get_read_ptr(cb_c_ptr);
        const int32_t i0 = batch;
        for (int32_t i1 = 0; i1 < 2; ++i1) {
            for (int32_t i2 = 0; i2 < 2; ++i2) {
                noc_async_write_page((i0 * 2 + i1) * 2 + i2, dram_c_ptr, at);
                at += page_bytes_c_ptr;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_c_ptr, pages_c_ptr);
    noc_async_write_barrier();
}
