#pragma once

#include "emulation/vector.h"

namespace ckernel {
EMU_BINARY_TILES(remainder_int32_tile, REMAINDER_INT, REMAINDER_INT)
EMU_INIT(remainder_int32_tile_init, REMAINDER_INT)
EMU_BINARY_TILES(remainder_uint32_tile, REMAINDER_UINT, REMAINDER_UINT)
EMU_INIT(remainder_uint32_tile_init, REMAINDER_UINT)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_BINARY_TILES(remainder_binary_tile, REMAINDER_BINARY, REMAINDER_BINARY)
EMU_INIT(remainder_binary_tile_init, REMAINDER_BINARY)
}  // namespace ckernel
