#include "model/sampling/homes.h"

#include <algorithm>

#include "model/launch/device_size.h"
#include "model/launch/structure.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Where the long workgroups of an XCD run.
struct LongOnXcd {
  std::vector<int> homes;
  double busiest = 0;  // cycles that the long ones of a CU take at least, one after the other
};

int home_of(const LaunchShape& shape, uint64_t group) {
  const uint64_t number = group / kXcds;
  return number < groups_per_round(shape) ? int(number % uint64_t(device_size().units_per_xcd))
                                          : kAnyUnit;
}

LongOnXcd long_on(const LaunchShape& shape, const WorkSummary& work, double beyond, int xcd) {
  LongOnXcd found;
  std::vector<double> sums(size_t(device_size().units_per_xcd));
  for (uint64_t group = uint64_t(xcd); group < shape.groups; group += kXcds) {
    const double longest = double(work.longest_of(group));
    if (longest <= beyond) continue;
    const int home = home_of(shape, group);
    found.homes.push_back(home);
    if (home != kAnyUnit) sums[size_t(home)] += longest;
  }
  found.busiest = *std::max_element(sums.begin(), sums.end());
  return found;
}

}  // namespace

std::vector<int> homes_of(const LaunchShape& shape, const WorkSummary& work, double beyond,
                          const std::vector<GroupTape>& tapes) {
  constexpr double kAsMuch = 1.02;  // XCDs that differ by less are alike: the taped one stays
  std::vector<int> homes(tapes.size(), kAnyUnit);
  if (!work.knows_each()) return homes;
  LongOnXcd most = long_on(shape, work, beyond, xcd_of_group(tapes.front().group));
  for (int xcd = 0; xcd < kXcds; ++xcd) {
    LongOnXcd other = long_on(shape, work, beyond, xcd);
    if (other.busiest > kAsMuch * most.busiest) most = std::move(other);
  }
  std::copy_n(most.homes.begin(), std::min(most.homes.size(), homes.size()), homes.begin());
  return homes;
}

}  // namespace model
}  // namespace vgpu
