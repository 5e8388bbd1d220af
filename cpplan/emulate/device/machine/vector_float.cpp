// The vector unit on floats: one tile in place, or two or three tiles of DST into one.
#include <cmath>
#include <cstring>
#include <limits>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

float as_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }

template <typename F>
void each(float* tile, uint32_t faces, F f) {
    for (uint32_t face = 0; face < 4; ++face)
        if (faces >> face & 1)
            for (uint32_t i = face * 256; i < face * 256 + 256; ++i) tile[i] = f(tile[i]);
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678118654752f)); }
float gelu_tanh(float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456080286536f * (x + 0.044715f * x * x * x))); }
float one_if(bool condition) { return condition ? 1.0f : 0.0f; }

float softplus(float x, float beta, float threshold) { return beta * x > threshold ? x : std::log1p(std::exp(beta * x)) / beta; }

float sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }

float rounded(float x, int decimals) {
    float scale = std::pow(10.0f, float(decimals));
    return std::nearbyint(x * scale) / scale;
}

float floored_remainder(float x, float y) { return x - std::floor(x / y) * y; }

void elementary(int op, float* t, uint32_t faces, float a) {
    switch (op) {
        case EXP: return each(t, faces, [a](float x) { return std::exp(x * a); });
        case EXP2: return each(t, faces, [](float x) { return std::exp2(x); });
        case EXPM1: return each(t, faces, [](float x) { return std::expm1(x); });
        case LOG: return each(t, faces, [](float x) { return std::log(x); });
        case LOG_WITH_BASE: return each(t, faces, [a](float x) { return std::log(x) * a; });
        case LOG1P: return each(t, faces, [](float x) { return std::log1p(x); });
        case SQRT: return each(t, faces, [](float x) { return std::sqrt(x); });
        case RSQRT: return each(t, faces, [](float x) { return 1.0f / std::sqrt(x); });
        case RECIP: return each(t, faces, [](float x) { return 1.0f / x; });
        case CBRT: return each(t, faces, [](float x) { return std::cbrt(x); });
        case SQUARE: return each(t, faces, [](float x) { return x * x; });
        case POWER: return each(t, faces, [a](float x) { return std::pow(x, a); });
        case RPOW: return each(t, faces, [a](float x) { return std::pow(a, x); });
        case SIN: return each(t, faces, [](float x) { return std::sin(x); });
        case COS: return each(t, faces, [](float x) { return std::cos(x); });
        case TAN: return each(t, faces, [](float x) { return std::tan(x); });
        case ASIN: return each(t, faces, [](float x) { return std::asin(x); });
        case ACOS: return each(t, faces, [](float x) { return std::acos(x); });
        case ATAN: return each(t, faces, [](float x) { return std::atan(x); });
        case SINH: return each(t, faces, [](float x) { return std::sinh(x); });
        case COSH: return each(t, faces, [](float x) { return std::cosh(x); });
        case ASINH: return each(t, faces, [](float x) { return std::asinh(x); });
        case ACOSH: return each(t, faces, [](float x) { return std::acosh(x); });
        case ATANH: return each(t, faces, [](float x) { return std::atanh(x); });
        case ERF: return each(t, faces, [](float x) { return std::erf(x); });
        case ERFC: return each(t, faces, [](float x) { return std::erfc(x); });
        default: fail("internal", "vector operation " + std::to_string(op));
    }
}

void activation(int op, float* t, uint32_t faces, float a, float b) {
    switch (op) {
        case TANH: return each(t, faces, [](float x) { return std::tanh(x); });
        case SIGMOID: return each(t, faces, sigmoid);
        case SILU: return each(t, faces, [](float x) { return x * sigmoid(x); });
        case GELU: return each(t, faces, gelu);
        case GELU_TANH: return each(t, faces, gelu_tanh);
        case RELU: return each(t, faces, [a](float x) { return std::fmax(x, a); });
        case RELU_MAX: return each(t, faces, [a](float x) { return std::fmax(std::fmin(x, a), 0.0f); });
        case LEAKY_RELU: return each(t, faces, [a](float x) { return x < 0 ? x * a : x; });
        case ELU: return each(t, faces, [a](float x) { return x < 0 ? a * std::expm1(x) : x; });
        case CELU: return each(t, faces, [a, b](float x) { return x < 0 ? a * std::expm1(x * b) : x; });
        case SELU: return each(t, faces, [a, b](float x) { return a * (x < 0 ? b * std::expm1(x) : x); });
        case SOFTPLUS: return each(t, faces, [a, b](float x) { return softplus(x, a, b); });
        case HARDSIGMOID: return each(t, faces, [](float x) { return std::fmin(std::fmax(x / 6.0f + 0.5f, 0.0f), 1.0f); });
        case SOFTSIGN: return each(t, faces, [](float x) { return x / (1.0f + std::fabs(x)); });
        case HARDTANH:
        case CLAMP: return each(t, faces, [a, b](float x) { return std::fmin(std::fmax(x, a), b); });
        case THRESHOLD: return each(t, faces, [a, b](float x) { return x <= a ? b : x; });
        case HEAVISIDE: return each(t, faces, [a](float x) { return x < 0 ? 0.0f : x > 0 ? 1.0f : a; });
        default: elementary(op, t, faces, a);
    }
}

