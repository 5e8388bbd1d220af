// add_gelu_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK=2048.
// Plan: along y: pid over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of r_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_r_ptr = 1;
    constexpr uint32_t pages_r_ptr = 2;  // 2048 elements
    constexpr uint32_t page_bytes_r_ptr = 2048;  // bf16
    // store of y_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_y_ptr = 2;
    constexpr uint32_t pages_y_ptr = 2;  // 2048 elements
    constexpr uint32_t page_bytes_y_ptr = 2048;  // bf16

    constexpr auto args_r_ptr = TensorAccessorArgs<0>();
    const auto dram_r_ptr = TensorAccessor(args_r_ptr, get_common_arg_val<uint32_t>(0), page_bytes_r_ptr);
    constexpr auto args_y_ptr = TensorAccessorArgs<2>();
    const auto dram_y_ptr = TensorAccessor(args_y_ptr, get_common_arg_val<uint32_t>(1), page_bytes_y_ptr);

    const int32_t core_pid = get_arg_val<uint32_t>(0);

    const int32_t pid = core_pid;
    // r_ptr: load of 2048 elements at (2048 * pid) of r_ptr
    cb_reserve_back(cb_r_ptr, pages_r_ptr);
    {
        uint32_t at = get_write_ptr(cb_r_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * pid + p0;
            noc_async_read_page(i0, dram_r_ptr, at);
            at += page_bytes_r_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_r_ptr, pages_r_ptr);
    // y_ptr: store of 2048 elements at (2048 * pid) of y_ptr
    cb_wait_front(cb_y_ptr, pages_y_ptr);
    {
        uint32_t at = get_read_ptr(cb_y_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * pid + p0;
            noc_async_write_page(i0, dram_y_ptr, at);
            at += page_bytes_y_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_y_ptr, pages_y_ptr);
    noc_async_write_barrier();
}
