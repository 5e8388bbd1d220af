#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <bool fast_and_approx = true>
EMU_INIT(erf_tile_init, ERF)
template <bool fast_and_approx = true>
EMU_UNARY(erf_tile, ERF, ERF)
EMU_PLAIN_UNARY(erfc, ERFC)
}  // namespace ckernel
