// Issuing the steps of waves: ports of the SIMD, dependencies, and the units behind them.
#include <algorithm>

#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// s_waitcnt: vmcnt in bits 3:0 and 15:14, lgkmcnt in bits 11:8.
uint32_t vector_allowed(uint32_t bits) { return (bits & 15) | (bits >> 14 & 3) << 4; }
uint32_t scalar_allowed(uint32_t bits) { return bits >> 8 & 15; }

// Matrix instructions leave through the vector port, flat ones through that of vector memory.
size_t port_of(Unit unit) {
  if (unit == Unit::Matrix) return size_t(Unit::Valu);
  if (unit == Unit::Flat) return size_t(Unit::Vmem);
  return size_t(unit);
}

bool uses_memory(Unit unit) {
  return unit == Unit::Vmem || unit == Unit::Flat || unit == Unit::Smem;
}

// A rank in a waiting line: how far the priority is below the highest, then the arrival.
constexpr uint32_t kPriorityShift = 30;
constexpr uint32_t kArrivals = (1u << kPriorityShift) - 1;

// A wave cannot have more under way than its counters count.
constexpr uint32_t kMostVector = 63, kMostScalarAndLds = 15;

// The data of a write leave the wave's registers before its next instruction.
double lds_turn(const InstructionKind& kind, const AccessShape& access) {
  if (!kind.turn) return 0;
  return kIssueCycles +
         (access.touch == Touch::Write ? lds_bytes(access) / kLdsPathBytesPerCycle : 0);
}

}  // namespace

double Xcd::advance(uint32_t index, double now) {
  WaveClock& wave = waves_[index];
  WaitingLine* caller = wave.caller;
  wave.caller = nullptr;
  if (caller) caller->called = false;
  const double next = try_step(index, now);
  if (!caller) return next;
  if (next == kAsks) {
    caller->called = true;
    wave.caller = caller;
  } else {
    call_next(*caller, now);  // it may have left without taking what it was called for
  }
  return next;
}

double Xcd::try_step(uint32_t index, double now) {
  WaveClock& wave = waves_[index];
  if (wave.next == wave.window_ends) {
    if (!has_turn(unit_of(wave))) return kAsks;
    begin_window(wave);
    if (wave.next >= wave.end) {
      end_wave(index, wave.ready);
      return kWaiting;
    }
  }
  const Step& step = wave.steps[wave.next];
  if (wave.decoded == wave.next) {
    if (begins_line(wave, step) && !has_turn(unit_of(wave))) return kAsks;
    decode(wave, step);
  }
  if (wave.ready > now) return wave.ready;
  const InstructionKind kind = kind_at(step);
  const double operands = operands_ready(wave, step, kind);
  if (operands > now) return operands;
  if (WaitingLine* line = busy_line(wave, kind, now)) return wait_in(*line, index, now);
  if (uses_memory(kind.unit) && !has_turn(unit_of(wave))) return kAsks;
  if (wave.pace) {
    const double steps = groups_[wave.group].members * wave.share;
    wave.pace->cycles += steps * (now - wave.since);
    wave.pace->steps += steps;
  } else if (wave.settles) {
    wave.settling += now - wave.since;
  }
  wave.since = now;
  __builtin_prefetch(wave.steps + ++wave.next + 4);  // its tape is longer than the host's caches
  const double next = issue(wave, step, kind, now);
  if (next == kWaiting) return next;
  const bool is_last = wave.next >= wave.end;
  return wave.ready = is_last ? next : after_others(wave, wave.steps[wave.next], next);
}

// When the step can leave that comes at `at`, behind those that the wave has issued.
double Xcd::after_others(const WaveClock& wave, const Step& step, double at) {
  return wave.interlocks.until(step.slot->inst, step.slot->unit, at);
}

// --- When a step can leave -----------------------------------------------------------------------

// What is written back at the end was stored by windows of all weights.
double Xcd::memory_work(double drained) const {
  return memory_work_ + drained * (stores_ > 0 ? whole_stores_ / stores_ : 1);
}

// Windows of which only the touched memory is known take no time: what they would have fetched is
// there.
void Xcd::touch(const WaveClock& wave, const TapeWindow& window, uint32_t end) {
  for (uint32_t n = window.first; n < end; ++n)
    for_members(wave, wave.steps[n],
                [&](uint32_t member, const TapeAccess& access, const uint64_t* lines) {
                  memory_.touch(wave.unit + int(member), access, lines, wave.ready);
                });
}

