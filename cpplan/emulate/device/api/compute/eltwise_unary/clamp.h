#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(clamp_tile_init, CLAMP)
EMU_UNARY_PARAMETERS(clamp_tile, CLAMP, CLAMP)
EMU_UNARY_PARAMETERS(clamp_tile_int32, CLAMP_INT, CLAMP)
}  // namespace ckernel
