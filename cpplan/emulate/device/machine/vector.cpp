// Calls of the vector unit: each needs its own init since the last other init, then works on tiles of DST.
#include <cstring>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

void vector_unary_float(int op, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces);
void vector_binary_float(int op, uint32_t in0, uint32_t in1, uint32_t out, uint32_t faces);
void vector_ternary_float(int op, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out, float value);
void vector_unary_integer(int op, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces);
void vector_binary_integer(int op, uint32_t in0, uint32_t in1, uint32_t out);
void vector_where_integer(uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out);
void typecast(Format from, Format to, uint32_t dst);

namespace {

void need_init(int init) {
    Registers& r = registers();
    if (!r.started) fail("setup", "a vector call before compute_kernel_hw_startup");
    if (init != NO_INIT && r.vector_operation != init) fail("setup", "the vector call without its init since the last other init");
}

// Adds up rows from the top; the last row carries over to the next tile unless that one is the first again.
void cumulate(float* t, float* sums, bool first) {
    if (first) memset(sums, 0, 32 * sizeof(float));
    for (uint32_t row = 0; row < 32; ++row)
        for (uint32_t c = 0; c < 32; ++c) {
            float& x = t[(row / 16 * 2 + c / 16) * 256 + row % 16 * 16 + c % 16];
            x = sums[c] += x;
        }
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_vector_init(int32_t operation) {
    if (!registers().started) fail("setup", "a vector init before compute_kernel_hw_startup");
    registers().vector_operation = operation;
}

void emu_vector_unary(int32_t op, int32_t init, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces) {
    need_init(init);
    if (op == CUMSUM || op == CUMSUM_FIRST) {
        float* t = vector_read(dst, Datum::Float, "cumsum_tile");
        cumulate(t, registers().column_sums, op == CUMSUM_FIRST);
        round_dst(t);
    } else if (op >= ABS_INT && op <= SHIFT_RIGHT) vector_unary_integer(op, dst, a, b, faces);
    else vector_unary_float(op, dst, a, b, faces);
}

void emu_vector_binary(int32_t op, int32_t init, uint32_t in0, uint32_t in1, uint32_t out, uint32_t faces) {
    need_init(init);
    if ((op == MASK || op == MASK_POSINF || op == MASK_INT) && in1 != in0 + 1)
        fail("dst", "mask_tile takes the mask from the DST tile after the data, whatever its second argument says");
    if (op == COPY_VALUES_INT || (op >= ADD_INT && op <= MASK_INT)) vector_binary_integer(op, in0, in1, out);
    else vector_binary_float(op, in0, in1, out, faces);
}

void emu_vector_ternary(int32_t op, int32_t init, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out, uint32_t value, uint32_t format) {
    need_init(init);
    bool wide = format != uint32_t(Format::Float16_b) && format != uint32_t(Format::Bfp8_b);
    if (op == WHERE && wide != registers().fp32)    // it moves raw halves or words of DST
        fail("format", std::string("where_tile of ") + name_of(Format(format)) + " on a " + (wide ? "16" : "32") + "-bit DST");
    if (op == WHERE && is_integer(Format(format))) return vector_where_integer(in0, in1, in2, out);
    float scalar;
    memcpy(&scalar, &value, 4);
    vector_ternary_float(op, in0, in1, in2, out, scalar);
}

void emu_typecast(uint32_t from, uint32_t to, uint32_t dst) {
    need_init(TYPECAST | int(from << 16 | to << 24));
    typecast(Format(from), Format(to), dst);
}

// tile = tile op (column 0 or row 0 of another tile of DST)
void emu_vector_broadcast(uint32_t op, uint32_t kind, uint32_t dst, uint32_t vector) {
    need_init(kind == 1 ? BROADCAST_COLUMN : BROADCAST_ROW);
    const float* v = vector_read(vector, Datum::Float, "the vector call");
    float first[32];
    for (uint32_t i = 0; i < 32; ++i) first[i] = kind == 1 ? v[i / 16 * 512 + i % 16 * 16] : v[i / 16 * 256 + i % 16];
    float* t = vector_read(dst, Datum::Float, "the vector call");
    for (uint32_t i = 0; i < TILE; ++i) {
        uint32_t row = i / 512 * 16 + i % 256 / 16, column = i / 256 % 2 * 16 + i % 16;
        float x = first[kind == 1 ? row : column];
        t[i] = op == 0 ? t[i] + x : op == 1 ? t[i] - x : t[i] * x;
    }
    round_dst(t);
}
}
