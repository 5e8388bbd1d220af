// Reductions of the matrix unit. Where results lie and what a scaler tile means follows the hardware's data paths.
#include <cmath>
#include <limits>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

constexpr float NOTHING = std::numeric_limits<float>::quiet_NaN();    // what the hardware leaves unspecified

void unit_scaler(const float* s) {
    for (int f = 0; f < 4; ++f)
        for (int i = 0; i < 16; ++i)
            if (s[f * 256 + i] != 1.0f) fail("reduce", "a maximum whose scaler tile is not 1 in the first row of each face is not emulated");
}

// Rows of the scaler's upper faces weigh the columns of the data; only column 0 of the result is specified by a first row.
void sum_rows(const float* x, const float* s, float* d) {
    for (int half = 0; half < 2; ++half)
        for (int r = 0; r < 16; ++r) {
            const float *left = x + half * 512 + r * 16, *right = left + 256;
            float* out = d + half * 512 + r * 16;
            for (int j = 0; j < 16; ++j) {
                float sum = 0;
                for (int k = 0; k < 16; ++k) sum += left[k] * s[j * 16 + k] + right[k] * s[256 + j * 16 + k];
                out[j] += sum;
            }
        }
}

// The running maximum of a row sits in the first row of its face and, transposed, in the first column.
void max_rows(const float* x, float* d, bool fresh) {
    for (int half = 0; half < 2; ++half) {
        float* face = d + half * 512;
        float best[16];
        for (int r = 0; r < 16; ++r) {
            best[r] = fresh ? -std::numeric_limits<float>::infinity() : face[r];
            const float *left = x + half * 512 + r * 16, *right = left + 256;
            for (int k = 0; k < 16; ++k) best[r] = std::fmax(best[r], std::fmax(left[k], right[k]));
        }
        for (int r = 1; r < 16; ++r)
            for (int c = 1; c < 16; ++c) face[r * 16 + c] = NOTHING;
        for (int r = 0; r < 16; ++r) face[r * 16] = face[r] = best[r];
    }
}

void reduce_columns(uint32_t pool, const float* x, const float* s, float* d, bool fresh) {
    for (int c = 0; c < 2; ++c)
        for (int j = 0; j < 16; ++j) {
            float* out = d + c * 256 + j;
            float value = pool == 2 && fresh ? -std::numeric_limits<float>::infinity() : *out;
            for (int f : {c, c + 2})
                for (int i = 0; i < 16; ++i) {
                    float v = x[f * 256 + i * 16 + j];
                    value = pool == 2 ? std::fmax(value, v) : value + s[f * 256 + i] * v;
                }
            *out = value;
        }
}

void reduce_all(uint32_t pool, const float* x, const float* s, float* d, bool fresh) {
    if (pool == 2) {
        float best = fresh ? -std::numeric_limits<float>::infinity() : d[0];
        for (uint32_t i = 0; i < TILE; ++i) best = std::fmax(best, x[i]);
        d[0] = best;
        return;
    }
    float row[16] = {};
    for (int f = 0; f < 4; ++f)
        for (int i = 0; i < 16; ++i)
            for (int j = 0; j < 16; ++j) row[j] += s[f * 256 + i] * x[f * 256 + i * 16 + j];
    if (!registers().fp32) round_to_bf16(row, 16);
    for (int j = 0; j < 16; ++j) d[0] += s[768 + j] * row[j];    // the scaler counts twice
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_reduce_init(uint32_t pool, uint32_t dim, uint32_t in, uint32_t scaler, uint32_t out) {
    buffer_of(in);
    buffer_of(scaler);
    buffer_of(out);
    set_operation(REDUCE, pool, dim);
    registers().reduce_mask = int(dim);
}

void emu_reduce(uint32_t pool, uint32_t dim, uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst) {
    float x[TILE], s[TILE];
    Registers& r = registers();
    need_operation(REDUCE, "reduce_tile", "reduce_init");
    if (r.option[0] != pool || r.option[1] != dim) fail("setup", "reduce_tile and reduce_init differ in pool or dimension");
    no_integers(in, "reduce_tile");
    bool swapped = dim == 0 && pool != 2;    // a row sum is a product with the data in srcB
    read_source(swapped ? Source::B : Source::A, in, tile, x, "reduce_tile");
    read_source(swapped ? Source::A : Source::B, scaler, scaler_tile, s, "reduce_tile");
    if (pool == 2) unit_scaler(s);
    bool fresh;
    // A row reduction writes the left faces, a column reduction the first rows of the upper ones, a scalar those of face 0.
    constexpr uint16_t WRITTEN[] = {0x0F0F, 0x0011, 0x0001};
    float* d = accumulator(dst, "reduce_tile", &fresh, WRITTEN[dim]);
    if (dim == 0 && pool == 2) max_rows(x, d, fresh);
    else if (dim == 0) sum_rows(x, s, d);
    else if (dim == 1) reduce_columns(pool, x, s, d, fresh);
    else reduce_all(pool, x, s, d, fresh);
    round_dst(d);
}

void emu_reduce_uninit(void) {
    registers().reduce_mask = -1;
    if (registers().operation == REDUCE) registers().operation = -1;
}
}
