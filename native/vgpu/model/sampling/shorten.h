// Whether the waves on the tapes of a dispatch are simulated whole or in parts, once all have ended: only
// then it is known how much they executed together.
#pragma once

#include <vector>

#include "model/launch/launch.h"
#include "model/sampling/sample.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// Of waves that are too long together, or of which one is too long by itself, parts are left of all that
// are longer than each may be.
void shorten(std::vector<GroupTape>& planned, const LaunchShape& shape, const SamplePlan& plan);

}  // namespace model
}  // namespace vgpu
