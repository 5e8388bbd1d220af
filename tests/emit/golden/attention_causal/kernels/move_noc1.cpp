// attention_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64.
// Plan: along x: batch over 2 cores; along y: block over 2 cores.
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

}  // namespace plan

void kernel_main() {
    // load of k_ptr once, single-buffered; of every 1x2 cores the one nearest to DRAM reads and multicasts
    constexpr uint32_t cb_k_ptr = 1;
    constexpr uint32_t pages_k_ptr = 2;  // 1x1x64x32 elements
    constexpr uint32_t page_bytes_k_ptr = 2048;  // bf16
    // load of v_ptr once, single-buffered; of every 1x2 cores the one nearest to DRAM reads and multicasts
    constexpr uint32_t cb_v_ptr = 2;
    constexpr uint32_t pages_v_ptr = 2;  // 1x1x64x32 elements
    constexpr uint32_t page_bytes_v_ptr = 2048;  // bf16
    // store of o_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_o_ptr = 5;
    constexpr uint32_t pages_o_ptr = 2;  // 1x1x64x32 elements
    constexpr uint32_t page_bytes_o_ptr = 2048;  // bf16

    constexpr auto args_k_ptr = TensorAccessorArgs<0>();
    const auto dram_k_ptr = TensorAccessor(args_k_ptr, get_common_arg_val<uint32_t>(0), page_bytes_k_ptr);
    constexpr auto args_v_ptr = TensorAccessorArgs<2>();
    const auto dram_v_ptr = TensorAccessor(args_v_ptr, get_common_arg_val<uint32_t>(1), page_bytes_v_ptr);
    constexpr auto args_o_ptr = TensorAccessorArgs<4>();
    const auto dram_o_ptr = TensorAccessor(args_o_ptr, get_common_arg_val<uint32_t>(2), page_bytes_o_ptr);

    const int32_t core_batch = get_arg_val<uint32_t>(0);
    const int32_t core_block = get_arg_val<uint32_t>(1);
    const auto part_k_ptr = plan::part_at(2);
    const auto part_v_ptr = plan::part_at(11);
    const uint32_t valid_1 = get_semaphore(0);
    const uint32_t ready_k_ptr = get_semaphore(1);
    const uint32_t ready_v_ptr = get_semaphore(2);

    const int32_t batch = core_batch;
    const int32_t block = core_block;
    // k_ptr: load of 1x1x64x32 elements at (0, batch, 0, 0) of k_ptr
    cb_reserve_back(cb_k_ptr, pages_k_ptr);
    if (part_k_ptr.reads) {  // reads for its group
        uint32_t at = get_write_ptr(cb_k_ptr);
        const int32_t i1 = batch;
        for (int32_t i2 = 0; i2 < 2; ++i2) {
            noc_async_read_page(i1 * 4 + i2, dram_k_ptr, at);
            at += page_bytes_k_ptr;
        }
        noc_async_read_barrier();
        plan::send(part_k_ptr, get_write_ptr(cb_k_ptr), pages_k_ptr * page_bytes_k_ptr, ready_k_ptr, valid_1);
    } else {
        plan::receive(part_k_ptr, ready_k_ptr, valid_1);
    }
    cb_push_back(cb_k_ptr, pages_k_ptr);
    // v_ptr: load of 1x1x64x32 elements at (0, batch, 0, 0) of v_ptr
    cb_reserve_back(cb_v_ptr, pages_v_ptr);
    if (part_v_ptr.reads) {  // reads for its group
        uint32_t at = get_write_ptr(cb_v_ptr);
        const int32_t i1 = batch;
        for (int32_t i2 = 0; i2 < 2; ++i2) {
            noc_async_read_page(i1 * 4 + i2, dram_v_ptr, at);
            at += page_bytes_v_ptr;
        }
        noc_async_read_barrier();
        plan::send(part_v_ptr, get_write_ptr(cb_v_ptr), pages_v_ptr * page_bytes_v_ptr, ready_v_ptr, valid_1);
    } else {
        plan::receive(part_v_ptr, ready_v_ptr, valid_1);
    }
    cb_push_back(cb_v_ptr, pages_v_ptr);
    // o_ptr: store of 1x1x64x32 elements at (0, batch, 64 * block, 0) of o_ptr
    cb_wait_front(cb_o_ptr, pages_o_ptr);
    {
        uint32_t at = get_read_ptr(cb_o_ptr);
        const int32_t i1 = batch;
        for (int32_t p2 = 0; p2 < 2; ++p2) {
            const int32_t i2 = 2 * block + p2;
            noc_async_write_page(i1 * 4 + i2, dram_o_ptr, at);
            at += page_bytes_o_ptr;
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_o_ptr, pages_o_ptr);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