void Xcd::begin_window(WaveClock& wave) {
  const std::vector<TapeWindow>& windows = wave.tape->did().windows;
  while (wave.next_window < windows.size()) {
    const TapeWindow& window = windows[wave.next_window++];
    wave.window_ends =
        wave.next_window < windows.size() ? windows[wave.next_window].first : wave.end;
    if (window.touched()) {
      touch(wave, window, wave.window_ends);
      wave.next = wave.decoded = wave.window_ends;
      continue;
    }
    if (window.barriers > wave.barriers) {
      wave.barriers = window.barriers;
      release_barriers(groups_[wave.group], wave.ready);
    }
    wave.weight = window.weight * groups_[wave.group].members;
    const bool is_typical = window.look == TapeWindow::Look::Measure;
    wave.settles = !is_typical;
    wave.pace = nullptr;
    if (is_typical && !wave.tape->missing.empty()) {
      if (!wave.kind) wave.kind = PaceBook::kind(wave.tape->executed, unit_of(wave).groups);
      wave.pace = &paces_.of(window.code, wave.kind, window.is_first_visit());
      wave.share = window.share;
    }
    return;
  }
}

// An instruction whose second half lies in the next fetch can be issued a turn later.
void Xcd::decode(WaveClock& wave, const Step& step) {
  ++wave.decoded;
  if (free_.has(Ideal::InstructionCache)) return;
  const double came = wave.ready;
  const uint64_t place = (shape_.code_physical + step.pc) % kFetchBytes;
  if (place + step.slot->inst.bytes > kFetchBytes) wave.ready += kSplitFetchCycles;
  bool first = false;
  wave.ready = fetched(wave, step, wave.ready, first);
  // Code is fetched for the first time once only, however often waves come by.
  if (first) wave.since += wave.ready - came;
}

// Waves decode 64-byte lines; a wave that goes on to the next one finds it fetched ahead.
double Xcd::fetched(WaveClock& wave, const Step& step, double at, bool& first) {
  uint64_t line = (shape_.code_physical + step.pc) / kInstructionLineBytes;
  if (line == wave.fetched) return at;
  wave.fetched = line;
  const uint64_t code = shape_.code_physical / kInstructionLineBytes;
  double ready = memory_.fetch(wave.unit, code, line, at, first);
  fetch_work_ += wave.weight * kInstructionLineBytes / kFetchBytesPerCycle;
  totals_.level_fetch +=
      wave.weight * (ready - at + kFetchHitLatency * (kInstructionLineBytes / kFetchBytes));
  return ready;
}

// Matrix results that it reads, an idle matrix core for what does not overlap with it, and room in
// the counters of the wave.
double Xcd::operands_ready(const WaveClock& wave, const Step& step, const InstructionKind& kind) {
  double ready = 0;
  switch (kind.unit) {
    case Unit::Valu:
      if (kind.alone) ready = simd_of(wave).matrix_idle;
      break;
    case Unit::Matrix: break;
    case Unit::Flat: ready = wave.scalar_and_lds.room(kMostScalarAndLds); [[fallthrough]];
    case Unit::Vmem: ready = std::max(ready, wave.vector.room(kMostVector)); break;
    case Unit::Lds: ready = wave.scalar_and_lds.room(kMostScalarAndLds); break;
    default: return 0;
  }
  if (wave.matrix_ready > wave.ready)
    ready =
        std::max(ready, matrix_operands_ready(wave, step.slot->inst, kind.unit == Unit::Matrix));
  return ready;
}

// What the step has to wait for now, others permitting.
WaitingLine* Xcd::busy_line(const WaveClock& wave, const InstructionKind& kind, double now) {
  if (kind.unit == Unit::Internal || kind.free) return nullptr;
  if (WaitingLine* queue = busy_queue(wave, kind.unit, now)) return queue;
  if (!kind.issue) return nullptr;
  WaitingLine& port = simd_of(wave).ports[port_of(kind.unit)];
  return is_busy(port, now) ? &port : nullptr;
}

WaitingLine* Xcd::busy_queue(const WaveClock& wave, Unit unit, double now) {
  ComputeUnit& cu = unit_of(wave);
  WaitingLine* queue = nullptr;
  if (unit == Unit::Matrix) {
    queue = &simd_of(wave).matrix;
  } else if (unit == Unit::Vmem || unit == Unit::Flat) {
    queue = &cu.memory_queue;
    queue->free = memory_.queue_free(wave.memory_unit) - kIssueQueueCycles;
  } else if (unit == Unit::Lds) {
    const size_t pair = wave.place.simd / kSimdsPerPair;
    queue = &cu.lds_queues[pair];
    queue->free = std::max(cu.lds_banks.free, cu.lds_paths[pair].free) - kIssueQueueCycles;
  }
  return queue && is_busy(*queue, now) ? queue : nullptr;
}

