// split_k_matmul_kernel on blackhole[2x2]: transfers over NoC 1, the same on all cores.
// Block: BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, SPLIT_K=4.
// Plan: along x: part over 2 cores; along y: part over 2 cores.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

namespace plan {

FORCE_INLINE volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// How this core comes to its turns at tiles that several cores update.
struct Turn {
    bool waits;      // it has to be told
    uint32_t ahead;  // turns that it has without being told
};

FORCE_INLINE Turn turn_at(uint32_t argument) {
    return {get_arg_val<uint32_t>(argument) != 0, get_arg_val<uint32_t>(argument + 1)};
}

// Who has the turn after this core.
struct Next {
    bool exists;
    uint32_t x, y;
};

FORCE_INLINE Next next_at(uint32_t argument) {
    return {
        get_arg_val<uint32_t>(argument) != 0,
        get_arg_val<uint32_t>(argument + 1),
        get_arg_val<uint32_t>(argument + 2)};
}

// Waits for turn number `number`, counted from 1. Turns may come before they are waited for, so they are counted.
FORCE_INLINE void await_turn(const Turn& turn, uint32_t told, uint32_t number) {
    if (turn.waits && number > turn.ahead) {
        noc_semaphore_wait_min(word_at(told), number - turn.ahead);
    }
}

// Waits for all that the core is told in `number` turns, and forgets it.
FORCE_INLINE void end_turns(const Turn& turn, uint32_t told, uint32_t number) {
    if (turn.waits) {
        noc_semaphore_wait_min(word_at(told), number);
        noc_semaphore_set(word_at(told), 0);
    }
}

// Tells the next core that it is its turn.
FORCE_INLINE void pass_turn(const Next& next, uint32_t told) {
    if (next.exists) {
        noc_semaphore_inc(get_noc_addr(next.x, next.y, told), 1);
    }
}

}  // namespace plan

void kernel_main() {
    // load of c_ptr_old once, single-buffered; every core reads its own
    constexpr uint32_t cb_c_ptr_old = 2;
    constexpr uint32_t pages_c_ptr_old = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_c_ptr_old = 4096;  // fp32
    // store of c_ptr once, single-buffered; every core writes
    constexpr uint32_t cb_c_ptr = 3;
    constexpr uint32_t pages_c_ptr = 4;  // 64x64 elements
    constexpr uint32_t page_bytes_c_ptr = 4096;  // fp32

    constexpr auto args_c_ptr = TensorAccessorArgs<0>();
    const auto dram_c_ptr = TensorAccessor(args_c_ptr, get_common_arg_val<uint32_t>(0), page_bytes_c_ptr_old);

    const auto turn_c_ptr = plan::turn_at(1);
    uint32_t turns_c_ptr = 0;  // how often it was this core's turn
    const auto next_c_ptr = plan::next_at(3);
    const uint32_t told_c_ptr = get_semaphore(0);

    plan::await_turn(turn_c_ptr, told_c_ptr, ++turns_c_ptr);  // nobody else is at the tile of c_ptr
    // c_ptr_old: load of 64x64 elements at (0, 0) of c_ptr
    cb_reserve_back(cb_c_ptr_old, pages_c_ptr_old);
    {
        uint32_t at = get_write_ptr(cb_c_ptr_old);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            for (int32_t i1 = 0; i1 < 2; ++i1) {
                noc_async_read_page(i0 * 2 + i1, dram_c_ptr, at);
                at += page_bytes_c_ptr_old;
            }
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb_c_ptr_old, pages_c_ptr_old);
    // c_ptr: store of 64x64 elements at (0, 0) of c_ptr
    cb_wait_front(cb_c_ptr, pages_c_ptr);
    {
        uint32_t at = get_read_ptr(cb_c_ptr);
        for (int32_t i0 = 0; i0 < 2; ++i0) {
            for (int32_t i1 = 0; i1 < 2; ++i1) {
                noc_async_write_page(i0 * 2 + i1, dram_c_ptr, at);
                at += page_bytes_c_ptr;
            }
        }
        noc_async_write_barrier();  // only now may the next block read the tile
    }
    cb_pop_front(cb_c_ptr, pages_c_ptr);
    plan::pass_turn(next_c_ptr, told_c_ptr);
    noc_async_write_barrier();
    plan::end_turns(turn_c_ptr, told_c_ptr, turns_c_ptr);
    noc_async_atomic_barrier();
}
