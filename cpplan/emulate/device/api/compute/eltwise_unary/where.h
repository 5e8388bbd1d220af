#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(where_tile_init, WHERE)
template <DataFormat data_format>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(data_format == DataFormat::Float32 || data_format == DataFormat::Float16_b || data_format == DataFormat::Int32 ||
                      data_format == DataFormat::UInt32,
                  "where_tile takes Float32, Float16_b, Int32 or UInt32");
    emu_vector_ternary(WHERE, WHERE, idst0, idst1, idst2, odst, 0, uint32_t(data_format));
}
}  // namespace ckernel
