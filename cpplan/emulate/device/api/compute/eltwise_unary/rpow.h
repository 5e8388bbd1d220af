#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(rpow_tile_init, RPOW)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rpow_tile(uint32_t idst, uint32_t base_val, VectorMode vector_mode = VectorMode::RC) {
    emu_vector_unary(RPOW, RPOW, idst, base_val, 0, faces_of(vector_mode));
}
}  // namespace ckernel
