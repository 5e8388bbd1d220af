// What every compute kernel sees: one fiber stands for the three threads, so UNPACK, MATH and PACK all take part.
#pragma once

#include "emulation/kernel.h"

#define MATH(...) __VA_ARGS__
#define PACK(...) __VA_ARGS__
#define UNPACK(...) __VA_ARGS__
#define TRISC_MATH
#define TRISC_PACK
#define TRISC_UNPACK

namespace ckernel {

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class PoolType : uint8_t { SUM, AVG, MAX, MIN };
enum class ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class BroadcastType : uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class EltwiseBinaryType : uint8_t { ELWADD, ELWSUB, ELWMUL, ELWDIV, ELWLESS };
enum class EltwiseBinaryReuseDestType : uint8_t { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class VectorMode : uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 2 };
enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
enum class ReciprocalDestAcc : uint8_t { BF16, FP32 };
enum class ReciprocalApproxMode : uint8_t { Default, Fast };
enum class RsqrtMode : uint8_t { Default, Fast };
enum class RoundingMode : uint8_t { None, Trunc, Floor };
namespace p_sfpu { constexpr uint32_t kCONST_1_FP16B = 0x3F80; }

constexpr MathFidelity MATH_FIDELITY = MathFidelity(emu_config::math_fidelity);
constexpr bool APPROX = emu_config::approx;
constexpr bool DST_ACCUM_MODE = emu_config::fp32_dest_acc;
#define DST_SYNC_MODE (emu_config::dst_full_sync ? ckernel::DstSync::SyncFull : ckernel::DstSync::SyncHalf)

// Masks of the faces that a vector mode covers.
constexpr uint32_t faces_of(VectorMode mode) {
    return mode == VectorMode::R ? ROW_FACES : mode == VectorMode::C ? COLUMN_FACES : mode == VectorMode::None ? 0 : ALL_FACES;
}

}  // namespace ckernel

using namespace ckernel;
