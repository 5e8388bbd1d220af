// decode_part_kernel on wormhole[2x2]: transfers over NoC 0, the same on all cores.
// Block: BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: start over 2 cores; waves: kv_head and part; loop start combined in a
// tree over NoC 1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    // load of q_ptr in every wave of kv_head and part, double-buffered; every core reads its own
    constexpr uint32_t cb_q_ptr = 0;
    constexpr uint32_t pages_q_ptr = 2;  // 1x1x16x64 elements
    constexpr uint32_t page_bytes_q_ptr = 2048;  // bf16
    // load of k_ptr in every wave of kv_head and part, double-buffered; every core reads its own
    constexpr uint32_t cb_k_ptr = 1;
    constexpr uint32_t pages_k_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_k_ptr = 2048;  // bf16
    // store of part_ptr in every wave of kv_head and part, double-buffered; the first core of those that share loop
    // start writes
    constexpr uint32_t cb_part_ptr = 3;
    constexpr uint32_t pages_part_ptr = 2;  // 1x1x16x1x64 elements
    constexpr uint32_t page_bytes_part_ptr = 4096;  // fp32

    constexpr auto args_q_ptr = TensorAccessorArgs<0>();
    const auto dram_q_ptr = TensorAccessor(args_q_ptr, get_common_arg_val<uint32_t>(0), page_bytes_q_ptr);
    constexpr auto args_k_ptr = TensorAccessorArgs<2>();
    const auto dram_k_ptr = TensorAccessor(args_k_ptr, get_common_arg_val<uint32_t>(1), page_bytes_k_ptr);
    constexpr auto args_part_ptr = TensorAccessorArgs<4>();
    const auto dram_part_ptr = TensorAccessor(args_part_ptr, get_common_arg_val<uint32_t>(2), page_bytes_part_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_start = get_arg_val<uint32_t>(1);

    // q_ptr: load of 1x1x16x64 elements at (batch, kv_head, 0, 0) of q_ptr
    // k_ptr: load of 1x1x64x64 elements at (batch, kv_head, 128 * part + 64 * start, 0) of k_ptr
    const auto load_q_ptr_k_ptr = [&](int32_t batch, int32_t kv_head, int32_t part, int32_t start) {
        cb_reserve_back(cb_q_ptr, pages_q_ptr);
        cb_reserve_back(cb_k_ptr, pages_k_ptr);
        {
            uint32_t at = get_write_ptr(cb_q_ptr);
            const int32_t i0 = batch;
            const int32_t i1 = kv_head;
            for (int32_t i3 = 0; i3 < 2; ++i3) {
                noc_async_read_page((i0 * 2 + i1) * 2 + i3, dram_q_ptr, at);
                at += page_bytes_q_ptr;
            }
        }
        {
            uint32_t at = get_write_ptr(cb_k_ptr);
            const int32_t i0 = batch;
            const int32_t i1 = kv_head;
            for (int32_t p2 = 0; p2 < 2; ++p2) {
                const int32_t i2 = 4 * part + 2 * start + p2;
                for (int32_t i3 = 0; i3 < 2; ++i3) {
                    noc_async_read_page(((i0 * 2 + i1) * 8 + i2) * 2 + i3, dram_k_ptr, at);
                    at += page_bytes_k_ptr;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_q_ptr, pages_q_ptr);
        cb_push_back(cb_k_ptr, pages_k_ptr);
    };

    const int32_t batch = core_batch;
    const int32_t start = core_start;
    // first loads of waves of kv_head, part
    for (int32_t wave_kv_head_part = 0; wave_kv_head_part < 1; ++wave_kv_head_part) {
        const int32_t kv_head = wave_kv_head_part / 2;
        const int32_t part = wave_kv_head_part % 2;
        load_q_ptr_k_ptr(batch, kv_head, part, start);
    }
    for (int32_t wave_kv_head_part = 0; wave_kv_head_part < 4; ++wave_kv_head_part) {  // waves of kv_head, part
        const int32_t kv_head = wave_kv_head_part / 2;
        const int32_t part = wave_kv_head_part % 2;
        if (const int32_t next = wave_kv_head_part + 1; next < 4) {  // one iteration ahead
            const int32_t wave_kv_head_part = next;
            const int32_t kv_head = wave_kv_head_part / 2;
            const int32_t part = wave_kv_head_part % 2;
            load_q_ptr_k_ptr(batch, kv_head, part, start);
        }
        // part_ptr: store of 1x1x16x1x64 elements at (batch, kv_head, 0, part, 0) of part_ptr
        cb_wait_front(cb_part_ptr, pages_part_ptr);
        {
            uint32_t at = get_read_ptr(cb_part_ptr);
            if (core_start == 0) {  // blocks that are this core's to write
                const int32_t i0 = batch;
                const int32_t i1 = kv_head;
                const int32_t i3 = part;
                for (int32_t i4 = 0; i4 < 2; ++i4) {
                    noc_async_write_page(((i0 * 2 + i1) * 2 + i3) * 2 + i4, dram_part_ptr, at);
                    at += page_bytes_part_ptr;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_part_ptr, pages_part_ptr);
    }
    noc_async_write_barrier();
}
