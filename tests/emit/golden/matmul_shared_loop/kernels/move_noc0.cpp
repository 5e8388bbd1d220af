// matmul_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8.
// Plan: along x: k over 2 cores; along y: k over 2 cores; loop k combined in a ring over NoC 1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

namespace plan {

// Sets all of a hardware tile.
template <typename Word>
FORCE_INLINE void fill(uint32_t page, Word value) {
    auto* elements = reinterpret_cast<volatile tt_l1_ptr Word*>(page);
    for (uint32_t i = 0; i < 1024; ++i) {
        elements[i] = value;
    }
}

}  // namespace plan

void kernel_main() {
    // load of a_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_a_ptr = 0;
    constexpr uint32_t pages_a_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_a_ptr = 2048;  // bf16

    constexpr auto args_a_ptr = TensorAccessorArgs<0>();
    const auto dram_a_ptr = TensorAccessor(args_a_ptr, get_common_arg_val<uint32_t>(0), page_bytes_a_ptr);

    const int32_t core_k = get_arg_val<uint32_t>(0);

    const int32_t k = core_k;
    // a_ptr: load of 64x64 elements at (0, 64 * k) of a_ptr
    cb_reserve_back(cb_a_ptr, pages_a_ptr);
    {
        uint32_t at = get_write_ptr(cb_a_ptr);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            for (int32_t p1 = 0; p1 < 2; ++p1) {
                const int32_t i1 = 2 * k + p1;
                if (i1 < 7) {
                    noc_async_read_page(i0 * 7 + i1, dram_a_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_a_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_a_ptr, pages_a_ptr);
}
