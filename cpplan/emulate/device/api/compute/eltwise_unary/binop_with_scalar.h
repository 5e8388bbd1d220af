#pragma once

#include "emulation/vector.h"

namespace ckernel {
// Scalars are the bits of an fp32; div_unary_tile wants the reciprocal, as on the device.
EMU_INIT(binop_with_scalar_tile_init, SCALAR)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(add_unary_tile, SCALAR_ADD, SCALAR)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(sub_unary_tile, SCALAR_SUB, SCALAR)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(mul_unary_tile, SCALAR_MUL, SCALAR)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(div_unary_tile, SCALAR_DIV, SCALAR)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(rsub_unary_tile, SCALAR_RSUB, SCALAR)
EMU_UNARY_PARAMETER(add_unary_tile_int32, SCALAR_ADD_INT, SCALAR)
EMU_UNARY_PARAMETER(sub_unary_tile_int32, SCALAR_SUB_INT, SCALAR)
}  // namespace ckernel
