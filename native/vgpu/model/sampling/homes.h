// On which CUs of an XCD its long workgroups run: they may stand in the grid so that few CUs have them
// all, and then they share these, however many others are idle.
#pragma once

#include <vector>

#include "model/launch/launch.h"
#include "model/launch/work_summary.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// Of each of these workgroups, which are all longer than `beyond`, the CU where it runs: as far as the
// launcher deals them out in turn, which it does until the XCD is full; kAnyUnit for others. They stand
// for the XCD on which the CU with most of them has most to do.
std::vector<int> homes_of(const LaunchShape& shape, const WorkSummary& work, double beyond,
                          const std::vector<GroupTape>& tapes);

}  // namespace model
}  // namespace vgpu
