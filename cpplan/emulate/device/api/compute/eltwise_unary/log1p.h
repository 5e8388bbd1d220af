#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(log1p_tile_init, LOG1P)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(log1p_tile, LOG1P, LOG1P)
}  // namespace ckernel
