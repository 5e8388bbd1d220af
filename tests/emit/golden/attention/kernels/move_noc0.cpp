// attention_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: block over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of q_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_q_ptr = 0;
    constexpr uint32_t pages_q_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_q_ptr = 2048;  // bf16
    // load of k_ptr in loop start, double-buffered; every core reads its own
    constexpr uint32_t cb_k_ptr = 1;
    constexpr uint32_t pages_k_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_k_ptr = 2048;  // bf16

    constexpr auto args_q_ptr = TensorAccessorArgs<0>();
    const auto dram_q_ptr = TensorAccessor(args_q_ptr, get_common_arg_val<uint32_t>(0), page_bytes_q_ptr);
    constexpr auto args_k_ptr = TensorAccessorArgs<2>();
    const auto dram_k_ptr = TensorAccessor(args_k_ptr, get_common_arg_val<uint32_t>(1), page_bytes_k_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_block = get_arg_val<uint32_t>(1);

    const int32_t batch = core_batch;
    const int32_t block = core_block;
    // q_ptr: load of 1x1x64x64 elements at (0, batch, 64 * block, 0) of q_ptr
    cb_reserve_back(cb_q_ptr, pages_q_ptr);
    {
        uint32_t at = get_write_ptr(cb_q_ptr);
        const int32_t i1 = batch;
        for (int32_t p2 = 0; p2 < 2; ++p2) {
            const int32_t i2 = 2 * block + p2;
            for (int32_t i3 = 0; i3 < 2; ++i3) {
                noc_async_read_page((i1 * 4 + i2) * 2 + i3, dram_q_ptr, at);
                at += page_bytes_q_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_q_ptr, pages_q_ptr);
    for (int32_t start = 0; start < 2; ++start) {  // loop start of the kernel
        // k_ptr: load of 1x1x64x64 elements at (0, batch, 64 * start, 0) of k_ptr
        cb_reserve_back(cb_k_ptr, pages_k_ptr);
        {
            uint32_t at = get_write_ptr(cb_k_ptr);
            const int32_t i1 = batch;
            for (int32_t p2 = 0; p2 < 2; ++p2) {
                const int32_t i2 = 2 * start + p2;
                for (int32_t i3 = 0; i3 < 2; ++i3) {
                    noc_async_read_page((i1 * 4 + i2) * 2 + i3, dram_k_ptr, at);
                    at += page_bytes_k_ptr;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_k_ptr, pages_k_ptr);
    }
}
