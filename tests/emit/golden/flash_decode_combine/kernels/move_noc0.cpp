// decode_combine_kernel on blackhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_P=2, DIM=64.
// Plan: along x: batch over 2 cores; along y: head over 2 cores; waves: head.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of part_ptr in every wave of head, double-buffered; every core reads its own
    constexpr uint32_t cb_part_ptr = 1;
    constexpr uint32_t pages_part_ptr = 2;  // 1x1x2x64 elements
    constexpr uint32_t page_bytes_part_ptr = 4096;  // fp32

    constexpr auto args_part_ptr = TensorAccessorArgs<0>();
    const auto dram_part_ptr = TensorAccessor(args_part_ptr, get_common_arg_val<uint32_t>(0), page_bytes_part_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_head = get_arg_val<uint32_t>(1);

    const int32_t batch = core_batch;
    for (int32_t wave_head = 0; wave_head < 4; ++wave_head) {  // waves of head
        const int32_t head = core_head + 2 * wave_head;
        // part_ptr: load of 1x1x2x64 elements at (batch, head, 0, 0) of part_ptr
        cb_reserve_back(cb_part_ptr, pages_part_ptr);
        {
            uint32_t at = get_write_ptr(cb_part_ptr);
            const int32_t i0 = batch;
            const int32_t i1 = head;
            for (int32_t i3 = 0; i3 < 2; ++i3) {
                noc_async_read_page((i0 * 8 + i1) * 2 + i3, dram_part_ptr, at);
                at += page_bytes_part_ptr;
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_part_ptr, pages_part_ptr);
    }
}
