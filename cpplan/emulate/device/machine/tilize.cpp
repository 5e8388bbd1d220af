// Between row-major data and tiles: 32 rows of a block of tiles lie in a buffer as whole rows.
#include <cstring>

#include "emulation/operations.h"
#include "machine/state.h"

namespace emu {

namespace {

uint32_t element_bytes(Format format) {
    switch (format) {
        case Format::Float32:
        case Format::Int32:
        case Format::UInt32: return 4;
        case Format::Float16:
        case Format::Float16_b:
        case Format::UInt16: return 2;
        default: fail("format", std::string("rows of ") + name_of(format) + " do not exist: the format is tiled by nature");
    }
}

uint32_t place(uint32_t row, uint32_t column) { return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16; }

Format same_format(uint32_t in, uint32_t out, const char* what) {
    Registers& r = registers();
    Format from = buffer_of(in).format, to = buffer_of(out).format;
    if (r.src_a != from) fail("format", std::string(what) + ": srcA is configured for " + name_of(r.src_a) + ", the buffer is " + name_of(from));
    if (r.pack_format != to) fail("format", std::string(what) + ": the packer is configured for " + name_of(r.pack_format) + ", the buffer is " + name_of(to));
    if (from != to) fail("unsupported", std::string(what) + " between two formats is not emulated");
    if (r.acquired || r.packing) fail("dst", std::string(what) + " inside a DST phase");
    return from;
}

// Copies elements between rows of `tiles` tiles and one tile of them.
void exchange(uint8_t* rows, uint8_t* tile, uint32_t index, uint32_t tiles, uint32_t bytes, bool to_tile) {
    for (uint32_t r = 0; r < 32; ++r)
        for (uint32_t half = 0; half < 2; ++half) {
            uint8_t* row = rows + ((size_t(r) * tiles + index) * 32 + half * 16) * bytes;
            uint8_t* face = tile + place(r, half * 16) * bytes;
            memcpy(to_tile ? face : row, to_tile ? row : face, 16 * bytes);
        }
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_tilize_init(uint32_t in, uint32_t tiles, uint32_t out) {
    buffer_of(in);
    buffer_of(out);
    set_operation(TILIZE, tiles);
}

void emu_tilize_uninit(void) {
    if (registers().operation == TILIZE) registers().operation = -1;
}

void emu_tilize_block(uint32_t in, uint32_t tiles, uint32_t out, uint32_t in_tile, uint32_t out_tile) {
    need_operation(TILIZE, "tilize_block", "tilize_init");
    if (registers().option[0] != tiles) fail("setup", "tilize_block and its init differ in the number of tiles");
    Format format = same_format(in, out, "tilize_block");
    front_tile(in, in_tile + tiles - 1, "tilize_block");
    auto* rows = const_cast<uint8_t*>(front_tile(in, in_tile, "tilize_block"));
    for (uint32_t t = 0; t < tiles; ++t)
        exchange(rows, back_tile(out, out_tile + t, "tilize_block"), t, tiles, element_bytes(format), true);
}

void emu_untilize_init(uint32_t in, uint32_t tiles) {
    buffer_of(in);
    set_operation(UNTILIZE, tiles);
}

void emu_untilize_uninit(void) {
    if (registers().operation == UNTILIZE) registers().operation = -1;
}

void emu_untilize_block(uint32_t in, uint32_t tiles, uint32_t out, uint32_t first, uint32_t full) {
    need_operation(UNTILIZE, "untilize", "init");
    Format format = same_format(in, out, "untilize");
    back_tile(out, full - 1, "untilize");
    uint8_t* rows = back_tile(out, 0, "untilize");
    for (uint32_t t = 0; t < tiles; ++t)
        exchange(rows, const_cast<uint8_t*>(front_tile(in, t, "untilize")), first + t, full, element_bytes(format), false);
}
}
