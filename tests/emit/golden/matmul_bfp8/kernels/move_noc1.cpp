// matmul_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8.
// Plan: along x: pid_m over 2 cores; along y: pid_n over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

namespace plan {

// Sets all of a page to zeros, which are zeros in a block format as well.
FORCE_INLINE void clear(uint32_t page, uint32_t bytes) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);
    for (uint32_t i = 0; i < bytes / 4; ++i) {
        words[i] = 0;
    }
}

}  // namespace plan

void kernel_main() {
    // load of b_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_b_ptr = 1;
    constexpr uint32_t pages_b_ptr = 8;  // 2 tiles (2 of k) of 64x64 elements
    constexpr uint32_t page_bytes_b_ptr = 1088;  // bfp8_b
    // store of c_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_c_ptr = 2;
    constexpr uint32_t pages_c_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_c_ptr = 2048;  // bf16

    constexpr auto args_b_ptr = TensorAccessorArgs<0>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(0), page_bytes_b_ptr);
    constexpr auto args_c_ptr = TensorAccessorArgs<2>();
    const auto dram_c_ptr = TensorAccessor(args_c_ptr, get_common_arg_val<uint32_t>(1), page_bytes_c_ptr);

    const int32_t core_pid_m = get_arg_val<uint32_t>(0);
    const int32_t core_pid_n = get_arg_val<uint32_t>(1);

    const int32_t pid_m = core_pid_m;
    const int32_t pid_n = core_pid_n;
    // b_ptr: load of 64x64 elements at (64 * k, 64 * pid_n) of b_ptr
    cb_reserve_back(cb_b_ptr, pages_b_ptr);
    {
        uint32_t at = get_write_ptr(cb_b_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            for (int32_t p0 = 0; p0 < 2; ++p0) {
                const int32_t i0 = 2 * k + p0;
                for (int32_t p1 = 0; p1 < 2; ++p1) {
                    const int32_t i1 = 2 * pid_n + p1;
                    if (i0 < 3) {
                        noc_async_read_page(i0 * 4 + i1, dram_b_ptr, at);
                    } else {
                        plan::clear(at, page_bytes_b_ptr);  // beyond the tensor
                    }
                    at += page_bytes_b_ptr;
                }
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_b_ptr, pages_b_ptr);
    // c_ptr: store of 64x64 elements at (64 * pid_m, 64 * pid_n) of c_ptr
    cb_wait_front(cb_c_ptr, pages_c_ptr);
    {
        uint32_t at = get_read_ptr(cb_c_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * pid_m + p0;
            for (int32_t p1 = 0; p1 < 2; ++p1) {
                const int32_t i1 = 2 * pid_n + p1;
                if (i0 < 3) {  // inside the tensor
                    noc_async_write_page(i0 * 4 + i1, dram_c_ptr, at);
                }
                at += page_bytes_c_ptr;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_c_ptr, pages_c_ptr);
    noc_async_write_barrier();
}
