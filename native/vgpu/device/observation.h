// Who looks at the workgroups of one dispatch, and what they saw: the choice is made here, for each
// workgroup when it begins.
#pragma once

#include <memory>
#include <vector>

#include "device/meetings.h"
#include "exec/group/workgroup.h"
#include "model/bounds/dispatch_work.h"
#include "model/cache_pass/counting_dispatch.h"
#include "model/launch/launch.h"
#include "model/launch/work_summary.h"
#include "model/sampling/sample.h"
#include "model/sampling/timing.h"
#include "model/sampling/xcd_choice.h"
#include "model/tape/tape_store.h"

namespace vgpu {

class Observation {
 public:
  // `timed`: as the timing simulation sees it. `sample`: which workgroups are taped for the timing simulation. All are counted when counters
  // were asked for. `code`: what the instruction caches hold. `waits`: workgroups may wait for each
  // other, and run on one host thread.
  Observation(const model::LaunchShape& shape, const model::LaunchShape& timed,
              const model::SamplePlan& sample, const model::CodeHistory& code, bool waits);

  // Around the execution of a workgroup, on the host thread that executes it.
  void begin(Workgroup& group);
  // The first workgroup has had its first turn, alone.
  void first_turn(const Workgroup& group);
  // Workgroups below this number end before the others begin, or have their first turn at least: which
  // XCD is followed depends on them. 0 when that is settled.
  uint64_t choice_at() const { return choice_at_; }
  // `begun`: of these, those that have not ended.
  void choose_xcd(const std::vector<std::unique_ptr<Workgroup>>& begun);
  // After each round of its waves: those that turn out to be long are taped from then on.
  void look_at_length(Workgroup& group);
  // `asked`: the sums of this thread.
  void end(Workgroup& group, model::DispatchWork& asked);
  void add(const model::DispatchWork& asked) { asked_.add(asked); }  // one thread at a time

  // Null unless counters were asked for.
  model::DispatchCounting* counting() { return counting_.get(); }

  // What was seen of it, when all workgroups have ended.
  model::Observed take(TouchedMemory touched, uint64_t instructions);

 private:
  void tape_from_here(Workgroup& group);

  model::LaunchShape shape_;
  model::SamplePlan sample_;
  model::FirstGroups first_;
  uint64_t choice_at_ = 0;
  std::unique_ptr<model::DispatchCounting> counting_;
  std::unique_ptr<Meetings> meetings_;
  model::TapeStore tapes_;
  model::WorkSummary work_;
  model::DispatchWork asked_;
};

}  // namespace vgpu