void comparison(int op, float* t, uint32_t faces, float a) {
    switch (op) {
        case EQZ: return each(t, faces, [](float x) { return one_if(x == 0); });
        case NEZ: return each(t, faces, [](float x) { return one_if(x != 0); });
        case GTZ: return each(t, faces, [](float x) { return one_if(x > 0); });
        case LTZ: return each(t, faces, [](float x) { return one_if(x < 0); });
        case GEZ: return each(t, faces, [](float x) { return one_if(x >= 0); });
        case LEZ: return each(t, faces, [](float x) { return one_if(x <= 0); });
        case UNARY_EQ: return each(t, faces, [a](float x) { return one_if(x == a); });
        case UNARY_NE: return each(t, faces, [a](float x) { return one_if(x != a); });
        case UNARY_GT: return each(t, faces, [a](float x) { return one_if(x > a); });
        case UNARY_LT: return each(t, faces, [a](float x) { return one_if(x < a); });
        case UNARY_GE: return each(t, faces, [a](float x) { return one_if(x >= a); });
        case UNARY_LE: return each(t, faces, [a](float x) { return one_if(x <= a); });
        case ISINF: return each(t, faces, [](float x) { return one_if(std::isinf(x)); });
        case ISPOSINF: return each(t, faces, [](float x) { return one_if(std::isinf(x) && x > 0); });
        case ISNEGINF: return each(t, faces, [](float x) { return one_if(std::isinf(x) && x < 0); });
        case ISNAN: return each(t, faces, [](float x) { return one_if(std::isnan(x)); });
        case ISFINITE: return each(t, faces, [](float x) { return one_if(std::isfinite(x)); });
        case LOGICAL_NOT: return each(t, faces, [](float x) { return one_if(x == 0); });
        case SIGNBIT: return each(t, faces, [](float x) { return one_if(std::signbit(x)); });
        default: fail("internal", "vector operation " + std::to_string(op));
    }
}

// a and b are the bits of the call's parameters.
void simple(int op, float* t, uint32_t faces, uint32_t a, uint32_t b) {
    float f = as_float(a);
    switch (op) {
        case ABS: return each(t, faces, [](float x) { return std::fabs(x); });
        case NEGATIVE: return each(t, faces, [](float x) { return -x; });
        case SIGN: return each(t, faces, sign);
        case IDENTITY: return;
        case FILL:
        case FILL_BITS: return each(t, faces, [f](float) { return f; });
        case FLOOR: return each(t, faces, [](float x) { return std::floor(x); });
        case CEIL: return each(t, faces, [](float x) { return std::ceil(x); });
        case TRUNC: return each(t, faces, [](float x) { return std::trunc(x); });
        case FRAC: return each(t, faces, [](float x) { return x - std::trunc(x); });
        case ROUND: return each(t, faces, [a](float x) { return rounded(x, int(a)); });
        case UNARY_MAX: return each(t, faces, [f](float x) { return std::fmax(x, f); });
        case UNARY_MIN: return each(t, faces, [f](float x) { return std::fmin(x, f); });
        case SCALAR_ADD: return each(t, faces, [f](float x) { return x + f; });
        case SCALAR_SUB: return each(t, faces, [f](float x) { return x - f; });
        case SCALAR_MUL:
        case SCALAR_DIV: return each(t, faces, [f](float x) { return x * f; });    // div_unary_tile takes the reciprocal
        case SCALAR_RSUB: return each(t, faces, [f](float x) { return f - x; });
        case RDIV: return each(t, faces, [f, b](float x) {
            float q = f / x;
            return b == 1 ? std::trunc(q) : b == 2 ? std::floor(q) : q;
        });
        default: comparison(op, t, faces, f);
    }
}

