// The matrix unit: products, element-wise operations with broadcasts, copies and transposes.
#include <cstring>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

typedef float Row __attribute__((vector_size(64)));    // a row of a face

// d += a b, each 32x32 as four faces.
void multiply(const float* a, const float* b, float* d) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            float* out = d + (2 * i + j) * 256;
            for (int r = 0; r < 16; r += 2) {
                Row sum0 = *reinterpret_cast<const Row*>(out + r * 16), sum1 = *reinterpret_cast<const Row*>(out + r * 16 + 16);
                for (int k = 0; k < 2; ++k) {
                    const float* left = a + (2 * i + k) * 256 + r * 16;
                    const Row* right = reinterpret_cast<const Row*>(b + (2 * k + j) * 256);
                    for (int m = 0; m < 16; ++m) {
                        sum0 += left[m] * right[m];
                        sum1 += left[16 + m] * right[m];
                    }
                }
                *reinterpret_cast<Row*>(out + r * 16) = sum0;
                *reinterpret_cast<Row*>(out + r * 16 + 16) = sum1;
            }
        }
}

void transpose_faces(const float* from, float* to, bool swap_faces) {
    for (int f = 0; f < 4; ++f) {
        int g = swap_faces && (f == 1 || f == 2) ? 3 - f : f;
        for (int r = 0; r < 16; ++r)
            for (int c = 0; c < 16; ++c) to[g * 256 + c * 16 + r] = from[f * 256 + r * 16 + c];
    }
}

// Bits of the mantissas that take part in a product: four of srcA and six of srcB in the first phase, five and four more in
// the others (source: tt-isa-documentation, fidelity phases).
void limit_fidelity(float* a, float* b) {
    uint32_t phases = registers().fidelity;
    truncate_mantissa(a, TILE, phases == 1 ? 4 : 9);
    if (phases <= 2) truncate_mantissa(b, TILE, 6);
}

bool loses_bits(uint32_t in0, uint32_t in1) {
    auto wide = [](uint32_t buffer) { return buffer_of(buffer).format == Format::Float32 || buffer_of(buffer).format == Format::Float16; };
    return registers().fidelity < 3 || wide(in0) || wide(in1);
}

void broadcast(float* t, uint32_t kind, uint32_t row) {
    float first[32];
    if (kind == 1)
        for (int f : {0, 2})
            for (int r = 0; r < 16; ++r) {
                float x = t[f * 256 + r * 16];
                for (int c = 0; c < 16; ++c) t[f * 256 + r * 16 + c] = t[(f + 1) * 256 + r * 16 + c] = x;
            }
    else if (kind == 2) {
        for (int c = 0; c < 32; ++c) first[c] = t[(2 * (row / 16) + c / 16) * 256 + row % 16 * 16 + c % 16];
        for (int i = 0; i < int(TILE); ++i) t[i] = first[i / 256 % 2 * 16 + i % 16];
    } else if (kind == 3)
        for (int i = int(TILE) - 1; i >= 0; --i) t[i] = t[0];
}

void combine(uint32_t op, bool accumulate, const float* a, const float* b, float* d) {
    if (op == 2)
        for (uint32_t i = 0; i < TILE; ++i) d[i] = (accumulate ? d[i] : 0.0f) + a[i] * b[i];
    else {
        float sign = op == 0 ? 1.0f : -1.0f;
        for (uint32_t i = 0; i < TILE; ++i) d[i] = (accumulate ? d[i] : 0.0f) + (a[i] + sign * b[i]);
    }
    round_dst(d);
}

// 32-bit tiles that bypass the source registers.
bool straight_to_dst(uint32_t buffer) {
    Registers& r = registers();
    Format f = buffer_of(buffer).format;
    bool wide = f == Format::Int32 || f == Format::UInt32 || (f == Format::Float32 && r.unpack_to_dest >> buffer & 1);
    if (wide && !r.fp32) fail("format", std::string(name_of(f)) + " tiles need a 32-bit DST (fp32_dest_acc_en)");
    return wide;
}

void fetch(uint32_t buffer, uint32_t tile, Source source, float* to, const char* what) {
    if (!straight_to_dst(buffer)) return read_source(source, buffer, tile, to, what);
    Registers& r = registers();
    Format f = buffer_of(buffer).format;
    if (r.src_a != f) fail("format", std::string(what) + ": " + describe(*machine.current->core, buffer) + " is " + name_of(f) + ", but srcA is configured for " + name_of(r.src_a));
    unpack_tile(front_tile(buffer, tile, what), f, to);
}

void store_tile(uint32_t buffer, uint32_t dst, const float* from, const char* what) {
    bool integer = is_integer(buffer_of(buffer).format);
    float* d = dst_write(dst, integer ? Datum::Integer : Datum::Float, what);
    memcpy(d, from, sizeof(float) * TILE);
    if (!integer) round_dst(d);
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose, uint32_t ct, uint32_t rt, uint32_t kt) {
    buffer_of(in0);
    buffer_of(in1);
    set_operation(MATMUL, transpose != 0, ct, rt, kt);
}

