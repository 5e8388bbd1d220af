#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(rounding_op_tile_init, ROUNDING)
EMU_UNARY(ceil_tile, CEIL, ROUNDING)
EMU_UNARY(floor_tile, FLOOR, ROUNDING)
EMU_UNARY(trunc_tile, TRUNC, ROUNDING)
EMU_UNARY(frac_tile, FRAC, ROUNDING)
ALWI void round_tile(uint32_t idst, int32_t decimals) { emu_vector_unary(ROUND, ROUNDING, idst, uint32_t(decimals), 0, ALL_FACES); }
}  // namespace ckernel
