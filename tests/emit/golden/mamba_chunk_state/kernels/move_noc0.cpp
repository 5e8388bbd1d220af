// chunk_state_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: head over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of decay_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_decay_ptr = 0;
    constexpr uint32_t pages_decay_ptr = 1;  // 1x1x1 element
    constexpr uint32_t page_bytes_decay_ptr = 4096;  // fp32
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 1;
    constexpr uint32_t pages_x_ptr = 2;  // 2 tiles (2 of k) of 1x32x1x32 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16
    // load of dt_ptr in loop k, double-buffered; every core reads its own
    constexpr uint32_t cb_dt_ptr = 3;
    constexpr uint32_t pages_dt_ptr = 1;  // 1x32x1 elements
    constexpr uint32_t page_bytes_dt_ptr = 4096;  // fp32

    constexpr auto args_decay_ptr = TensorAccessorArgs<0>();
    const auto dram_decay_ptr = TensorAccessor(args_decay_ptr, get_common_arg_val<uint32_t>(0), page_bytes_decay_ptr);
    constexpr auto args_x_ptr = TensorAccessorArgs<2>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(1), page_bytes_x_ptr);
    constexpr auto args_dt_ptr = TensorAccessorArgs<4>();
    const auto dram_dt_ptr = TensorAccessor(args_dt_ptr, get_common_arg_val<uint32_t>(2), page_bytes_dt_ptr);

    const int32_t core_head = get_arg_val<uint32_t>(0);
    const int32_t core_batch = get_arg_val<uint32_t>(1);

    const int32_t batch = core_batch;
    const int32_t head = core_head;
    // decay_ptr: load of 1x1x1 element at (0, head, 64 * batch + 63) of decay_ptr
    // x_ptr: load of 1x32x1x32 elements at (0, 64 * batch + 32 * k, head, 0) of x_ptr
    cb_reserve_back(cb_decay_ptr, pages_decay_ptr);
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    {
        uint32_t at = get_write_ptr(cb_decay_ptr);
        const int32_t i1 = head;
        const int32_t i2 = 64 * batch + 63;
        noc_async_read_page(i1 * 128 + i2, dram_decay_ptr, at);
    }
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            const int32_t i1 = 2 * batch + k;
            const int32_t i2 = head;
            noc_async_read_page(i2 * 4 + i1, dram_x_ptr, at);
            at += page_bytes_x_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_decay_ptr, pages_decay_ptr);
    cb_push_back(cb_x_ptr, pages_x_ptr);
    for (int32_t k = 0; k < 2; ++k) {  // loop k of the kernel
        // dt_ptr: load of 1x32x1 elements at (0, 64 * batch + 32 * k, head) of dt_ptr
        cb_reserve_back(cb_dt_ptr, pages_dt_ptr);
        {
            uint32_t at = get_write_ptr(cb_dt_ptr);
            const int32_t i1 = 2 * batch + k;
            const int32_t i2 = head;
            noc_async_read_page(i2 * 4 + i1, dram_dt_ptr, at);
        }
        noc_async_read_barrier();
        cb_push_back(cb_dt_ptr, pages_dt_ptr);
    }
}
