#include "model/sampling/timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/launch/device_size.h"
#include "model/launch/structure.h"
#include "model/memory/history_view.h"
#include "model/memory/memory_system.h"
#include "model/sampling/all_xcds.h"
#include "model/sampling/crowd.h"
#include "model/sampling/crowd_run.h"
#include "model/sampling/forecast.h"
#include "model/sampling/homes.h"
#include "model/sampling/stand_in.h"
#include "model/xcd/sharing.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

struct Estimate {
  double cycles = 0;   // from the first wave to the last byte written back
  double busiest = 0;  // of which the busiest part of the hardware works
  double crowded = 1;  // how many times longer a workgroup lives among the others than alone
  double lds_banks_per_path = 0;
  TimingTotals totals;  // of the dispatch
};

// A workgroup among the others, and alone.
struct Company {
  double crowded = 1;  // how many times longer it lives than alone
  double slope = 1;    // cycles that it lives for one more that it takes at least
};

// How long a workgroup lives when it has an XCD to itself.
double life_alone(const LaunchShape& shape, GroupTape& tape, HistoryView& history) {
  std::vector<GroupTape> one;
  one.push_back(std::move(tape));
  MemorySystem memory(1, history);
  Xcd alone(shape, one, memory, Engines::Each);
  alone.run();
  alone.ended_whole();
  tape = std::move(one.front());
  return alone.mean_life();
}

Company company_of(const LaunchShape& shape, Crowd& crowd, const Xcd& xcd, HistoryView& history) {
  // What short loops take beyond the chain, and what the first instructions wait for.
  constexpr double kLeastSlope = 1.15, kBeginning = 2 * kMemoryLatency;
  const size_t middle = crowd.tapes.size() / 2;
  GroupTape* example = &crowd.tapes[middle];
  double life = life_alone(shape, *example, history), least = kLeastSlope;
  Company company;
  company.crowded = std::max(1.0, xcd.life(middle) / std::max(1.0, life));
  if (!crowd.longer.empty()) {  // may do something else in that time
    example = &crowd.longer.front();
    life = life_alone(shape, *example, history);
    least = 1;
  }
  company.slope = company.crowded * std::max(least, life / (double(example->longest) + kBeginning));
  return company;
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
  for (uint64_t group = uint64_t(xcd_of_group(taped->group)); group < shape.groups;
       group += kXcds) {
    while (taped != crowd.tapes.end() && taped->group < group) ++taped;
    const bool is_taped = taped != crowd.tapes.end() && taped->group == group;
    const double longest = double(work.longest_of(group));
    if (!is_taped && longest > crowd.beyond && longest <= crowd.up_to)
      lives.push_back(cycles * longest);
  }
  thin(lives, crowd.others());  // tapes of long ones are of any XCD
  return lives;
}

// Of those who live longest, whose pace decides.
double usual_company(const SharedUnits& shared) {
  double sum = 0, lives = 0;
  for (const auto& unit : shared.lives)
    for (const SharedLife& life : unit) {
      sum += life.cycles * life.company;
      lives += life.cycles;
    }
  return lives > 0 ? sum / lives : 1;
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
  SharedUnits shared{xcd.lives_by_unit(), {}, crowded};
  const double company = usual_company(shared);
  for (double life : others) shared.waiting.push_back({life, company});
  return end_of(shared) + beyond;
}

// From the first wave to the last of the XCD, those included that were not simulated.
double cycles_of(const LaunchShape& shape, const Crowd& crowd, const WorkSummary& work,
                 const CrowdRun& run, double crowded) {
  const double others = double(crowd.others());
  const double longer =
      work_of_others(crowd, run.executed) / std::max(1.0, run.executed / run.simulated);
  // Of long ones each that follows begins when another one has ended.
  if (run.cut || (crowd.beyond >= 0 && others > 0)) {
    const double end =
        end_of_parts(run.xcd, lives_of_others(shape, crowd, work, run.xcd.mean_life()), crowded);
    return std::max(end + run.draining, run.working() * (1 + others * longer / run.simulated));
  }
  // They follow those who came last. Who came before and is still there is waited for, but beside.
  const double followed = run.xcd.last_ended_whole(groups_per_round(shape));
  const double more = others * longer / run.simulated, move = 1 + crowd.others_move * more;
  const OthersTake take = cycles_of_others(shape, crowd, run);
  return std::max({run.end + run.draining, followed + run.draining + take.moving,
                   until_written_back(run, followed + take.passing, move), run.moving * move,
                   run.computing * (1 + more)});
}

