// Which XCD is followed. The first workgroups of each XCD are executed and taped before the others
// begin; where those of one take longer than those of the XCD that the plan follows, it decides when the
// dispatch ends, and is followed from there on. How long they take is what they executed where all do
// the same kind of work, else it is simulated (`sampling/pilot.h`). Where XCDs have a few workgroups only and
// the first of these differ, all others are taped, and what all executed decides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/structure.h"
#include "model/sampling/first_groups.h"
#include "model/sampling/sample.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// How many workgroups are executed before the choice; 0 where there is nothing to choose.
uint64_t groups_before_choice(const LaunchShape& shape, const SamplePlan& plan);

// How long each XCD takes, if they differ in kind; else all are 0.
using XcdCycles = std::array<double, calibration::kXcds>;
void choose_xcd(const LaunchShape& shape, const FirstGroups& first, const XcdCycles& pilot,
                SamplePlan& plan);

// The tapes that the plan asks for in the end, without those of an XCD that it left.
std::vector<GroupTape> as_planned(std::vector<GroupTape> tapes, const SamplePlan& plan);

std::vector<GroupTape> only_of_xcd(std::vector<GroupTape> tapes, int xcd);

// Those that turned out to be long, without those for which another one of their length stands.
std::vector<GroupTape> unplanned(std::vector<GroupTape> tapes,
                                 const std::vector<GroupTape>& planned);

}  // namespace model
}  // namespace vgpu
