#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(softplus_tile_init, SOFTPLUS)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void softplus_tile(uint32_t idst, uint32_t beta, uint32_t, uint32_t threshold) {
    emu_vector_unary(SOFTPLUS, SOFTPLUS, idst, beta, threshold, ALL_FACES);
}
}  // namespace ckernel
