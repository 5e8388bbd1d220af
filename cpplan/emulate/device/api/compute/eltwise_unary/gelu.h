#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(gelu_tile_init, GELU)
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(gelu_tile, GELU, GELU)
template <bool fast = false>
EMU_INIT(gelu_tanh_tile_init, GELU_TANH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fast = false>
EMU_UNARY(gelu_tanh_tile, GELU_TANH, GELU_TANH)
}  // namespace ckernel
