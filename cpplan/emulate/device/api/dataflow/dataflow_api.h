// Data movement: NoC transfers, barriers, semaphores and circular buffers.
#pragma once

#include "api/tensor/tensor_accessor.h"
#include "emulation/kernel.h"
#include "hostdevcommon/kernel_structs.h"

constexpr uint8_t noc_index = emu_config::noc_index;
constexpr uint32_t NOC_UNICAST_WRITE_VC = 1, NOC_MULTICAST_WRITE_VC = 4;
constexpr uint32_t NOC_MAX_BURST_SIZE = emu_config::blackhole ? 16384 : 8192;
constexpr uint32_t DRAM_ALIGNMENT = emu_config::blackhole ? 64 : 32, L1_ALIGNMENT = 16;
constexpr uint32_t NUM_DRAM_BANKS = emu_config::dram_banks;
#define my_x emu_coordinates{0}
#define my_y emu_coordinates{1}
struct emu_coordinates {
    uint32_t which;
    uint8_t operator[](uint32_t) const { return uint8_t(emu_coordinate(which)); }
};

// ---- circular buffers ----
FORCE_INLINE void cb_reserve_back(int32_t operand, int32_t num_pages) { emu_buffer(0, uint32_t(operand), num_pages); }
FORCE_INLINE void cb_push_back(const int32_t operand, const int32_t num_pages) { emu_buffer(1, uint32_t(operand), num_pages); }
FORCE_INLINE void cb_wait_front(int32_t operand, int32_t num_pages) { emu_buffer(2, uint32_t(operand), num_pages); }
FORCE_INLINE void cb_pop_front(int32_t operand, int32_t num_pages) { emu_buffer(3, uint32_t(operand), num_pages); }
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t operand, int32_t num_pages) { return emu_buffer_holds(0, uint32_t(operand), num_pages); }
FORCE_INLINE bool cb_pages_available_at_front(int32_t operand, int32_t num_pages) { return emu_buffer_holds(2, uint32_t(operand), num_pages); }
FORCE_INLINE uint32_t get_write_ptr(uint32_t operand) { return emu_buffer_pointer(operand, 1); }
FORCE_INLINE uint32_t get_read_ptr(uint32_t operand) { return emu_buffer_pointer(operand, 0); }

// ---- addresses ----
FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t = noc_index) {
    return emu_worker_address(noc_x, noc_y, addr);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t = noc_index) {
    return emu_worker_address(emu_coordinate(0), emu_coordinate(1), addr);
}
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end,
                                             uint32_t addr, uint8_t noc = noc_index) {
    return emu_multicast_address(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, noc);
}
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset, uint8_t = noc_index) {
    static_assert(DRAM, "banks of L1 are not emulated");
    return emu_bank_address(bank_id, bank_address_offset);
}
template <bool DRAM>
struct InterleavedAddrGen {
    static_assert(DRAM, "tensors in L1 are not emulated");
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t page_size;
    uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0, uint8_t = noc_index) const {
        return emu_dram_address(id, page_size, bank_base_address, offset);
    }
};
template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    static_assert(DRAM, "tensors in L1 are not emulated");
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0, uint8_t = noc_index) const {
        return emu_dram_address(id, page_size, bank_base_address, offset);
    }
};
template <typename AddrGen>
FORCE_INLINE auto get_noc_addr(const uint32_t id, const AddrGen& addrgen, uint32_t offset = 0, uint8_t = noc_index)
    -> decltype(addrgen.get_noc_addr(id, offset)) {
    return addrgen.get_noc_addr(id, offset);
}
template <typename AddrGen>
FORCE_INLINE uint32_t emu_page_size(const AddrGen& addrgen) {
    if constexpr (requires { addrgen.get_aligned_page_size(); }) return addrgen.get_aligned_page_size();
    else return addrgen.page_size;
}