float binary(int op, float x, float y) {
    switch (op) {
        case ADD_BINARY: return x + y;
        case SUB_BINARY: return x - y;
        case MUL_BINARY: return x * y;
        case DIV_BINARY: return x / y;
        case RSUB_BINARY: return y - x;
        case POWER_BINARY: return std::pow(x, y);
        case MAX_BINARY: return std::fmax(x, y);
        case MIN_BINARY: return std::fmin(x, y);
        case EQ_BINARY: return one_if(x == y);
        case NE_BINARY: return one_if(x != y);
        case LT_BINARY: return one_if(x < y);
        case GT_BINARY: return one_if(x > y);
        case LE_BINARY: return one_if(x <= y);
        case GE_BINARY: return one_if(x >= y);
        case REMAINDER_BINARY: return floored_remainder(x, y);
        case FMOD_BINARY: return std::fmod(x, y);
        case MASK: return y == 0 ? 0.0f : x;
        case MASK_POSINF: return y == 0 ? std::numeric_limits<float>::infinity() : x;
        case COPY_VALUES: return x;
        default: fail("internal", "vector operation " + std::to_string(op));
    }
}

// The vector unit drops the low half of a result when DST has 16 bits, unless the operation rounds by itself first; these
// do not (source: llk_sfpu/ckernel_sfpu_*.h, SFPSTORE in tt-isa-documentation).
bool truncates(int op) {
    switch (op) {
        case SCALAR_ADD: case SCALAR_SUB: case SCALAR_MUL: case SCALAR_DIV: case ADD_BINARY: case SUB_BINARY: case RSUB_BINARY:
        case ERF: case ERFC: case LEAKY_RELU: case HARDSIGMOID: case SOFTSIGN: case FILL: case FRAC: case ROUND: return true;
        default: return false;
    }
}

void store(int op, bool nearest, float* tile) {
    if (registers().fp32) return;
    if (truncates(op) && !nearest) truncate_mantissa(tile, TILE, 7);
    else round_to_bf16(tile, TILE);
}

}  // namespace

void vector_unary_float(int op, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces) {
    bool writes_all = op == FILL || op == FILL_BITS;
    float* t = writes_all ? dst_write(dst, Datum::Float, "fill_tile") : vector_read(dst, Datum::Float, "the vector call");
    if (op <= HEAVISIDE) activation(op, t, faces, as_float(a), as_float(b));
    else if (op >= SIN && op <= ATANH) elementary(op, t, faces, as_float(a));
    else if (op == RPOW) elementary(op, t, faces, as_float(a));
    else simple(op, t, faces, a, b);
    store(op, false, t);
}

void vector_binary_float(int op, uint32_t in0, uint32_t in1, uint32_t out, uint32_t faces) {
    const float* x = vector_read(in0, Datum::Float, "the vector call");
    const float* y = op == COPY_VALUES ? x : vector_read(in1, Datum::Float, "the vector call");
    float* d = (faces & ALL_FACES) == ALL_FACES ? dst_write(out, Datum::Float, "the vector call") : vector_read(out, Datum::Float, "the vector call");
    for (uint32_t i = 0; i < TILE; ++i)
        if (faces >> (i / 256) & 1) d[i] = binary(op, x[i], y[i]);
    store(op, faces & NEAREST_EVEN, d);
}

void vector_ternary_float(int op, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out, float value) {
    const float *x = vector_read(in0, Datum::Float, "the vector call"), *y = vector_read(in1, Datum::Float, "the vector call"),
                *z = vector_read(in2, Datum::Float, "the vector call");
    float* d = dst_write(out, Datum::Float, "the vector call");
    for (uint32_t i = 0; i < TILE; ++i) {
        float a = x[i], b = y[i], c = z[i];
        switch (op) {
            case WHERE: d[i] = a != 0 ? b : c; break;
            case ADDCMUL: d[i] = a + value * b * c; break;
            case ADDCDIV: d[i] = a + value * b / c; break;
            case LERP: d[i] = a + c * (b - a); break;
            default: d[i] = a * b + c;
        }
    }
    round_dst(d);
}

}  // namespace emu
