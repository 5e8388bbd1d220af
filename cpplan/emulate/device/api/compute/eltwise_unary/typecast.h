#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init() { emu_vector_init(int32_t(TYPECAST | IN_DTYPE << 16 | OUT_DTYPE << 24)); }
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void typecast_tile(uint32_t idst) { emu_typecast(IN_DTYPE, OUT_DTYPE, idst); }
}  // namespace ckernel
