#include "model/xcd/timing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "model/tape/sample.h"
#include "model/launch/device_size.h"
#include "model/launch/structure.h"
#include "model/memory/memory_system.h"
#include "model/xcd/sharing.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

double executed_steps(const GroupTape& group) {
  double steps = 0;
  for (const WaveTape& wave : group.waves) steps += double(wave.executed);
  return steps;
}

double executed_steps(const std::vector<GroupTape>& tapes) {
  double steps = 0;
  for (const GroupTape& group : tapes) steps += executed_steps(group);
  return steps;
}

bool any_cut(const std::vector<GroupTape>& tapes) {
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves)
      if (wave.cut()) return true;
  return false;
}

// When all XCDs are on the tapes: those of the XCD that executed most.
void keep_busiest_xcd(std::vector<GroupTape>& tapes) {
  double work[kXcds] = {};
  for (const GroupTape& tape : tapes) work[xcd_of_group(tape.group)] += executed_steps(tape);
  const int busiest = int(std::max_element(work, work + kXcds) - work);
  std::vector<GroupTape> kept;
  for (GroupTape& tape : tapes) {
    if (xcd_of_group(tape.group) == busiest)
      kept.push_back(std::move(tape));
    else
      spare_tapes().give_back(std::move(tape));
  }
  tapes = std::move(kept);
}

// A round of neighbours that executed about as much as all do on average.
void keep_typical_round(std::vector<GroupTape>& tapes, size_t round) {
  const double mean = executed_steps(tapes) / double(tapes.size());
  size_t best = 0;
  double least = -1;
  for (size_t first = 0; first + round <= tapes.size(); first += round) {
    double sum = 0;
    for (size_t n = first; n < first + round; ++n) sum += executed_steps(tapes[n]);
    const double off = std::abs(sum / double(round) - mean);
    if (least < 0 || off < least) {
      least = off;
      best = first;
    }
  }
  std::rotate(tapes.begin(), tapes.begin() + ptrdiff_t(best), tapes.end());
  for (size_t n = round; n < tapes.size(); ++n) spare_tapes().give_back(std::move(tapes[n]));
  tapes.resize(round);
}

// Some workgroups of a dispatch that are alike, and how many of them an XCD has in all.
struct Crowd {
  std::vector<GroupTape> tapes;
  double groups = 0;          // in the dispatch
  double groups_on_xcd = 0;   // on the XCD that has most
  double instructions = 0;    // of all of them
  // How long their longest waves are: more than the first, up to the second.
  double beyond = -1, up_to = std::numeric_limits<double>::infinity();

  double share() const { return groups_on_xcd / groups; }
  size_t others() const {   // on the XCD, without those on the tapes
    return size_t(std::max(0.0, groups_on_xcd - double(tapes.size())));
  }
};

struct Estimate {
  double cycles = 0;      // from the first wave to the last byte written back
  double busiest = 0;     // of which the busiest part of the hardware works
  double crowded = 1;     // how many times longer a workgroup lives than alone
  TimingTotals totals;    // of the dispatch
};

// Cycles from one workgroup to the next once the XCD was full. A place is taken again a round
// later: the mean time between the two, over the last round, is shared by the workgroups of a
// round. When one round was simulated, others last as long as its workgroups on average, but no
// more of them start than waves can be launched.
double cycles_per_group(const LaunchShape& shape, const Xcd& xcd) {
  const std::vector<double>& placed = xcd.placed();
  size_t round = groups_per_round(shape);
  if (placed.size() <= round) {
    double launching = double(shape.waves_per_group) * kWaveLaunchCycles / kEnginesPerXcd;
    return std::max(xcd.mean_life() / double(round), launching);
  }
  size_t first = placed.size() >= 3 * round ? placed.size() - round : round;
  double turnover = 0;
  for (size_t n = first; n < placed.size(); ++n) turnover += placed[n] - placed[n - round];
  return turnover / double(placed.size() - first) / double(round);
}

