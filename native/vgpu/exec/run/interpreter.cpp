#include "exec/run/interpreter.h"

#include <algorithm>

#include "exec/check/check.h"
#include "exec/code/code.h"
#include "exec/cover/coverage.h"
#include "exec/group/workgroup.h"
#include "exec/run/gives_way.h"
#include "exec/run/random_rounding.h"
#include "exec/touch/touched_memory.h"
#include "exec/wave/own_chain.h"
#include "observe/observer.h"

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
  if (wave.state != WaveState::Ready) run_special(wave, slot.inst);
  else if (rounds_at_random()) execute_rounding_at_random(wave, slot.inst);
  else slot.inst.exec(wave, slot.inst);
}

bool runs(const Wave& wave) {
  return wave.state == WaveState::Ready || wave.state == WaveState::Special;
}

bool gave_way(const Wave& wave) { return wave.group->turn.gave_way; }

// Where instructions of this code object leave marks; null: nowhere.
ExecutedCode* marks_of(const Wave& wave, const CodeRange& code) {
  const Dispatch& dispatch = *wave.group->dispatch;
  return &code == dispatch.code.get() ? dispatch.executed.get() : nullptr;
}

bool is_observed(const Wave& wave) { return wave.observer && wave.observer->wants_something(); }

// Calls `show(slot)` before each instruction, as long as the wave stays in `code`.
template <class Show>
void run_shown(Wave& wave, CodeRange& code, uint32_t& left, Show show) {
  uint64_t pc = wave.pc;
  if (!left || !runs(wave) || !code.contains(pc)) return;
  ExecutedCode* const marks = marks_of(wave, code);
  for (const CodeSlot* slot = &code.at(pc);;) {
    if (gives_way(wave, slot->inst)) return;
    if (marks) marks->add(pc, pc + slot->inst.bytes);
    pc += slot->inst.bytes;
    wave.pc = pc;
    wave.work.add(slot->work);
    ++wave.executed;
    --left;
    show(*slot);
    run_slot(wave, *slot);
    if (!left || !runs(wave) || !code.contains(wave.pc)) return;
    slot = wave.pc == pc ? &code.behind(*slot, pc) : &code.at(wave.pc);
    pc = wave.pc;
  }
}

bool is_skipped(const Wave& wave, const CodeSlot& slot) {
  return (wave.mode & kModeSkipVector) && is_vector(slot.inst.format);
}

// The class of an instruction lies further behind in memory than its format, which most of those that
// access none are told by.
bool may_access_memory(Format format) {
  constexpr auto bit = [](Format of) { return 1u << unsigned(of); };
  constexpr uint32_t kFormats = bit(Format::SMEM) | bit(Format::DS) | bit(Format::FLAT) |
                                bit(Format::GLOBAL) | bit(Format::SCRATCH) | bit(Format::MUBUF) |
                                bit(Format::MTBUF);
  return kFormats >> unsigned(format) & 1;
}
bool accesses_memory(const CodeSlot& slot) {
  return slot.unit >= Unit::Smem && slot.unit <= Unit::Lds;
}

void tell_lds(const Wave& wave, const CodeSlot& slot, WaveObserver& observer) {
  LaneAccess access;
  for (int element = 0; element < 2; ++element)
    if (touched_lanes(wave, slot.inst, slot.access, element, access)) observer.lanes(slot, access);
}

void tell_memory(const Wave& wave, const CodeSlot& slot, WaveObserver& observer) {
  if (slot.unit == Unit::Lds) return tell_lds(wave, slot, observer);
  if (slot.unit == Unit::Smem) {
    ScalarAccess scalar;
    if (touched_scalar(wave, slot.inst, scalar)) observer.scalar(slot, scalar);
    return;
  }
  if (slot.access.touch == Touch::None) return observer.cache_control(slot);
  LaneAccess access;
  if (touched_lanes(wave, slot.inst, slot.access, 0, access)) observer.lanes(slot, access);
}

