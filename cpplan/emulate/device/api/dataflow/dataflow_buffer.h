#pragma once

#include "emulation/kernel.h"

class DataflowBuffer {
public:
    DataflowBuffer(uint16_t logical_dfb_id) : id_(logical_dfb_id) {}
    uint16_t get_id() const { return id_; }
    uint32_t get_entry_size() const { return emu_buffer_page_bytes(id_); }
    uint32_t get_total_num_entries() const { return emu_buffer_pages(id_); }
    uint32_t get_total_size_bytes() const { return emu_buffer_page_bytes(id_) * emu_buffer_pages(id_); }
    void reserve_back(uint16_t num_entries) { emu_buffer(0, id_, num_entries); }
    void push_back(uint16_t num_entries) { emu_buffer(1, id_, num_entries); }
    void wait_front(uint16_t num_entries) { emu_buffer(2, id_, num_entries); }
    void pop_front(uint16_t num_entries) { emu_buffer(3, id_, num_entries); }
    bool pages_reservable_at_back(int32_t num_pages) const { return emu_buffer_holds(0, id_, num_pages); }
    bool pages_available_at_front(int32_t num_pages) const { return emu_buffer_holds(2, id_, num_pages); }
    uint32_t get_tile_size() const { return uint32_t(::get_tile_size(id_)); }
    DataFormat get_dataformat() const { return ::get_dataformat(id_); }
    uint32_t get_write_ptr() const { return emu_buffer_pointer(id_, 1); }
    uint32_t get_read_ptr() const { return emu_buffer_pointer(id_, 0); }
    void finish() {}

private:
    uint16_t id_;
};