std::vector<double> lives_at_least(const std::vector<GroupTape>& tapes) {
  std::vector<double> lives;
  for (const GroupTape& tape : tapes) lives.push_back(double(tape.longest));
  return lives;
}

// How much longer the busiest XCD works than the one that the tapes stand for, which takes so many
// cycles: no more than in proportion to what both have to do.
double more_on_busiest_xcd(const Crowd& crowd, const Forecast& forecast, const Company& company,
                           double cycles) {
  double ends[kXcds], most = 0, mean = 0;
  for (int xcd = 0; xcd < kXcds; ++xcd) {
    ends[xcd] = forecast.end(xcd, company.crowded);
    most = std::max(most, ends[xcd]);
    mean += ends[xcd] / __builtin_popcount(crowd.alike);
  }
  const int first = xcd_of_group(crowd.tapes.front().group);
  const bool of_one =
      std::all_of(crowd.tapes.begin(), crowd.tapes.end(),
                  [&](const GroupTape& tape) { return xcd_of_group(tape.group) == first; });
  double own = of_one ? ends[first] : mean;
  if (!crowd.xcds.empty()) {
    own = 0;
    for (int xcd : crowd.xcds) own += ends[xcd] / double(crowd.xcds.size());
  }
  if (of_one && crowd.others() == 0)
    own = forecast.end(lives_at_least(crowd.tapes), company.crowded);
  const double more = std::max(0.0, most - own);
  return std::min(company.slope * more, cycles * more / std::max(1.0, own));
}

// What is counted over waves: of those that were simulated, scaled up to the crowd.
TimingTotals totals_of(const Crowd& crowd, const CrowdRun& run, double cycles) {
  const double scaled = crowd.instructions / std::max(1.0, run.executed);
  TimingTotals totals = run.xcd.totals();
  totals.memory = run.memory.activity();
  totals.memory.scale(scaled, crowd.share());
  totals.scale(scaled);
  // Windows have weights: what they stand for is known of all that is moved, not of each way.
  const double moved =
      run.moving / std::max(1.0, run.memory.busiest()) * crowd.moves_in_all(run.executed);
  totals.note_moved(run.memory, moved);
  const double rest = std::max(0.0, cycles - (run.cut ? run.xcd.ended() : run.end + run.draining));
  totals.busy_unit_cycles +=
      std::min<double>(crowd.groups_on_xcd, device_size().units_per_xcd) * rest;
  totals.busy_unit_cycles *= std::min<double>(crowd.groups, kXcds);
  return totals;
}

// Simulates one XCD and scales up to the whole crowd. `beside`: others are there, too.
Estimate estimate(const LaunchShape& shape, Crowd& crowd, const WorkSummary& work,
                  HistoryView& history, StepListener* listener, bool beside) {
  Estimate result;
  if (crowd.tapes.empty()) return result;
  keep_one_xcd(crowd);
  if (!listener) keep_fewer_rounds(shape, crowd);
  if (crowd.others() > 0 && crowd.beyond < 0 && !any_cut(crowd.tapes)) history.follow(crowd.tapes);
  const CrowdRun run(shape, crowd, history, listener);
  const Forecast forecast(shape, work, crowd.alike, crowd.beyond, crowd.up_to);
  const bool in_parts =
      run.cut && (run.simulated > device_size().units_per_xcd || crowd.others() > 0);
  Company company;
  if (beside || in_parts || forecast.differs())
    company = company_of(shape, crowd, run.xcd, history);
  result.crowded = company.crowded;
  result.cycles = cycles_of(shape, crowd, work, run, company.crowded);
  if (forecast.differs() && crowd.beyond < 0)
    result.cycles += more_on_busiest_xcd(crowd, forecast, company, result.cycles);
  result.busiest = run.working() * crowd.instructions / std::max(1.0, run.executed) * crowd.share();
  result.totals = totals_of(crowd, run, result.cycles);
  result.totals.draining = run.draining;
  result.lds_banks_per_path = run.xcd.lds_banks_per_path();
  return result;
}

