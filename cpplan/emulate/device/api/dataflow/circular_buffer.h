#pragma once

#include "emulation/kernel.h"

class CircularBuffer {
public:
    explicit CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}
    uint32_t get_cb_id() const { return cb_id_; }
    void reserve_back(int32_t num_pages) { emu_buffer(0, cb_id_, num_pages); }
    void push_back(int32_t num_pages) { emu_buffer(1, cb_id_, num_pages); }
    void wait_front(int32_t num_pages) { emu_buffer(2, cb_id_, num_pages); }
    void pop_front(int32_t num_pages) { emu_buffer(3, cb_id_, num_pages); }
    bool pages_reservable_at_back(int32_t num_pages) const { return emu_buffer_holds(0, cb_id_, num_pages); }
    bool pages_available_at_front(int32_t num_pages) const { return emu_buffer_holds(2, cb_id_, num_pages); }
    uint32_t get_tile_size() const { return uint32_t(::get_tile_size(int32_t(cb_id_))); }
    DataFormat get_dataformat() const { return ::get_dataformat(int32_t(cb_id_)); }
    uint32_t get_write_ptr() const { return emu_buffer_pointer(cb_id_, 1); }
    uint32_t get_read_ptr() const { return emu_buffer_pointer(cb_id_, 0); }

private:
    uint32_t cb_id_;
};
