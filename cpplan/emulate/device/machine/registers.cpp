// DST with its phases and capacity, the configured formats, and what the units were last set up for.
#include <cstring>
#include <limits>

#include "machine/state.h"

namespace emu {

Registers& registers() {
    Processor& p = *machine.current;
    if (p.role != 2) fail("processor", "a compute call on a data-movement processor");
    return p.core->registers;
}

namespace {

const char* datum_name(Datum d) { return d == Datum::Integer ? "integers" : "floats"; }

void check_index(const Registers& r, uint32_t index, const char* what) {
    if (!r.acquired) fail("dst", std::string(what) + " outside tile_regs_acquire .. tile_regs_commit");
    if (index >= r.tiles)
        fail("dst", std::string(what) + ": DST index " + std::to_string(index) + ", but DST holds " + std::to_string(r.tiles) + " tiles (" +
                        (r.full_sync ? "full" : "half") + " sync, " + (r.fp32 ? "32" : "16") + " bits)");
}

}  // namespace

float* dst_write(uint32_t index, Datum datum, const char* what) {
    Registers& r = registers();
    check_index(r, index, what);
    Section& s = r.section[r.math];
    s.datum[index] = datum;
    s.defined[index] = WHOLE_TILE;
    return s.tile[index];
}

float* dst_read(uint32_t index, Datum datum, const char* what) {
    Registers& r = registers();
    check_index(r, index, what);
    Section& s = r.section[r.math];
    if (s.datum[index] == Datum::Empty) fail("dst", std::string(what) + " reads DST tile " + std::to_string(index) + ", which nothing wrote in this phase");
    if (s.datum[index] != datum)
        fail("format", std::string(what) + " takes " + datum_name(datum) + ", but DST tile " + std::to_string(index) + " holds " + datum_name(s.datum[index]));
    return s.tile[index];
}

// A tile that the call adds to; fresh tells that nothing was written there in this phase (it counts as zero).
float* accumulator(uint32_t dst, const char* what, bool* fresh, uint16_t rows) {
    Registers& r = registers();
    if (fresh) *fresh = r.acquired && dst < r.tiles && r.section[r.math].datum[dst] == Datum::Empty;
    if (r.acquired && dst < r.tiles && r.section[r.math].datum[dst] == Datum::Integer) fail("format", std::string(what) + " accumulates onto integers");
    uint16_t defined = r.acquired && dst < r.tiles ? r.section[r.math].defined[dst] : 0;
    float* tile = dst_write(dst, Datum::Float, what);
    r.section[r.math].defined[dst] = defined | rows;
    return tile;
}

// The packer and the matrix unit take undefined rows of DST for zero (or the identity); the vector unit reads anything.
float* vector_read(uint32_t index, Datum datum, const char* what) {
    float* tile = dst_read(index, datum, what);
    Section& s = registers().section[registers().math];
    for (uint32_t i = 0; datum == Datum::Float && s.defined[index] != WHOLE_TILE && i < TILE; ++i)
        if (!(s.defined[index] >> (i / 64) & 1)) tile[i] = std::numeric_limits<float>::quiet_NaN();
    s.defined[index] = WHOLE_TILE;
    return tile;
}

void no_integers(uint32_t buffer, const char* what) {
    if (is_integer(buffer_of(buffer).format)) fail("format", std::string(what) + " of integers; the vector unit has integer operations");
}

void round_dst(float* tile) {
    if (!registers().fp32) round_to_bf16(tile, TILE);
}

void read_source(Source source, uint32_t buffer, uint32_t tile, float* to, const char* what) {
    Registers& r = registers();
    Format configured = source == Source::A ? r.src_a : r.src_b;
    if (!r.started) fail("setup", std::string(what) + " before compute_kernel_hw_startup");
    Format format = buffer_of(buffer).format;
    if (format != configured)
        fail("format", std::string(what) + ": " + describe(*machine.current->core, buffer) + " is " + name_of(format) + ", but src" +
                           (source == Source::A ? "A" : "B") + " is configured for " + name_of(configured) + " (reconfig_data_format)");
    unpack_tile(front_tile(buffer, tile, what), format, to);
    if (format == Format::Float32) truncate_mantissa(to, TILE, r.fp32 ? 10 : 7);
}

void set_operation(int operation, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    Registers& r = registers();
    if (!r.started) fail("setup", "an init before compute_kernel_hw_startup");
    r.operation = operation;
    r.option[0] = a;
    r.option[1] = b;
    r.option[2] = c;
    r.option[3] = d;
}

void need_operation(int operation, const char* what, const char* init) {
    if (registers().operation != operation) fail("setup", std::string(what) + " without its " + init + " since the last other init");
}

namespace {

void configure(uint32_t source, uint32_t buffer) {
    Registers& r = registers();
    (source == 0 ? r.src_a : source == 1 ? r.src_b : r.pack_format) = buffer_of(buffer).format;
}

void clear(Section& s) {
    for (uint32_t i = 0; i < 16; ++i)
        if (s.datum[i] != Datum::Empty) {
            memset(s.tile[i], 0, sizeof s.tile[i]);
            s.datum[i] = Datum::Empty;
            s.defined[i] = 0;
        }
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_startup(uint32_t a, uint32_t b, uint32_t out) {
    Registers& r = registers();
    if (r.acquired || r.packing) fail("setup", "compute_kernel_hw_startup inside a DST phase");
    r.started = true;
    configure(0, a);
    configure(1, b);
    configure(2, out);
    r.operation = -1;
}

void emu_reconfigure(uint32_t source, uint32_t buffer) {
    if (!registers().started) fail("setup", "reconfig_data_format before compute_kernel_hw_startup");
    configure(source, buffer);
}

void emu_reconfigure_from(uint32_t source, uint32_t old_buffer, uint32_t buffer) {
    if (buffer_of(old_buffer).format != buffer_of(buffer).format) emu_reconfigure(source, buffer);
}

void emu_dst_phase(uint32_t phase) {
    Registers& r = registers();
    switch (phase) {
        case 0:
            if (r.acquired) fail("dst", "tile_regs_acquire twice without tile_regs_commit");
            if (r.committed == r.sections) fail("dst", "tile_regs_acquire while all of DST waits to be packed: this never ends");
            r.acquired = true;
            clear(r.section[r.math]);
            break;
        case 1:
            if (!r.acquired) fail("dst", "tile_regs_commit without tile_regs_acquire");
            r.acquired = false;
            r.math = (r.math + 1) % r.sections;
            ++r.committed;
            break;
        case 2:
            if (r.packing) fail("dst", "tile_regs_wait twice without tile_regs_release");
            if (!r.committed) fail("dst", "tile_regs_wait without a tile_regs_commit before it: this never ends");
            r.packing = true;
            break;
        default:
            if (!r.packing) fail("dst", "tile_regs_release without tile_regs_wait");
            r.packing = false;
            r.pack = (r.pack + 1) % r.sections;
            --r.committed;
    }
}
}
