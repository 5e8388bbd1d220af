// Recording and replaying instructions, declared for the type check.
#pragma once

namespace lltt {
enum ExecBool : bool { NoExec, Exec };
template <ExecBool Execute = NoExec>
void record(unsigned start, unsigned length);
void replay(unsigned start, unsigned length);
constexpr unsigned replay_insn(unsigned start, unsigned length) { return start << 14 | length << 4; }
}  // namespace lltt