// Cycles that the busiest port of a SIMD, or the fetching of instructions, works for the taped
// steps, on average over the XCD.
double port_cycles(const TimingTotals& totals, const Xcd& xcd) {
  auto active = [&](Unit unit) { return totals.active[size_t(unit)]; };
  double busiest = std::max({active(Unit::Valu) + active(Unit::Matrix), active(Unit::Salu),
                             active(Unit::Vmem) + active(Unit::Flat), totals.matrix_busy});
  return std::max(busiest / kSimdsPerUnit, xcd.fetch_work()) / device_size().units_per_xcd;
}

// How many times longer a workgroup lives among the others than alone.
double crowding(const LaunchShape& shape, std::vector<GroupTape>& tapes, const Xcd& xcd,
                MemoryHistory& history) {
  const size_t middle = tapes.size() / 2;
  std::vector<GroupTape> one;
  one.push_back(std::move(tapes[middle]));
  MemorySystem memory(1, history);
  Xcd alone(shape, one, memory, nullptr);
  alone.run();
  alone.ended_whole();
  tapes[middle] = std::move(one.front());
  return std::max(1.0, xcd.life(middle) / std::max(1.0, alone.mean_life()));
}

// Some of them, evenly spread.
void thin(std::vector<double>& lives, size_t most) {
  if (lives.size() <= most) return;
  for (size_t n = 0; n < most; ++n) lives[n] = lives[n * lives.size() / most];
  lives.resize(most);
}

// Lives of the workgroups that follow those on the tapes, from how much each of them executed.
std::vector<double> lives_of_others(const LaunchShape& shape, const Crowd& crowd,
                                    const WorkSummary& work, double mean_life) {
  std::vector<double> lives;
  double simulated = 0;
  for (const GroupTape& tape : crowd.tapes) simulated += double(tape.longest);
  const double cycles = mean_life * double(crowd.tapes.size()) / std::max(1.0, simulated);
  auto taped = crowd.tapes.begin();
  for (uint64_t group = uint64_t(xcd_of_group(taped->group)); group < shape.groups; group += kXcds) {
    while (taped != crowd.tapes.end() && taped->group < group) ++taped;
    const bool is_taped = taped != crowd.tapes.end() && taped->group == group;
    const double longest = double(work.longest_of(group));
    if (!is_taped && longest > crowd.beyond && longest <= crowd.up_to)
      lives.push_back(cycles * longest);
  }
  thin(lives, crowd.others());   // tapes of long ones are of any XCD
  return lives;
}

// Workgroups of which parts were simulated, all of them resident, and others that follow them. Of
// very many some are followed, the others pass at the mean pace.
double end_of_parts(const Xcd& xcd, std::vector<double> others, double crowded) {
  constexpr size_t kMostRounds = 16;
  const size_t round = xcd.placed().size(), most = kMostRounds * round;
  double beyond = 0;
  if (others.size() > most) {
    const double all = std::accumulate(others.begin(), others.end(), 0.0);
    thin(others, most);
    beyond = (all - std::accumulate(others.begin(), others.end(), 0.0)) / double(round);
  }
  return end_of({xcd.lives_by_unit(), std::move(others), crowded}) + beyond;
}

// Instructions of a workgroup that was not simulated, on average.
double work_of_others(const Crowd& crowd, double executed) {
  const double left = crowd.instructions * crowd.share() - executed;
  return crowd.others() > 0 ? std::max(0.0, left / double(crowd.others())) : 0;
}

