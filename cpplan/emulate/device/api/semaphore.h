#pragma once

#include "api/dataflow/noc.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
public:
    explicit Semaphore(uint32_t semaphore_id) : id_(semaphore_id) {}
    void set(uint32_t value) { *word() = value; }
    uint32_t value() const {
        emu_pause();
        return *word();
    }
    void wait(uint32_t value) const { emu_semaphore_wait(word(), value, 0); }
    void wait_min(uint32_t value) const { emu_semaphore_wait(word(), value, 1); }
    void up(uint32_t value) { *word() += value; }
    void down(uint32_t value) {
        emu_semaphore_wait(word(), value, 1);
        *word() -= value;
    }
    void up(const Noc&, uint32_t noc_x, uint32_t noc_y, uint32_t value, uint8_t = NOC_UNICAST_WRITE_VC) {
        emu_atomic_add(emu_worker_address(noc_x, noc_y, emu_semaphore(id_)), value, 1, 0);
    }
    void set_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end,
                       uint32_t num_dests, bool linked = false) {
        uint32_t address = emu_semaphore(id_);
        uint64_t to = emu_multicast_address(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address, noc.get_noc_id());
        emu_multicast(address, to, 4, num_dests, linked, 0);
    }
    void inc_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end,
                       uint32_t value, uint32_t num_dests) {
        uint32_t address = emu_semaphore(id_);
        emu_atomic_add(emu_multicast_address(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address, noc.get_noc_id()), value, num_dests, 1);
    }

private:
    volatile uint32_t* word() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t(emu_semaphore(id_))); }
    uint32_t id_;
};
