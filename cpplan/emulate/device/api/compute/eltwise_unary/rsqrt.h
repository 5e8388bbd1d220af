#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(rsqrt_tile_init, RSQRT)
template <RsqrtMode mode = RsqrtMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(rsqrt_tile, RSQRT, RSQRT)
}  // namespace ckernel
