#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_PLAIN_UNARY(hardsigmoid, HARDSIGMOID)
EMU_PLAIN_UNARY(softsign, SOFTSIGN)
EMU_INIT(celu_tile_init, CELU)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETERS(celu_tile, CELU, CELU)
}  // namespace ckernel
