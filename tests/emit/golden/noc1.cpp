// gemm on wormhole: transfers over NoC 1, the same on all cores.
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

}  // namespace plan

void kernel_main() {
    // load of a in every wave of n, double-buffered; of every 4x1 cores the first reads and multicasts
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t pages_a = 8;  // 2 tiles (2 of k) of 64x64 elements
    constexpr uint32_t page_bytes_a = 2048;  // bf16
    // store of c in every wave of n, single-buffered; every core writes
    constexpr uint32_t cb_c = 2;
    constexpr uint32_t pages_c = 2;  // 64x32 elements
    constexpr uint32_t page_bytes_c = 2048;  // bf16

    constexpr auto args_a = TensorAccessorArgs<0>();
    const auto dram_a = TensorAccessor(args_a, get_common_arg_val<uint32_t>(0), page_bytes_a);
    constexpr auto args_c = TensorAccessorArgs<2>();
    const auto dram_c = TensorAccessor(args_c, get_common_arg_val<uint32_t>(1), page_bytes_c);

    const int32_t core_n = get_arg_val<uint32_t>(0);
    const int32_t core_m = get_arg_val<uint32_t>(1);
    const auto part_a = plan::part_at(2);
    const uint32_t valid_1 = get_semaphore(1);
    const uint32_t ready_a = get_semaphore(2);

    // a: load of 64x64 elements at (64 * m, 64 * k) of a
    const auto load_a = [&](int32_t m) {
        cb_reserve_back(cb_a, pages_a);
        if (part_a.reads) {  // reads for its group
            uint32_t at = get_write_ptr(cb_a);
            for (int32_t next_k = 0; next_k < 2; ++next_k) {  // all tiles of the block
                const int32_t k = next_k;
                for (int32_t p0 = 0; p0 < 2; ++p0) {
                    const int32_t i0 = 2 * m + p0;
                    for (int32_t p1 = 0; p1 < 2; ++p1) {
                        const int32_t i1 = 2 * k + p1;
                        noc_async_read_page(i0 * 4 + i1, dram_a, at);
                        at += page_bytes_a;
                    }
                }
            }
            noc_async_read_barrier();
            plan::send(part_a, get_write_ptr(cb_a), pages_a * page_bytes_a, ready_a, valid_1);
        } else {
            plan::receive(part_a, ready_a, valid_1);
        }
        cb_push_back(cb_a, pages_a);
    };

    const int32_t m = core_m;
    for (int32_t wave_n = 0; wave_n < 1; ++wave_n) {  // first loads of waves of n
        load_a(m);
    }
    for (int32_t wave_n = 0; wave_n < 2; ++wave_n) {  // waves of n
        const int32_t n = core_n + 4 * wave_n;
        if (const int32_t next = wave_n + 1; next < 2) {  // one iteration ahead
            load_a(m);
        }
        // c: store of 64x32 elements at (64 * m, 32 * n) of c
        cb_wait_front(cb_c, pages_c);
        {
            uint32_t at = get_read_ptr(cb_c);
            if (n < 7) {  // blocks that are this core's to write
                for (int32_t p0 = 0; p0 < 2; ++p0) {
                    const int32_t i0 = 2 * m + p0;
                    const int32_t i1 = n;
                    noc_async_write_page(i0 * 7 + i1, dram_c, at);
                    at += page_bytes_c;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_c, pages_c);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
