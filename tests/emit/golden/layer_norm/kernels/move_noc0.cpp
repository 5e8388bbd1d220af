// layer_norm_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_ROWS=32, BLOCK_COLUMNS=128.
// Plan: along y: row over 2 cores.
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
    // load of x_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr = 0;
    constexpr uint32_t pages_x_ptr = 12;  // 3 tiles (3 of start) of 32x128 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16
    // load of x_ptr_2 in loop start_2, double-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr_2 = 1;
    constexpr uint32_t pages_x_ptr_2 = 4;  // 32x128 elements
    constexpr uint32_t page_bytes_x_ptr_2 = 2048;  // bf16
    // load of w_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_w_ptr = 4;
    constexpr uint32_t pages_w_ptr = 12;  // 3 tiles (3 of start_3) of 128 elements
    constexpr uint32_t page_bytes_w_ptr = 2048;  // bf16
    // store of y_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_y_ptr = 7;
    constexpr uint32_t pages_y_ptr = 12;  // 3 tiles (3 of start_3) of 32x128 elements
    constexpr uint32_t page_bytes_y_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);
    constexpr auto args_w_ptr = TensorAccessorArgs<2>();
    const auto dram_w_ptr = TensorAccessor(args_w_ptr, get_common_arg_val<uint32_t>(1), page_bytes_w_ptr);
    constexpr auto args_y_ptr = TensorAccessorArgs<4>();
    const auto dram_y_ptr = TensorAccessor(args_y_ptr, get_common_arg_val<uint32_t>(2), page_bytes_y_ptr);

    const int32_t core_row = get_arg_val<uint32_t>(0);

    const int32_t row = core_row;
    // x_ptr: load of 32x128 elements at (32 * row, 128 * start) of x_ptr
    // w_ptr: load of 128 elements at (128 * start_3) of w_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    cb_reserve_back(cb_w_ptr, pages_w_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        for (int32_t next_start = 0; next_start < 3; ++next_start) {  // all tiles of the block
            const int32_t start = next_start;
            const int32_t i0 = row;
            for (int32_t p1 = 0; p1 < 4; ++p1) {
                const int32_t i1 = 4 * start + p1;
                if (i1 < 10) {
                    noc_async_read_page(i0 * 10 + i1, dram_x_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_x_ptr;
            }
        }
    }
    {
        uint32_t at = get_write_ptr(cb_w_ptr);
        for (int32_t next_start_3 = 0; next_start_3 < 3; ++next_start_3) {  // all tiles of the block
            const int32_t start_3 = next_start_3;
            for (int32_t p0 = 0; p0 < 4; ++p0) {
                const int32_t i0 = 4 * start_3 + p0;
                if (i0 < 10) {
                    noc_async_read_page(i0, dram_w_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_w_ptr;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
    cb_push_back(cb_w_ptr, pages_w_ptr);
    for (int32_t start_2 = 0; start_2 < 3; ++start_2) {  // loop start_2 of the kernel
        // x_ptr_2: load of 32x128 elements at (32 * row, 128 * start_2) of x_ptr
        cb_reserve_back(cb_x_ptr_2, pages_x_ptr_2);
        {
            uint32_t at = get_write_ptr(cb_x_ptr_2);
            const int32_t i0 = row;
            for (int32_t p1 = 0; p1 < 4; ++p1) {
                const int32_t i1 = 4 * start_2 + p1;
                if (i1 < 10) {
                    noc_async_read_page(i0 * 10 + i1, dram_x_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_x_ptr_2;
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_x_ptr_2, pages_x_ptr_2);
    }
    // y_ptr: store of 32x128 elements at (32 * row, 128 * start_3) of y_ptr
    cb_wait_front(cb_y_ptr, pages_y_ptr);
    {
        uint32_t at = get_read_ptr(cb_y_ptr);
        for (int32_t next_start_3 = 0; next_start_3 < 3; ++next_start_3) {  // all tiles of the block
            const int32_t start_3 = next_start_3;
            const int32_t i0 = row;
            for (int32_t p1 = 0; p1 < 4; ++p1) {
                const int32_t i1 = 4 * start_3 + p1;
                if (i1 < 10) {  // inside the tensor
                    noc_async_write_page(i0 * 10 + i1, dram_y_ptr, at);
                }
                at += page_bytes_y_ptr;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_y_ptr, pages_y_ptr);
    noc_async_write_barrier();
}
