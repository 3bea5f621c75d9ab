#include "exec/run/round.h"

#include <algorithm>

#include "exec/group/other_order.h"
#include "exec/run/interpreter.h"
#include "exec/wave/own_chain.h"
#include "exec/wave/services.h"

namespace vgpu {
namespace {

// Instructions until the next wave has its turn.
constexpr uint32_t kWaveSlice = kMostStepsTogether;

void end_wave(Workgroup& group, Wave& wave) {
  --group.live_waves;
  if (wave.observer) wave.observer->ended(wave.executed);
}

void arrive_at_barrier(Workgroup& group, Wave& wave) {
  ++group.at_barrier;
  if (wave.observer) wave.observer->barrier(wave.executed);
}

void release_barrier_if_complete(Workgroup& group) {
  if (group.at_barrier == 0 || group.at_barrier < group.live_waves) return;
  uint64_t last = 0, last_ordered = 0;
  auto for_waiting = [&](auto use) {
    for (uint32_t index = 0; index < group.wave_count; ++index)
      if (group.waves[index].state == WaveState::AtBarrier) use(group.waves[index]);
  };
  for_waiting([&](const Wave& wave) {
    last = std::max(last, own_time(wave));
    last_ordered = std::max(last_ordered, ordered_time(wave));
  });
  for_waiting([&](Wave& wave) {
    wait_until(wave, last);
    keep_until(wave, last_ordered);
    wave.state = running_state(wave);
  });
  group.at_barrier = 0;
  ++group.barriers;
}

}  // namespace

GroupRound run_round(Workgroup& group) {
  GroupRound round;
  for (uint32_t index = 0; index < group.wave_count; ++index) {
    Wave& wave = group.waves[in_other_order(index, group.wave_count)];
    if (wave.state == WaveState::Ended || wave.state == WaveState::AtBarrier) continue;
    wave.state = running_state(wave);
    uint64_t before = wave.executed;
    run_wave(wave, kWaveSlice);
    round.instructions += wave.executed - before;
    if (wave.state != WaveState::Sleeping) round.all_asleep = false;
    if (wave.state == WaveState::Ended) end_wave(group, wave);
    if (wave.state == WaveState::AtBarrier) arrive_at_barrier(group, wave);
    if (wave.state != WaveState::Sleeping) release_barrier_if_complete(group);
  }
  return round;
}

}  // namespace vgpu
