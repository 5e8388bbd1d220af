// persistent_matmul_kernel on wormhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8.
// Plan: along x: tile_n over 2 cores; along y: tile_m over 2 cores.
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
    // load of a_desc in loop k, double-buffered; of every 2x1 cores the one nearest to DRAM reads and multicasts
    constexpr uint32_t cb_a_desc = 0;
    constexpr uint32_t pages_a_desc = 8;  // 128x64 elements
    constexpr uint32_t page_bytes_a_desc = 2048;  // bf16
    // store of c_desc once, single-buffered; every core writes
    constexpr uint32_t cb_c_desc = 2;
    constexpr uint32_t pages_c_desc = 16;  // 128x128 elements
    constexpr uint32_t page_bytes_c_desc = 2048;  // bf16

    constexpr auto args_a_desc = TensorAccessorArgs<0>();
    const auto dram_a_desc = TensorAccessor(args_a_desc, get_common_arg_val<uint32_t>(0), page_bytes_a_desc);
    constexpr auto args_c_desc = TensorAccessorArgs<2>();
    const auto dram_c_desc = TensorAccessor(args_c_desc, get_common_arg_val<uint32_t>(1), page_bytes_c_desc);

    const int32_t core_tile_n = get_arg_val<uint32_t>(0);
    const int32_t core_tile_m = get_arg_val<uint32_t>(1);
    const auto part_a_desc = plan::part_at(2);
    const uint32_t valid_1 = get_semaphore(1);
    const uint32_t ready_a_desc = get_semaphore(2);

    const int32_t tile_m = core_tile_m;
    const int32_t tile_n = core_tile_n;
    for (int32_t k = 0; k < 2; ++k) {  // loop k of the kernel
        // a_desc: load of 128x64 elements at (128 * tile_m, 64 * k) of a_desc
        cb_reserve_back(cb_a_desc, pages_a_desc);
        if (part_a_desc.reads) {  // reads for its group
            uint32_t at = get_write_ptr(cb_a_desc);
            for (int32_t p0 = 0; p0 < 4; ++p0) {
                const int32_t i0 = 4 * tile_m + p0;
                for (int32_t p1 = 0; p1 < 2; ++p1) {
                    const int32_t i1 = 2 * k + p1;
                    noc_async_read_page(i0 * 4 + i1, dram_a_desc, at);
                    at += page_bytes_a_desc;
                }
            }
            noc_async_read_barrier();
            plan::send(part_a_desc, get_write_ptr(cb_a_desc), pages_a_desc * page_bytes_a_desc, ready_a_desc, valid_1);
        } else {
            plan::receive(part_a_desc, ready_a_desc, valid_1);
        }
        cb_push_back(cb_a_desc, pages_a_desc);
    }
    // c_desc: store of 128x128 elements at (128 * tile_m, 128 * tile_n) of c_desc
    cb_wait_front(cb_c_desc, pages_c_desc);
    {
        uint32_t at = get_read_ptr(cb_c_desc);
        for (int32_t p0 = 0; p0 < 4; ++p0) {
            const int32_t i0 = 4 * tile_m + p0;
            for (int32_t p1 = 0; p1 < 4; ++p1) {
                const int32_t i1 = 4 * tile_n + p1;
                noc_async_write_page(i0 * 8 + i1, dram_c_desc, at);
                at += page_bytes_c_desc;
            }
        }
        noc_async_writes_flushed();
    }
    cb_pop_front(cb_c_desc, pages_c_desc);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
