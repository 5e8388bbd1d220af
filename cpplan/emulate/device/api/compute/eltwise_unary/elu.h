#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(elu_tile_init, ELU)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(elu_tile, ELU, ELU)
}  // namespace ckernel
