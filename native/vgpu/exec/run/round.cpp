#include "exec/run/round.h"

#include <algorithm>

#include "exec/group/other_order.h"
#include "exec/group/settings.h"
#include "exec/run/interpreter.h"
#include "exec/run/time_order.h"
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

// Returns whether it was.
bool release_barrier_if_complete(Workgroup& group) {
  if (group.at_barrier == 0 || group.at_barrier < group.live_waves) return false;
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
  return true;
}

bool can_run(const Wave& wave) {
  return wave.state != WaveState::Ended && wave.state != WaveState::AtBarrier;
}

// Returns whether a barrier was released.
bool take_turn(Workgroup& group, Wave& wave, uint32_t budget, GroupRound& round) {
  wave.state = running_state(wave);
  const uint64_t before = wave.executed;
  run_wave(wave, budget);
  round.instructions += wave.executed - before;
  if (wave.state == WaveState::Sleeping) return false;
  round.all_asleep = false;
  if (wave.state == WaveState::Ended) end_wave(group, wave);
  if (wave.state == WaveState::AtBarrier) arrive_at_barrier(group, wave);
  return release_barrier_if_complete(group);
}

// Waves that pass barriers may rely on each other's pace where they use the LDS.
bool keeps_time_order(const Workgroup& group) {
  return group.barriers && group.live_waves > 1 && group.dispatch->lds_bytes &&
         group.wave_count <= TimeOrder::kMostWaves && settings().order == 0;
}

GroupRound run_in_time_order(Workgroup& group) {
  GroupRound round;
  TimeOrder order(group);
  const uint64_t enough = uint64_t(kWaveSlice) * group.live_waves;
  while (round.instructions < enough) {
    Wave* wave = order.next(group);
    if (!wave) break;
    if (take_turn(group, *wave, kWaveSlice, round)) order.look_at_all(group);
    else order.look_at(group, *wave);
  }
  group.turn = LdsTurn{};
  return round;
}

}  // namespace

GroupRound run_round(Workgroup& group) {
  if (keeps_time_order(group)) return run_in_time_order(group);
  GroupRound round;
  for (uint32_t index = 0; index < group.wave_count; ++index) {
    Wave& wave = group.waves[in_other_order(index, group.wave_count)];
    if (can_run(wave)) take_turn(group, wave, kWaveSlice, round);
  }
  return round;
}

}  // namespace vgpu
