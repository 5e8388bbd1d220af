#pragma once

#include "emulation/vector.h"

namespace ckernel {
ALWI void binary_max_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC) {
    emu_vector_binary(MAX_BINARY, MAX_BINARY, idst0, idst1, odst, faces_of(vector_mode));
}
ALWI void binary_min_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC) {
    emu_vector_binary(MIN_BINARY, MIN_BINARY, idst0, idst1, odst, faces_of(vector_mode));
}
EMU_INIT(binary_max_tile_init, MAX_BINARY)
EMU_INIT(binary_min_tile_init, MIN_BINARY)
EMU_BINARY_TILES(binary_max_int32_tile, MAX_INT, MAX_INT)
EMU_INIT(binary_max_int32_tile_init, MAX_INT)
EMU_BINARY_TILES(binary_min_int32_tile, MIN_INT, MIN_INT)
EMU_INIT(binary_min_int32_tile_init, MIN_INT)
EMU_BINARY_TILES(binary_max_uint32_tile, MAX_UINT, MAX_UINT)
EMU_INIT(binary_max_uint32_tile_init, MAX_UINT)
EMU_BINARY_TILES(binary_min_uint32_tile, MIN_UINT, MIN_UINT)
EMU_INIT(binary_min_uint32_tile_init, MIN_UINT)
}  // namespace ckernel
