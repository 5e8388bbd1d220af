#pragma once

#include "emulation/compute.h"

namespace ckernel {
ALWI void cb_wait_front(uint32_t cbid, uint32_t ntiles) { emu_buffer(2, cbid, int32_t(ntiles)); }
ALWI void cb_pop_front(uint32_t cbid, uint32_t ntiles) { emu_buffer(3, cbid, int32_t(ntiles)); }
ALWI void cb_reserve_back(uint32_t cbid, uint32_t ntiles) { emu_buffer(0, cbid, int32_t(ntiles)); }
ALWI void cb_push_back(uint32_t cbid, uint32_t ntiles) { emu_buffer(1, cbid, int32_t(ntiles)); }
ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index) { return emu_tile_address(cb_id, tile_index); }
ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset) {
    return reinterpret_cast<volatile uint32_t*>(uintptr_t(emu_tile_address(cb_id, tile_index)))[element_offset];
}
}  // namespace ckernel
