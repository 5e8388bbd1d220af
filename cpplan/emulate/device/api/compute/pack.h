#pragma once

#include "emulation/compute.h"

namespace ckernel {
ALWI void pack_init(uint32_t ocb, uint32_t = 0) { emu_buffer_page_bytes(ocb); }
template <bool out_of_order_output = false, bool fp32 = DST_ACCUM_MODE>
ALWI void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0) {
    emu_pack(ifrom_dst, icb, output_tile_index, !out_of_order_output);
}
template <bool fp32 = DST_ACCUM_MODE>
ALWI void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles) {
    for (uint32_t i = 0; i < ntiles; ++i) emu_pack(ifrom_dst + i, icb, 0, 1);
}
ALWI void pack_reconfig_l1_acc(const uint32_t l1_acc_en) { emu_pack_l1_accumulate(l1_acc_en); }
}  // namespace ckernel
