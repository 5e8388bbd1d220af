// The vector unit on integers, which live in DST as their 32 bits, and conversions between the two kinds.
#include <cmath>
#include <cstring>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

uint32_t bits_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
float with_bits(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }

uint32_t unary(int op, int32_t x, int32_t a, int32_t b) {
    switch (op) {
        case ABS_INT: return uint32_t(x < 0 ? -int64_t(x) : x);
        case NEGATIVE_INT: return uint32_t(-int64_t(x));
        case RELU_INT: return uint32_t(std::max(x, a));
        case EQZ_INT: return x == 0;
        case NEZ_INT: return x != 0;
        case GTZ_INT: return x > 0;
        case LTZ_INT: return x < 0;
        case GEZ_INT: return x >= 0;
        case LEZ_INT: return x <= 0;
        case UNARY_EQ_INT: return x == a;
        case UNARY_NE_INT: return x != a;
        case UNARY_GT_INT: return x > a;
        case UNARY_LT_INT: return x < a;
        case UNARY_GE_INT: return x >= a;
        case UNARY_LE_INT: return x <= a;
        case UNARY_MAX_INT: return uint32_t(std::max(x, a));
        case UNARY_MIN_INT: return uint32_t(std::min(x, a));
        case UNARY_MAX_UINT: return std::max(uint32_t(x), uint32_t(a));
        case UNARY_MIN_UINT: return std::min(uint32_t(x), uint32_t(a));
        case CLAMP_INT: return uint32_t(std::min(std::max(x, a), b));
        case LOGICAL_NOT_INT: return x == 0;
        case FILL_INT: return uint32_t(a);
        case IDENTITY_INT: return uint32_t(x);
        case SCALAR_ADD_INT: return uint32_t(x) + uint32_t(a);
        case SCALAR_SUB_INT: return uint32_t(x) - uint32_t(a);
        case SCALAR_RSUB_INT: return uint32_t(a) - uint32_t(x);
        case BITWISE_AND: return uint32_t(x & a);
        case BITWISE_OR: return uint32_t(x | a);
        case BITWISE_XOR: return uint32_t(x ^ a);
        case BITWISE_NOT: return uint32_t(~x);
        case SHIFT_LEFT: return uint32_t(a) > 31 ? 0 : uint32_t(x) << a;
        case SHIFT_RIGHT: return uint32_t(uint32_t(a) > 31 ? x >> 31 : x >> a);
        default: fail("internal", "vector operation " + std::to_string(op));
    }
}

int32_t quotient(int op, int32_t x, int32_t y) {
    if (y == 0) return 0;
    int64_t q = int64_t(x) / y;
    if (op == DIV_FLOOR_INT && int64_t(x) % y != 0 && (x < 0) != (y < 0)) --q;
    return int32_t(q);
}

int32_t remainder_of(int op, int32_t x, int32_t y) {
    if (y == 0) return x;
    if (op == REMAINDER_UINT) return int32_t(uint32_t(x) % uint32_t(y));
    int64_t r = int64_t(x) % y;
    if (op == REMAINDER_INT && r != 0 && (r < 0) != (y < 0)) r += y;
    return int32_t(r);
}

uint32_t binary(int op, int32_t x, int32_t y) {
    uint32_t u = uint32_t(x), v = uint32_t(y);
    switch (op) {
        case ADD_INT: return u + v;
        case SUB_INT: return u - v;
        case RSUB_INT: return v - u;
        case MUL_INT: return u * v;
        case MAX_INT: return uint32_t(std::max(x, y));
        case MIN_INT: return uint32_t(std::min(x, y));
        case MAX_UINT: return std::max(u, v);
        case MIN_UINT: return std::min(u, v);
        case EQ_INT: return x == y;
        case NE_INT: return x != y;
        case LT_INT: return x < y;
        case GT_INT: return x > y;
        case LE_INT: return x <= y;
        case GE_INT: return x >= y;
        case LT_UINT: return u < v;
        case GT_UINT: return u > v;
        case LE_UINT: return u <= v;
        case GE_UINT: return u >= v;
        case AND_BINARY: return u & v;
        case OR_BINARY: return u | v;
        case XOR_BINARY: return u ^ v;
        case LEFT_SHIFT_BINARY: return v > 31 ? 0 : u << v;
        case LOGICAL_SHIFT_BINARY: return v > 31 ? 0 : u >> v;
        case RIGHT_SHIFT_BINARY: return uint32_t(v > 31 ? x >> 31 : x >> y);
        case DIV_FLOOR_INT:
        case DIV_TRUNC_INT: return uint32_t(quotient(op, x, y));
        case REMAINDER_INT:
        case REMAINDER_UINT:
        case FMOD_INT: return uint32_t(remainder_of(op, x, y));
        case MASK_INT: return y == 0 ? 0 : u;
        case COPY_VALUES_INT: return u;
        default: fail("internal", "vector operation " + std::to_string(op));
    }
}

