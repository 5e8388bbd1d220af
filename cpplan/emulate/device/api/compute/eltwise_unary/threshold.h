#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(threshold_tile_init, THRESHOLD)
EMU_UNARY_PARAMETERS(threshold_tile, THRESHOLD, THRESHOLD)
}  // namespace ckernel
