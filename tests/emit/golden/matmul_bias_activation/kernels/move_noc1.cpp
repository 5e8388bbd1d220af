// linear_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64.
// Plan: along x: k over 2 cores; along y: pid_m over 2 cores; loop k combined in a ring over NoC 1.
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
    constexpr uint32_t pages_x_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_x_ptr = 2048;  // bf16
    // load of bias_ptr once, single-buffered; every core reads its own
    constexpr uint32_t cb_bias_ptr = 2;
    constexpr uint32_t pages_bias_ptr = 2;  // 64 elements
    constexpr uint32_t page_bytes_bias_ptr = 2048;  // bf16
    // store of y_ptr once, single-buffered; the first core of those that share loop k writes
    constexpr uint32_t cb_y_ptr = 3;
    constexpr uint32_t pages_y_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_y_ptr = 2048;  // bf16

    constexpr auto args_x_ptr = TensorAccessorArgs<0>();
    const auto dram_x_ptr = TensorAccessor(args_x_ptr, get_common_arg_val<uint32_t>(0), page_bytes_x_ptr);
    constexpr auto args_bias_ptr = TensorAccessorArgs<2>();
    const auto dram_bias_ptr = TensorAccessor(args_bias_ptr, get_common_arg_val<uint32_t>(1), page_bytes_bias_ptr);
    constexpr auto args_y_ptr = TensorAccessorArgs<4>();
    const auto dram_y_ptr = TensorAccessor(args_y_ptr, get_common_arg_val<uint32_t>(2), page_bytes_y_ptr);

    const int32_t core_k = get_arg_val<uint32_t>(0);
    const int32_t core_pid_m = get_arg_val<uint32_t>(1);
    // combine.acc_3: state of loop k that arrives, 2 pages of fp32
    constexpr uint32_t cb_combine_acc_3 = 6;
    constexpr uint32_t pages_combine_acc_3 = 2;
    // outgoing.acc_3: state of loop k that leaves, 2 pages of fp32
    constexpr uint32_t cb_outgoing_acc_3 = 7;
    constexpr uint32_t pages_outgoing_acc_3 = 2;
    constexpr uint32_t page_bytes_outgoing_acc_3 = 4096;
    const auto before = plan::place_at(2);
    const auto after = plan::place_at(4);
    constexpr uint32_t ring_cores = 6;  // argument at which the cores of the ring are listed
    const auto ring_first = plan::place_at(6);
    const uint32_t gathered_combine = get_semaphore(4);
    const uint32_t ready_combine = get_semaphore(2);
    const uint32_t valid_combine = get_semaphore(3);

    const int32_t pid_m = core_pid_m;
    const int32_t k = core_k;
    // x_ptr: load of 64x64 elements at (64 * pid_m, 64 * k) of x_ptr
    // bias_ptr: load of 64 elements at (0) of bias_ptr
    cb_reserve_back(cb_x_ptr, pages_x_ptr);
    cb_reserve_back(cb_bias_ptr, pages_bias_ptr);
    {
        uint32_t at = get_write_ptr(cb_x_ptr);
        for (int32_t p0 = 0; p0 < 2; ++p0) {
            const int32_t i0 = 2 * pid_m + p0;
            for (int32_t p1 = 0; p1 < 2; ++p1) {
                const int32_t i1 = 2 * k + p1;
                if (i0 < 3 && i1 < 3) {
                    noc_async_read_page(i0 * 3 + i1, dram_x_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_x_ptr;
            }
        }
    }
    {
        uint32_t at = get_write_ptr(cb_bias_ptr);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            noc_async_read_page(i0, dram_bias_ptr, at);
            at += page_bytes_bias_ptr;
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_x_ptr, pages_x_ptr);
    cb_push_back(cb_bias_ptr, pages_bias_ptr);
    // loop k: parts of the states go around the ring of 2 cores
    for (int32_t ring_step = 0; ring_step < 1; ++ring_step) {
        cb_reserve_back(cb_combine_acc_3, pages_combine_acc_3);
        noc_semaphore_inc(get_noc_addr(before.x, before.y, ready_combine), 1);
        cb_wait_front(cb_outgoing_acc_3, pages_outgoing_acc_3);
        plan::await(ready_combine);  // the receiver has room
        noc_async_write(
            get_read_ptr(cb_outgoing_acc_3), get_noc_addr(after.x, after.y, get_write_ptr(cb_combine_acc_3)),
            pages_outgoing_acc_3 * page_bytes_outgoing_acc_3);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(after.x, after.y, valid_combine), 1);
        noc_async_atomic_barrier();
        cb_pop_front(cb_outgoing_acc_3, pages_outgoing_acc_3);
        plan::await(valid_combine);  // the state is there
        cb_push_back(cb_combine_acc_3, pages_combine_acc_3);
    }
    if (core_k == 0) {  // gathers the parts
        for (uint32_t ring_member = 1; ring_member < 2; ++ring_member) {
            const auto member = plan::place_at(ring_cores + 2 * ring_member);
            cb_reserve_back(cb_combine_acc_3, pages_combine_acc_3);
            noc_semaphore_inc(get_noc_addr(member.x, member.y, gathered_combine), 1);
            plan::await(valid_combine);  // the state is there
            cb_push_back(cb_combine_acc_3, pages_combine_acc_3);
        }
    } else {
        cb_wait_front(cb_outgoing_acc_3, pages_outgoing_acc_3);
        plan::await(gathered_combine);  // the receiver has room
        noc_async_write(
            get_read_ptr(cb_outgoing_acc_3), get_noc_addr(ring_first.x, ring_first.y, get_write_ptr(cb_combine_acc_3)),
            pages_outgoing_acc_3 * page_bytes_outgoing_acc_3);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(ring_first.x, ring_first.y, valid_combine), 1);
        noc_async_atomic_barrier();
        cb_pop_front(cb_outgoing_acc_3, pages_outgoing_acc_3);
    }
    // y_ptr: store of 64x64 elements at (64 * pid_m, 0) of y_ptr
    cb_wait_front(cb_y_ptr, pages_y_ptr);
    {
        uint32_t at = get_read_ptr(cb_y_ptr);
        if (core_k == 0) {  // blocks that are this core's to write
            for (int32_t p0 = 0; p0 < 2; ++p0) {
                const int32_t i0 = 2 * pid_m + p0;
                for (int32_t i1 = 0; i1 < 2; ++i1) {
                    if (i0 < 3) {  // inside the tensor
                        noc_async_write_page(i0 * 2 + i1, dram_y_ptr, at);
                    }
                    at += page_bytes_y_ptr;
                }
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_y_ptr, pages_y_ptr);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
