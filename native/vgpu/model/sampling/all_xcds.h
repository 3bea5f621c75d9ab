// A dispatch of which all workgroups are on the tapes: every XCD is simulated.
#pragma once

#include "model/launch/launch.h"
#include "model/memory/memory_history.h"
#include "model/sampling/timing.h"
#include "model/xcd/step_listener.h"
#include "model/xcd/timing_totals.h"

namespace vgpu {
namespace model {

struct AllXcds {
  double cycles = 0;  // from the first wave to the last byte written back
  TimingTotals totals;
};

// XCDs are simulated side by side on this thread and up to `helpers` others. How many does not matter to
// the result.
AllXcds simulate_all(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                     unsigned helpers, StepListener* listener);

// Where the steps on these tapes are too few to be worth waking others: 0.
unsigned helpers_worth_waking(unsigned helpers, const std::vector<GroupTape>& tapes);

}  // namespace model
}  // namespace vgpu
