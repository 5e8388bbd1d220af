#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(sqrt_tile_init, SQRT)
template <bool FAST_APPROX = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(sqrt_tile, SQRT, SQRT)
}  // namespace ckernel
