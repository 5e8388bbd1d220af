#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(mask_tile_init, MASK)
ALWI void mask_tile(uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b) {
    if (data_format == DataFormat::Float16_b || data_format == DataFormat::Float16)
        emu_vector_binary(MASK, MASK, idst_data, idst2_mask, idst_data, ALL_FACES);
    else if (data_format == DataFormat::Int32)
        emu_vector_binary(MASK_INT, MASK, idst_data, idst2_mask, idst_data, ALL_FACES);
}
ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask) {
    emu_vector_binary(MASK_POSINF, MASK, idst_data, idst2_mask, idst_data, ALL_FACES);
}
}  // namespace ckernel
