// add_gelu_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK=2048.
// Plan: along y: pid over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 0;
    constexpr uint32_t pages_x_ptr = 2;  // 2048 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);

    const int32_t core_pid = get_arg_val<uint32_t>(0);

    const int32_t pid = core_pid;
    // x_ptr: load of 2048 elements at (2048 * pid) of x_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * pid + p0;
            noc_async_read_page(i0, dram_x_ptr, at);
            at += page_bytes_x_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
}
