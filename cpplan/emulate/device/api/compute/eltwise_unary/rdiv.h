#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(rdiv_tile_init, RDIV)
template <RoundingMode rounding_mode = RoundingMode::None, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rdiv_tile(uint32_t dst_index, uint32_t value, VectorMode vector_mode = VectorMode::RC) {
    emu_vector_unary(RDIV, RDIV, dst_index, value, uint32_t(rounding_mode), faces_of(vector_mode));
}
}  // namespace ckernel
