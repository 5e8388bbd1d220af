#pragma once

#include "emulation/vector.h"

namespace ckernel {
ALWI void cumsum_tile(uint32_t idst, bool first = true) {
    emu_vector_unary(first ? CUMSUM_FIRST : CUMSUM, CUMSUM, idst, 0, 0, ALL_FACES);
}
EMU_INIT(cumsum_tile_init, CUMSUM)
}  // namespace ckernel
