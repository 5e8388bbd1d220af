// layer_norm_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
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
    // store of mean_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_mean_ptr = 2;
    constexpr uint32_t pages_mean_ptr = 1;  // 32 elements
    constexpr uint32_t page_bytes_mean_ptr = 4096;  // fp32
    // store of rstd_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_rstd_ptr = 3;
    constexpr uint32_t pages_rstd_ptr = 1;  // 32 elements
    constexpr uint32_t page_bytes_rstd_ptr = 4096;  // fp32
    // load of b_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_b_ptr = 5;
    constexpr uint32_t pages_b_ptr = 12;  // 3 tiles (3 of start_3) of 128 elements
    constexpr uint32_t page_bytes_b_ptr = 2048;  // bf16
    // load of x_ptr_3 once, single-buffered; every core reads its own
    constexpr uint32_t cb_x_ptr_3 = 6;
    constexpr uint32_t pages_x_ptr_3 = 12;  // 3 tiles (3 of start_3) of 32x128 elements
    constexpr uint32_t page_bytes_x_ptr_3 = 2048;  // bf16

    constexpr auto args_mean_ptr = TensorAccessorArgs<0>();
    const auto dram_mean_ptr = TensorAccessor(args_mean_ptr, get_common_arg_val<uint32_t>(0), page_bytes_mean_ptr);
    constexpr auto args_rstd_ptr = TensorAccessorArgs<2>();
    const auto dram_rstd_ptr = TensorAccessor(args_rstd_ptr, get_common_arg_val<uint32_t>(1), page_bytes_rstd_ptr);
    constexpr auto args_b_ptr = TensorAccessorArgs<4>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(2), page_bytes_b_ptr);
    constexpr auto args_x_ptr = TensorAccessorArgs<6>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(3), page_bytes_x_ptr_3);

    const int32_t core_row = get_arg_val<uint32_t>(0);

    const int32_t row = core_row;
    // b_ptr: load of 128 elements at (128 * start_3) of b_ptr
    // x_ptr_3: load of 32x128 elements at (32 * row, 128 * start_3) of x_ptr
    cb_reserve_back(cb_b_ptr, pages_b_ptr);
    cb_reserve_back(cb_x_ptr_3, pages_x_ptr_3);
    {
        uint32_t at = get_write_ptr(cb_b_ptr);
        for (int32_t next_start_3 = 0; next_start_3 < 3; ++next_start_3) {  // all tiles of the block
            const int32_t start_3 = next_start_3;
            for (int32_t p0 = 0; p0 < 4; ++p0) {
                const int32_t i0 = 4 * start_3 + p0;
                if (i0 < 10) {
                    noc_async_read_page(i0, dram_b_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_b_ptr;
            }
        }
    }
    {
        uint32_t at = get_write_ptr(cb_x_ptr_3);
        for (int32_t next_start_3 = 0; next_start_3 < 3; ++next_start_3) {  // all tiles of the block
            const int32_t start_3 = next_start_3;
            const int32_t i0 = row;
            for (int32_t p1 = 0; p1 < 4; ++p1) {
                const int32_t i1 = 4 * start_3 + p1;
                if (i1 < 10) {
                    noc_async_read_page(i0 * 10 + i1, dram_x_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_x_ptr_3;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_b_ptr, pages_b_ptr);
    cb_push_back(cb_x_ptr_3, pages_x_ptr_3);
    // mean_ptr: store of 32 elements at (32 * row) of mean_ptr
    cb_wait_front(cb_mean_ptr, pages_mean_ptr);
    {
        uint32_t at = get_read_ptr(cb_mean_ptr);
        const int32_t i0 = row;
        noc_async_write_page(i0, dram_mean_ptr, at);
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_mean_ptr, pages_mean_ptr);
    // rstd_ptr: store of 32 elements at (32 * row) of rstd_ptr
    cb_wait_front(cb_rstd_ptr, pages_rstd_ptr);
    {
        uint32_t at = get_read_ptr(cb_rstd_ptr);
        const int32_t i0 = row;
        noc_async_write_page(i0, dram_rstd_ptr, at);
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_rstd_ptr, pages_rstd_ptr);
    noc_async_write_barrier();
}
