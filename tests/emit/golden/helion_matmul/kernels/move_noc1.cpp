// matmul_bias_gelu on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: tile_m=32, tile_n=32, tile_k=64.
// Plan: along x: pid_0 over 2 cores; along y: pid_1 over 2 cores.
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
    // load of b once, single-buffered; of every 2x1 cores the one nearest to DRAM reads and multicasts
    constexpr uint32_t cb_b = 1;
    constexpr uint32_t pages_b = 2;  // 64x32 elements
    constexpr uint32_t page_bytes_b = 2048;  // bf16
    // store of c once, single-buffered; every core writes
    constexpr uint32_t cb_c = 3;
    constexpr uint32_t pages_c = 1;  // 32x32 elements
    constexpr uint32_t page_bytes_c = 2048;  // bf16

    constexpr auto args_b = TensorAccessorArgs<0>();
    const auto dram_b = TensorAccessor(args_b, get_common_arg_val<uint32_t>(0), page_bytes_b);
    constexpr auto args_c = TensorAccessorArgs<2>();
    const auto dram_c = TensorAccessor(args_c, get_common_arg_val<uint32_t>(1), page_bytes_c);

    const int32_t core_pid_0 = get_arg_val<uint32_t>(0);
    const int32_t core_pid_1 = get_arg_val<uint32_t>(1);
    const auto part_b = plan::part_at(2);
    const uint32_t valid_1 = get_semaphore(0);
    const uint32_t ready_b = get_semaphore(1);

    const int32_t pid_0 = core_pid_0;
    const int32_t pid_1 = core_pid_1;
    // b: load of 64x32 elements at (0, 32 * pid_1) of b
    cb_reserve_back(cb_b, pages_b);
    if (part_b.reads) {  // reads for its group
        uint32_t at = get_write_ptr(cb_b);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            const int32_t i1 = pid_1;
            noc_async_read_page(i0 * 2 + i1, dram_b, at);
            at += page_bytes_b;
        }
        noc_async_read_barrier();
        plan::send(part_b, get_write_ptr(cb_b), pages_b * page_bytes_b, ready_b, valid_1);
    } else {
        plan::receive(part_b, ready_b, valid_1);
    }
    cb_push_back(cb_b, pages_b);
    // c: store of 32x32 elements at (32 * pid_0, 32 * pid_1) of c
    cb_wait_front(cb_c, pages_c);
    {
        uint32_t at = get_read_ptr(cb_c);
        const int32_t i0 = pid_0;
        const int32_t i1 = pid_1;
        noc_async_write_page(i0 * 2 + i1, dram_c, at);
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_c, pages_c);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
