// The vector types of the SFPI compiler, which no package ships, as far as checking the API above them goes: every type
// converts from everything, so names and arities are checked and types are not.
#pragma once

#include <cstdint>
#include <type_traits>

#define sfpi_inline inline

namespace sfpi {

struct Lanes {};
template <typename T>
concept Vector = std::is_base_of_v<Lanes, std::remove_cvref_t<T>>;

template <int Kind>
struct Typed : Lanes {
    constexpr Typed() = default;
    constexpr Typed(const Typed&) = default;
    template <typename... T>
    constexpr Typed(const T&...) {}
    constexpr Typed& operator=(const Typed&) = default;
    template <typename T>
    constexpr Typed& operator=(const T&) { return *this; }
    template <auto... Modes, typename... T>
    constexpr Typed mode(const T&...) const { return {}; }
    constexpr explicit operator bool() const { return true; }
    constexpr Typed operator-() const { return {}; }
    constexpr Typed operator~() const { return {}; }
    constexpr Typed<1> operator!() const { return {}; }
    constexpr Typed& operator++() { return *this; }
    constexpr Typed operator++(int) { return *this; }
    constexpr Typed& operator--() { return *this; }
    constexpr Typed operator--(int) { return *this; }
    template <typename... T>
    constexpr Typed in_use(const T&...) const { return {}; }
    constexpr unsigned get() const { return 0; }
};
using Register = Typed<0>;    // a place in DST or a local register: takes the type of the other operand
using vBool = Typed<1>;
using vFloat = Typed<2>;
using vInt = Typed<3>;
using vUInt = Typed<4>;
using vMag = Typed<5>;
using vSMag = Typed<6>;
using vFloat16a = Typed<7>;
using vFloat16b = Typed<8>;
using vUInt8 = Typed<9>;
using vUInt16 = Typed<10>;
using vInt8 = Typed<11>;
using vInt16 = Typed<12>;
using vSMag8 = Typed<13>;
using vSMag16 = Typed<14>;
using vMag8 = Typed<15>;
using vMag16 = Typed<16>;
using sFloat16a = Typed<17>;
using sFloat16b = Typed<18>;
using vLut8si = Typed<19>;
using vLut16ss = Typed<20>;
using vLut16ii = Typed<21>;
using sLut8si = Typed<22>;
using sLut16si = Typed<23>;
using vCond = vBool;

template <typename A, typename B = Register>
struct Common {
    using a = std::remove_cvref_t<A>;
    using b = std::remove_cvref_t<B>;
    template <typename T>
    static constexpr bool typed = Vector<T> && !std::is_same_v<T, Register>;
    using type = std::conditional_t<typed<a>, a, std::conditional_t<typed<b>, b, vFloat>>;
};

#define SFPI_OPERATOR(op)                           \
    template <typename A, typename B>               \
        requires(Vector<A> || Vector<B>)            \
    constexpr typename Common<A, B>::type operator op(const A&, const B&) { return {}; } \
    template <Vector A, typename B>                 \
    constexpr const A& operator op##=(const A& a, const B&) { return a; }
SFPI_OPERATOR(+) SFPI_OPERATOR(-) SFPI_OPERATOR(*) SFPI_OPERATOR(/) SFPI_OPERATOR(&) SFPI_OPERATOR(|) SFPI_OPERATOR(^)
SFPI_OPERATOR(<<) SFPI_OPERATOR(>>)
#define SFPI_RELATION(op)                \
    template <typename A, typename B>    \
        requires(Vector<A> || Vector<B>) \
    constexpr vBool operator op(const A&, const B&) { return {}; }
SFPI_RELATION(==) SFPI_RELATION(!=) SFPI_RELATION(<) SFPI_RELATION(>) SFPI_RELATION(<=) SFPI_RELATION(>=)
SFPI_RELATION(&&) SFPI_RELATION(||)

struct RegisterFile {
    constexpr Register operator[](const auto&) const { return {}; }
    constexpr RegisterFile& operator+=(const auto&) { return *this; }
    constexpr RegisterFile& operator++() { return *this; }
    constexpr RegisterFile operator++(int) { return *this; }
};
inline RegisterFile dst_reg, l_reg;
inline Register vConstFloatPrgm0, vConstFloatPrgm1, vConstFloatPrgm2, vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2;
inline Register vConstTileId, vConst0, vConst1, vConstNeg1, vConst0p6929, vConst0p8373;
inline constexpr unsigned SFP_DESTREG_STRIDE = 2;

enum class LRegs { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LReg8, LReg9, LReg10, LReg11, LReg12, LReg13, LReg14, LReg15 };
enum class DataLayout { Default, None, F16a, F16b, F32, FSrcB, I32, M32, SM8, SM16, SM32, U8, U16, U32, TILE, ROW_MAJOR };
enum class RoundMode { Nearest, NearestEven, NearestAway, NearestStochastic };
enum class ExponentMode { Biased };
enum class MantissaMode { ImplicitOne };
enum class FractionalHalf { High };
enum class ShiftMode { Arithmetic, Logical };
enum class LutSign { Retain, Update };
enum class LutMode { Fp8x3, Fp16x6_HWM3 };
enum : unsigned {
    SFPABS_MOD1_INT, SFPARECIP_MOD1_RECIP, SFPCAST_MOD1_INT32_TO_FP32_RNE, SFPCAST_MOD1_SM32_TO_FP32_RNE, SFPCONFIG_SRC_RAND,
    SFPENCC_IMM12_BOTH, SFPENCC_MOD1_EI_RI, SFPENCC_MOD1_EU_R1, SFPEXEXP_MOD1_SET_CC_COMP_EXP, SFPEXEXP_MOD1_SET_CC_SGN_EXP,
    SFPEXMAN_MOD1_PAD9, SFPIADD_MOD1_ARG_2SCOMP_LREG_DST, SFPIADD_MOD1_ARG_IMM, SFPIADD_MOD1_ARG_LREG_DST, SFPIADD_MOD1_CC_GTE0,
    SFPIADD_MOD1_CC_LT0, SFPIADD_MOD1_CC_NONE, SFPLOADI_MOD0_FLOATA, SFPLOADI_MOD0_FLOATB, SFPLOADI_MOD0_LOWER, SFPLOADI_MOD0_SHORT,
    SFPLOADI_MOD0_UPPER, SFPLOADI_MOD0_USHORT, SFPLOAD_MOD0_FMT_FP16B, SFPLOAD_MOD0_FMT_SRCB, SFPLZ_MOD1_CC_NE0, SFPLZ_MOD1_CC_NONE,
    SFPMAD_MOD1_OFFSET_NONE, SFPMOV_MOD1_CONFIG, SFPMUL24_MOD1_LOWER, SFPMUL24_MOD1_UPPER, SFPSETCC_MOD1_LREG_EQ0,
    SFPSETCC_MOD1_LREG_GTE0, SFPSETCC_MOD1_LREG_LT0, SFPSETCC_MOD1_LREG_NE0, SFPSHFT2_MOD1_SHFT_IMM, SFPSHFT2_MOD1_SHFT_LREG,
    SFPSHFT2_MOD1_SUBVEC_SHFLROR1, SFPSHFT2_MOD1_SUBVEC_SHFLSHR1, SFPSTOCHRND_MOD1_FP32_TO_FP16B, SFPSTOCHRND_MOD1_FP32_TO_INT16,
    SFPSTOCHRND_MOD1_FP32_TO_INT8, SFPSTOCHRND_MOD1_FP32_TO_UINT16, SFPSTOCHRND_MOD1_FP32_TO_UINT8, SFPSTOCHRND_RND_EVEN,
    SFPSTORE_MOD0_FMT_FP16B, SFPSTORE_MOD0_FMT_SRCB, SFPSWAP_MOD1_SWAP, SFPSWAP_MOD1_VEC_MIN_MAX, SFP_SRCSREG_STRIDE,
    CREG_IDX_LUT_SLOPES, CREG_IDX_TILEID, CREG_IDX_0P837300003
};

// Conditional blocks: the condition only has to be one.
#define v_if(condition) { if (bool(::sfpi::vBool(condition))) {
#define v_elseif(condition) } else if (bool(::sfpi::vBool(condition))) {
#define v_else } else {
#define v_endif } }
#define v_block { {
#define v_endblock } }
#define v_and(condition) (void)(condition)
#define v_or(condition) (void)(condition)

#define SFPI_FUNCTION(name)                                  \
    template <auto... Modes, typename A, typename... T>      \
    constexpr typename Common<A>::type name(const A&, const T&...) { return {}; }
SFPI_FUNCTION(abs) SFPI_FUNCTION(exexp) SFPI_FUNCTION(exexp_nodebias) SFPI_FUNCTION(exman) SFPI_FUNCTION(exman8) SFPI_FUNCTION(exman9)
SFPI_FUNCTION(setexp) SFPI_FUNCTION(setman) SFPI_FUNCTION(setsgn) SFPI_FUNCTION(setsgn2) SFPI_FUNCTION(copysgn) SFPI_FUNCTION(copyman)
SFPI_FUNCTION(copyexp) SFPI_FUNCTION(addexp) SFPI_FUNCTION(shft) SFPI_FUNCTION(lut) SFPI_FUNCTION(lut2) SFPI_FUNCTION(lut2_sign)
SFPI_FUNCTION(lz) SFPI_FUNCTION(approx_recip) SFPI_FUNCTION(approx_exp) SFPI_FUNCTION(approx_sqrt) SFPI_FUNCTION(clamp)
SFPI_FUNCTION(min) SFPI_FUNCTION(max) SFPI_FUNCTION(min_max) SFPI_FUNCTION(vec_min_max) SFPI_FUNCTION(vec_swap)
SFPI_FUNCTION(fractional_mul) SFPI_FUNCTION(mul24) SFPI_FUNCTION(symmetric_clamp) SFPI_FUNCTION(nearby) SFPI_FUNCTION(round)
SFPI_FUNCTION(is_inf) SFPI_FUNCTION(is_nan) SFPI_FUNCTION(is_finite) SFPI_FUNCTION(is_pos) SFPI_FUNCTION(is_neg)
SFPI_FUNCTION(subvec_transp) SFPI_FUNCTION(subvec_shflror1) SFPI_FUNCTION(subvec_shflshr1) SFPI_FUNCTION(int32_to_float)
SFPI_FUNCTION(float_to_fp16a) SFPI_FUNCTION(float_to_fp16b) SFPI_FUNCTION(float_to_uint8) SFPI_FUNCTION(float_to_int8)
SFPI_FUNCTION(float_to_int16) SFPI_FUNCTION(float_to_uint16) SFPI_FUNCTION(int32_to_int8) SFPI_FUNCTION(int32_to_uint8)
SFPI_FUNCTION(rand) SFPI_FUNCTION(rectified_linear_unit) SFPI_FUNCTION(lut_init)
#define SFPI_CONVERSION(name)                                            \
    template <typename Result, auto... Modes, typename... T>             \
    constexpr Result name(const T&...) { return Result(); }
SFPI_CONVERSION(convert) SFPI_CONVERSION(as) SFPI_CONVERSION(reinterpret)
struct lreg_pressure {
    lreg_pressure() {}
    ~lreg_pressure() {}
};

}  // namespace sfpi

inline unsigned __builtin_rvtt_sfpmad(auto...) { return 0; }
inline unsigned __builtin_rvtt_sfpgt(auto...) { return 0; }
