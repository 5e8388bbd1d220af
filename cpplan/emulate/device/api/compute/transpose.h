#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
template <bool fp32 = DST_ACCUM_MODE>
ALWI void transpose_init(uint32_t icb, uint32_t = 0) { emu_transpose_init(icb); }
template <bool fp32 = DST_ACCUM_MODE>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst) { emu_transpose(icb, itile, idst); }
template <bool fp32 = DST_ACCUM_MODE>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t i = 0; i < ntiles; ++i) emu_transpose(icb, start_itile + i, start_idst + i);
}
}  // namespace ckernel
