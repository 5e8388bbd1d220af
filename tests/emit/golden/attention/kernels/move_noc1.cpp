// attention_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: block over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of v_ptr in loop start, double-buffered; every core reads its own
    constexpr uint32_t cb_v_ptr = 2;
    constexpr uint32_t pages_v_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_v_ptr = 2048;  // bf16
    // store of o_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_o_ptr = 3;
    constexpr uint32_t pages_o_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_o_ptr = 2048;  // bf16

    constexpr auto args_v_ptr = TensorAccessorArgs<0>();
    const auto dram_v_ptr = TensorAccessor(args_v_ptr, get_common_arg_val<uint32_t>(0), page_bytes_v_ptr);
    constexpr auto args_o_ptr = TensorAccessorArgs<2>();
    const auto dram_o_ptr = TensorAccessor(args_o_ptr, get_common_arg_val<uint32_t>(1), page_bytes_o_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_block = get_arg_val<uint32_t>(1);

    const int32_t batch = core_batch;
    const int32_t block = core_block;
    for (int32_t start = 0; start < 2; ++start) {  // loop start of the kernel
        // v_ptr: load of 1x1x64x64 elements at (0, batch, 64 * start, 0) of v_ptr
        cb_reserve_back(cb_v_ptr, pages_v_ptr);
        {
            uint32_t at = get_write_ptr(cb_v_ptr);
            const int32_t i1 = batch;
            for (int32_t p2 = 0; p2 < 2; ++p2) {
                const int32_t i2 = 2 * start + p2;
                for (int32_t i3 = 0; i3 < 2; ++i3) {
                    noc_async_read_page((i1 * 4 + i2) * 2 + i3, dram_v_ptr, at);
                    at += page_bytes_v_ptr;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_v_ptr, pages_v_ptr);
    }
    // o_ptr: store of 1x1x64x64 elements at (0, batch, 64 * block, 0) of o_ptr
    cb_wait_front(cb_o_ptr, pages_o_ptr);
    {
        uint32_t at = get_read_ptr(cb_o_ptr);
        const int32_t i1 = batch;
        for (int32_t p2 = 0; p2 < 2; ++p2) {
            const int32_t i2 = 2 * block + p2;
            for (int32_t i3 = 0; i3 < 2; ++i3) {
                noc_async_write_page((i1 * 4 + i2) * 2 + i3, dram_o_ptr, at);
                at += page_bytes_o_ptr;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_o_ptr, pages_o_ptr);
    noc_async_write_barrier();
}
