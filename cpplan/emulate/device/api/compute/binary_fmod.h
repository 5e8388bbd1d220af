#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_BINARY_TILES(fmod_int32_tile, FMOD_INT, FMOD_INT)
EMU_INIT(fmod_int32_tile_init, FMOD_INT)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_BINARY_TILES(fmod_binary_tile, FMOD_BINARY, FMOD_BINARY)
EMU_INIT(fmod_binary_tile_init, FMOD_BINARY)
}  // namespace ckernel
