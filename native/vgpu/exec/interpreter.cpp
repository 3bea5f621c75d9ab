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

void run_slot(Wave& wave, const CodeSlot& slot) {
  if (wave.state == WaveState::Ready)
    slot.inst.exec(wave, slot.inst);
  else
    run_special(wave, slot.inst);
}

bool runs(const Wave& wave) {
  return wave.state == WaveState::Ready || wave.state == WaveState::Special;
}

bool is_taped(const Wave& wave) { return wave.tape && !wave.tape->full(); }

// Calls `show(slot)` before each instruction, as long as the wave stays in `code`.
template <class Show>
void run_shown(Wave& wave, CodeRange& code, uint32_t& left, Show show) {
  for (; left && runs(wave) && code.contains(wave.pc); --left) {
    const CodeSlot& slot = code.at(wave.pc);
    wave.pc += slot.inst.bytes;
    wave.cycles += slot.cycles;
    ++wave.executed;
    show(slot);
    run_slot(wave, slot);
  }
}

void count(Wave& wave, model::StretchCounter& counter, const CodeSlot& slot) {
  if ((wave.mode & kModeSkipVector) && is_vector(slot.inst.format))
    counter.skip(wave, slot);
  else
    counter.step(wave, slot);
}

// Every instruction is shown to those who asked for it first.
void run_watched(Wave& wave, uint32_t budget) {
  std::shared_ptr<CodeRange> other;
  const bool check = checks().any();
  for (uint32_t left = budget; left && runs(wave);) {
    CodeRange& code = code_of(wave, other);
    auto tape_and_check = [&](const CodeSlot& slot) {
      if (is_taped(wave)) model::tape_step(wave, slot, code.base());
      if (check && wave.state == WaveState::Ready) check_instruction(wave, slot.inst);
    };
    if (!wave.counts) {
      run_shown(wave, code, left, tape_and_check);
      continue;
    }
    model::StretchCounter counter(*wave.counts, code);
    if (check || is_taped(wave))
      run_shown(wave, code, left, [&](const CodeSlot& slot) {
        count(wave, counter, slot);
        tape_and_check(slot);
      });
    else
      run_shown(wave, code, left, [&](const CodeSlot& slot) { count(wave, counter, slot); });
  }
}

}  // namespace

void run_wave(Wave& wave, uint32_t budget) {
  if (is_taped(wave) || wave.counts || checks().any()) return run_watched(wave, budget);
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
