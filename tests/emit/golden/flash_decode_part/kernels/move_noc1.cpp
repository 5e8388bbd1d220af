// decode_part_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: start over 2 cores; waves: kv_head and part; loop start combined in a
// tree over NoC 1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

namespace plan {

FORCE_INLINE volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// A core by its coordinates on the NoC.
struct Place {
    uint32_t x, y;
};

FORCE_INLINE Place place_at(uint32_t argument) {
    return {get_arg_val<uint32_t>(argument), get_arg_val<uint32_t>(argument + 1)};
}

// Waits for one signal and takes it back.
FORCE_INLINE void await(uint32_t semaphore) {
    noc_semaphore_wait(word_at(semaphore), 1);
    noc_semaphore_set(word_at(semaphore), 0);
}

}  // namespace plan

void kernel_main() {
    // load of v_ptr in every wave of kv_head and part, double-buffered; every core reads its own
    constexpr uint32_t cb_v_ptr = 2;
    constexpr uint32_t pages_v_ptr = 4;  // 1x1x64x64 elements
    constexpr uint32_t page_bytes_v_ptr = 2048;  // bf16
    // store of lse_ptr in every wave of kv_head and part, double-buffered; the first core of those that share loop
    // start writes
    constexpr uint32_t cb_lse_ptr = 4;
    constexpr uint32_t pages_lse_ptr = 1;  // 1x1x16x1 elements
    constexpr uint32_t page_bytes_lse_ptr = 4096;  // fp32

    constexpr auto args_v_ptr = TensorAccessorArgs<0>();
    const auto dram_v_ptr = TensorAccessor(args_v_ptr, get_common_arg_val<uint32_t>(0), page_bytes_v_ptr);
    constexpr auto args_lse_ptr = TensorAccessorArgs<2>();
    const auto dram_lse_ptr = TensorAccessor(args_lse_ptr, get_common_arg_val<uint32_t>(1), page_bytes_lse_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_start = get_arg_val<uint32_t>(1);
    // combine.peak_2: state of loop start that arrives, 1 page of fp32
    constexpr uint32_t cb_combine_peak_2 = 13;
    constexpr uint32_t pages_combine_peak_2 = 1;
    // combine.total_5: state of loop start that arrives, 1 page of fp32
    constexpr uint32_t cb_combine_total_5 = 15;
    constexpr uint32_t pages_combine_total_5 = 1;
    // combine.acc_7: state of loop start that arrives, 2 pages of fp32
    constexpr uint32_t cb_combine_acc_7 = 17;
    constexpr uint32_t pages_combine_acc_7 = 2;
    // outgoing.peak_2: state of loop start that leaves, 1 page of fp32
    constexpr uint32_t cb_outgoing_peak_2 = 14;
    constexpr uint32_t pages_outgoing_peak_2 = 1;
    constexpr uint32_t page_bytes_outgoing_peak_2 = 4096;
    // outgoing.total_5: state of loop start that leaves, 1 page of fp32
    constexpr uint32_t cb_outgoing_total_5 = 16;
    constexpr uint32_t pages_outgoing_total_5 = 1;
    constexpr uint32_t page_bytes_outgoing_total_5 = 4096;
    // outgoing.acc_7: state of loop start that leaves, 2 pages of fp32
    constexpr uint32_t cb_outgoing_acc_7 = 18;
    constexpr uint32_t pages_outgoing_acc_7 = 2;
    constexpr uint32_t page_bytes_outgoing_acc_7 = 4096;
    const auto partner_0 = plan::place_at(2);
    const uint32_t ready_combine = get_semaphore(0);
    const uint32_t valid_combine = get_semaphore(1);

    // v_ptr: load of 1x1x64x64 elements at (batch, kv_head, 128 * part + 64 * start, 0) of v_ptr
    const auto load_v_ptr = [&](int32_t batch, int32_t kv_head, int32_t part, int32_t start) {
        cb_reserve_back(cb_v_ptr, pages_v_ptr);
        {
            uint32_t at = get_write_ptr(cb_v_ptr);
            const int32_t i0 = batch;
            const int32_t i1 = kv_head;
            for (int32_t p2 = 0; p2 < 2; ++p2) {
                const int32_t i2 = 4 * part + 2 * start + p2;
                for (int32_t i3 = 0; i3 < 2; ++i3) {
                    noc_async_read_page(((i0 * 2 + i1) * 8 + i2) * 2 + i3, dram_v_ptr, at);
                    at += page_bytes_v_ptr;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_v_ptr, pages_v_ptr);
    };

    const int32_t batch = core_batch;
    const int32_t start = core_start;
    // first loads of waves of kv_head, part
    for (int32_t wave_kv_head_part = 0; wave_kv_head_part < 1; ++wave_kv_head_part) {
        const int32_t kv_head = wave_kv_head_part / 2;
        const int32_t part = wave_kv_head_part % 2;
        load_v_ptr(batch, kv_head, part, start);
    }
    for (int32_t wave_kv_head_part = 0; wave_kv_head_part < 4; ++wave_kv_head_part) {  // waves of kv_head, part
        const int32_t kv_head = wave_kv_head_part / 2;
        const int32_t part = wave_kv_head_part % 2;
        // round 0 of combining loop start over 2 cores
        if (core_start % 2 == 1) {  // hands its state on
            cb_wait_front(cb_outgoing_peak_2, pages_outgoing_peak_2);
            cb_wait_front(cb_outgoing_total_5, pages_outgoing_total_5);
            cb_wait_front(cb_outgoing_acc_7, pages_outgoing_acc_7);
            plan::await(ready_combine);  // the receiver has room
            noc_async_write(
                get_read_ptr(cb_outgoing_peak_2),
                get_noc_addr(partner_0.x, partner_0.y, get_write_ptr(cb_combine_peak_2)),
                pages_outgoing_peak_2 * page_bytes_outgoing_peak_2);
            noc_async_write(
                get_read_ptr(cb_outgoing_total_5),
                get_noc_addr(partner_0.x, partner_0.y, get_write_ptr(cb_combine_total_5)),
                pages_outgoing_total_5 * page_bytes_outgoing_total_5);
            noc_async_write(
                get_read_ptr(cb_outgoing_acc_7),
                get_noc_addr(partner_0.x, partner_0.y, get_write_ptr(cb_combine_acc_7)),
                pages_outgoing_acc_7 * page_bytes_outgoing_acc_7);
            noc_async_write_barrier();
            noc_semaphore_inc(get_noc_addr(partner_0.x, partner_0.y, valid_combine), 1);
            noc_async_atomic_barrier();
            cb_pop_front(cb_outgoing_peak_2, pages_outgoing_peak_2);
            cb_pop_front(cb_outgoing_total_5, pages_outgoing_total_5);
            cb_pop_front(cb_outgoing_acc_7, pages_outgoing_acc_7);
        } else if (core_start % 2 == 0 && core_start + 1 < 2) {
            cb_reserve_back(cb_combine_peak_2, pages_combine_peak_2);
            cb_reserve_back(cb_combine_total_5, pages_combine_total_5);
            cb_reserve_back(cb_combine_acc_7, pages_combine_acc_7);
            noc_semaphore_inc(get_noc_addr(partner_0.x, partner_0.y, ready_combine), 1);
            plan::await(valid_combine);  // the state is there
            cb_push_back(cb_combine_peak_2, pages_combine_peak_2);
            cb_push_back(cb_combine_total_5, pages_combine_total_5);
            cb_push_back(cb_combine_acc_7, pages_combine_acc_7);
        }
        if (const int32_t next = wave_kv_head_part + 1; next < 4) {  // one iteration ahead
            const int32_t wave_kv_head_part = next;
            const int32_t kv_head = wave_kv_head_part / 2;
            const int32_t part = wave_kv_head_part % 2;
            load_v_ptr(batch, kv_head, part, start);
        }
        // lse_ptr: store of 1x1x16x1 elements at (batch, kv_head, 0, part) of lse_ptr
        cb_wait_front(cb_lse_ptr, pages_lse_ptr);
        {
            uint32_t at = get_read_ptr(cb_lse_ptr);
            if (core_start == 0) {  // blocks that are this core's to write
                const int32_t i0 = batch;
                const int32_t i1 = kv_head;
                const int32_t i3 = part;
                noc_async_write_page((i0 * 2 + i1) * 2 + i3, dram_lse_ptr, at);
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_lse_ptr, pages_lse_ptr);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
