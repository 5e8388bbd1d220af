#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_FP32_UNARY(sin, SIN)
EMU_FP32_UNARY(cos, COS)
EMU_FP32_UNARY(tan, TAN)
EMU_FP32_UNARY(asin, ASIN)
EMU_FP32_UNARY(acos, ACOS)
EMU_FP32_UNARY(atan, ATAN)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(sinh_tile_init, SINH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(sinh_tile, SINH, SINH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(cosh_tile_init, COSH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(cosh_tile, COSH, COSH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(asinh_tile_init, ASINH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(asinh_tile, ASINH, ASINH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(acosh_tile_init, ACOSH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(acosh_tile, ACOSH, ACOSH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(atanh_tile_init, ATANH)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(atanh_tile, ATANH, ATANH)
}  // namespace ckernel