// Simulates one XCD and scales up to the whole crowd.
Estimate estimate(const LaunchShape& shape, Crowd& crowd, const WorkSummary& work,
                  MemoryHistory& history, StepListener* listener, bool others_beside) {
  Estimate result;
  if (crowd.tapes.empty()) return result;
  const size_t round = groups_per_round(shape);
  if (double(crowd.tapes.size()) > crowd.groups_on_xcd && crowd.tapes.size() == size_t(crowd.groups))
    keep_busiest_xcd(crowd.tapes);
  const bool cut = any_cut(crowd.tapes);
  // Later rounds find the XCD as the earlier ones leave it, which is not known when waves are looked
  // at in parts only: of such waves one round is simulated, where all of them go in step.
  if (cut && crowd.tapes.size() > round && !listener)
    keep_typical_round(crowd.tapes, round);
  const double executed = executed_steps(crowd.tapes), simulated = double(crowd.tapes.size());
  MemorySystem memory(crowd.share(), history);
  Xcd xcd(shape, crowd.tapes, memory, listener);
  xcd.run();

  double end = xcd.ended_whole(), rest = 0;
  result.totals = xcd.totals();
  const double before = memory.busiest();
  const double draining = memory.drain(xcd.ended()) - xcd.ended();
  // What a short sample leaves in L2 has to pass the memory in the long run.
  const double working = std::max(xcd.memory_work(memory.busiest() - before),
                                  port_cycles(result.totals, xcd));
  const double others = double(crowd.others());
  const double longer = work_of_others(crowd, executed) / std::max(1.0, executed / simulated);
  if (others_beside || (cut && (simulated > device_size().units_per_xcd || others > 0)))
    result.crowded = crowding(shape, crowd.tapes, xcd, history);
  if (cut) {
    end = end_of_parts(xcd, lives_of_others(shape, crowd, work, xcd.mean_life()), result.crowded);
    result.cycles = std::max(end + draining, working * (1 + others * longer / simulated));
    rest = result.cycles - xcd.ended();
  } else {
    if (others > 0)
      rest = std::max(cycles_per_group(shape, xcd), working / simulated) * others * longer;
    result.cycles = std::max(end + draining, working) + rest;
  }
  const double scaled = crowd.instructions / std::max(1.0, executed);
  result.busiest = working * scaled * crowd.share();
  result.totals.memory = memory.activity();
  result.totals.memory.scale(scaled, crowd.share());
  result.totals.scale(scaled);
  const double units = std::min<double>(crowd.groups_on_xcd, device_size().units_per_xcd);
  result.totals.busy_unit_cycles += units * rest;
  result.totals.busy_unit_cycles *= std::min<double>(crowd.groups, kXcds);
  return result;
}

// --- All workgroups of all XCDs ------------------------------------------------------------------

std::vector<GroupTape> on_xcd(std::vector<GroupTape>& tapes, int xcd) {
  std::vector<GroupTape> some;
  for (GroupTape& tape : tapes)
    if (xcd_of_group(tape.group) == xcd) some.push_back(std::move(tape));
  return some;
}

Estimate simulate_all(const LaunchShape& shape, std::vector<GroupTape>& tapes,
                      MemoryHistory& history, StepListener* listener) {
  Estimate all;
  for (int number = 0; number < kXcds; ++number) {
    std::vector<GroupTape> mine = on_xcd(tapes, number);
    if (mine.empty()) continue;
    MemorySystem memory(double(mine.size()) / double(shape.groups), history);
    Xcd xcd(shape, mine, memory, number == 0 ? listener : nullptr);
    xcd.run();
    all.cycles = std::max(all.cycles, memory.drain(xcd.ended()));
    TimingTotals totals = xcd.totals();
    totals.memory = memory.activity();
    all.totals.add(totals);
    spare_tapes().give_back(mine);
  }
  tapes.clear();   // empty ones are not to be used again
  return all;
}

// --- Sampled workgroups --------------------------------------------------------------------------

// A workgroup that is so many times longer than the usual one is not represented by it.
constexpr uint64_t kUsualSpread = 4;

// The usual workgroups, and those that are much longer.
void divide(const LaunchShape& shape, Observed& observed, Crowd& usual, Crowd& outliers) {
  const uint64_t limit = std::max(observed.work.median_longest() * kUsualSpread, kLongWave);
  const WorkSummary::Part beyond = observed.work.beyond(limit);
  outliers.groups = double(beyond.groups);
  outliers.groups_on_xcd = std::ceil(outliers.groups / kXcds);
  outliers.instructions = double(beyond.instructions);
  usual.groups = double(shape.groups) - outliers.groups;
  usual.groups_on_xcd = std::ceil(usual.groups / kXcds);
  usual.up_to = outliers.beyond = double(limit);
  usual.instructions = double(observed.instructions) - outliers.instructions;
  for (auto* tapes : {&observed.planned, &observed.longest}) {
    for (GroupTape& tape : *tapes) {
      if (tape.longest > limit)
        outliers.tapes.push_back(std::move(tape));
      else if (tape.planned)
        usual.tapes.push_back(std::move(tape));
      else
        spare_tapes().give_back(std::move(tape));
    }
    tapes->clear();   // empty ones are not to be used again
  }
}

