#pragma once

#include "emulation/vector.h"

namespace ckernel {
template <DataFormat DATA_FORMAT>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out) {
    emu_vector_binary(emu_is_integer(DATA_FORMAT) ? COPY_VALUES_INT : COPY_VALUES, COPY_VALUES, idst_in, idst_in, idst_out, ALL_FACES);
}
EMU_INIT(copy_dest_values_init, COPY_VALUES)
}  // namespace ckernel
