// The simulated XCD in the place of one that has longer workgroups.
#pragma once

#include "model/launch/launch.h"
#include "model/sampling/timing.h"

namespace vgpu {
namespace model {

// All XCDs are on the tapes: the one that is likely to end last is followed.
void follow_busiest_xcd(const LaunchShape& shape, Observed& observed, unsigned helpers);

// All workgroups of one XCD are on the tapes, and of others those that turned out to be long. The XCD
// that is likely to end last decides: its long workgroups take the places of those on the tapes that
// stand where they do. Nothing is done when that XCD has none, or not all of them are on tapes.
void stand_in_for_busiest_xcd(const LaunchShape& shape, Observed& observed);

}  // namespace model
}  // namespace vgpu
