// split_k_matmul_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, SPLIT_K=4.
// Plan: along x: part over 2 cores; along y: part over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of a_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_a_ptr = 0;
    constexpr uint32_t pages_a_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_a_ptr = 2048;  // bf16
    // load of b_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_b_ptr = 1;
    constexpr uint32_t pages_b_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_b_ptr = 2048;  // bf16

    constexpr auto args_a_ptr = TensorAccessorArgs<0>();
    const auto dram_a_ptr = TensorAccessor(args_a_ptr, get_common_arg_val<uint32_t>(0), page_bytes_a_ptr);
    constexpr auto args_b_ptr = TensorAccessorArgs<2>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(1), page_bytes_b_ptr);

    const int32_t core_part = get_arg_val<uint32_t>(0);

    const int32_t part = core_part;
    // a_ptr: load of 64x64 elements at (0, 64 * part) of a_ptr
    // b_ptr: load of 64x64 elements at (64 * part, 0) of b_ptr
    cb_reserve_back(cb_a_ptr, pages_a_ptr);
    cb_reserve_back(cb_b_ptr, pages_b_ptr);
    {
        uint32_t at = get_write_ptr(cb_a_ptr);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            for (int32_t p1 = 0; p1 < 2; ++p1) {
                const int32_t i1 = 2 * part + p1;
                noc_async_read_page(i0 * 8 + i1, dram_a_ptr, at);
                at += page_bytes_a_ptr;
            }
        }
    }
    {
        uint32_t at = get_write_ptr(cb_b_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * part + p0;
            for (int32_t i1 = 0; i1 < 2; ++i1) {
                noc_async_read_page(i0 * 2 + i1, dram_b_ptr, at);
                at += page_bytes_b_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_a_ptr, pages_a_ptr);
    cb_push_back(cb_b_ptr, pages_b_ptr);
}
