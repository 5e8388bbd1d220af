#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_init(uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false, uint32_t = 0) {
    emu_copy_init(cbid, transpose, transpose_within_16x16_face);
}
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    emu_copy(in_cb_id, in_tile_index, dst_tile_index);
}
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles) {
    for (uint32_t i = 0; i < ntiles; ++i) emu_copy(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i);
}
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_tile_init(uint32_t cbid, uint32_t = 0) { emu_copy_init(cbid, 0, 0); }
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short(uint32_t cbid, uint32_t transpose = 0, uint32_t within_face = false, uint32_t = 0) {
    emu_copy_init(cbid, transpose, within_face);
}
template <bool fp32 = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid, uint32_t transpose = 0) {
    reconfig_data_format_srca(old_cbid, new_cbid);
    emu_copy_init(new_cbid, transpose, 0);
}
}  // namespace ckernel
