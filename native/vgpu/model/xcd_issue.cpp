// Issuing the steps of waves: ports of the SIMD, dependencies, and the units behind them.
#include <algorithm>

#include "xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint32_t kSleepCycles = 64;   // s_sleep counts in these

// s_waitcnt: vmcnt in bits 3:0 and 15:14, lgkmcnt in bits 11:8.
uint32_t vector_allowed(uint32_t bits) { return (bits & 15) | (bits >> 14 & 3) << 4; }
uint32_t scalar_allowed(uint32_t bits) { return bits >> 8 & 15; }

// Matrix instructions leave through the vector port, flat ones through that of vector memory.
size_t port_of(Unit unit) {
  if (unit == Unit::Matrix) return size_t(Unit::Valu);
  if (unit == Unit::Flat) return size_t(Unit::Vmem);
  return size_t(unit);
}

}  // namespace

Xcd::Simd& Xcd::simd_of(const WaveClock& wave) {
  return units_[size_t(wave.unit)].simds[wave.place.simd];
}

double Xcd::advance(uint32_t index) {
  WaveClock& wave = waves_[index];
  const std::vector<Step>& steps = wave.tape->steps;
  if (wave.next >= steps.size()) {
    if (wave.tape->cut() && !wave.cut)
      cut_off(index);
    else
      end_wave(index, wave.ready);
    return kWaiting;
  }
  if (wave.next == steps.size() / 2) wave.half_time = wave.ready;
  const Step& step = steps[wave.next++];
  double next = issue(wave, step, fetched(wave, step, wave.ready));
  if (next != kWaiting) wave.ready = next;
  return next;
}

// Waves decode 64-byte lines; a wave that goes on to the next one finds it fetched ahead.
double Xcd::fetched(WaveClock& wave, const Step& step, double at) {
  uint64_t line = (shape_.code_physical + step.pc) / kInstructionLineBytes;
  if (line == wave.fetched) return at;
  wave.fetched = line;
  double ready = memory_.fetch(wave.unit, line, at);
  totals_.level_fetch += (ready - at) + kFetchHitLatency * (kInstructionLineBytes / kFetchBytes);
  return ready;
}

double Xcd::issue(WaveClock& wave, const Step& step, double ready) {
  const InstructionKind& kind = step.slot->kind;
  switch (kind.unit) {
    case Unit::Internal: return internal(wave, step, ready);
    case Unit::Valu: case Unit::Matrix: return issue_vector(wave, step, ready);
    case Unit::Vmem: case Unit::Flat: return issue_memory(wave, step, ready);
    case Unit::Lds: return issue_lds(wave, step, ready);
    case Unit::Smem: return issue_scalar_memory(wave, step, ready);
    default: break;
  }
  double start = claim_port(wave, kind, ready, ready);
  double done = start + kIssueCycles;
  if (kind.unit == Unit::Branch && wave.next < wave.tape->steps.size() &&
      wave.tape->steps[wave.next].pc != step.pc + step.slot->inst.bytes)
    done = start + kBranchCycles;
  tell(wave, step, ready, start, start + kIssueCycles);
  return done;
}

// The port is free, and `earliest` has come: when the instruction leaves.
double Xcd::claim_port(WaveClock& wave, const InstructionKind& kind, double ready,
                       double earliest) {
  double& port = simd_of(wave).port_free[port_of(kind.unit)];
  double start = std::max({ready, earliest, port});
  port = start + kind.issue;
  totals_.wait_issue += start - ready;
  totals_.active_any += kIssueCycles;
  totals_.active[size_t(kind.unit)] += kind.issue;
  return start;
}

double Xcd::issue_vector(WaveClock& wave, const Step& step, double ready) {
  const InstructionKind& kind = step.slot->kind;
  bool matrix = kind.unit == Unit::Matrix;
  double earliest = ready;
  if (wave.matrix_ready > ready)
    earliest = std::max(earliest, matrix_operands_ready(wave, step.slot->inst, matrix));
  Simd& simd = simd_of(wave);
  if (matrix) earliest = std::max(earliest, simd.matrix_free);
  double start = claim_port(wave, kind, ready, earliest);
  if (matrix) {
    simd.matrix_free = start + kind.latency;
    totals_.matrix_busy += kind.latency;
    note_matrix_result(wave, step.slot->inst, start + kind.latency + kMatrixResultCycles);
  }
  tell(wave, step, ready, start, start + kIssueCycles);
  return start + kIssueCycles;
}

