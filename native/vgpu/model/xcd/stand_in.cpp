#include "model/xcd/stand_in.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/launch/device_size.h"
#include "model/tape/tape_store.h"
#include "model/xcd/crowd.h"
#include "model/xcd/forecast.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Of waves in parts it is not known how long others run beside them: each needs a CU to itself.
bool is_one_whole_xcd(const LaunchShape& shape, const Observed& observed) {
  const std::vector<GroupTape>& tapes = observed.planned;
  const int xcd = xcd_of_group(tapes.front().group);
  const bool is_cut = any_cut(tapes) || any_cut(observed.longest);
  return tapes.size() == groups_on_xcd(shape, xcd) &&
         (!is_cut || tapes.size() <= size_t(device_size().units_per_xcd)) &&
         std::all_of(tapes.begin(), tapes.end(),
                     [&](const GroupTape& tape) { return xcd_of_group(tape.group) == xcd; });
}

// How many times faster a workgroup is alone does not matter for which XCD has most to do.
int busiest_xcd(const LaunchShape& shape, const Observed& observed) {
  const Forecast all(shape, observed.work, -1, std::numeric_limits<double>::infinity());
  if (!all.differs()) return -1;
  double ends[kXcds];
  for (int xcd = 0; xcd < kXcds; ++xcd) ends[xcd] = all.end(xcd, 1);
  return int(std::max_element(ends, ends + kXcds) - ends);
}

}  // namespace

void stand_in_for_busiest_xcd(const LaunchShape& shape, Observed& observed) {
  if (!is_one_whole_xcd(shape, observed) || observed.longest.size() >= TapeStore::kMostLong) return;
  const int busiest = busiest_xcd(shape, observed);
  if (busiest < 0) return;
  for (GroupTape& tape : observed.longest) {
    if (xcd_of_group(tape.group) != busiest) continue;
    GroupTape& place = observed.planned[size_t(tape.group / kXcds)];
    tape.group = place.group;
    tape.planned = true;
    std::swap(place, tape);
  }
  spare_tapes().give_back(observed.longest);
  observed.long_among_them = true;
}

}  // namespace model
}  // namespace vgpu
