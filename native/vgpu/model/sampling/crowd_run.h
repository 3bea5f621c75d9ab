// Some workgroups of a crowd, simulated on one XCD, and what that says of those that follow them there.
#pragma once

#include "model/launch/launch.h"
#include "model/memory/history_view.h"
#include "model/memory/memory_system.h"
#include "model/sampling/crowd.h"
#include "model/xcd/step_listener.h"
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {

struct CrowdRun {
  bool cut;
  double executed, simulated;  // steps of whole waves, workgroups
  MemorySystem memory;
  Xcd xcd;
  double end = 0;  // of whole waves
  double draining = 0;
  double moving = 0, computing = 0;  // cycles of the memory, and of the busiest part beside it
  double writing_back = 0;           // of the memory, for what was dirty in the end

  CrowdRun(const LaunchShape& shape, const Crowd& crowd, HistoryView& history,
           StepListener* listener);
  double working() const { return std::max(moving, computing); }
};

// Instructions of a workgroup that was not simulated, on average.
double work_of_others(const Crowd& crowd, double executed);

// Until those have come and gone that were not simulated, and follow the last that were: no faster
// than waves can be launched, and than what they ask for allows.
struct OthersTake {
  double passing = 0;  // whatever they move
  double moving = 0;   // likewise no faster than the memory moves that
};
OthersTake cycles_of_others(const LaunchShape& shape, const Crowd& crowd, const CrowdRun& run);

// When the last byte has left the L2, if the last workgroup of all ends at `passed`, and they move so
// many times what was simulated. What is written stays in the L2 as long as there is room.
double until_written_back(const CrowdRun& run, double passed, double times);

}  // namespace model
}  // namespace vgpu
