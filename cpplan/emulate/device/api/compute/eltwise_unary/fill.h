#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_INIT(fill_tile_init, FILL)
ALWI void fill_tile(uint32_t idst, float param0) { emu_vector_unary(FILL, FILL, idst, emu_bits(param0), 0, ALL_FACES); }
template <DataFormat DATA_FORMAT>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0) {
    static_assert(DATA_FORMAT == DataFormat::Int32 || is_uint32_format(DATA_FORMAT) || DATA_FORMAT == DataFormat::UInt16,
                  "Unsupported data format for fill_tile_int");
    emu_vector_unary(FILL_INT, FILL, idst, param0, 0, ALL_FACES);
}
EMU_UNARY_PARAMETER(fill_tile_bitcast, FILL_BITS, FILL)
}  // namespace ckernel