// Of the longest ones as many as an XCD gets and holds.
void keep_what_fits(const LaunchShape& shape, Crowd& outliers) {
  const size_t most = size_t(std::min<double>(outliers.groups_on_xcd, double(groups_per_round(shape))));
  if (outliers.tapes.size() <= most) return;
  std::sort(outliers.tapes.begin(), outliers.tapes.end(), [](const GroupTape& a, const GroupTape& b) {
    return a.longest != b.longest ? a.longest > b.longest : a.group < b.group;
  });
  outliers.tapes.resize(most);
}

// Where in the dispatch the last of the outliers begins, as a part of the time of the others.
double start_of(const LaunchShape& shape, const Crowd& outliers) {
  uint64_t last = 0;
  for (const GroupTape& tape : outliers.tapes) last = std::max(last, tape.group / kXcds);
  const double round = double(groups_per_round(shape)), all = double(groups_on_xcd(shape, 0));
  return all > round ? std::max(0.0, double(last) - round) / all : 0;
}

// When outliers end that take `alone` cycles by themselves and begin at `start`: slower as long as
// the usual workgroups run beside them.
double end_beside(double usual, double start, double alone, double crowded) {
  const double done = (usual - start) / (crowded * alone);
  return done >= 1 ? start + crowded * alone : usual + (1 - done) * alone;
}

Estimate simulate_sample(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                         StepListener* listener) {
  Crowd usual, outliers;
  divide(shape, observed, usual, outliers);
  keep_what_fits(shape, outliers);
  Estimate result = estimate(shape, usual, observed.work, history, listener,
                             !outliers.tapes.empty());
  if (!listener) spare_tapes().give_back(usual.tapes);   // those of a trace are too large to be kept
  if (outliers.tapes.empty()) return result;
  const Estimate longer = estimate(shape, outliers, observed.work, history, nullptr, false);
  result.totals.add(longer.totals);
  const double start = start_of(shape, outliers) * result.cycles;
  result.cycles = std::max({result.cycles, end_beside(result.cycles, start, longer.cycles, result.crowded),
                            result.busiest + longer.busiest});
  if (!listener) spare_tapes().give_back(outliers.tapes);
  return result;
}

// What an XCD has on the tapes: of dispatches that are taped whole, only XCD 0.
std::vector<const GroupTape*> as_of_one_xcd(const LaunchShape& shape,
                                            const std::vector<GroupTape>& tapes) {
  const bool all = tapes.size() == shape.groups;
  std::vector<const GroupTape*> some;
  for (const GroupTape& tape : tapes)
    if (!all || xcd_of_group(tape.group) == 0) some.push_back(&tape);
  return some;
}

// No dispatch is faster than what it asked of the hardware allows.
void keep_to_bounds(const Bounds& bounds, TimingTotals& totals) {
  totals.bounds = bounds;
  totals.simulated_ns = totals.duration_ns;
  totals.kernel_cycles = std::max(totals.kernel_cycles, bounds.cycles(bounds.largest()));
  totals.duration_ns = kLaunchNs + totals.kernel_cycles / device_size().clock_ghz + kRetireNs;
}

}  // namespace

TimingTotals simulate(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                      StepListener* listener) {
  if (observed.planned.empty()) {
    TimingTotals nothing;
    nothing.duration_ns = nothing.simulated_ns = kLaunchNs + kRetireNs;
    return nothing;
  }
  history.begin(observed.touched, double(groups_on_xcd(shape, 0)) / double(shape.groups),
                as_of_one_xcd(shape, observed.planned));
  const bool whole = observed.planned.size() == shape.groups && !any_cut(observed.planned);
  Estimate found = whole ? simulate_all(shape, observed.planned, history, listener)
                         : simulate_sample(shape, observed, history, listener);
  TimingTotals totals = found.totals;
  totals.kernel_cycles = found.cycles;
  totals.duration_ns = kLaunchNs + totals.kernel_cycles / device_size().clock_ghz + kRetireNs;
  keep_to_bounds({shape, observed.asked, observed.touched, history.cold_bytes()}, totals);
  totals.keep_within(
      std::min<double>(double(shape.groups), kXcds * device_size().units_per_xcd));
  history.end();
  return totals;
}

}  // namespace model
}  // namespace vgpu