// Where waves take turns, who comes while another one is called goes behind it.
bool Xcd::is_busy(const WaitingLine& line, double now) const {
  return line.free > now || (takes_turns_ && line.called);
}

// The hardware lets the wave of highest priority go first, of these the oldest. Of waves that are followed for a part of their way
// only, the oldest would reach the end of its tape before the youngest has begun and leave the rest
// of the way to a device that is not there: those take turns.
double Xcd::wait_in(WaitingLine& line, uint32_t index, double now) {
  line.enter(waves_[index].later << kPriorityShift | (takes_turns_ ? arrivals_++ & kArrivals : 0),
             index);
  call_next(line, now);
  return kWaiting;
}

void Xcd::call_next(WaitingLine& line, double now) {
  if (line.called || line.waves.empty()) return;
  const uint32_t first = line.leave_first();
  line.called = true;
  waves_[first].caller = &line;
  unit_of(waves_[first]).events.push(event_of(first, std::max(now, line.free)));
}

void Xcd::take(WaitingLine& line, double now, double free) {
  line.free = free;
  call_next(line, now);
}

// --- The step leaves -----------------------------------------------------------------------------

double Xcd::issue(WaveClock& wave, const Step& step, const InstructionKind& kind, double now) {
  if (kind.unit == Unit::Internal) return internal(wave, step, kind, now);
  if (kind.issue) take(simd_of(wave).ports[port_of(kind.unit)], now, now + kind.issue);
  totals_.wait_issue += wave.weight * (now - wave.ready);
  totals_.active_any += wave.weight * kIssueCycles;
  totals_.active[size_t(kind.unit)] += wave.weight * kind.issue;
  tell(wave, step, wave.ready, now, now + kind.turn);
  if (kind.turn && !free_.has(Ideal::Dependencies))
    wave.interlocks.issued(step.slot->inst, kind.unit, now);
  switch (kind.unit) {
    case Unit::Valu:
    case Unit::Matrix: issue_vector(wave, step, kind, now); break;
    case Unit::Vmem:
    case Unit::Flat:
      if (kind.free) pass_memory(wave, step, now);
      else issue_memory(wave, step, now);
      break;
    case Unit::Lds:
      if (kind.free) wave.scalar_and_lds.add(now);
      else issue_lds(wave, step, now);
      return now + lds_turn(kind, step.slot->access);
    case Unit::Smem:
      if (kind.free) pass_memory(wave, step, now);
      else issue_scalar_memory(wave, step, now);
      break;
    case Unit::Branch:
      if (kind.turn && wave.next < wave.end &&
          wave.steps[wave.next].pc != step.pc + step.slot->inst.bytes)
        return now + kind.turn + kBranchCycles;
      break;
    default: break;
  }
  return now + kind.turn;
}

void Xcd::issue_vector(WaveClock& wave, const Step& step, const InstructionKind& kind, double now) {
  if (kind.unit != Unit::Matrix || !kind.latency) return;
  Simd& simd = simd_of(wave);
  take(simd.matrix, now, now + kind.latency);
  simd.matrix_idle = now + kind.latency + kMatrixDrainCycles;
  totals_.matrix_busy += wave.weight * kind.latency;
  if (!free_.has(Ideal::Dependencies))
    note_matrix_result(wave, step.slot->inst, now + kind.latency + kMatrixResultCycles);
}

// Each of those who go in step asks for what its own tape says; one of them shows when it is there.
void Xcd::issue_memory(WaveClock& wave, const Step& step, double now) {
  if (is_spill(step)) return wave.vector.add(now);
  const Group& group = groups_[wave.group];
  const double worked = memory_.busiest(), weight = wave.weight / group.members;
  double done = 0;
  auto ask = [&](uint32_t member, const TapeAccess& access, const uint64_t* lines) {
    const double there = memory_.vector(wave.unit + int(member), access, lines, now);
    if (member == group.shown) done = there;
    if (!access.write && !access.atomic) return;
    stores_ += access.count;
    whole_stores_ += weight * access.count;
  };
  for_members(wave, step, ask);
  memory_work_ += weight * (memory_.busiest() - worked);
  wave.vector.add(done);
  if (step.slot->unit == Unit::Flat) wave.scalar_and_lds.add(done);
  totals_.level_vmem += wave.weight * (done - now);
  tell_return(wave, step, done);
}

