#include "model/sampling/stand_in.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/launch/device_size.h"
#include "model/sampling/crowd.h"
#include "model/sampling/forecast.h"
#include "model/sampling/pilot.h"
#include "model/sampling/xcd_choice.h"

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

struct Busiest {
  int xcd = -1;     // none that has more to do than others
  double life = 0;  // of its workgroups together
};

// How many times faster a workgroup is alone does not matter for which XCD has most to do.
Busiest busiest_xcd(const LaunchShape& shape, const Observed& observed) {
  const Forecast all(shape, observed.work, observed.alike, -1,
                     std::numeric_limits<double>::infinity());
  if (!all.differs()) return {};
  double ends[kXcds];
  for (int xcd = 0; xcd < kXcds; ++xcd) ends[xcd] = all.end(xcd, 1);
  const int xcd = int(std::max_element(ends, ends + kXcds) - ends);
  return {xcd, all.life(xcd)};
}

// Only so many long ones are kept: those of an XCD that has many may be missing.
bool are_all_kept(const Observed& observed, const Busiest& busiest) {
  constexpr double kNearlyAll = 0.9;
  double life = 0;
  for (const GroupTape& tape : observed.planned) life += double(tape.longest);
  for (const GroupTape& tape : observed.longest)
    if (xcd_of_group(tape.group) == busiest.xcd)
      life += double(tape.longest) - double(observed.planned[size_t(tape.group / kXcds)].longest);
  return life >= kNearlyAll * busiest.life;
}

}  // namespace

void follow_busiest_xcd(const LaunchShape& shape, Observed& observed, unsigned helpers) {
  int busiest = 0;
  if (observed.alike == kAllXcds) {
    busiest = std::max(0, busiest_xcd(shape, observed).xcd);
  } else {
    const XcdCycles cycles = pilot_cycles(shape, observed.planned, helpers);
    busiest = int(std::max_element(cycles.begin(), cycles.end()) - cycles.begin());
    observed.alike = XcdMask(1u << busiest);
    observed.chosen = true;
  }
  observed.planned = only_of_xcd(std::move(observed.planned), busiest);
}

void stand_in_for_busiest_xcd(const LaunchShape& shape, Observed& observed) {
  if (!is_one_whole_xcd(shape, observed)) return;
  const Busiest busiest = busiest_xcd(shape, observed);
  if (busiest.xcd < 0 || !are_all_kept(observed, busiest)) return;
  for (GroupTape& tape : observed.longest) {
    if (xcd_of_group(tape.group) != busiest.xcd) continue;
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
