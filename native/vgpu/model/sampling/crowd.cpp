#include "model/sampling/crowd.h"

#include <cmath>
#include <utility>

#include "model/launch/device_size.h"
#include "model/launch/structure.h"
#include "model/sampling/sample.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr double kSimulatedSteps = kTapedSteps / 2;  // of waves that are longer than all could be

// Those that are longer but on no tape are left among the usual ones.
uint64_t longest_usual(const Observed& observed) {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  if (observed.long_among_them) return kAny;
  const uint64_t limit = std::max(observed.work.median_longest() * kUsualSpread,
                                  2 * std::min(observed.long_cycles, kMostLong));
  for (const auto* tapes : {&observed.planned, &observed.longest})
    for (const GroupTape& tape : *tapes)
      if (tape.longest > limit) return limit;
  return kAny;
}

void keep_longest(std::vector<GroupTape>& tapes) {
  if (tapes.empty()) return;
  auto longest = std::max_element(
      tapes.begin(), tapes.end(),
      [](const GroupTape& a, const GroupTape& b) { return a.longest < b.longest; });
  std::iter_swap(tapes.begin(), longest);
  for (size_t n = 1; n < tapes.size(); ++n) spare_tapes().give_back(std::move(tapes[n]));
  tapes.resize(1);
}

// When all XCDs are on the tapes: those of the XCD that executed most, or of the first when that
// has about as much: its tapes are the longest.
void keep_busiest_xcd(std::vector<GroupTape>& tapes) {
  constexpr double kAsMuch = 1.02;
  double work[kXcds] = {};
  for (const GroupTape& tape : tapes) work[xcd_of_group(tape.group)] += tape.executed();
  const int most = int(std::max_element(work, work + kXcds) - work);
  const int busiest = work[most] > kAsMuch * work[0] ? most : 0;
  std::vector<GroupTape> kept;
  for (GroupTape& tape : tapes) {
    if (xcd_of_group(tape.group) == busiest) kept.push_back(std::move(tape));
    else spare_tapes().give_back(std::move(tape));
  }
  tapes = std::move(kept);
}

// About so many, from everywhere in the grid: neighbours on all CUs, then a gap.
void keep_spread(std::vector<GroupTape>& tapes, size_t most) {
  const size_t stretch = size_t(device_size().units_per_xcd), all = tapes.size();
  std::vector<GroupTape> kept;
  for (size_t n = 0; n < all; ++n) {
    const size_t first = n / stretch * stretch, end = std::min(all, first + stretch);
    if (end * most / all / stretch > first * most / all / stretch)
      kept.push_back(std::move(tapes[n]));
    else spare_tapes().give_back(std::move(tapes[n]));
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
    for (size_t n = first; n < first + round; ++n) sum += tapes[n].executed();
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

bool any_longer(const std::vector<GroupTape>& tapes, uint64_t steps) {
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves)
      if (wave.executed > steps) return true;
  return false;
}

// Not for all: others have less to do.
void stand_for_their_xcds(const WorkSummary& work, uint64_t limit, Crowd& usual) {
  for (const GroupTape& tape : usual.tapes) usual.xcds.push_back(xcd_of_group(tape.group));
  std::sort(usual.xcds.begin(), usual.xcds.end());
  usual.xcds.erase(std::unique(usual.xcds.begin(), usual.xcds.end()), usual.xcds.end());
  if (usual.xcds.empty()) return;
  double sum = 0;
  for (int xcd : usual.xcds) sum += double(work.instructions_on(xcd, limit));
  usual.on_xcd = sum / double(usual.xcds.size());
}

}  // namespace

double Crowd::moves_in_all(double executed) const {
  const double others = std::max(0.0, on_xcd / std::max(1.0, executed) - 1);
  return (1 + others_move * others) * instructions / std::max(1.0, on_xcd);
}

double executed_steps(const std::vector<GroupTape>& tapes) {
  double steps = 0;
  for (const GroupTape& group : tapes) steps += group.executed();
  return steps;
}

bool any_cut(const std::vector<GroupTape>& tapes) {
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves)
      if (wave.cut()) return true;
  return false;
}

