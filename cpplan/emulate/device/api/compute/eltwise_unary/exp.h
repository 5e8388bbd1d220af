#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init() {
    static_assert(scale == 0x3F800000, "a scale in exp_tile_init is not emulated; give it to exp_tile");
    emu_vector_init(EXP);
}
template <bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B) {
    static_assert(iterations == 8, "only whole faces are emulated");
    emu_vector_unary(EXP, EXP, idst, scale_en ? uint32_t(scale) << 16 : emu_bits(1.0f), 0, faces_of(vector_mode));
}
}  // namespace ckernel
