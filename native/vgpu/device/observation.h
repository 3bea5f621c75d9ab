// Who looks at the workgroups of one dispatch, and what they saw: the choice is made here, for each
// workgroup when it begins.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "exec/group/workgroup.h"
#include "model/cache_pass/counting_dispatch.h"
#include "model/launch/launch.h"
#include "model/launch/sample.h"
#include "model/tape/tape.h"

namespace vgpu {

class Observation {
 public:
  // `sample`: which workgroups are taped for the timing simulation. All are counted when counters
  // were asked for.
  Observation(const model::LaunchShape& shape, const model::SamplePlan& sample);

  // Around the execution of a workgroup, on the host thread that executes it.
  void begin(Workgroup& group);
  void end(Workgroup& group);

  // Null unless counters were asked for.
  model::DispatchCounting* counting() { return counting_.get(); }

  // What the sampled workgroups executed, in the order of their numbers.
  std::vector<model::GroupTape> take_tapes();

 private:
  const model::SamplePlan sample_;
  std::unique_ptr<model::DispatchCounting> counting_;
  std::mutex mutex_;
  std::vector<model::GroupTape> tapes_;
};

}  // namespace vgpu
