// Reductions of the vector unit: columns of one tile into its first row, or rows of a block of tiles into a first column.
#include <cmath>
#include <cstring>
#include <limits>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

constexpr uint32_t UNSPECIFIED = 0x7FC0DEAD;    // a NaN, and an unlikely integer

uint32_t bits_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
float with_bits(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
uint32_t place(uint32_t row, uint32_t column) { return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16; }

// pool: 0 sum, 1 average, 2 maximum, 3 minimum
struct Fold {
    uint32_t pool;
    Format format;
    float operator()(float a, float b) const {
        if (!is_integer(format)) return pool == 2 ? std::fmax(a, b) : pool == 3 ? std::fmin(a, b) : a + b;
        uint32_t x = bits_of(a), y = bits_of(b);
        if (pool < 2) return with_bits(x + y);
        bool less = format == Format::Int32 ? int32_t(x) < int32_t(y) : x < y;
        return with_bits(less == (pool == 2) ? y : x);
    }
};

float averaged(float sum, Format format) {
    if (!is_integer(format)) return sum / 32.0f;
    return with_bits(format == Format::Int32 ? uint32_t(int32_t(bits_of(sum)) / 32) : bits_of(sum) / 32);
}

void spoil(float* tile) {
    for (uint32_t i = 0; i < TILE; ++i) tile[i] = with_bits(UNSPECIFIED);
}

void columns(float* tile, const Fold& fold) {
    float result[32];
    for (uint32_t c = 0; c < 32; ++c) {
        result[c] = tile[place(0, c)];
        for (uint32_t r = 1; r < 32; ++r) result[c] = fold(result[c], tile[place(r, c)]);
        if (fold.pool == 1) result[c] = averaged(result[c], fold.format);
    }
    spoil(tile);
    for (uint32_t c = 0; c < 32; ++c) tile[place(0, c)] = result[c];
}

void rows(float* const* tiles, uint32_t count, const Fold& fold) {
    float result[32];
    for (uint32_t r = 0; r < 32; ++r) {
        result[r] = tiles[0][place(r, 0)];
        for (uint32_t c = 1; c < 32 * count; ++c) result[r] = fold(result[r], tiles[c / 32][place(r, c % 32)]);
    }
    for (uint32_t t = 0; t < count; ++t) spoil(tiles[t]);
    for (uint32_t r = 0; r < 32; ++r) tiles[0][place(r, 0)] = result[r];
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" void emu_vector_reduce(uint32_t pool, uint32_t dim, uint32_t format, uint32_t dst, uint32_t ct, uint32_t rt) {
    Registers& r = registers();
    Fold fold{pool, Format(format)};
    if (r.vector_operation != (VECTOR_REDUCE | int(pool << 16 | format << 24))) fail("setup", "sfpu_reduce without its sfpu_reduce_init since the last other init");
    bool wide = fold.format == Format::Float32 || fold.format == Format::Int32 || fold.format == Format::UInt32;
    if (wide && !r.fp32) fail("format", std::string("sfpu_reduce of ") + name_of(fold.format) + " on a 16-bit DST");
    Datum datum = is_integer(fold.format) ? Datum::Integer : Datum::Float;
    if (dim == 1) {
        if (ct != 1 || rt != 1) fail("reduce", "a column reduction of the vector unit takes one tile");
        float* tile = vector_read(dst, datum, "sfpu_reduce");
        columns(tile, fold);
        if (datum == Datum::Float) round_dst(tile);
        return;
    }
    for (uint32_t row = 0; row < rt; ++row) {
        float* tiles[16];
        for (uint32_t t = 0; t < ct; ++t) tiles[t] = vector_read(dst + row * ct + t, datum, "sfpu_reduce");
        rows(tiles, ct, fold);
        if (datum == Datum::Float) round_dst(tiles[0]);
    }
}
