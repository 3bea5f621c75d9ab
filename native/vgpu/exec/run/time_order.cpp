#include "exec/run/time_order.h"

#include "exec/wave/own_chain.h"

namespace vgpu {
namespace {

// A wave writes what depends on what it has read not earlier than this behind the read: those that
// read behind one barrier need not take turns so often.
constexpr uint64_t kTogether = arch::calibration::kLdsLatency / 2;
constexpr uint64_t kNotNow = LdsTurn::kNever;

uint64_t due(const Wave& wave) {
  const bool runs = wave.state == WaveState::Ready || wave.state == WaveState::Special;
  return runs ? own_time(wave) : kNotNow;
}

}  // namespace

// Those that gave up their turn in an earlier round have one again.
TimeOrder::TimeOrder(const Workgroup& group) {
  for (uint32_t index = 0; index < group.wave_count; ++index) {
    const Wave& wave = group.waves[index];
    due_[index] = wave.state == WaveState::Sleeping ? own_time(wave) : due(wave);
  }
}

Wave* TimeOrder::next(Workgroup& group) {
  uint32_t first = 0;
  uint64_t second = kNotNow;
  for (uint32_t index = 1; index < group.wave_count; ++index) {
    if (due_[index] < due_[first]) {
      second = due_[first];
      first = index;
    } else if (due_[index] < second) {
      second = due_[index];
    }
  }
  if (due_[first] == kNotNow) return nullptr;
  group.turn = LdsTurn{};
  if (second != kNotNow) group.turn.end = second + kTogether;
  return &group.waves[first];
}

void TimeOrder::look_at(const Workgroup& group, const Wave& wave) {
  due_[wave.index] = group.turn.gave_way ? group.turn.wanted : due(wave);
}

void TimeOrder::look_at_all(const Workgroup& group) {
  for (uint32_t index = 0; index < group.wave_count; ++index) due_[index] = due(group.waves[index]);
}

}  // namespace vgpu
