// rms_norm_residual_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_ROWS=32, BLOCK_COLUMNS=128.
// Plan: along y: row over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 0;
    constexpr uint32_t pages_x_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16
    // load of r_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_r_ptr = 1;
    constexpr uint32_t pages_r_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_r_ptr = 2048;  // bf16
    // store of h_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_h_ptr = 2;
    constexpr uint32_t pages_h_ptr = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_h_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);
    constexpr auto args_r_ptr = TensorAccessorArgs<2>();
    const auto dram_r_ptr = TensorAccessor(args_r_ptr, get_common_arg_val<uint32_t>(1), page_bytes_r_ptr);
    constexpr auto args_h_ptr = TensorAccessorArgs<4>();
    const auto dram_h_ptr = TensorAccessor(args_h_ptr, get_common_arg_val<uint32_t>(2), page_bytes_h_ptr);

    const int32_t core_row = get_arg_val<uint32_t>(0);

    const int32_t row = core_row;
    // x_ptr: load of 32x128 elements at (32 * row, 0) of x_ptr
    // r_ptr: load of 32x128 elements at (32 * row, 0) of r_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    cb_reserve_back(cb_r_ptr, pages_r_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        const int32_t i0 = row;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_read_page(i0 * 4 + i1, dram_x_ptr, at);
            at += page_bytes_x_ptr;
        }
    }
    {
        uint32_t at = get_write_ptr(cb_r_ptr);
        const int32_t i0 = row;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_read_page(i0 * 4 + i1, dram_r_ptr, at);
            at += page_bytes_r_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
    cb_push_back(cb_r_ptr, pages_r_ptr);
    // h_ptr: store of 32x128 elements at (32 * row, 0) of h_ptr
    cb_wait_front(cb_h_ptr, pages_h_ptr);
    {
        uint32_t at = get_read_ptr(cb_h_ptr);
        const int32_t i0 = row;
        for (int32_t i1 = 0; i1 < 4; ++i1) {
            noc_async_write_page(i0 * 4 + i1, dram_h_ptr, at);
            at += page_bytes_h_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_h_ptr, pages_h_ptr);
    noc_async_write_barrier();
}
