// Recording and replaying instructions of the matrix unit, as the REPLAY instruction of its public description: opcode 4,
// start, length, whether to execute while recording, whether to record.
#pragma once
#include <cstdint>

extern volatile std::uint32_t __instrn_buffer[];

namespace lltt {
enum ExecBool : bool { NoExec, Exec };
constexpr unsigned encoded(unsigned start, unsigned length, bool execute, bool load) {
    return 4u << 24 | start << 14 | length << 4 | unsigned(execute) << 1 | unsigned(load);
}
template <ExecBool Execute = NoExec>
void record(unsigned start, unsigned length) {
    __instrn_buffer[0] = encoded(start, length, Execute == Exec, true);
}
inline void replay(unsigned start, unsigned length) { __instrn_buffer[0] = encoded(start, length, false, false); }
constexpr unsigned replay_insn(unsigned start, unsigned length) { return encoded(start, length, false, false); }
}  // namespace lltt
