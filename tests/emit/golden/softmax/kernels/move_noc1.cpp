// softmax_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_ROWS=32.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // store of y_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_y_ptr = 1;
    constexpr uint32_t pages_y_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_y_ptr = 2048;  // bf16

    constexpr auto args_y_ptr = TensorAccessorArgs<0>();
    const auto dram_y_ptr = TensorAccessor(args_y_ptr, get_common_arg_val<uint32_t>(0), page_bytes_y_ptr);

    const int32_t core_row = get_arg_val<uint32_t>(0);

    const int32_t row = core_row;
    // y_ptr: store of 32x128 elements at (32 * row, 0) of y_ptr
    cb_wait_front(cb_y_ptr, pages_y_ptr);
    {
        uint32_t at = get_read_ptr(cb_y_ptr);
        const int32_t i0 = row;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_write_page(i0 * 4 + i1, dram_y_ptr, at);
            at += page_bytes_y_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_y_ptr, pages_y_ptr);
    noc_async_write_barrier();
}
