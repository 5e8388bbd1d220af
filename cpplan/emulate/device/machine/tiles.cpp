// Formats of L1. A tile is four 16x16 faces in a row everywhere, so converting one never moves an element.
#include <cmath>
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

float from_bits(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
uint32_t to_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

// Round to nearest even; a NaN stays one.
inline uint32_t bf16_bits(uint32_t u) {
    uint32_t rounded = u + 0x7FFFu + ((u >> 16) & 1u);
    return (u & 0x7FFFFFFFu) > 0x7F800000u ? (u | 0x400000u) & 0xFFFF0000u : rounded & 0xFFFF0000u;
}

// Block formats: per 16 elements one exponent; mantissas of sign and `bits` bits with an explicit leading one.
void unpack_block(const uint8_t* from, uint32_t bits, float* to) {
    const uint8_t* mantissas = from + TILE / 16;
    for (uint32_t row = 0; row < TILE / 16; ++row) {
        float scale = std::ldexp(1.0f, int(from[row]) - 127 - int(bits) + 1);
        for (uint32_t i = 0; i < 16; ++i) {
            uint32_t at = row * 16 + i;
            uint32_t m = bits == 7 ? mantissas[at] : (mantissas[at / 2] >> (at % 2 * 4)) & 15u;
            float magnitude = float(m & ((1u << bits) - 1)) * scale;
            to[at] = m >> bits & 1 ? -magnitude : magnitude;
        }
    }
}

// The packer rounds to seven bits, ties away from zero, and of fewer it keeps the first ones (source: tt-isa-documentation,
// Packers/FormatConversion.md). That the largest one does not carry over is what the host library does.
void pack_block(const float* from, uint32_t bits, uint8_t* to) {
    uint8_t* mantissas = to + TILE / 16;
    for (uint32_t row = 0; row < TILE / 16; ++row) {
        uint32_t exponent = 0;
        for (uint32_t i = 0; i < 16; ++i) exponent = std::max(exponent, to_bits(from[row * 16 + i]) >> 23 & 255u);
        to[row] = uint8_t(exponent);
        int shift = 127 + 6 - int(exponent);    // in two steps, as 2^shift itself may be too large
        float half = std::ldexp(1.0f, shift / 2), rest = std::ldexp(1.0f, shift - shift / 2);
        for (uint32_t i = 0; i < 16; ++i) {
            uint32_t at = row * 16 + i;
            uint32_t m = uint32_t(std::min(std::round(std::fabs(from[at]) * half * rest), 127.0f)) >> (7 - bits);
            uint32_t code = m | (from[at] < 0 && m > 0 ? 1u << bits : 0u);
            if (bits == 7) mantissas[at] = uint8_t(code);
            else if (at % 2 == 0) mantissas[at / 2] = uint8_t(code);
            else mantissas[at / 2] |= uint8_t(code << 4);
        }
    }
}

}  // namespace

const char* name_of(Format f) {
    switch (f) {
        case Format::Float32: return "fp32";
        case Format::Float16: return "fp16";
        case Format::Float16_b: return "bf16";
        case Format::Bfp8_b: return "bfp8_b";
        case Format::Bfp4_b: return "bfp4_b";
        case Format::Int32: return "int32";
        case Format::UInt16: return "uint16";
        case Format::UInt32: return "uint32";
        case Format::UInt8: return "uint8";
        default: return "none";
    }
}

void unpack_tile(const uint8_t* from, Format format, float* to) {
    switch (format) {
        case Format::Float16_b:
            for (uint32_t i = 0; i < TILE; ++i) { uint16_t h; memcpy(&h, from + 2 * i, 2); to[i] = from_bits(uint32_t(h) << 16); }
            break;
        case Format::Float16:
            for (uint32_t i = 0; i < TILE; ++i) { _Float16 h; memcpy(&h, from + 2 * i, 2); to[i] = float(h); }
            break;
        case Format::Float32:
        case Format::Int32:
        case Format::UInt32: memcpy(to, from, 4 * TILE); break;
        case Format::UInt16:
            for (uint32_t i = 0; i < TILE; ++i) { uint16_t h; memcpy(&h, from + 2 * i, 2); to[i] = from_bits(h); }
            break;
        case Format::UInt8:
            for (uint32_t i = 0; i < TILE; ++i) to[i] = from_bits(from[i]);
            break;
        case Format::Bfp8_b: unpack_block(from, 7, to); break;
        case Format::Bfp4_b: unpack_block(from, 3, to); break;
        default: fail("format", "a buffer without a data format");
    }
}

void pack_tile(const float* from, Format format, bool integer, uint8_t* to) {
    if (integer != is_integer(format))
        fail("format", std::string("DST holds ") + (integer ? "integers" : "floats") + ", the buffer is " + name_of(format) + " (typecast_tile converts)");
    switch (format) {
        case Format::Float16_b:
            for (uint32_t i = 0; i < TILE; ++i) { uint16_t h = uint16_t(bf16_bits(to_bits(from[i])) >> 16); memcpy(to + 2 * i, &h, 2); }
            break;
        case Format::Float16:
            for (uint32_t i = 0; i < TILE; ++i) { _Float16 h = _Float16(from[i]); memcpy(to + 2 * i, &h, 2); }
            break;
        case Format::Float32:
        case Format::Int32:
        case Format::UInt32: memcpy(to, from, 4 * TILE); break;
        case Format::UInt16:
            for (uint32_t i = 0; i < TILE; ++i) { uint16_t h = uint16_t(to_bits(from[i])); memcpy(to + 2 * i, &h, 2); }
            break;
        case Format::UInt8:
            for (uint32_t i = 0; i < TILE; ++i) to[i] = uint8_t(to_bits(from[i]));
            break;
        case Format::Bfp8_b: pack_block(from, 7, to); break;
        case Format::Bfp4_b: pack_block(from, 3, to); break;
        default: fail("format", "a buffer without a data format");
    }
}

void accumulate_tile(const float* from, Format format, uint8_t* to) {
    float sum[TILE];
    unpack_tile(to, format, sum);
    if (is_integer(format))
        for (uint32_t i = 0; i < TILE; ++i) sum[i] = from_bits(to_bits(sum[i]) + to_bits(from[i]));
    else
        for (uint32_t i = 0; i < TILE; ++i) sum[i] += from[i];
    pack_tile(sum, format, is_integer(format), to);
}

void round_to_bf16(float* values, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) values[i] = from_bits(bf16_bits(to_bits(values[i])));
}

void truncate_mantissa(float* values, uint32_t n, uint32_t kept_bits) {
    uint32_t mask = ~((1u << (23 - kept_bits)) - 1u);
    for (uint32_t i = 0; i < n; ++i) values[i] = from_bits(to_bits(values[i]) & mask);
}

}  // namespace emu
