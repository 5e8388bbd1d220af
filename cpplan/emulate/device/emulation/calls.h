// The border between kernels (compiled one by one) and the machine that runs them.
#pragma once

#include <cstdint>

extern "C" {
// Data movement and buffers. Kinds of buffer calls: 0 reserve, 1 push, 2 wait, 3 pop.
uint32_t emu_argument(uint32_t index, uint32_t common);
uint32_t emu_argument_address(uint32_t index, uint32_t common);
void emu_buffer(uint32_t kind, uint32_t buffer, int32_t pages);
uint32_t emu_buffer_holds(uint32_t kind, uint32_t buffer, int32_t pages);
uint32_t emu_buffer_pointer(uint32_t buffer, uint32_t write);
uint32_t emu_buffer_page_bytes(uint32_t buffer);
uint32_t emu_buffer_pages(uint32_t buffer);
uint32_t emu_semaphore(uint32_t id);
void emu_semaphore_wait(const volatile uint32_t* word, uint32_t value, uint32_t at_least);
uint32_t emu_coordinate(uint32_t which);    // 0, 1: NoC x, y; 2, 3: logical x, y
uint64_t emu_worker_address(uint32_t x, uint32_t y, uint32_t address);
uint64_t emu_multicast_address(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address, uint32_t noc);
uint64_t emu_dram_address(uint32_t id, uint32_t page_bytes, uint32_t base, uint32_t offset);
uint64_t emu_bank_address(uint32_t bank, uint32_t address);
void emu_read(uint64_t from, uint32_t to, uint32_t bytes);
void emu_write(uint32_t from, uint64_t to, uint32_t bytes);
void emu_write_word(uint64_t to, uint32_t value);
void emu_multicast(uint32_t from, uint64_t to, uint32_t bytes, uint32_t receivers, uint32_t linked, uint32_t loopback);
void emu_atomic_add(uint64_t to, uint32_t value, uint32_t receivers, uint32_t multicast);
// Barriers: bit 0 reads, bit 1 writes acknowledged, bit 2 writes departed, bit 3 atomics.
void emu_barrier(uint32_t what);
void emu_pause(void);
[[noreturn]] void emu_unsupported(const char* what);

// Compute: set-up.
void emu_startup(uint32_t src_a, uint32_t src_b, uint32_t pack);
void emu_reconfigure(uint32_t source, uint32_t buffer);    // 0 srcA, 1 srcB, 2 pack
void emu_reconfigure_from(uint32_t source, uint32_t old_buffer, uint32_t buffer);
void emu_dst_phase(uint32_t phase);         // 0 acquire, 1 commit, 2 wait, 3 release
// Compute: the matrix unit.
void emu_matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose, uint32_t ct, uint32_t rt, uint32_t kt);
void emu_matmul(uint32_t in0, uint32_t in1, uint32_t i0, uint32_t i1, uint32_t dst, uint32_t transpose, uint32_t ct,
                uint32_t rt, uint32_t kt, uint32_t block);
void emu_copy_init(uint32_t buffer, uint32_t transpose_tile, uint32_t transpose_faces);
void emu_copy(uint32_t buffer, uint32_t tile, uint32_t dst);
void emu_transpose_init(uint32_t buffer);
void emu_transpose(uint32_t buffer, uint32_t tile, uint32_t dst);
void emu_transpose_dst_init(uint32_t faces);
void emu_transpose_dst(uint32_t dst, uint32_t faces);
// op: 0 add, 1 sub, 2 mul; broadcast of in1: 0 none, 1 column, 2 row, 3 scalar; reuse: 0 none, 1 DST is srcA, 2 srcB.
void emu_binary_init(uint32_t op, uint32_t broadcast, uint32_t accumulate, uint32_t in0, uint32_t in1);
void emu_binary(uint32_t op, uint32_t broadcast, uint32_t in0, uint32_t in1, uint32_t i0, uint32_t i1, uint32_t dst,
                uint32_t row);
void emu_reuse_init(uint32_t op, uint32_t reuse, uint32_t in);
void emu_reuse(uint32_t op, uint32_t reuse, uint32_t in, uint32_t tile, uint32_t dst);
void emu_unary_broadcast_init(uint32_t broadcast, uint32_t in);
void emu_unary_broadcast(uint32_t broadcast, uint32_t in, uint32_t tile, uint32_t dst);
// pool: 0 sum, 1 avg, 2 max; dim: 0 row, 1 column, 2 scalar.
void emu_reduce_init(uint32_t pool, uint32_t dim, uint32_t in, uint32_t scaler, uint32_t out);
void emu_reduce(uint32_t pool, uint32_t dim, uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst);
void emu_reduce_uninit(void);
void emu_tilize_init(uint32_t in, uint32_t tiles, uint32_t out);
void emu_tilize_uninit(void);
void emu_tilize_block(uint32_t in, uint32_t tiles, uint32_t out, uint32_t in_tile, uint32_t out_tile);
void emu_untilize_init(uint32_t in, uint32_t tiles);
void emu_untilize_uninit(void);
void emu_untilize_block(uint32_t in, uint32_t tiles, uint32_t out, uint32_t first, uint32_t full);
// Compute: the vector unit; operations are numbered in emulation/operations.h.
void emu_vector_init(int32_t operation);
void emu_vector_unary(int32_t operation, int32_t init, uint32_t dst, uint32_t a, uint32_t b, uint32_t faces);
void emu_typecast(uint32_t from, uint32_t to, uint32_t dst);
void emu_vector_binary(int32_t operation, int32_t init, uint32_t in0, uint32_t in1, uint32_t out, uint32_t faces);
void emu_vector_ternary(int32_t operation, int32_t init, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t out, uint32_t value,
                        uint32_t integers);
void emu_vector_broadcast(uint32_t operation, uint32_t broadcast, uint32_t dst, uint32_t vector);
// pool: 0 sum, 1 average, 2 maximum, 3 minimum; dim: 0 row, 1 column.
void emu_vector_reduce(uint32_t pool, uint32_t dim, uint32_t format, uint32_t dst, uint32_t ct, uint32_t rt);
// Compute: the packer.
void emu_pack(uint32_t dst, uint32_t buffer, uint32_t tile, uint32_t in_order);
void emu_pack_l1_accumulate(uint32_t on);
uint32_t emu_tile_address(uint32_t buffer, uint32_t tile);
}