// --- Sampled workgroups --------------------------------------------------------------------------

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

// Conflicts keep the banks of the LDS busy. How often that is, the tapes say; how much passed its
// paths is known exactly.
double bank_cycles(const DispatchWork& asked, double banks_per_path) {
  double most = 0;
  for (int number = 0; number < kXcds; ++number) {
    const DispatchWork::OfXcd& xcd = asked.xcd(number);
    const double units = std::min<double>(double(xcd.groups), device_size().units_per_xcd);
    if (xcd.groups > 0) most = std::max(most, double(xcd.sum.of(WorkPart::Lds)) / units);
  }
  return most * banks_per_path;
}

Estimate simulate_sample(const LaunchShape& shape, Observed& observed, HistoryView& history,
                         StepListener* listener) {
  Crowd usual, outliers;
  divide(shape, observed, usual, outliers);
  if (outliers.groups == 0)
    usual.others_move = moved_by_others(usual, observed.touched.bytes, history.taped_bytes());
  keep_what_fits(shape, outliers);
  Estimate result =
      estimate(shape, usual, observed.work, history, listener, !outliers.tapes.empty());
  spare_tapes().give_back(usual.longer);
  if (!listener) spare_tapes().give_back(usual.tapes);  // those of a trace are too large to be kept
  if (outliers.tapes.empty()) {
    const double banks = bank_cycles(observed.asked, result.lds_banks_per_path);
    if (banks <= result.cycles) return result;
    result.totals.busy_unit_cycles *= banks / result.cycles;
    result.cycles = banks;
    return result;
  }
  outliers.homes = homes_of(shape, observed.work, outliers.beyond, outliers.tapes);
  const Estimate longer = estimate(shape, outliers, observed.work, history, nullptr, false);
  result.totals.add(longer.totals);
  const double start = start_of(shape, outliers) * result.cycles;
  result.cycles =
      std::max({result.cycles, end_beside(result.cycles, start, longer.cycles, result.crowded),
                result.busiest + longer.busiest});
  if (!listener) spare_tapes().give_back(outliers.tapes);
  return result;
}

AllXcds simulate_sample(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                        StepListener* listener) {
  const int xcd = xcd_of_group(observed.planned.front().group);
  const MemoryHistory::Groups groups{double(shape.groups), double(groups_on_xcd(shape, xcd)), xcd};
  HistoryView view(history, history.look_from(groups, observed.touched, observed.planned));
  const Estimate found = simulate_sample(shape, observed, view, listener);
  view.add_to_history();
  return {found.cycles, found.totals};
}

}  // namespace

TimingTotals simulate(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                      unsigned helpers, StepListener* listener) {
  if (observed.planned.empty()) {
    TimingTotals nothing;
    nothing.take_cycles(0);
    nothing.demand.of(Shared::Room) = device_share(shape);
    return nothing;
  }
  if (observed.each) follow_busiest_xcd(shape, observed, helpers);
  if (!listener) stand_in_for_busiest_xcd(shape, observed);
  history.begin(observed.touched);
  const bool whole = observed.planned.size() == shape.groups && !any_cut(observed.planned);
  const AllXcds found = whole ? simulate_all(shape, observed, history, helpers, listener)
                              : simulate_sample(shape, observed, history, listener);
  TimingTotals totals = found.totals;
  // Tapes say nothing of waiting for others. Of those who begin later it is not known whether they have to.
  const bool together = shape.groups <= kXcds * groups_per_round(shape);
  totals.take_cycles(found.cycles + (together ? double(observed.asked.kept_waiting()) : 0));
  if (ideals().has(Ideal::Grid)) totals.spread_evenly();
  totals.keep_to({shape, observed.asked, observed.touched, history.cold_bytes()});
  totals.keep_within(std::min<double>(double(shape.groups), kXcds * device_size().units_per_xcd));
  totals.find_demand(shape, observed.asked);
  history.end();
  return totals;
}

}  // namespace model
}  // namespace vgpu
