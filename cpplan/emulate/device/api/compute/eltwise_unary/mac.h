#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat data_format>
EMU_INIT(mac_tile_init, MAC)
template <DataFormat data_format>
ALWI void mac_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    emu_vector_ternary(MAC, MAC, idst0, idst1, idst2, odst, 0, uint32_t(data_format));
}
}  // namespace ckernel
