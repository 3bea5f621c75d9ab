#include "interpreter.h"

#include "../model/counting.h"
#include "../model/tape.h"
#include "check.h"
#include "code.h"
#include "workgroup.h"

namespace vgpu {
namespace {

// The code range that holds wave.pc; calls may lead from one code object into another.
CodeRange& code_of(Wave& wave, std::shared_ptr<CodeRange>& other) {
  CodeRange* own = wave.group->dispatch->code.get();
  if (own->contains(wave.pc)) return *own;
  if (other && other->contains(wave.pc)) return *other;
  other = find_code(wave.pc);
  if (!other) {
    Inst nothing;
    wave.pc += nothing.bytes;
    raise_fault(wave, nothing, Fault::MemoryAccess, -1, wave.pc - nothing.bytes);
  }
  return *other;
}

bool is_vector(Format format) { return format >= Format::VOP1; }
bool is_vector_alu(Format format) { return format >= Format::VOP1 && format <= Format::VOP3P; }

// s_set_gpr_idx: M0[7:0] is added to the vector registers that M0[15:12] names.
void index_operands(const Wave& wave, Inst& inst) {
  uint32_t m0 = wave.sgpr[kM0];
  auto add = [&](Operand& operand, int bit) {
    if ((m0 >> (12 + bit) & 1) && operand.kind == OperandKind::Vgpr)
      operand.reg = uint16_t((operand.reg + (m0 & 0xff)) & 0xff);
  };
  for (int n = 0; n < 3; ++n) add(inst.src[n], n);
  add(inst.dst, 3);
}

// One instruction while MODE asks for register indexing or skipping of vector instructions.
void run_special(Wave& wave, const Inst& inst) {
  if ((wave.mode & kModeSkipVector) && is_vector(inst.format)) return;
  if (!(wave.mode & kModeGprIndex) || !is_vector_alu(inst.format)) return inst.exec(wave, inst);
  Inst indexed = inst;
  index_operands(wave, indexed);
  indexed.exec(wave, indexed);
}

// The same with every instruction shown to those who asked for it first.
void run_watched(Wave& wave, uint32_t budget) {
  std::shared_ptr<CodeRange> other;
  const bool check = checks().any();
  for (uint32_t left = budget; left; --left) {
    CodeRange& code = code_of(wave, other);
    const CodeSlot& slot = code.at(wave.pc);
    wave.pc += slot.inst.bytes;
    wave.cycles += slot.cycles;
    ++wave.executed;
    if (wave.tape) model::tape_step(wave, slot, code.base());
    if (wave.counts) model::count_step(wave, slot, code);
    if (wave.state == WaveState::Ready) {
      if (check) check_instruction(wave, slot.inst);
      slot.inst.exec(wave, slot.inst);
    } else {
      run_special(wave, slot.inst);
    }
    if (wave.state != WaveState::Ready && wave.state != WaveState::Special) break;
  }
}

}  // namespace

void run_wave(Wave& wave, uint32_t budget) {
  if (wave.tape || wave.counts || checks().any()) return run_watched(wave, budget);
  std::shared_ptr<CodeRange> other;
  uint32_t left = budget;
  while (left) {
    CodeRange& code = code_of(wave, other);
    while (left && wave.state == WaveState::Ready && code.contains(wave.pc)) {
      const CodeSlot& slot = code.at(wave.pc);
      wave.pc += slot.inst.bytes;
      wave.cycles += slot.cycles;
      --left;
      slot.inst.exec(wave, slot.inst);
    }
    if (wave.state == WaveState::Special && left && code.contains(wave.pc)) {
      const CodeSlot& slot = code.at(wave.pc);
      wave.pc += slot.inst.bytes;
      wave.cycles += slot.cycles;
      --left;
      run_special(wave, slot.inst);
    }
    if (wave.state != WaveState::Ready && wave.state != WaveState::Special) break;
  }
  wave.executed += budget - left;
}

}  // namespace vgpu
