#pragma once

#include "api/compute/common.h"
#include "emulation/vector.h"

namespace ckernel {
template <bool fast_and_approx = false>
EMU_INIT(sigmoid_tile_init, SIGMOID)
template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sigmoid_tile(uint32_t idst) { emu_vector_unary(SIGMOID, SIGMOID, idst, 0, 0, faces_of(vec_mode)); }
EMU_FP32_UNARY(silu, SILU)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(tanh_tile_init, TANH)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(tanh_tile, TANH, TANH)
EMU_FP32_UNARY(square, SQUARE)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(log_tile_init, LOG)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(log_tile, LOG, LOG)
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(log_with_base_tile_init, LOG_WITH_BASE)
template <bool fast_and_approx = false, bool base_is_two = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(log_with_base_tile, LOG_WITH_BASE, LOG_WITH_BASE)
EMU_PLAIN_UNARY(signbit, SIGNBIT)
EMU_PLAIN_UNARY(abs, ABS)
EMU_UNARY(abs_tile_int32, ABS_INT, ABS)
EMU_PLAIN_UNARY(sign, SIGN)
EMU_INIT(power_tile_init, POWER)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY_PARAMETER(power_tile, POWER, POWER)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(exp2_tile, EXP2, EXP2)
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(exp2_tile_init, EXP2)
EMU_PLAIN_PARAMETER(heaviside, HEAVISIDE)
template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_UNARY(expm1_tile, EXPM1, EXPM1)
template <bool approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
EMU_INIT(expm1_tile_init, EXPM1)
EMU_PLAIN_PARAMETER(unary_max, UNARY_MAX)
EMU_PLAIN_PARAMETER(unary_min, UNARY_MIN)
EMU_INIT(unary_max_int32_tile_init, UNARY_MAX_INT)
EMU_UNARY_PARAMETER(unary_max_int32_tile, UNARY_MAX_INT, UNARY_MAX_INT)
EMU_INIT(unary_min_int32_tile_init, UNARY_MIN_INT)
EMU_UNARY_PARAMETER(unary_min_int32_tile, UNARY_MIN_INT, UNARY_MIN_INT)
EMU_INIT(unary_max_uint32_tile_init, UNARY_MAX_UINT)
EMU_UNARY_PARAMETER(unary_max_uint32_tile, UNARY_MAX_UINT, UNARY_MAX_UINT)
EMU_INIT(unary_min_uint32_tile_init, UNARY_MIN_UINT)
EMU_UNARY_PARAMETER(unary_min_uint32_tile, UNARY_MIN_UINT, UNARY_MIN_UINT)

constexpr bool emu_vector_reduces(DataFormat f) {
    return f == DataFormat::Float32 || f == DataFormat::Int32 || f == DataFormat::UInt32 || f == DataFormat::UInt16 || f == DataFormat::Float16_b;
}
template <PoolType pool_type, DataFormat format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_reduce_init() {
    static_assert(emu_vector_reduces(format), "Unsupported data format");
    emu_vector_init(int32_t(VECTOR_REDUCE | uint32_t(pool_type) << 16 | uint32_t(format) << 24));
}
template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    static_assert(reduce_dim == ReduceDim::REDUCE_COL || (reduce_dim == ReduceDim::REDUCE_ROW && pool_type != PoolType::AVG),
                  "row reduction is only supported for SUM, MAX and MIN");
    static_assert(emu_vector_reduces(format), "Unsupported data format");
    emu_vector_reduce(uint32_t(pool_type), uint32_t(reduce_dim), uint32_t(format), idst, ct_dim, rt_dim);
}
}  // namespace ckernel
