// matmul_bias_gelu on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: tile_m=32, tile_n=32, tile_k=64.
// Plan: along x: pid_0 over 2 cores; along y: pid_1 over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of a once, single-buffered; every core reads its own
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t pages_a = 2;  // 32x64 elements
    constexpr uint32_t page_bytes_a = 2048;  // bf16
    // load of bias once, single-buffered; every core reads its own
    constexpr uint32_t cb_bias = 2;
    constexpr uint32_t pages_bias = 1;  // 32 elements
    constexpr uint32_t page_bytes_bias = 2048;  // bf16

    constexpr auto args_a = TensorAccessorArgs<0>();
    const auto dram_a = TensorAccessor(args_a, get_common_arg_val<uint32_t>(0), page_bytes_a);
    constexpr auto args_bias = TensorAccessorArgs<2>();
    const auto dram_bias = TensorAccessor(args_bias, get_common_arg_val<uint32_t>(1), page_bytes_bias);

    const int32_t core_pid_0 = get_arg_val<uint32_t>(0);
    const int32_t core_pid_1 = get_arg_val<uint32_t>(1);

    const int32_t pid_0 = core_pid_0;
    const int32_t pid_1 = core_pid_1;
    // a: load of 32x64 elements at (32 * pid_0, 0) of a
    // bias: load of 32 elements at (32 * pid_1) of bias
    cb_reserve_back(cb_a, pages_a);
    cb_reserve_back(cb_bias, pages_bias);
    {
        uint32_t at = get_write_ptr(cb_a);
        const int32_t i0 = pid_0;
        for (int32_t i1 = 0; i1 < 2; ++i1) {
            noc_async_read_page(i0 * 2 + i1, dram_a, at);
            at += page_bytes_a;
        }
    }
    {
        uint32_t at = get_write_ptr(cb_bias);
        const int32_t i0 = pid_1;
        noc_async_read_page(i0, dram_bias, at);
    }
    noc_async_read_barrier();
    cb_push_back(cb_a, pages_a);
    cb_push_back(cb_bias, pages_bias);
}