bool wide(Format f) { return f == Format::Int32 || f == Format::UInt32; }

float from_integer(uint32_t u, Format f) { return f == Format::Int32 ? float(int32_t(u)) : float(u); }

uint32_t saturated(double x, Format to) {
    double low = to == Format::Int32 ? -2147483648.0 : 0.0;
    double high = to == Format::UInt16 ? 65535.0 : to == Format::Int32 ? 2147483647.0 : 4294967295.0;
    double y = std::isnan(x) ? high : std::min(std::max(x, low), high);
    return to == Format::Int32 ? uint32_t(int32_t(y)) : uint32_t(y);
}

uint32_t to_integer(float x, Format to) {
    if (to == Format::UInt8) return std::fabs(x) < 2147483648.0f ? uint32_t(int64_t(x)) & 255u : 0;    // wraps
    return saturated(to == Format::UInt16 ? std::nearbyint(x) : std::trunc(x), to);
}

uint32_t between_integers(uint32_t u, Format from, Format to) {
    if (to == Format::UInt8) return u & 255u;
    if (to == Format::UInt16) return saturated(from == Format::Int32 ? double(int32_t(u)) : double(u), to);
    return u;
}

}  // namespace

void vector_unary_integer(int op, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces) {
    float* t = op == FILL_INT ? dst_write(dst, Datum::Integer, "fill_tile_int") : vector_read(dst, Datum::Integer, "the vector call");
    for (uint32_t i = 0; i < TILE; ++i)
        if (faces >> (i / 256) & 1) t[i] = with_bits(unary(op, int32_t(bits_of(t[i])), int32_t(a), int32_t(b)));
}

void vector_binary_integer(int op, uint32_t in0, uint32_t in1, uint32_t out) {
    const float* x = vector_read(in0, Datum::Integer, "the vector call");
    const float* y = op == COPY_VALUES_INT ? x : vector_read(in1, Datum::Integer, "the vector call");
    bool quotient_is_float = op == DIV_INT;
    float* d = dst_write(out, quotient_is_float ? Datum::Float : Datum::Integer, "the vector call");
    for (uint32_t i = 0; i < TILE; ++i) {
        int32_t u = int32_t(bits_of(x[i])), v = int32_t(bits_of(y[i]));
        d[i] = quotient_is_float ? float(double(u) / double(v)) : with_bits(binary(op, u, v));
    }
    if (quotient_is_float) round_dst(d);
}

void vector_where_integer(uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out) {
    const float *x = vector_read(in0, Datum::Integer, "where_tile"), *y = vector_read(in1, Datum::Integer, "where_tile"),
                *z = vector_read(in2, Datum::Integer, "where_tile");
    float* d = dst_write(out, Datum::Integer, "where_tile");
    for (uint32_t i = 0; i < TILE; ++i) d[i] = with_bits(bits_of(x[i]) != 0 ? bits_of(y[i]) : bits_of(z[i]));
}

// Floats to uint16 round to nearest, to 32 bits they truncate, and saturate; to uint8 they truncate and wrap. Pairs of float
// formats leave DST alone, but for fp32 to bf16 (source: typecast.h, ckernel_sfpu_typecast.h).
void typecast(Format from, Format to, uint32_t dst) {
    Registers& r = registers();
    if (from == Format::Float16 || to == Format::Float16) fail("unsupported", "typecast_tile from or to fp16 does nothing on the device");
    if ((wide(from) || wide(to)) && !r.fp32) fail("format", "32-bit integers need a 32-bit DST (fp32_dest_acc_en)");
    float* t = vector_read(dst, is_integer(from) ? Datum::Integer : Datum::Float, "typecast_tile");
    for (uint32_t i = 0; i < TILE; ++i) {
        uint32_t u = bits_of(t[i]);
        if (is_integer(from)) t[i] = is_integer(to) ? with_bits(between_integers(u, from, to)) : from_integer(u, from);
        else if (is_integer(to)) t[i] = with_bits(to_integer(t[i], to));
    }
    dst_write(dst, is_integer(to) ? Datum::Integer : Datum::Float, "typecast_tile");
    if (from == Format::Float32 && to == Format::Float16_b) round_to_bf16(t, TILE);
    else if (!is_integer(to)) round_dst(t);
}

}  // namespace emu