void emu_matmul(uint32_t in0, uint32_t in1, uint32_t i0, uint32_t i1, uint32_t dst, uint32_t transpose, uint32_t ct, uint32_t rt,
                uint32_t kt, uint32_t block) {
    alignas(64) static float a[TILE], b[TILE], raw[TILE];
    Registers& r = registers();
    need_operation(MATMUL, block ? "matmul_block" : "matmul_tiles", block ? "matmul_block_init" : "matmul_init");
    bool same = r.option[1] == ct && r.option[2] == rt && (!block || (r.option[0] == (transpose != 0) && (rt == 1 || r.option[3] == kt)));
    if (!same) fail("setup", "the matmul call and its init differ in block shape or transposition");
    no_integers(in0, "matmul");
    const bool limited = loses_bits(in0, in1);
    for (uint32_t j = 0; j < ct; ++j) {
        read_source(Source::A, in1, i1 + j, raw, "matmul");
        if (r.option[0]) transpose_faces(raw, b, true);
        else memcpy(b, raw, sizeof b);
        for (uint32_t i = 0; i < rt; ++i) {
            read_source(Source::B, in0, i0 + i * kt, a, "matmul");
            if (limited) limit_fidelity(b, a);    // in1 is srcA
            float* d = accumulator(dst + i * ct + j, "matmul");
            multiply(a, b, d);
            round_dst(d);
            ++machine.matmul_tiles;
        }
    }
}

void emu_copy_init(uint32_t buffer, uint32_t transpose_tile, uint32_t transpose_faces) {
    buffer_of(buffer);
    set_operation(COPY, transpose_tile, transpose_faces);
}

void emu_copy(uint32_t buffer, uint32_t tile, uint32_t dst) {
    float raw[TILE], out[TILE];
    need_operation(COPY, "copy_tile", "copy_init");
    fetch(buffer, tile, Source::A, raw, "copy_tile");
    Registers& r = registers();
    if (r.option[0] || r.option[1]) {
        if (!r.option[1]) fail("unsupported", "copy_init that exchanges faces without transposing them is not emulated");
        transpose_faces(raw, out, r.option[0]);
    }
    store_tile(buffer, dst, r.option[1] ? out : raw, "copy_tile");
}

void emu_transpose_init(uint32_t buffer) {
    buffer_of(buffer);
    set_operation(TRANSPOSE);
}

void emu_transpose(uint32_t buffer, uint32_t tile, uint32_t dst) {
    float raw[TILE], out[TILE];
    need_operation(TRANSPOSE, "transpose_tile", "transpose_init");
    fetch(buffer, tile, Source::A, raw, "transpose_tile");
    transpose_faces(raw, out, true);
    store_tile(buffer, dst, out, "transpose_tile");
}

void emu_transpose_dst_init(uint32_t faces) { set_operation(TRANSPOSE_DST, faces); }

void emu_transpose_dst(uint32_t dst, uint32_t faces) {
    need_operation(TRANSPOSE_DST, "transpose_dest", "transpose_dest_init");
    float copy[TILE];
    float* d = dst_read(dst, Datum::Float, "transpose_dest");
    memcpy(copy, d, sizeof copy);
    transpose_faces(copy, d, faces);
}

void emu_binary_init(uint32_t op, uint32_t kind, uint32_t accumulate, uint32_t in0, uint32_t in1) {
    buffer_of(in0);
    buffer_of(in1);
    set_operation(BINARY, op, kind, accumulate);
}

void emu_binary(uint32_t op, uint32_t kind, uint32_t in0, uint32_t in1, uint32_t i0, uint32_t i1, uint32_t dst, uint32_t row) {
    float a[TILE], b[TILE];
    Registers& r = registers();
    need_operation(BINARY, "the element-wise call", "init");
    if (r.option[0] != op || r.option[1] != kind) fail("setup", "the element-wise call and the last init differ in operation or broadcast");
    no_integers(in0, "element-wise operation");
    read_source(Source::A, in0, i0, a, "element-wise operation");
    read_source(Source::B, in1, i1, b, "element-wise operation");
    broadcast(b, kind, row);
    if (op == 2 && loses_bits(in0, in1)) limit_fidelity(a, b);
    bool accumulate = op == 2 || r.option[2];    // ELWMUL always adds to DST
    float* d = accumulate ? accumulator(dst, "element-wise operation") : dst_write(dst, Datum::Float, "element-wise operation");
    combine(op, accumulate, a, b, d);
}

void emu_reuse_init(uint32_t op, uint32_t reuse, uint32_t in) {
    buffer_of(in);
    set_operation(REUSE, op, reuse);
}

void emu_reuse(uint32_t op, uint32_t reuse, uint32_t in, uint32_t tile, uint32_t dst) {
    float other[TILE], mine[TILE];
    Registers& r = registers();
    need_operation(REUSE, "the reuse_dest call", "init");
    if (r.option[0] != op || r.option[1] != reuse) fail("setup", "the reuse_dest call and the last init differ in operation or operand");
    no_integers(in, "element-wise operation");
    read_source(reuse == 1 ? Source::B : Source::A, in, tile, other, "element-wise operation");
    float* d = dst_read(dst, Datum::Float, "element-wise operation");
    memcpy(mine, d, sizeof mine);
    truncate_mantissa(mine, TILE, r.fp32 ? 10 : 7);
    float* a = reuse == 1 ? mine : other;
    float* b = reuse == 1 ? other : mine;
    if (op == 2 && (r.fp32 || loses_bits(in, in))) limit_fidelity(a, b);
    combine(op, false, a, b, d);
}

void emu_unary_broadcast_init(uint32_t kind, uint32_t in) {
    buffer_of(in);
    set_operation(UNARY_BROADCAST, kind);
}

void emu_unary_broadcast(uint32_t kind, uint32_t in, uint32_t tile, uint32_t dst) {
    float t[TILE];
    need_operation(UNARY_BROADCAST, "unary_bcast", "unary_bcast_init");
    if (registers().option[0] != kind) fail("setup", "unary_bcast and the last init differ in broadcast");
    fetch(in, tile, kind == 0 ? Source::A : Source::B, t, "unary_bcast");
    broadcast(t, kind, 0);
    store_tile(in, dst, t, "unary_bcast");
}
}
