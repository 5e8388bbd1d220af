// swiglu_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=128.
// Plan: along y: offs_m over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 0;
    constexpr uint32_t pages_x_ptr = 4;  // 32x1x128 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);

    const int32_t core_offs_m = get_arg_val<uint32_t>(0);

    const int32_t offs_m = core_offs_m;
    // x_ptr: load of 32x1x128 elements at (32 * offs_m, 0, 0) of x_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        const int32_t i0 = offs_m;
        const int32_t i1 = 0;
        for (int32_t i2 = 0; i2 < 4; ++i2) {
            noc_async_read_page((i1 * 2 + i0) * 4 + i2, dram_x_ptr, at);
            at += page_bytes_x_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
}
