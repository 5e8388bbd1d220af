// decode_combine_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_P=2, DIM=64.
// Plan: along x: batch over 2 cores; along y: head over 2 cores; waves: head.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of lse_ptr in every wave of head, double-buffered; every core reads its own
    constexpr uint32_t cb_lse_ptr = 0;
    constexpr uint32_t pages_lse_ptr = 1;  // 1x1x2 elements
    constexpr uint32_t page_bytes_lse_ptr = 4096;  // fp32
    // store of o_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_o_ptr = 2;
    constexpr uint32_t pages_o_ptr = 8;  // 4 tiles (4 of head) of 1x1x64 elements
    constexpr uint32_t page_bytes_o_ptr = 2048;  // bf16

    constexpr auto args_lse_ptr = TensorAccessorArgs<0>();
    const auto dram_lse_ptr = TensorAccessor(args_lse_ptr, get_common_arg_val<uint32_t>(0), page_bytes_lse_ptr);
    constexpr auto args_o_ptr = TensorAccessorArgs<2>();
    const auto dram_o_ptr = TensorAccessor(args_o_ptr, get_common_arg_val<uint32_t>(1), page_bytes_o_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_head = get_arg_val<uint32_t>(1);

    const int32_t batch = core_batch;
    for (int32_t wave_head = 0; wave_head < 4; ++wave_head) {  // waves of head
        const int32_t head = core_head + 2 * wave_head;
        // lse_ptr: load of 1x1x2 elements at (batch, head, 0) of lse_ptr
        cb_reserve_back(cb_lse_ptr, pages_lse_ptr);
        {
            uint32_t at = get_write_ptr(cb_lse_ptr);
            const int32_t i0 = batch;
            const int32_t i1 = head;
            noc_async_read_page(i0 * 8 + i1, dram_lse_ptr, at);
        }
        noc_async_read_barrier();
        cb_push_back(cb_lse_ptr, pages_lse_ptr);
    }
    // o_ptr: store of 1x1x64 elements at (batch, head, 0) of o_ptr
    cb_wait_front(cb_o_ptr, pages_o_ptr);
    {
        uint32_t at = get_read_ptr(cb_o_ptr);
        for (int32_t next_head = 0; next_head < 4; ++next_head) {  // all tiles of the block
            const int32_t head = core_head + 2 * next_head;
            const int32_t i0 = batch;
            const int32_t i1 = head;
            for (int32_t i2 = 0; i2 < 2; ++i2) {
                noc_async_write_page((i0 * 8 + i1) * 2 + i2, dram_o_ptr, at);
                at += page_bytes_o_ptr;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_o_ptr, pages_o_ptr);
    noc_async_write_barrier();
}
