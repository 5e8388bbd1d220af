#pragma once

#include "api/compute/common.h"

namespace ckernel {
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, uint32_t = 0) {
    emu_buffer_page_bytes(ocb);
    emu_untilize_init(icb, full_ct_dim);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0) {
    if (block_rt_dim != 1) emu_unsupported("pack_untilize_block of several rows of tiles");
    emu_untilize_block(icb, block_ct_dim, ocb, block_c_index * block_ct_dim, full_ct_dim);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_uninit(uint32_t ocb) {
    emu_buffer_page_bytes(ocb);
    emu_untilize_uninit();
}
}  // namespace ckernel
