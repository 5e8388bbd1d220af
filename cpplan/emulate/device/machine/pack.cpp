// The packer: DST to circular buffers, with its edge mask and accumulation in L1.
#include <cstring>

#include "machine/state.h"

namespace emu {

namespace {

// What the edge mask of a reduction lets through: column 0 of the faces, row 0 of the upper faces, or one element.
bool passes(int mask, uint32_t element) {
    uint32_t face = element / 256, row = element / 16 % 16, column = element % 16;
    if (mask == 0) return column == 0;
    if (mask == 1) return face < 2 && row == 0;
    return element == 0;
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_pack(uint32_t dst, uint32_t index, uint32_t tile, uint32_t in_order) {
    Registers& r = registers();
    Buffer& b = buffer_of(index);
    if (!r.packing) fail("dst", "pack_tile outside tile_regs_wait .. tile_regs_release");
    if (dst >= r.tiles) fail("dst", "pack_tile: DST index " + std::to_string(dst) + ", but DST holds " + std::to_string(r.tiles) + " tiles");
    Section& s = r.section[r.pack];
    if (s.datum[dst] == Datum::Empty) fail("dst", "pack_tile of DST tile " + std::to_string(dst) + ", which nothing wrote in this phase");
    if (r.pack_format != b.format)
        fail("format", "pack_tile: " + describe(*machine.current->core, index) + " is " + name_of(b.format) +
                           ", but the packer is configured for " + name_of(r.pack_format) + " (pack_reconfig_data_format)");
    uint8_t* to = back_tile(index, in_order ? b.packed : tile, "pack_tile");
    if (in_order) ++b.packed;
    const float* from = s.tile[dst];
    float masked[TILE];
    if (r.reduce_mask >= 0) {
        for (uint32_t i = 0; i < TILE; ++i) masked[i] = passes(r.reduce_mask, i) ? from[i] : 0.0f;
        from = masked;
    }
    if (r.l1_accumulate) {
        if (is_poisoned(to, b.page)) fail("uninitialised", "pack_tile accumulates onto a page of " + describe(*machine.current->core, index) + " that was never written");
        accumulate_tile(from, b.format, to);
    } else {
        pack_tile(from, b.format, s.datum[dst] == Datum::Integer, to);
    }
}

void emu_pack_l1_accumulate(uint32_t on) { registers().l1_accumulate = on; }
}
