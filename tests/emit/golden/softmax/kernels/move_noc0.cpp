// softmax_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_ROWS=32.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 0;
    constexpr uint32_t pages_x_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);

    const int32_t core_row = get_arg_val<uint32_t>(0);

    const int32_t row = core_row;
    // x_ptr: load of 32x128 elements at (32 * row, 0) of x_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        const int32_t i0 = row;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_read_page(i0 * 4 + i1, dram_x_ptr, at);
            at += page_bytes_x_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
}
