#include "model/xcd/timing.h"

#include <algorithm>

#include "model/launch/structure.h"
#include "model/memory/memory_system.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr double kHalf = 0.5;

struct Sampled {
  double taped = 0;      // steps on tapes
  double executed = 0;   // instructions of the taped workgroups
  bool cut() const { return executed > taped; }
};

Sampled count_sampled(const std::vector<GroupTape>& tapes) {
  Sampled sampled;
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves) {
      sampled.taped += double(wave.steps.size());
      sampled.executed += double(wave.executed);
    }
  return sampled;
}

// Cycles from one workgroup to the next once the XCD was full. A place is taken again a round
// later: the mean time between the two, over the last round, is shared by the workgroups of a
// round. When one round was simulated, others last as long as the longest of its waves, but no
// more of them start than waves can be launched.
double cycles_per_group(const LaunchShape& shape, const Xcd& xcd) {
  const std::vector<double>& placed = xcd.placed();
  size_t round = groups_per_round(shape);
  if (placed.size() <= round) {
    double launching = double(shape.waves_per_group) * kWaveLaunchCycles / kEnginesPerXcd;
    return std::max(xcd.longest_life() / double(round), launching);
  }
  size_t first = placed.size() >= 3 * round ? placed.size() - round : round;
  double turnover = 0;
  for (size_t n = first; n < placed.size(); ++n) turnover += placed[n] - placed[n - round];
  return turnover / double(placed.size() - first) / double(round);
}

// Cycles of the workgroups that were not simulated, weighted by how much longer or shorter they
// are. What a short sample leaves in L2 has to pass the memory in the long run.
double remaining_cycles(const LaunchShape& shape, const Xcd& xcd, const MemorySystem& memory,
                        const Sampled& sampled, uint64_t instructions) {
  double simulated = double(xcd.placed().size()), all = double(groups_on_first_xcd(shape));
  if (simulated >= all) return 0;
  double mean = double(instructions) / double(shape.groups);
  double mean_simulated = sampled.executed / simulated;
  double pace = std::max(cycles_per_group(shape, xcd), memory.busiest() / simulated);
  return pace * (all - simulated) * mean / std::max(1.0, mean_simulated);
}

// Cycles that the busiest port of a SIMD, or the fetching of instructions, works for the taped
// steps, on average over the XCD.
double port_cycles(const TimingTotals& totals, const MemorySystem& memory) {
  auto active = [&](Unit unit) { return totals.active[size_t(unit)]; };
  double busiest = std::max({active(Unit::Valu) + active(Unit::Matrix), active(Unit::Salu),
                             active(Unit::Vmem) + active(Unit::Flat), totals.matrix_busy});
  return std::max(busiest / kSimdsPerUnit, memory.fetching()) / kUnitsPerXcd;
}

// What a workgroup by itself waits for code that nobody has fetched yet, on the taped part of its
// way.
double first_fetch_cycles(const LaunchShape& shape, const std::vector<GroupTape>& tapes,
                          double share, MemoryHistory& history) {
  std::vector<GroupTape> one = {tapes.front()};
  for (WaveTape& wave : one.front().waves) wave.executed = wave.steps.size();
  auto ended = [&](bool with_first_fetches) {
    MemorySystem memory(share, history);
    if (!with_first_fetches) memory.leave_out_first_fetches();
    Xcd xcd(shape, one, memory, nullptr);
    xcd.run();
    return xcd.ended();
  };
  return ended(true) - ended(false);
}

// From the simulated waves to all waves of the dispatch.
void scale(TimingTotals& totals, const Sampled& sampled, uint64_t instructions) {
  double by_step = double(instructions) / std::max(1.0, sampled.taped);
  double by_wave = double(instructions) / std::max(1.0, sampled.executed);
  for (double* sum : {&totals.wait_any, &totals.wait_issue, &totals.active_any, &totals.matrix_busy,
                      &totals.lds_wait, &totals.level_vmem, &totals.level_smem, &totals.level_lds,
                      &totals.level_fetch})
    *sum *= by_step;
  for (double& active : totals.active) active *= by_step;
  totals.wave_cycles *= by_wave;
}

}  // namespace

TimingTotals simulate(const LaunchShape& shape, std::vector<GroupTape>& tapes,
                      const TouchedMemory& touched, uint64_t instructions,
                      MemoryHistory& history, StepListener* listener) {
  if (tapes.empty()) {
    TimingTotals nothing;
    nothing.duration_ns = kLaunchNs + kRetireNs;
    return nothing;
  }
  Sampled sampled = count_sampled(tapes);
  // Waves that are cut off load nothing any more, so that later rounds would find the XCD emptier
  // than it is. Of long waves only the first round is simulated, where all of them go in step.
  if (sampled.cut() && tapes.size() > groups_per_round(shape)) {
    tapes.resize(groups_per_round(shape));
    sampled = count_sampled(tapes);
  }
  double share = double(groups_on_first_xcd(shape)) / double(shape.groups);
  history.begin(touched, share, tapes);
  double fetching = sampled.cut() ? first_fetch_cycles(shape, tapes, share, history) : 0;
  MemorySystem memory(share, history);
  if (sampled.cut()) memory.leave_out_first_fetches();
  Xcd xcd(shape, tapes, memory, listener);
  xcd.run();

  TimingTotals totals = xcd.totals();
  double drained = memory.drain(xcd.ended());
  double rest = remaining_cycles(shape, xcd, memory, sampled, instructions);
  double steps_per_taped = share * double(instructions) / std::max(1.0, sampled.taped);
  // Waves that are cut off leave the ports to the others, whose pace then is too good: no dispatch
  // ends before its ports have done what is left to do when the tapes are half through.
  double ports_done =
      xcd.half_of_tapes() + port_cycles(totals, memory) * (steps_per_taped - kHalf);
  if (sampled.cut()) rest = std::max(rest, ports_done - xcd.ended());
  totals.kernel_cycles = std::max(drained + rest + fetching,
                                  memory.atomics_on_one_line() * steps_per_taped);
  totals.memory = memory.activity();
  totals.memory.scale(double(instructions) / std::max(1.0, sampled.taped), share);
  scale(totals, sampled, instructions);
  double units = double(std::min<uint64_t>(groups_on_first_xcd(shape), kUnitsPerXcd));
  totals.busy_unit_cycles += units * rest;
  totals.busy_unit_cycles *= double(std::min<uint64_t>(shape.groups, kXcds));
  totals.duration_ns = kLaunchNs + totals.kernel_cycles / kClockGhz + kRetireNs;
  history.end();
  return totals;
}

}  // namespace model
}  // namespace vgpu