// Conflicts keep the banks busy one cycle each. Data pass a path of two SIMDs, at half of what the
// banks give.
void Xcd::issue_lds(WaveClock& wave, const Step& step, double now) {
  totals_.lds_wait += wave.weight * (now - wave.ready);
  if (free_.has(Ideal::Lds)) return wave.scalar_and_lds.add(now);
  ComputeUnit& cu = unit_of(wave);
  const double bytes = lds_bytes(step.slot->access);
  const double without_conflicts = bytes / (kLdsBanks * kLdsBankBytes);
  const double asked = free_.has(Ideal::LdsConflicts)
                           ? std::min(double(step.detail), without_conflicts)
                           : double(step.detail);
  const double banks = asked + without_conflicts * (1 / kLdsEfficiency - 1);
  const double passing = bytes / kLdsPathBytesPerCycle;
  lds_banks_ += wave.weight * banks;
  lds_paths_ += wave.weight * passing;
  const double start = cu.lds_banks.take(now, banks);
  const double passed =
      cu.lds_paths[wave.place.simd / kSimdsPerPair].take(start, passing) + passing;
  const double done = std::max(start + banks, passed) + kLdsLatency;
  wave.scalar_and_lds.add(done);
  totals_.level_lds += wave.weight * (done - now);
  tell_return(wave, step, done);
}

void Xcd::issue_scalar_memory(WaveClock& wave, const Step& step, double now) {
  const uint32_t shown = groups_[wave.group].shown;
  double done = 0;
  auto ask = [&](uint32_t member, const TapeAccess& access, const uint64_t* lines) {
    const double there = memory_.scalar(wave.unit + int(member), access, lines, now);
    if (member == shown) done = there;
  };
  for_members(wave, step, ask);
  wave.scalar_and_lds.add(done);
  totals_.level_smem += wave.weight * (done - now);
  tell_return(wave, step, done);
}

// s_endpgm: "the hardware implicitly executes S_WAITCNT 0 before executing this instruction".
double Xcd::internal(WaveClock& wave, const Step& step, const InstructionKind& kind, double ready) {
  const Inst& inst = step.slot->inst;
  if (inst.op == Op::s_barrier && groups_[wave.group].waves > 1 && !free_.has(Ideal::Barriers)) {
    arrive_at_barrier(wave, ready);
    return kWaiting;
  }
  double left = ready;
  if (inst.op == Op::s_waitcnt)
    left = wait_for_counters(wave, vector_allowed(inst.words[0]), scalar_allowed(inst.words[0]),
                             ready);
  if (inst.op == Op::s_endpgm) left = wait_for_counters(wave, 0, 0, ready);
  double done = left + kind.issue;
  if (inst.op == Op::s_setprio)
    wave.later = uint8_t(kHighestPriority - (inst.words[0] & kHighestPriority));
  if (inst.op == Op::s_sleep) done += uint32_t(kSleepCycles) * (inst.words[0] & 0x7f);
  totals_.active_any += wave.weight * kIssueCycles;
  totals_.active[size_t(Unit::Internal)] += wave.weight * kIssueCycles;
  tell(wave, step, ready, left, done);
  return done;
}

double Xcd::wait_for_counters(WaveClock& wave, uint32_t vector, uint32_t scalar, double ready) {
  double until = std::max(wave.vector.until(vector), wave.scalar_and_lds.until(scalar));
  double left = std::max(ready, until);
  totals_.wait_any += wave.weight * (left - ready);
  return left;
}

void Xcd::arrive_at_barrier(WaveClock& wave, double at) {
  Group& group = groups_[wave.group];
  wave.arrived = at;
  ++group.at_barrier;
  release_barriers(group, at);
}

void Xcd::tell(WaveClock& wave, const Step& step, double ready, double issued, double done) {
  if (!wave.told) return;
  listener_->step(wave.place, {step.pc, &step.slot->inst, kind_of(step.slot->inst), uint64_t(ready),
                               uint64_t(issued), uint64_t(done)});
}

void Xcd::tell_return(WaveClock& wave, const Step& step, double at) {
  if (wave.told) listener_->memory_returned(wave.place, step.pc, uint64_t(at));
}

}  // namespace model
}  // namespace vgpu
