#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(selu_tile_init, SELU)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETERS(selu_tile, SELU, SELU)
}  // namespace ckernel