// Where other workgroups may be met.
void tell_meeting(const Wave& wave, const CodeSlot& slot, WaveObserver& observer) {
  if (slot.unit != Unit::Vmem && slot.unit != Unit::Flat) return;
  if (slot.inst.op == Op::buffer_wbl2 && slot.inst.sc1) return observer.releases();
  if (slot.access.touch != Touch::Atomic && !slot.inst.sc1) return;
  LaneAccess access;
  if (touched_lanes(wave, slot.inst, slot.access, 0, access)) observer.meets(slot, access);
}

__attribute__((noinline)) void tell_if_wanted(const Wave& wave, const CodeSlot& slot,
                                              WaveObserver& observer) {
  if (!accesses_memory(slot)) return;
  if (observer.wants(WaveObserver::kMeetings)) tell_meeting(wave, slot, observer);
  if (observer.wants(WaveObserver::kMemory)) tell_memory(wave, slot, observer);
}

// Tells an observer what a wave executes within one code object, until its turn ends or it leaves
// that: stretches at their end, memory before it is touched.
class Teller {
 public:
  Teller(Wave& wave, WaveObserver& observer)
      : wave_(wave), observer_(observer), first_(wave.told_pc), next_(wave.told_pc) {}
  ~Teller() {
    end();
    wave_.told_pc = next_;
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  // The wave is about to execute the instruction; its pc is behind it already. What most instructions
  // need is part of the loop that calls it.
  VGPU_INLINE void step(const CodeSlot& slot) {
    // One that is Ready skips nothing: its mode need not be looked at.
    if (__builtin_expect(wave_.state != WaveState::Ready, 0) && is_skipped(wave_, slot))
      return skip(slot);
    const uint64_t pc = wave_.pc - slot.inst.bytes, exec = wave_.exec();
    if (__builtin_expect(pc != next_ || exec != exec_, 0)) begin(pc, exec);
    next_ = wave_.pc;
    tell_if_wanted(wave_, slot, observer_);
  }

 private:
  __attribute__((noinline)) void begin(uint64_t pc, uint64_t exec) {
    end();
    jumped_ = pc != next_;
    first_ = pc;
    exec_ = exec;
  }
  void end() {
    if (first_ != next_ && observer_.wants(WaveObserver::kStretches))
      observer_.ran(first_, next_, exec_, jumped_);
  }
  __attribute__((noinline)) void skip(const CodeSlot& slot) {
    begin(wave_.pc - slot.inst.bytes, 0);
    next_ = wave_.pc;
    if (observer_.wants(WaveObserver::kStretches)) observer_.skipped(first_, next_, jumped_);
    first_ = next_;
    jumped_ = false;
  }

  Wave& wave_;
  WaveObserver& observer_;
  uint64_t first_, next_;  // the present stretch; next_ is behind its end
  uint64_t exec_ = 0;
  bool jumped_ = false;  // to first_
};

void run_checked(Wave& wave, CodeRange& code, uint32_t& left, bool check) {
  run_shown(wave, code, left, [&](const CodeSlot& slot) {
    if (check && wave.state == WaveState::Ready) check_instruction(wave, slot.inst);
  });
}

// Instructions of a wave that is Ready and at one in `code`, as long as both stay so, for an observer
// who hears of stretches (or not) as Teller tells them. What it wants changes only when it is asked
// again. The present stretch goes on until the wave jumps, or other lanes are active. Each kind has the
// host's registers for itself.
template <bool Stretches>
__attribute__((noinline)) void run_told(Wave& wave, CodeRange& code, uint32_t& left,
                                        WaveObserver& observer) {
  ExecutedCode* const marks = marks_of(wave, code);
  uint32_t rest = left;
  uint64_t pc = wave.pc, first = pc, exec = wave.exec(), told = wave.told_pc;
  bool jumped = pc != told;
  for (const CodeSlot* slot = &code.at(pc);;) {
    if (gives_way(wave, slot->inst)) break;
    pc += slot->inst.bytes;
    wave.pc = pc;
    wave.work.add(slot->work);
    --rest;
    if (may_access_memory(slot->inst.format)) tell_if_wanted(wave, *slot, observer);
    slot->inst.exec(wave, slot->inst);
    if (!rest || wave.state != WaveState::Ready || !code.contains(wave.pc)) break;
    if (__builtin_expect(wave.pc == pc && (!Stretches || wave.exec() == exec), 1)) {
      slot = &code.behind(*slot, pc);
      continue;
    }
    if (Stretches) observer.ran(first, pc, exec, jumped);
    if (marks) marks->add(first, pc);
    told = pc;
    jumped = wave.pc != pc;
    first = pc = wave.pc;
    exec = wave.exec();
    slot = &code.at(pc);
  }
  if (first != pc) {
    if (Stretches) observer.ran(first, pc, exec, jumped);
    if (marks) marks->add(first, pc);
    told = pc;
  }
  wave.told_pc = told;
  wave.executed += left - rest;
  left = rest;
}

void run_told(Wave& wave, CodeRange& code, uint32_t& left, WaveObserver& observer) {
  if (observer.wants(WaveObserver::kStretches)) run_told<true>(wave, code, left, observer);
  else run_told<false>(wave, code, left, observer);
}

void run_observed(Wave& wave, CodeRange& code, uint32_t& left, bool check) {
  WaveObserver& observer = *wave.observer;
  observer.enter(code);
  if (!check && !rounds_at_random() && wave.state == WaveState::Ready)
    return run_told(wave, code, left, observer);
  Teller teller(wave, observer);
  run_shown(wave, code, left, [&](const CodeSlot& slot) {
    teller.step(slot);
    if (check && wave.state == WaveState::Ready) check_instruction(wave, slot.inst);
  });
}

// Marks what a wave is about to execute. Instructions of other code objects than the kernel's lie
// elsewhere in every process: they are not marked, what they do is.
class Marker {
 public:
  Marker(Wave& wave, const CodeRange& code)
      : wave_(wave),
        part_(wave.group->dispatch->coverage->of_this_thread()),
        own_code_(&code == wave.group->dispatch->code.get()) {
    const Workgroup& group = *wave.group;
    const Dispatch& dispatch = *group.dispatch;
    const uint64_t place =
        group.id[0] +
        dispatch.groups[0] * (group.id[1] + uint64_t(dispatch.groups[1]) * group.id[2]);
    wave_number_ = place * dispatch.waves_per_group() + wave.index;
  }

