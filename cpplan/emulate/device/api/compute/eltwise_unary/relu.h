#pragma once

#include "emulation/vector.h"

namespace ckernel {
// relu and relu_min share their set-up: the larger of the element and the bound.
EMU_INIT(relu_tile_init, RELU)
EMU_UNARY(relu_tile, RELU, RELU)
EMU_UNARY_PARAMETER(relu_min_tile, RELU, RELU)
EMU_INIT(relu_min_tile_init, RELU)
EMU_PLAIN_PARAMETER(relu_max, RELU_MAX)
EMU_UNARY(relu_tile_int32, RELU_INT, RELU)
ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope = 0) { emu_vector_unary(LEAKY_RELU, LEAKY_RELU, idst, slope, 0, ALL_FACES); }
EMU_INIT(leaky_relu_tile_init, LEAKY_RELU)
}  // namespace ckernel
