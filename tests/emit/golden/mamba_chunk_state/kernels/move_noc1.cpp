// chunk_state_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=32, BLOCK_N=64, BLOCK_K=32.
// Plan: along x: head over 2 cores; along y: batch over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

namespace plan {

FORCE_INLINE volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// What this core does for a shared load. Coordinates are those of the NoC; of the rectangle of receivers, the corner
// that the NoC meets first comes first.
struct Part {
    bool reads;   // it reads from DRAM and sends
    bool inside;  // the reader lies inside the rectangle, so that it sends to itself as well
    uint32_t reader_x, reader_y;
    uint32_t first_x, first_y, last_x, last_y;
    uint32_t receivers;  // without the reader
};

FORCE_INLINE Part part_at(uint32_t argument) {
    return {
        get_arg_val<uint32_t>(argument) != 0,
        get_arg_val<uint32_t>(argument + 1) != 0,
        get_arg_val<uint32_t>(argument + 2),
        get_arg_val<uint32_t>(argument + 3),
        get_arg_val<uint32_t>(argument + 4),
        get_arg_val<uint32_t>(argument + 5),
        get_arg_val<uint32_t>(argument + 6),
        get_arg_val<uint32_t>(argument + 7),
        get_arg_val<uint32_t>(argument + 8)};
}

// Tells the sender that this core has room for the block, and waits until it is there.
template <typename Role>
FORCE_INLINE void receive(const Role& part, uint32_t ready, uint32_t valid) {
    noc_semaphore_set(word_at(valid), 0);
    noc_semaphore_inc(get_noc_addr(part.reader_x, part.reader_y, ready), 1);
    noc_semaphore_wait(word_at(valid), 1);
}

// Sends a block to the rectangle of receivers once all of them have room: it lies at the same address on every core.
FORCE_INLINE void send(const Part& part, uint32_t block, uint32_t bytes, uint32_t ready, uint32_t valid) {
    noc_semaphore_wait(word_at(ready), part.receivers);
    noc_semaphore_set(word_at(ready), 0);
    const uint64_t blocks = get_noc_multicast_addr(part.first_x, part.first_y, part.last_x, part.last_y, block);
    const uint64_t flags = get_noc_multicast_addr(part.first_x, part.first_y, part.last_x, part.last_y, valid);
    noc_semaphore_set(word_at(valid), 1);
    if (part.inside) {
        noc_async_write_multicast_loopback_src(block, blocks, bytes, part.receivers + 1, true);
    } else {
        noc_async_write_multicast(block, blocks, bytes, part.receivers, true);
    }
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // the flag may otherwise overtake the block
#endif
    if (part.inside) {
        noc_semaphore_set_multicast_loopback_src(valid, flags, part.receivers + 1);
    } else {
        noc_semaphore_set_multicast(valid, flags, part.receivers);
    }
    noc_async_write_barrier();
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
    // load of b_ptr once, single-buffered; of every 2x1 cores the one nearest to DRAM reads and multicasts
    constexpr uint32_t cb_b_ptr = 2;
    constexpr uint32_t pages_b_ptr = 4;  // 2 tiles (2 of k) of 1x32x1x64 elements
    constexpr uint32_t page_bytes_b_ptr = 2048;  // bf16
    // load of decay_ptr_2 in loop k, double-buffered; every core reads its own
    constexpr uint32_t cb_decay_ptr_2 = 4;
    constexpr uint32_t pages_decay_ptr_2 = 1;  // 1x1x32 elements
    constexpr uint32_t page_bytes_decay_ptr_2 = 4096;  // fp32
    // store of state_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_state_ptr = 5;
    constexpr uint32_t pages_state_ptr = 2;  // 1x1x1x32x64 elements
    constexpr uint32_t page_bytes_state_ptr = 4096;  // fp32

    constexpr auto args_b_ptr = TensorAccessorArgs<0>();
    const auto dram_b_ptr = TensorAccessor(args_b_ptr, get_common_arg_val<uint32_t>(0), page_bytes_b_ptr);
    constexpr auto args_decay_ptr_2 = TensorAccessorArgs<2>();
    const auto dram_decay_ptr_2 = TensorAccessor(
        args_decay_ptr_2, get_common_arg_val<uint32_t>(1), page_bytes_decay_ptr_2);
    constexpr auto args_state_ptr = TensorAccessorArgs<4>();
    const auto dram_state_ptr = TensorAccessor(args_state_ptr, get_common_arg_val<uint32_t>(2), page_bytes_state_ptr);

    const int32_t core_head = get_arg_val<uint32_t>(0);
    const int32_t core_batch = get_arg_val<uint32_t>(1);
    const auto part_b_ptr = plan::part_at(2);
    const uint32_t valid_1 = get_semaphore(0);
    const uint32_t ready_b_ptr = get_semaphore(1);

    const int32_t batch = core_batch;
    const int32_t head = core_head;
    // b_ptr: load of 1x32x1x64 elements at (0, 64 * batch + 32 * k, 0, 0) of b_ptr
    cb_reserve_back(cb_b_ptr, pages_b_ptr);
    if (part_b_ptr.reads) {  // reads for its group
        uint32_t at = get_write_ptr(cb_b_ptr);
        for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
            const int32_t k = next_k;
            const int32_t i1 = 2 * batch + k;
            for (int32_t i3 = 0; i3 < 2; ++i3) {
                if (i3 < 1) {
                    noc_async_read_page(i1 + i3, dram_b_ptr, at);
                } else {
                    plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                }
                at += page_bytes_b_ptr;
            }
        }
        noc_async_read_barrier();
        plan::send(part_b_ptr, get_write_ptr(cb_b_ptr), pages_b_ptr * page_bytes_b_ptr, ready_b_ptr, valid_1);
    } else {
        plan::receive(part_b_ptr, ready_b_ptr, valid_1);
    }
    cb_push_back(cb_b_ptr, pages_b_ptr);
    for (int32_t k = 0; k < 2; ++k) {  // loop k of the kernel
        // decay_ptr_2: load of 1x1x32 elements at (0, head, 64 * batch + 32 * k) of decay_ptr.2
        cb_reserve_back(cb_decay_ptr_2, pages_decay_ptr_2);
        {
            uint32_t at = get_write_ptr(cb_decay_ptr_2);
            const int32_t i1 = head;
            const int32_t i2 = 2 * batch + k;
            noc_async_read_page(i1 * 4 + i2, dram_decay_ptr_2, at);
        }
        noc_async_read_barrier();
        cb_push_back(cb_decay_ptr_2, pages_decay_ptr_2);
    }
    // state_ptr: store of 1x1x1x32x64 elements at (0, batch, head, 0, 0) of state_ptr
    cb_wait_front(cb_state_ptr, pages_state_ptr);
    {
        uint32_t at = get_read_ptr(cb_state_ptr);
        const int32_t i1 = batch;
        const int32_t i2 = head;
        for (int32_t i4 = 0; i4 < 2; ++i4) {
            if (i4 < 1) {  // inside the tensor
                noc_async_write_page(i1 * 2 + i2 + i4, dram_state_ptr, at);
            }
            at += page_bytes_state_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_state_ptr, pages_state_ptr);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
