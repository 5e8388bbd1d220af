#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(addcmul_tile_init, ADDCMUL)
template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void addcmul_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, uint32_t value) {
    emu_vector_ternary(ADDCMUL, ADDCMUL, idst0, idst1, idst2, odst, value, uint32_t(data_format));
}
}  // namespace ckernel
