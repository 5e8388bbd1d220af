#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(hardtanh_tile_init, HARDTANH)
EMU_UNARY_PARAMETERS(hardtanh_tile, HARDTANH, HARDTANH)
}  // namespace ckernel