void divide(const LaunchShape& shape, Observed& observed, Crowd& usual, Crowd& outliers) {
  const uint64_t limit = longest_usual(observed);
  const WorkSummary::Part beyond = observed.work.beyond(limit);
  outliers.groups = double(beyond.groups);
  outliers.groups_on_xcd = double(beyond.groups_on_xcd);
  outliers.instructions = double(beyond.instructions);
  usual.groups = double(shape.groups) - outliers.groups;
  usual.groups_on_xcd = std::ceil(usual.groups / kXcds);
  usual.up_to = outliers.beyond = double(limit);
  usual.steps_per_wave = outliers.steps_per_wave = observed.steps_per_wave;
  usual.alike = observed.alike;
  usual.instructions = double(observed.instructions) - outliers.instructions;
  for (auto* tapes : {&observed.planned, &observed.longest}) {
    for (GroupTape& tape : *tapes) {
      if (tape.longest > limit) outliers.tapes.push_back(std::move(tape));
      else (tape.planned ? usual.tapes : usual.longer).push_back(std::move(tape));
    }
    tapes->clear();  // empty ones are not to be used again
  }
  keep_longest(usual.longer);
  outliers.on_xcd = outliers.instructions * (outliers.groups > 0 ? outliers.share() : 0);
  usual.on_xcd = usual.instructions * usual.share();
  if (observed.chosen && observed.work.knows_each())
    stand_for_their_xcds(observed.work, limit, usual);
}

// Where more is on the tapes than an XCD has, what was looked at is not what is on them.
double moved_by_others(const Crowd& crowd, uint64_t bytes, double taped_bytes) {
  const double executed = executed_steps(crowd.tapes), left = crowd.on_xcd - executed;
  if (any_cut(crowd.tapes) || double(crowd.tapes.size()) > crowd.groups_on_xcd) return 1;
  if (left <= 0 || taped_bytes <= 0) return 1;
  const double moved = double(bytes) * crowd.on_xcd / std::max(1.0, crowd.instructions);
  return std::clamp((moved - taped_bytes) / left * executed / taped_bytes, 0.0, 1.0);
}

// Of those that are about as long the ones that were planned: their tapes begin with them, and they
// are neighbours on one XCD, as they will be when they are simulated.
void keep_what_fits(const LaunchShape& shape, Crowd& outliers) {
  constexpr double kAlike = 1.01;
  std::vector<GroupTape>& tapes = outliers.tapes;
  const size_t most =
      size_t(std::min<double>(outliers.groups_on_xcd, double(groups_per_round(shape))));
  if (tapes.size() <= most) return;
  const auto longest_first = [](const GroupTape& a, const GroupTape& b) {
    return a.longest != b.longest ? a.longest > b.longest : a.group < b.group;
  };
  std::sort(tapes.begin(), tapes.end(), longest_first);
  const double enough = double(tapes[most - 1].longest) / kAlike;
  const double longer = double(tapes[most - 1].longest) * kAlike;
  const auto rank = [=](const GroupTape& tape) {
    if (double(tape.longest) > longer) return 0;
    return double(tape.longest) < enough ? 3 : tape.planned ? 1 : 2;
  };
  std::sort(tapes.begin(), tapes.end(), [&](const GroupTape& a, const GroupTape& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : longest_first(a, b);
  });
  for (size_t n = most; n < tapes.size(); ++n) spare_tapes().give_back(std::move(tapes[n]));
  tapes.resize(most);
  std::sort(tapes.begin(), tapes.end(),
            [](const GroupTape& a, const GroupTape& b) { return a.group < b.group; });
}

void keep_one_xcd(Crowd& crowd) {
  if (double(crowd.tapes.size()) > crowd.groups_on_xcd &&
      crowd.tapes.size() == size_t(crowd.groups))
    keep_busiest_xcd(crowd.tapes);
}

// Later rounds find the XCD as the earlier ones leave it, which is not known when waves are looked
// at in parts only: of such waves one round is simulated, where all of them go in step.
void keep_fewer_rounds(const LaunchShape& shape, Crowd& crowd) {
  const size_t round = groups_per_round(shape), all = crowd.tapes.size();
  if (all <= round) return;
  const double part = kSimulatedSteps / executed_steps(crowd.tapes);
  if (any_cut(crowd.tapes)) keep_typical_round(crowd.tapes, round);
  else if (all >= kManyRounds * round && part < 1 && any_longer(crowd.tapes, crowd.steps_per_wave))
    keep_spread(crowd.tapes, std::max(round, size_t(part * double(all))));
}

}  // namespace model
}  // namespace vgpu
