#pragma once

#include "emulation/kernel.h"

namespace ckernel {
enum ThreadId : uint8_t { UnpackThreadId = 0, MathThreadId = 1, PackThreadId = 2 };
inline void mailbox_write(uint8_t, uint32_t) { emu_unsupported("mailbox_write"); }
inline uint32_t mailbox_read(uint8_t) { emu_unsupported("mailbox_read"); }
// A load that waits for earlier stores; the host orders them anyway.
template <typename T>
FORCE_INLINE uint32_t load_blocking(volatile T* address) { return uint32_t(*address); }
}  // namespace ckernel