double Xcd::issue_memory(WaveClock& wave, const Step& step, double ready) {
  const InstructionKind& kind = step.slot->kind;
  double earliest = memory_.queue_free(wave.unit) - kIssueQueueCycles;
  if (wave.matrix_ready > ready)
    earliest = std::max(earliest, matrix_operands_ready(wave, step.slot->inst, false));
  double start = claim_port(wave, kind, ready, earliest);
  const TapeAccess& access = wave.tape->accesses[step.detail];
  double done = memory_.vector(wave.unit, access, wave.tape->lines.data() + access.first, start);
  wave.vector.add(done);
  if (kind.unit == Unit::Flat) wave.scalar_and_lds.add(done);
  totals_.level_vmem += done - start;
  tell(wave, step, ready, start, start + kIssueCycles);
  tell_return(wave, step, done);
  return start + kIssueCycles;
}

double Xcd::issue_lds(WaveClock& wave, const Step& step, double ready) {
  Pipe& lds = units_[size_t(wave.unit)].lds;
  double earliest = lds.free - kIssueQueueCycles;
  if (wave.matrix_ready > ready)
    earliest = std::max(earliest, matrix_operands_ready(wave, step.slot->inst, false));
  double start = claim_port(wave, step.slot->kind, ready, earliest);
  totals_.lds_wait += start - ready;
  double cycles = double(step.detail) / kLdsEfficiency;
  double done = lds.take(start, cycles) + cycles + kLdsLatency;
  wave.scalar_and_lds.add(done);
  totals_.level_lds += done - start;
  tell(wave, step, ready, start, start + kIssueCycles);
  tell_return(wave, step, done);
  return start + kIssueCycles;
}

double Xcd::issue_scalar_memory(WaveClock& wave, const Step& step, double ready) {
  double start = claim_port(wave, step.slot->kind, ready, ready);
  const TapeAccess& access = wave.tape->accesses[step.detail];
  double done = memory_.scalar(wave.unit, access, wave.tape->lines.data() + access.first, start);
  wave.scalar_and_lds.add(done);
  totals_.level_smem += done - start;
  tell(wave, step, ready, start, start + kIssueCycles);
  tell_return(wave, step, done);
  return start + kIssueCycles;
}

double Xcd::internal(WaveClock& wave, const Step& step, double ready) {
  const Inst& inst = step.slot->inst;
  if (inst.op == Op::s_barrier && groups_[wave.group].waves > 1) {
    arrive_at_barrier(wave, ready);
    return kWaiting;
  }
  double left = ready;
  if (inst.op == Op::s_waitcnt) left = wait_for_counters(wave, inst, ready);
  double done = left + step.slot->kind.issue;
  if (inst.op == Op::s_sleep) done += kSleepCycles * (inst.words[0] & 0x7f);
  totals_.active_any += kIssueCycles;
  totals_.active[size_t(Unit::Internal)] += kIssueCycles;
  tell(wave, step, ready, left, done);
  return done;
}

double Xcd::wait_for_counters(WaveClock& wave, const Inst& inst, double ready) {
  double until = std::max(wave.vector.until(vector_allowed(inst.words[0])),
                          wave.scalar_and_lds.until(scalar_allowed(inst.words[0])));
  double left = std::max(ready, until);
  totals_.wait_any += left - ready;
  return left;
}

void Xcd::arrive_at_barrier(WaveClock& wave, double at) {
  Group& group = groups_[wave.group];
  wave.arrived = at;
  group.barrier_time = std::max(group.barrier_time, at);
  ++group.at_barrier;
  release_barrier(group);
}

void Xcd::tell(WaveClock& wave, const Step& step, double ready, double issued, double done) {
  if (!wave.told) return;
  listener_->step(wave.place, {step.pc, &step.slot->inst, step.slot->kind, uint64_t(ready),
                               uint64_t(issued), uint64_t(done)});
}

void Xcd::tell_return(WaveClock& wave, const Step& step, double at) {
  if (wave.told) listener_->memory_returned(wave.place, step.pc, uint64_t(at));
}

}  // namespace model
}  // namespace vgpu
