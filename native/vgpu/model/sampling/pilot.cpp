#include "model/sampling/pilot.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/side_by_side.h"
#include "model/memory/history_view.h"
#include "model/memory/memory_system.h"
#include "model/sampling/all_xcds.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// They come in rounds as long as these live, and no faster than the memory lets them.
double cycles_of_all(const LaunchShape& shape, int xcd, const std::vector<GroupTape>& first) {
  MemoryHistory nothing_before;
  nothing_before.begin({});
  HistoryView view(nothing_before, {});
  MemorySystem memory(1.0 / kXcds, view);
  Xcd run(shape, first, memory, Engines::InStep);
  run.run();
  const double end = run.ended_whole(), before = memory.busiest();
  const double drained = end + memory.drain(run.ended()) - run.ended();
  const double moving = run.memory_work(memory.busiest() - before);
  const double groups = double(groups_on_xcd(shape, xcd));
  return std::max({drained, run.mean_life() * groups / double(groups_per_round(shape)),
                   moving * groups / double(first.size())});
}

}  // namespace

XcdCycles pilot_cycles(const LaunchShape& shape, std::vector<GroupTape>& tapes, unsigned helpers) {
  helpers = helpers_worth_waking(helpers, tapes);
  XcdCycles cycles{};
  std::vector<GroupTape> of_xcd[kXcds];
  for (GroupTape& tape : tapes) of_xcd[xcd_of_group(tape.group)].push_back(std::move(tape));
  tapes.clear();
  side_by_side(helpers, kXcds, [&](size_t xcd) {
    if (!of_xcd[xcd].empty()) cycles[xcd] = cycles_of_all(shape, int(xcd), of_xcd[xcd]);
  });
  for (std::vector<GroupTape>& of_one : of_xcd)
    tapes.insert(tapes.end(), std::make_move_iterator(of_one.begin()),
                 std::make_move_iterator(of_one.end()));
  std::sort(tapes.begin(), tapes.end(),
            [](const GroupTape& a, const GroupTape& b) { return a.group < b.group; });
  return cycles;
}

}  // namespace model
}  // namespace vgpu
