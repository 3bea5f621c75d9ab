#include "model/sampling/sample.h"

#include <algorithm>

#include "model/launch/device_size.h"
#include "model/tape/window_schedule.h"

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

constexpr uint64_t kFewWaves = 512;         // of a dispatch that is taped whole,
constexpr uint64_t kFewSteps = 192 * 1024;  // if its waves together have about as few
constexpr uint32_t kLeastRuns = 16;         // per wave
constexpr uint64_t kRun = kWindowSteps * kWindowsPerRun;
constexpr uint64_t kTapedWithTrace = 16 * 1024 * 1024;  // of all waves: some 0.5 GB on the host
constexpr uint32_t kMostRuns = 1u << 22;                // of a wave that must be complete

// Waves that are so many times longer than all could be are whole at first: there may be few of them, where an
// XCD has more than a few workgroups. What all of them have together decides in the end (`shorten.*`).
constexpr uint64_t kMuchLonger = 8, kFewGroups = 8;

// Waves of a round where nothing but their number keeps an XCD from holding more.
constexpr uint64_t kFullRound =
    uint64_t(calibration::kUnitsPerXcd) * calibration::kSimdsPerUnit * calibration::kWavesPerSimd;

constexpr uint64_t kLeastLong = 512;  // a wave of fewer cycles is not worth it

uint32_t runs_in(uint64_t steps, uint64_t waves) {
  return uint32_t(
      std::clamp<uint64_t>(steps / std::max<uint64_t>(1, waves) / kRun, kLeastRuns, kMostRuns));
}

}  // namespace

uint64_t whole_factor(const LaunchShape& shape, uint64_t groups) {
  return groups >= kManyRounds * groups_per_round(shape) ? kManyRounds : 1;
}

// Before it is known that they are not represented.
void SamplePlan::know_first(uint64_t cycles, uint64_t steps, bool ended) {
  expected = steps;
  first_ended = ended;
  long_cycles = std::max(cycles + cycles / 4, kLeastLong);
  long_steps = std::max(steps + steps / 4, kLongWave);
  late_runs = most_runs;
  if (!ended) {
    late_runs = kLongWaveRuns;
    long_cycles = std::min(long_cycles, kMostLong);
    long_steps = kLongWave;
  }
  if (steps > few_steps) all = whole;
}

void SamplePlan::know_first_waves(const LaunchShape& shape, uint64_t mean) {
  const uint64_t groups = groups_on_xcd(shape, 0);
  const bool may_fit = !whole && !traced_units && groups >= kFewGroups &&
                       mean <= whole_factor(shape, groups) * steps_per_wave();
  whole_steps = may_fit ? kMuchLonger * steps_per_wave() : 0;
}

// Where few waves fit on a CU three rounds are short: how workgroups come all at once and wait for memory
// that nobody has touched is all that they show.
bool SamplePlan::add_rounds(const LaunchShape& shape, uint64_t mean) {
  const uint64_t waves = std::max<uint64_t>(1, shape.waves_per_group);
  const uint64_t groups =
      std::min(kBlocks * kFullRound / waves, kFewSteps / (waves * std::max<uint64_t>(1, mean)));
  if (groups <= most_groups) return false;
  most_groups = groups;
  most_runs = runs_in(kTapedSteps, groups * waves);  // should later ones be long
  return true;
}

// All of one XCD: what its workgroups read again is in its L2, which those of another would have to fetch.
void SamplePlan::follow(const LaunchShape& shape, int xcd) {
  const uint64_t round = groups_per_round(shape);
  const bool one_xcd = groups_on_xcd(shape, 0) <= most_groups;
  const uint64_t begin = most_groups - (kBlocks - 1) * round, groups = groups_on_xcd(shape, xcd);
  for (size_t n = 0; n < kBlocks; ++n) {
    const uint64_t first = n * (groups - std::min(groups, round)) / (kBlocks - 1);
    blocks[n] = {xcd, n == 0 ? 0 : std::max(first, begin), n == 0 ? begin : round};
    if (one_xcd) blocks[n] = {xcd, 0, n == 0 ? groups : 0};
  }
}

bool SamplePlan::wants(uint64_t group) const {
  if (!on || all || each) return on;
  for (const Block& block : blocks)
    if (xcd_of_group(group) == block.xcd && group / kXcds - block.first < block.count) return true;
  return false;
}

uint32_t SamplePlan::runs_of(uint64_t group) const {
  const uint64_t number = group / kXcds;
  const bool is_traced = xcd_of_group(group) == 0 && number < first_round &&
                         (traced_units >> number % uint64_t(device_size().units_per_xcd) & 1);
  return is_traced ? kMostRuns : most_runs;
}

uint64_t SamplePlan::steps_per_wave() const { return most_runs * kRun; }

uint64_t SamplePlan::marks_from(uint64_t group) const {
  const uint64_t kept = runs_of(group) * kRun;
  const bool fits = wants(group) && expected != 0 && expected <= kept;
  return fits ? std::max(kept, kLongWave) : kLongWave;
}

SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units, bool whole) {
  const uint64_t round = groups_per_round(shape), on_first = groups_on_xcd(shape, 0);
  SamplePlan plan;
  plan.on = true;
  plan.traced_units = traced_units;
  plan.first_round = round;
  plan.most_groups = SamplePlan::kBlocks * round;
  plan.whole = whole;
  plan.all = whole || shape.groups * shape.waves_per_group <= kFewWaves;
  plan.follow(shape, 0);
  const uint64_t groups = std::min(on_first, SamplePlan::kBlocks * round);
  const uint64_t steps = traced_units ? kTapedWithTrace : kTapedSteps;
  plan.most_runs = whole ? kMostRuns : runs_in(steps, groups * shape.waves_per_group);
  plan.know_first_waves(shape, 0);
  plan.few_steps = kFewSteps / std::max<uint64_t>(1, shape.groups * shape.waves_per_group);
  return plan;
}

}  // namespace model
}  // namespace vgpu
