// gemm on wormhole: transfers over NoC 0, the same on all cores.
// Plan: along x: n over 4 cores; along y: m over 2 cores; waves: n.
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
    // load of b in loop k, double-buffered; of every 1x2 cores the first reads and multicasts
    constexpr uint32_t cb_b = 1;
    constexpr uint32_t pages_b = 2;  // 64x32 elements
    constexpr uint32_t page_bytes_b = 2048;  // bf16

    constexpr auto args_b = TensorAccessorArgs<0>();
    const auto dram_b = TensorAccessor(args_b, get_common_arg_val<uint32_t>(0), page_bytes_b);

    const int32_t core_n = get_arg_val<uint32_t>(0);
    const auto part_b = plan::part_at(2);
    const uint32_t valid_0 = get_semaphore(0);
    const uint32_t ready_b = get_semaphore(3);

    for (int32_t wave_n = 0; wave_n < 2; ++wave_n) {  // waves of n
        const int32_t n = core_n + 4 * wave_n;
        for (int32_t k = 0; k < 2; ++k) {  // loop k of the kernel
            // b: load of 64x32 elements at (64 * k, 32 * n) of b
            cb_reserve_back(cb_b, pages_b);
            if (part_b.reads) {  // reads for its group
                uint32_t at = get_write_ptr(cb_b);
                for (int32_t p0 = 0; p0 < 2; ++p0) {
                    const int32_t i0 = 2 * k + p0;
                    const int32_t i1 = n;
                    if (i1 < 7) {
                        noc_async_read_page(i0 * 7 + i1, dram_b, at);
                    } else {
                        plan::fill<uint16_t>(at, 0x0);  // beyond the tensor
                    }
                    at += page_bytes_b;
                }
                noc_async_read_barrier();
                plan::send(part_b, get_write_ptr(cb_b), pages_b * page_bytes_b, ready_b, valid_0);
            } else {
                plan::receive(part_b, ready_b, valid_0);
            }
            cb_push_back(cb_b, pages_b);
        }
    }
    noc_async_atomic_barrier();
}