// ---- reads ----
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
inline void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t = noc_index,
                           uint32_t = NOC_UNICAST_WRITE_VC) {
    emu_read(src_noc_addr, dst_local_l1_addr, size);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t = noc_index,
                                            uint32_t = NOC_UNICAST_WRITE_VC) {
    emu_read(src_noc_addr, dst_local_l1_addr, size);
}
template <typename AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(const uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0,
                                      uint8_t = noc_index) {
    emu_read(addrgen.get_noc_addr(id, offset), dst_local_l1_addr, emu_page_size(addrgen));
}
template <typename AddrGen>
FORCE_INLINE void noc_async_read_tile(const uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0,
                                      uint8_t = noc_index) {
    emu_read(addrgen.get_noc_addr(id, offset), dst_local_l1_addr, emu_page_size(addrgen));
}

// ---- writes ----
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint8_t = noc_index,
                            uint32_t = NOC_UNICAST_WRITE_VC) {
    emu_write(src_local_l1_addr, dst_noc_addr, size);
}
template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint8_t = noc_index,
                                             uint32_t = NOC_UNICAST_WRITE_VC) {
    emu_write(src_local_l1_addr, dst_noc_addr, size);
}
template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(const uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr, uint32_t size = 0,
                                       uint32_t offset = 0, uint8_t = noc_index) {
    emu_write(src_local_l1_addr, addrgen.get_noc_addr(id, offset), size ? size : emu_page_size(addrgen));
}
template <typename AddrGen>
FORCE_INLINE void noc_async_write_tile(const uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr, uint8_t = noc_index) {
    emu_write(src_local_l1_addr, addrgen.get_noc_addr(id, 0), emu_page_size(addrgen));
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests,
                                      bool linked = false, uint8_t = noc_index, uint8_t = NOC_MULTICAST_WRITE_VC) {
    emu_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, 0);
}
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size,
                                                       uint32_t num_dests, bool linked = false, uint8_t = noc_index) {
    emu_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, 0);
}
inline void noc_async_write_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size,
                                                   uint32_t num_dests, bool linked = false, uint8_t = noc_index) {
    emu_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, 1);
}

// ---- barriers ----
inline void noc_async_read_barrier(uint8_t = noc_index) { emu_barrier(1); }
FORCE_INLINE void noc_async_write_barrier(uint8_t = noc_index) { emu_barrier(2); }
FORCE_INLINE void noc_async_writes_flushed(uint8_t = noc_index) { emu_barrier(4); }
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t = noc_index) { emu_barrier(4); }
FORCE_INLINE void noc_async_atomic_barrier(uint8_t = noc_index) { emu_barrier(8); }
FORCE_INLINE void noc_async_full_barrier(uint8_t = noc_index) { emu_barrier(15); }
FORCE_INLINE void invalidate_l1_cache() { emu_pause(); }

// ---- semaphores ----
enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };
template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uintptr_t get_semaphore(uint32_t semaphore_id) { return emu_semaphore(semaphore_id); }
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) { *sem_addr = val; }
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) { emu_semaphore_wait(sem_addr, val, 0); }
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) { emu_semaphore_wait(sem_addr, val, 1); }
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t = noc_index, uint8_t = NOC_UNICAST_WRITE_VC) {
    emu_atomic_add(addr, incr, 1, 0);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t = noc_index,
                                              uint8_t = NOC_MULTICAST_WRITE_VC) {
    emu_atomic_add(addr, incr, num_dests, 1);
}
inline void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t = noc_index) {
    emu_write(src_local_l1_addr, dst_noc_addr, 4);
}
inline void noc_semaphore_set_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t num_dests,
                                        bool linked = false, uint8_t = noc_index, uint8_t = NOC_MULTICAST_WRITE_VC) {
    emu_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked, 0);
}
inline void noc_semaphore_set_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t num_dests,
                                                     bool linked = false, uint8_t = noc_index) {
    emu_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked, 1);
}
FORCE_INLINE void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t = 0xF, uint8_t = noc_index, uint8_t = NOC_UNICAST_WRITE_VC,
                                      uint32_t = 0) {
    emu_write_word(addr, val);
}
