#include "model/thread_trace/thread_trace.h"

#include <algorithm>
#include <cstdlib>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

bool is_unconditional(Op op) {
  return op == Op::s_branch || op == Op::s_call_b64 || op == Op::s_setpc_b64 ||
         op == Op::s_swappc_b64;
}

// Recordings of gfx9 count global and scratch accesses as flat, buffer accesses as vector memory,
// and the end of the program as a message.
TraceCategory category_of(const Inst& inst, Unit unit) {
  switch (unit) {
    case Unit::Valu:
    case Unit::Matrix: return TraceCategory::Valu;
    case Unit::Salu: return TraceCategory::Salu;
    case Unit::Smem: return TraceCategory::Smem;
    case Unit::Vmem:
      return inst.format == Format::MUBUF || inst.format == Format::MTBUF ? TraceCategory::Vmem
                                                                          : TraceCategory::Flat;
    case Unit::Flat: return TraceCategory::Flat;
    case Unit::Lds: return TraceCategory::Lds;
    case Unit::Branch: return TraceCategory::Jump;
    case Unit::Message: return TraceCategory::Message;
    case Unit::Internal: break;
  }
  return inst.op == Op::s_endpgm ? TraceCategory::Message : TraceCategory::Immediate;
}

uint32_t key_of(const WavePlace& place) {
  return place.engine << 24 | place.unit << 16 | place.simd << 8 | place.slot;
}

uint32_t cycles(uint64_t from, uint64_t to) {
  return uint32_t(std::min<uint64_t>(to > from ? to - from : 0, ~uint32_t(0)));
}

}  // namespace

bool ThreadTrace::is_traced_engine(const WavePlace& place) const {
  return options_.engine_mask >> place.engine & 1;
}

uint64_t ThreadTrace::units() const {
  uint64_t mask = 0;
  for (int unit = 0; unit < calibration::kUnitsPerXcd; ++unit)
    if (uint32_t(unit_in_engine(unit)) == options_.target_unit &&
        (options_.engine_mask >> engine_of_unit(unit) & 1))
      mask |= uint64_t(1) << unit;
  return mask;
}

bool ThreadTrace::wants(const WavePlace& place) {
  return is_traced_engine(place) && place.unit == options_.target_unit &&
         (options_.simd_mask >> place.simd & 1);
}

void ThreadTrace::wave_began(const WavePlace& place, uint64_t cycle) {
  if (!is_traced_engine(place)) return;
  occupancy_.push_back({cycle, place, true});
  if (!wants(place)) return;
  open_[key_of(place)] = Open{waves_.size()};
  waves_.push_back({place, cycle, cycle, {}});
}

void ThreadTrace::step(const WavePlace& place, const StepTimes& times) {
  auto found = open_.find(key_of(place));
  if (found == open_.end()) return;
  if (steps_ >= options_.most_steps) {
    ++lost_;
    return;
  }
  Open& open = found->second;
  const uint64_t pc = code_base_ + times.pc;
  std::vector<Step>& steps = waves_[open.wave].steps;
  // A conditional branch that was not taken has its successor right behind it.
  if (!steps.empty() && steps.back().category == TraceCategory::Jump && open.behind_last == pc)
    steps.back().category = TraceCategory::Next;
  const TraceCategory category = category_of(*times.inst, times.kind.unit);
  Step step{pc, times.ready, cycles(times.ready, times.issued), cycles(times.ready, times.done),
            category};
  // What the sequencer handles by itself never issues: all of its time is a stall.
  if (category == TraceCategory::Immediate) step.stall = step.duration;
  open.ended = times.inst->op == Op::s_endpgm;
  open.behind_last = is_unconditional(times.inst->op) ? 0 : pc + times.inst->bytes;
  steps.push_back(step);
  ++steps_;
}

void ThreadTrace::wave_ended(const WavePlace& place, uint64_t cycle) {
  if (!is_traced_engine(place)) return;
  occupancy_.push_back({cycle, place, false});
  auto found = open_.find(key_of(place));
  if (found == open_.end()) return;
  WaveRecord& wave = waves_[found->second.wave];
  wave.end = cycle;
  if (!found->second.ended) {
    ++cut_waves_;
  } else {  // the last instruction lasts until the wave has left its slot
    Step& last = wave.steps.back();
    last.stall = 0;
    last.duration = cycles(last.time, cycle);
  }
  open_.erase(found);
}

}  // namespace model
}  // namespace vgpu
