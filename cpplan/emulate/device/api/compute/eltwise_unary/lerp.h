#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(lerp_tile_init, LERP)
template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lerp_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    emu_vector_ternary(LERP, LERP, idst0, idst1, idst2, odst, 0, uint32_t(data_format));
}
}  // namespace ckernel
