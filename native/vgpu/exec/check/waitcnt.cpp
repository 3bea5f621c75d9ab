// VROCM_CHECK=waitcnt: a register is used while the memory instruction that fills it may still be
// under way. Vector memory returns in order and counts in vmcnt; LDS returns in order and scalar
// memory in any order, both in lgkmcnt; flat instructions count in both.
#include <string>
#include <unordered_map>

#include "exec/check/check.h"
#include "exec/check/rules.h"

namespace vgpu {
namespace {

constexpr int kRegisters = 128 + 512 + 512;  // SGPRs, VGPRs, AGPRs

// One counter: what was issued, and up to where s_waitcnt proved it done.
struct Counter {
  uint64_t issued = 0, done = 0;
  void wait(uint64_t outstanding) {
    if (issued > outstanding && issued - outstanding > done) done = issued - outstanding;
  }
};

struct Pending {
  uint64_t vector = 0, local = 0;  // sequence numbers of the fills under way; 0 for none
  uint64_t pc = 0;
};

struct WaitState {
  Counter vector, local;
  uint64_t last_scalar = 0;  // local sequence number of the newest scalar load
  Pending registers[kRegisters];

  bool busy(const Pending& p) const { return p.vector > vector.done || p.local > local.done; }
};

WaitState& state_of(const Wave& wave) {
  static auto* states = new std::unordered_map<const Wave*, WaitState>;
  WaitState& state = (*states)[&wave];
  if (wave.executed == 1) state = WaitState{};  // the wave's first instruction
  return state;
}

int register_index(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Sgpr: return operand.reg & 127;
    case OperandKind::Vgpr: return 128 + operand.reg;
    case OperandKind::Agpr: return 128 + 512 + operand.reg;
    default: return -1;
  }
}

std::string register_name(const Operand& operand, int dword) {
  const char* file = operand.kind == OperandKind::Sgpr   ? "s"
                     : operand.kind == OperandKind::Vgpr ? "v"
                                                         : "a";
  return file + std::to_string(operand.reg + dword);
}

void check_operand(const Wave& wave, const Inst& inst, WaitState& state, const Operand& operand) {
  int first = register_index(operand);
  if (first < 0) return;
  for (int d = 0; d < operand.dwords && first + d < kRegisters; ++d) {
    Pending& pending = state.registers[first + d];
    if (!state.busy(pending)) continue;
    report_finding(
        make_finding(wave, wave.pc - inst.bytes, pending.pc,
                     "waitcnt: " + register_name(operand, d) +
                         " is used before s_waitcnt made sure that its data has arrived"));
    pending = Pending{};
  }
}

void wait(const Inst& inst, WaitState& state) {
  uint32_t imm = inst.words[0];
  state.vector.wait((imm & 15) | (imm >> 14 & 3) << 4);
  uint64_t local = imm >> 8 & 15;
  // Scalar loads come back in any order: only waiting for all of them tells anything.
  if (local == 0 || state.last_scalar <= state.local.done) state.local.wait(local);
}

bool is_load(const Inst& inst, const AccessShape& shape) {
  if (inst.dst.kind == OperandKind::None) return false;
  return shape.touch != Touch::Atomic || inst.format == Format::DS || inst.sc0;
}

void mark(const Wave& wave, const Inst& inst, WaitState& state) {
  bool scalar = inst.format == Format::SMEM, lds = inst.format == Format::DS;
  bool vector = inst.format >= Format::FLAT;
  if (!scalar && !lds && !vector) return;
  Pending pending;
  pending.pc = wave.pc - inst.bytes;
  if (vector) pending.vector = ++state.vector.issued;
  if (scalar || lds || inst.format == Format::FLAT) pending.local = ++state.local.issued;
  if (scalar) state.last_scalar = pending.local;
  int first = register_index(inst.dst);
  if (first < 0 || !is_load(inst, access_shape(inst))) return;
  for (int d = 0; d < inst.dst.dwords && first + d < kRegisters; ++d)
    state.registers[first + d] = pending;
}

}  // namespace

void check_waitcnt(const Wave& wave, const Inst& inst) {
  WaitState& state = state_of(wave);
  if (inst.op == Op::s_waitcnt) return wait(inst, state);
  for (const Operand& source : inst.src) check_operand(wave, inst, state, source);
  bool memory = inst.format == Format::SMEM || inst.format >= Format::DS;
  if (!memory) {  // a later load of the same kind overwrites in order
    check_operand(wave, inst, state, inst.dst);
    check_operand(wave, inst, state, inst.sdst);
  }
  mark(wave, inst, state);
}

}  // namespace vgpu
