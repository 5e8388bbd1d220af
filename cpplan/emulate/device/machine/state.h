// What the emulated machine consists of: cores with L1, circular buffers, registers and processors; DRAM; the NoC.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulation/calls.h"

namespace emu {

constexpr uint32_t SLOT = 1u << 21;        // one core's window in the pool: an L1 address is its low 21 bits
constexpr uint32_t SEMAPHORES = 0x2000;    // L1 offset of semaphore 0; they lie 16 bytes apart
constexpr uint32_t ARGUMENTS = 0x4000;     // L1 offset of run-time arguments, 4 KiB a processor
constexpr uint32_t TILE = 1024;            // elements of a tile, kept in the order of L1: four 16x16 faces
constexpr uint32_t STACK = 256 * 1024;

// Sixteen bytes that no program writes by chance stand for "never written".
constexpr uint32_t POISON[4] = {0xFFA17FB3u, 0x7FB3FFA1u, 0xFFA57FB5u, 0x7FA9FFB9u};

enum class Format : uint8_t {
    Float32 = 0, Float16 = 1, Float16_b = 5, Bfp8_b = 6, Bfp4_b = 7, Int32 = 8, UInt16 = 9, UInt32 = 24, UInt8 = 30,
    None = 255
};
const char* name_of(Format format);
inline bool is_integer(Format f) {
    return f == Format::Int32 || f == Format::UInt32 || f == Format::UInt16 || f == Format::UInt8;
}

struct Buffer {                            // a circular buffer; all counts are pages since the start
    bool configured = false;
    std::string name;
    Format format = Format::None;
    uint32_t base = 0, page = 0, pages = 0;    // base is an L1 offset
    uint64_t pushed = 0, popped = 0;
    uint32_t reserved = 0, waited = 0, packed = 0;
    bool ever_reserved = false;
    std::array<uint64_t, 3> pushed_by{}, popped_by{};    // each processor moves only its own pointers
    uint32_t end() const { return base + page * pages; }
    uint32_t held() const { return uint32_t(pushed - popped); }
};

enum class Datum : uint8_t { Empty, Float, Integer };
struct alignas(64) Section {               // one half of DST (or all of it)
    float tile[16][TILE];
    Datum datum[16];                       // Empty: zeroed and never written in this phase
    uint16_t defined[16];                  // bit 4 f + r: rows 4 r .. 4 r + 3 of face f were written in this phase
};

struct Registers {                         // what the three compute threads keep between calls
    bool fp32 = false, full_sync = false;
    uint32_t tiles = 8, sections = 2, fidelity = 4;
    uint64_t unpack_to_dest = 0;           // buffers whose fp32 tiles reach DST unrounded
    std::unique_ptr<Section[]> section;
    uint32_t math = 0, pack = 0, committed = 0;
    bool acquired = false, packing = false;
    bool started = false;
    Format src_a = Format::None, src_b = Format::None, pack_format = Format::None;
    int operation = -1;                    // what the unpacker and the matrix unit are set up for
    uint32_t option[4]{};                  // parameters of that set-up
    int vector_operation = -1;             // what the vector unit is set up for
    int reduce_mask = -1;                  // the packer's edge mask: -1 passes all
    bool l1_accumulate = false;
    float column_sums[32] = {};            // cumsum_tile carries them from tile to tile
};

struct Transfer {
    enum Kind : uint8_t { Read, Write, Atomic } kind;
    bool multicast = false, loopback = false, linked = false, departed = false;
    uint64_t remote = 0;
    uint32_t local = 0, bytes = 0, value = 0;    // local is an L1 offset of the issuing core
    std::vector<uint8_t> payload{};         // of a write, once it has left its core
};

struct Span { uint32_t start, bytes; bool overlaps(uint32_t a, uint32_t n) const { return start < a + n && a < start + bytes; } };

struct Wait {
    enum Kind : uint8_t { Nothing, Spin, Room, Pages, Equal, AtLeast } kind = Nothing;
    uint32_t buffer = 0, amount = 0;
    const volatile uint32_t* word = nullptr;
};

struct Core;
struct Processor {
    Core* core = nullptr;
    uint32_t role = 0;                     // 0 and 1 are data movement, 2 is compute
    uint32_t noc = 0;
    std::string kernel;
    void (*entry)() = nullptr;
    std::vector<uint32_t> arguments, common;
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    bool started = false, done = false;
    Wait wait;
    std::vector<Transfer> pending;         // issued, not landed
    std::vector<Span> reading;             // where reads since the last barrier go, landed or not
    bool unacknowledged = false;           // wrote since the last write barrier
    bool open_link = false;
    uint64_t link_target = 0;
};

struct Writes {                            // of a page of a tensor: how many, by whom the last, and the last by another core
    uint32_t count = 0, last_by_other = 0;
    int32_t writer = -1;
};

struct Core {
    uint32_t index = 0, x = 0, y = 0, noc_x = 0, noc_y = 0;
    std::array<Buffer, 64> buffer;
    Registers registers;
    uint32_t semaphores = 0;               // bit i: semaphore i exists here
    std::array<uint32_t, 16> initial{};
    std::unordered_map<const Writes*, uint32_t> seen;    // pages read since it last wrote them, with the writes till then
};

struct Tensor {
    std::string name, path;
    uint32_t base = 0, page = 0, stride = 0, pages = 0;    // stride is a page rounded up to the DRAM alignment
    std::vector<uint8_t> bytes;
    std::vector<Writes> writes;            // by page
    uint64_t read = 0, written = 0;
};

struct Machine {
    bool blackhole = false;
    uint32_t banks = 12, read_alignment = 32;
    uint64_t seed = 0, random = 1;
    uint8_t* pool = nullptr;
    std::vector<std::unique_ptr<Core>> cores;
    std::map<uint64_t, Core*> at;          // NoC coordinates to core; null for a core that runs nothing
    std::vector<std::unique_ptr<Processor>> processors;
    std::vector<Tensor> tensors;
    Processor* current = nullptr;
    ucontext_t scheduler{};
    uint64_t progress = 0, switches = 0;
    uint64_t unicast_bytes = 0, multicast_bytes = 0, delivered_bytes = 0, multicasts = 0, atomics = 0, matmul_tiles = 0;
};
extern Machine machine;

// errors.cpp
[[noreturn]] void fail(const char* kind, const std::string& message);
[[noreturn]] void fail_plain(const char* kind, const std::string& message);
std::string waiting_for(const Processor& processor);
std::string describe(const Core& core, uint32_t buffer);
void install_signal_handlers(uint32_t seconds);

// schedule.cpp
void run_all();
void block(const Wait& wait);              // returns once the condition holds
void maybe_switch();
uint32_t random_below(uint32_t n);

// memory.cpp
uint8_t* l1(const Core& core, uint32_t offset);
uint32_t own_offset(uint32_t address, uint32_t bytes, const char* what);
void poison(uint8_t* at, size_t bytes);
bool is_poisoned(const uint8_t* at, size_t bytes);
uint8_t* dram(Core& core, uint64_t address, uint32_t bytes, bool write);

// noc.cpp: transfers on their way; noc_calls.cpp holds what kernels call
constexpr uint64_t DRAM = 1ull << 63, RECTANGLE = 1ull << 62;    // marks of NoC addresses
void check_place(const Core& core, uint32_t offset, uint32_t bytes);
void drain(Processor& processor, Transfer::Kind kind);
void depart(Processor& processor, Transfer& transfer);
uint32_t receivers_in(uint64_t address, bool with_sender);
bool contains_sender(uint64_t address);
bool leaves_from(const Processor& processor, uint32_t offset, uint32_t bytes);    // a write has yet to take bytes there
void land_something(Processor& processor);
bool land_when_stuck();
void finish(Processor& processor);

// buffers.cpp
Buffer& buffer_of(uint32_t index);
void check_landing(Core& core, uint32_t offset, uint32_t bytes);
const uint8_t* front_tile(uint32_t index, uint32_t tile, const char* what);
uint8_t* back_tile(uint32_t index, uint32_t tile, const char* what);

// tiles.cpp: between the formats of L1 and floats (integers travel as their bits)
void unpack_tile(const uint8_t* from, Format format, float* to);
void pack_tile(const float* from, Format format, bool integer, uint8_t* to);
void accumulate_tile(const float* from, Format format, uint8_t* to);
void round_to_bf16(float* values, uint32_t n);
void truncate_mantissa(float* values, uint32_t n, uint32_t kept_bits);

// registers.cpp
enum class Source : uint8_t { A, B };
Registers& registers();
float* dst_write(uint32_t index, Datum datum, const char* what);     // the tile as it is, about to be written
float* dst_read(uint32_t index, Datum datum, const char* what);
void read_source(Source source, uint32_t buffer, uint32_t tile, float* to, const char* what);
void need_operation(int operation, const char* what, const char* init);
void set_operation(int operation, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint32_t d = 0);
void round_dst(float* tile);
constexpr uint16_t WHOLE_TILE = 0xFFFF;
float* accumulator(uint32_t index, const char* what, bool* fresh = nullptr, uint16_t rows = WHOLE_TILE);
float* vector_read(uint32_t index, Datum datum, const char* what);   // rows that nobody wrote hold anything
void no_integers(uint32_t buffer, const char* what);

}  // namespace emu
