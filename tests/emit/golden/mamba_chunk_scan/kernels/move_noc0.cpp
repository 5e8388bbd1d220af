// chunk_scan_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=32, BLOCK_K=32.
// Plan: along x: tile over 2 cores; along y: head over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of c_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_c_ptr = 0;
    constexpr uint32_t pages_c_ptr = 2;  // 1x64x1x32 elements
    constexpr uint32_t page_bytes_c_ptr = 2048;  // bf16
    // load of state_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_state_ptr = 1;
    constexpr uint32_t pages_state_ptr = 1;  // 1x1x1x32x32 elements
    constexpr uint32_t page_bytes_state_ptr = 4096;  // fp32
    // load of b_ptr in loop k, double-buffered; every core reads its own
    constexpr uint32_t cb_b_ptr = 3;
    constexpr uint32_t pages_b_ptr = 1;  // 1x32x1x32 elements
    constexpr uint32_t page_bytes_b_ptr = 2048;  // bf16
    // load of dt_ptr in loop k, double-buffered; every core reads its own
    constexpr uint32_t cb_dt_ptr = 4;
    constexpr uint32_t pages_dt_ptr = 1;  // 1x32x1 elements
    constexpr uint32_t page_bytes_dt_ptr = 4096;  // fp32
    // load of x_ptr_2 once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr_2 = 7;
    constexpr uint32_t pages_x_ptr_2 = 2;  // 1x64x1x32 elements
    constexpr uint32_t page_bytes_x_ptr_2 = 2048;  // bf16

    constexpr auto args_c_ptr = TensorAccessorArgs<0>();
    const auto dram_c_ptr = TensorAccessor(args_c_ptr, get_common_arg_val<uint32_t>(0), page_bytes_c_ptr);
    constexpr auto args_state_ptr = TensorAccessorArgs<2>();
    const auto dram_state_ptr = TensorAccessor(args_state_ptr, get_common_arg_val<uint32_t>(1), page_bytes_state_ptr);
    constexpr auto args_b_ptr = TensorAccessorArgs<4>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(2), page_bytes_b_ptr);
    constexpr auto args_dt_ptr = TensorAccessorArgs<6>();
    const auto dram_dt_ptr = TensorAccessor(args_dt_ptr, get_common_arg_val<uint32_t>(3), page_bytes_dt_ptr);
    constexpr auto args_x_ptr = TensorAccessorArgs<8>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(4), page_bytes_x_ptr_2);

    const int32_t core_tile = get_arg_val<uint32_t>(0);
    const int32_t core_head = get_arg_val<uint32_t>(1);

    const int32_t tile = core_tile;
    const int32_t head = core_head;
    // c_ptr: load of 1x64x1x32 elements at (0, 64 * tile, 0, 0) of c_ptr
    // state_ptr: load of 1x1x1x32x32 elements at (0, 0, head, 0, 0) of state_ptr
    // x_ptr_2: load of 1x64x1x32 elements at (0, 64 * tile, head, 0) of x_ptr
    cb_reserve_back(cb_c_ptr, pages_c_ptr);
    cb_reserve_back(cb_state_ptr, pages_state_ptr);
    cb_reserve_back(cb_x_ptr_2, pages_x_ptr_2);
    {
        uint32_t at = get_write_ptr(cb_c_ptr);
        for (int32_t p1 = 0; p1 < 2; ++p1) {
            const int32_t i1 = 2 * tile + p1;
            noc_async_read_page(i1, dram_c_ptr, at);
            at += page_bytes_c_ptr;
        }
    }
    {
        uint32_t at = get_write_ptr(cb_state_ptr);
        const int32_t i2 = head;
        noc_async_read_page(i2, dram_state_ptr, at);
    }
    {
        uint32_t at = get_write_ptr(cb_x_ptr_2);
        for (int32_t p1 = 0; p1 < 2; ++p1) {
            const int32_t i1 = 2 * tile + p1;
            const int32_t i2 = head;
            noc_async_read_page(i2 * 4 + i1, dram_x_ptr, at);
            at += page_bytes_x_ptr_2;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_c_ptr, pages_c_ptr);
    cb_push_back(cb_state_ptr, pages_state_ptr);
    cb_push_back(cb_x_ptr_2, pages_x_ptr_2);
    for (int32_t k = 0; k < 4; ++k) {  // loop k of the kernel
        // b_ptr: load of 1x32x1x32 elements at (0, 32 * k, 0, 0) of b_ptr
        // dt_ptr: load of 1x32x1 elements at (0, 32 * k, head) of dt_ptr
        cb_reserve_back(cb_b_ptr, pages_b_ptr);
        cb_reserve_back(cb_dt_ptr, pages_dt_ptr);
        {
            uint32_t at = get_write_ptr(cb_b_ptr);
            const int32_t i1 = k;
            noc_async_read_page(i1, dram_b_ptr, at);
        }
        {
            uint32_t at = get_write_ptr(cb_dt_ptr);
            const int32_t i1 = k;
            const int32_t i2 = head;
            noc_async_read_page(i2 * 4 + i1, dram_dt_ptr, at);
        }
        noc_async_read_barrier();
        cb_push_back(cb_b_ptr, pages_b_ptr);
        cb_push_back(cb_dt_ptr, pages_dt_ptr);
    }
}
