// swiglu_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=128.
// Plan: along y: offs_m over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of x_ptr_2 once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr_2 = 1;
    constexpr uint32_t pages_x_ptr_2 = 4;  // 32x1x128 elements
    constexpr uint32_t page_bytes_x_ptr_2 = 2048;  // bf16
    // store of y_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_y_ptr = 2;
    constexpr uint32_t pages_y_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_y_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr_2);
    constexpr auto args_y_ptr = TensorAccessorArgs<2>();
    const auto dram_y_ptr = TensorAccessor(args_y_ptr, get_common_arg_val<uint32_t>(1), page_bytes_y_ptr);

    const int32_t core_offs_m = get_arg_val<uint32_t>(0);

    const int32_t offs_m = core_offs_m;
    // x_ptr_2: load of 32x1x128 elements at (32 * offs_m, 1, 0) of x_ptr
    cb_reserve_back(cb_x_ptr_2, pages_x_ptr_2);
    {
        uint32_t at = get_write_ptr(cb_x_ptr_2);
        const int32_t i0 = offs_m;
        const int32_t i1 = 1;
        for (int32_t i2 = 0; i2 < 4; ++i2) {
            noc_async_read_page((i1 * 2 + i0) * 4 + i2, dram_x_ptr, at);
            at += page_bytes_x_ptr_2;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr_2, pages_x_ptr_2);
    // y_ptr: store of 32x128 elements at (32 * offs_m, 0) of y_ptr
    cb_wait_front(cb_y_ptr, pages_y_ptr);
    {
        uint32_t at = get_read_ptr(cb_y_ptr);
        const int32_t i0 = offs_m;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_write_page(i0 * 4 + i1, dram_y_ptr, at);
            at += page_bytes_y_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_y_ptr, pages_y_ptr);
    noc_async_write_barrier();
}
