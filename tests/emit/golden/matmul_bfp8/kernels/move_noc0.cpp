// matmul_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
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
    // load of a_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_a_ptr = 0;
    constexpr uint32_t pages_a_ptr = 8;  // 2 tiles (2 of k) of 64x64 elements
    constexpr uint32_t page_bytes_a_ptr = 1088;  // bfp8_b

    constexpr auto args_a_ptr = TensorAccessorArgs<0>();
    const auto dram_a_ptr = TensorAccessor(args_a_ptr, get_common_arg_val<uint32_t>(0), page_bytes_a_ptr);

    const int32_t core_pid_m = get_arg_val<uint32_t>(0);

    const int32_t pid_m = core_pid_m;
    // a_ptr: load of 64x64 elements at (64 * pid_m, 64 * k) of a_ptr
    cb_reserve_back(cb_a_ptr, pages_a_ptr);
    {
        uint32_t at = get_write_ptr(cb_a_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            for (int32_t p0 = 0; p0 < 2; ++p0) {
                const int32_t i0 = 2 * pid_m + p0;
                for (int32_t p1 = 0; p1 < 2; ++p1) {
                    const int32_t i1 = 2 * k + p1;
                    if (i0 < 3 && i1 < 3) {
                        noc_async_read_page(i0 * 3 + i1, dram_a_ptr, at);
                    } else {
                        plan::clear(at, page_bytes_a_ptr);  // beyond the tensor
                    }
                    at += page_bytes_a_ptr;
                }
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_a_ptr, pages_a_ptr);
}
