#pragma once

#include "api/compute/common.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t = 0) { emu_tilize_init(icb, block, ocb); }
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
    emu_tilize_block(icb, block, ocb, input_tile_index, output_tile_index);
}
ALWI void tilize_uninit(uint32_t icb, uint32_t ocb) {
    emu_buffer_page_bytes(icb);
    emu_buffer_page_bytes(ocb);
    emu_tilize_uninit();
}
}  // namespace ckernel