  void step(const CodeSlot& slot) {
    if (is_skipped(wave_, slot)) return;
    part_.add_instruction(wave_.executed);
    if (slot.unit <= Unit::Matrix) cover::count_flops(part_, wave_, slot.inst);
    if (accesses_memory(slot) && slot.unit != Unit::Lds) tell_memory(wave_, slot, part_.bytes);
    if (!own_code_) return;
    if (!(wave_.mode & kModeGprIndex) || !is_vector_alu(slot.inst.format))
      return cover::mark(part_.sheet, wave_, slot.inst, wave_number_);
    Inst indexed = slot.inst;
    index_operands(wave_, indexed);
    cover::mark(part_.sheet, wave_, indexed, wave_number_);
  }

 private:
  Wave& wave_;
  cover::Part& part_;
  const bool own_code_;
  uint64_t wave_number_ = 0;
};

void run_covered(Wave& wave, CodeRange& code, uint32_t& left, bool check) {
  Marker marker(wave, code);
  const auto show = [&](const CodeSlot& slot) {
    marker.step(slot);
    if (check && wave.state == WaveState::Ready) check_instruction(wave, slot.inst);
  };
  if (!is_observed(wave)) return run_shown(wave, code, left, show);
  wave.observer->enter(code);
  Teller teller(wave, *wave.observer);
  run_shown(wave, code, left, [&](const CodeSlot& slot) {
    teller.step(slot);
    show(slot);
  });
}

// Every instruction is shown first to those who asked for it. Apart from run_wave, whose loop has the
// host's registers for itself.
__attribute__((noinline)) void run_watched(Wave& wave, uint32_t budget) {
  std::shared_ptr<CodeRange> other;
  const bool check = checks().any(), observed = is_observed(wave);
  for (uint32_t left = budget; left && runs(wave) && !gave_way(wave);) {
    CodeRange& code = code_of(wave, other);
    if (cover::wanted()) run_covered(wave, code, left, check);
    else if (observed) run_observed(wave, code, left, check);
    else run_checked(wave, code, left, check);
  }
}

// Instructions of a wave that is Ready and at one in `code`, as long as both stay so. The next one is
// found from the one before where the wave did not jump: the host need not wait for the wave's pc.
template <bool InOrder>
__attribute__((noinline)) void run_ready(Wave& wave, CodeRange& code, uint32_t& left) {
  ExecutedCode* const marks = marks_of(wave, code);
  uint64_t pc = wave.pc, first = pc;
  const CodeSlot* slot = &code.at(pc);
  uint32_t rest = left;
  for (;;) {
    if (InOrder && gives_way(wave, slot->inst)) break;
    pc += slot->inst.bytes;
    wave.pc = pc;
    wave.work.add(slot->work);
    --rest;
    slot->inst.exec(wave, slot->inst);
    if (!rest || wave.state != WaveState::Ready) break;
    if (__builtin_expect(wave.pc == pc && slot->inst.ahead, 1)) {
      slot = &slot->next();
      continue;
    }
    if (marks) marks->add(first, pc);
    first = pc = wave.pc;
    if (!code.contains(pc)) break;
    slot = &code.at(pc);
  }
  if (marks && first != pc) marks->add(first, pc);
  left = rest;
}

void run_unwatched(Wave& wave, uint32_t budget) {
  std::shared_ptr<CodeRange> other;
  uint32_t left = budget;
  const auto run = wave.group->turn.ends() ? run_ready<true> : run_ready<false>;
  while (left && !gave_way(wave)) {
    CodeRange& code = code_of(wave, other);
    if (wave.state == WaveState::Ready) run(wave, code, left);
    if (wave.state == WaveState::Special && left && code.contains(wave.pc)) {
      const CodeSlot& slot = code.at(wave.pc);
      if (ExecutedCode* marks = marks_of(wave, code))
        marks->add(wave.pc, wave.pc + slot.inst.bytes);
      wave.pc += slot.inst.bytes;
      wave.work.add(slot.work);
      --left;
      run_special(wave, slot.inst);
    }
    if (wave.state != WaveState::Ready && wave.state != WaveState::Special) break;
  }
  wave.executed += budget - left;
}

// Instructions until the observer, if there is one, may want to hear more or less.
uint32_t until_asked_again(Wave& wave, uint32_t budget) {
  if (!wave.observer) return budget;
  if (wave.executed >= wave.observer->again_at())
    wave.observer->ask_again(wave.pc - wave.group->dispatch->code->base());
  return uint32_t(std::min<uint64_t>(budget, wave.observer->again_at() - wave.executed));
}

}  // namespace

void run_wave(Wave& wave, uint32_t budget) {
  // Whether each instruction is looked at.
  const bool each = checks().any() || cover::wanted() || rounds_at_random();
  const uint64_t end = wave.executed + budget;
  while (wave.executed < end && runs(wave) && !gave_way(wave)) {
    const uint32_t part = until_asked_again(wave, uint32_t(end - wave.executed));
    if (each || is_observed(wave)) run_watched(wave, part);
    else run_unwatched(wave, part);
  }
  sum_up(wave);
}

}  // namespace vgpu
