// How long each XCD takes if all of its workgroups are like the first ones, which were taped: where
// XCDs have workgroups of other kinds, no sum of what these ask for says which XCD ends last.
#pragma once

#include <vector>

#include "model/launch/launch.h"
#include "model/sampling/xcd_choice.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// In cycles, 0 of an XCD that has no tape. Memory is taken to be cold. XCDs are simulated side by side, on
// this host thread and up to `helpers` others.
XcdCycles pilot_cycles(const LaunchShape& shape, std::vector<GroupTape>& tapes, unsigned helpers);

}  // namespace model
}  // namespace vgpu
