#include "model/sampling/all_xcds.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/side_by_side.h"
#include "model/memory/history_view.h"
#include "model/memory/memory_system.h"
#include "model/sampling/sample.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

struct OneXcd {
  int number;
  std::vector<GroupTape> tapes;
  std::optional<HistoryView> view;
  double drained = 0;
  TimingTotals totals;
};

std::vector<OneXcd> deal(Observed& observed) {
  std::vector<OneXcd> xcds;
  for (int number = 0; number < kXcds; ++number) {
    std::vector<GroupTape> mine;
    for (GroupTape& tape : observed.planned)
      if (xcd_of_group(tape.group) == number) mine.push_back(std::move(tape));
    if (!mine.empty()) xcds.push_back({number, std::move(mine), {}, 0, {}});
  }
  observed.planned.clear();  // empty ones are not to be used again
  return xcds;
}

HistoryOutlook outlook_of(const LaunchShape& shape, const OneXcd& one, const TouchedMemory& touched,
                          MemoryHistory& history) {
  const double groups = double(groups_on_xcd(shape, one.number));
  return history.look_from({double(shape.groups), groups, one.number}, touched, one.tapes);
}

void simulate(const LaunchShape& shape, OneXcd& one, StepListener* listener) {
  MemorySystem memory(double(one.tapes.size()) / double(shape.groups), *one.view);
  Xcd xcd(shape, one.tapes, memory, Engines::Each, one.number == 0 ? listener : nullptr);
  xcd.run();
  one.drained = memory.drain(xcd.ended());
  one.totals = xcd.totals();
  one.totals.draining = one.drained - xcd.ended();
  one.totals.memory = memory.activity();
  one.totals.note_moved(memory, 1);
}

// Each begins with what those before it are expected to leave. Not where that is not enough.
void simulate_side_by_side(const LaunchShape& shape, const TouchedMemory& touched,
                           std::vector<OneXcd>& xcds, MemoryHistory& history, unsigned helpers,
                           StepListener* listener) {
  std::vector<HistoryOutlook> outlooks;
  for (const OneXcd& one : xcds) {
    outlooks.push_back(outlook_of(shape, one, touched, history));
    if (outlooks.back().depends_on_others) return;
  }
  ExpectedPages before(history);
  for (size_t n = 0; n < xcds.size(); ++n) {
    xcds[n].view.emplace(history, outlooks[n], &before);
    before.add(shape, xcds[n].tapes);
  }
  side_by_side(helpers, xcds.size(), [&](size_t n) { simulate(shape, xcds[n], listener); });
}

}  // namespace

unsigned helpers_worth_waking(unsigned helpers, const std::vector<GroupTape>& tapes) {
  constexpr double kWorthIt = 4096;  // steps: some 400 us
  double steps = 0;
  for (const GroupTape& tape : tapes)
    for (const WaveTape& wave : tape.waves) steps += double(wave.did().steps.size());
  return steps < kWorthIt ? 0 : helpers;
}

AllXcds simulate_all(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                     unsigned helpers, StepListener* listener) {
  helpers = helpers_worth_waking(helpers, observed.planned);
  std::vector<OneXcd> xcds = deal(observed);
  if (helpers && xcds.size() > 1)
    simulate_side_by_side(shape, observed.touched, xcds, history, helpers, listener);
  AllXcds all;
  for (OneXcd& one : xcds) {
    if (!one.view || !one.view->holds_true()) {
      one.view.emplace(history, outlook_of(shape, one, observed.touched, history));
      simulate(shape, one, listener);
    }
    one.view->add_to_history();
    all.cycles = std::max(all.cycles, one.drained);
    all.totals.add(one.totals);
    spare_tapes().give_back(one.tapes);
  }
  return all;
}

}  // namespace model
}  // namespace vgpu
