#pragma once

#include "api/compute/common.h"

namespace ckernel {
ALWI void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, const uint32_t transpose = 0, uint32_t = 0) {
    emu_matmul_init(in0_cb_id, in1_cb_id, transpose, 1, 1, 1);
}
ALWI void matmul_tiles(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst) {
    emu_matmul(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, 0, 1, 1, 1, 0);
}
ALWI void matmul_block_init(uint32_t in0_cb_id, uint32_t in1_cb_id, const uint32_t transpose = 0, uint32_t ct_dim = 1,
                            uint32_t rt_dim = 1, uint32_t kt_dim = 1, uint32_t = 0) {
    emu_matmul_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
ALWI void matmul_block(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
                       const uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim, uint32_t = 0) {
    emu_matmul(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim, 1);
}
}  // namespace ckernel
