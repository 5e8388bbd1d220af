#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(rsub_tile_init, RSUB)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(rsub_tile, SCALAR_RSUB, RSUB)
EMU_INIT(rsub_unary_int32_tile_init, SCALAR_RSUB_INT)
EMU_UNARY_PARAMETER(rsub_unary_int32_tile, SCALAR_RSUB_INT, SCALAR_RSUB_INT)
}  // namespace ckernel
