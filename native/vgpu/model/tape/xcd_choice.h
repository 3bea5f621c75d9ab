// Which XCD is followed. The first workgroups of each XCD are executed before the others begin; where
// those of one take longer than those of the XCD that the plan follows, it decides when the dispatch
// ends, and is followed from there on. Where XCDs have a few workgroups only and the first of these differ,
// all others are taped, and what all executed decides.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/structure.h"
#include "model/launch/work_summary.h"
#include "model/tape/sample.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// What the first workgroups of each XCD took. Safe from several host threads, and the same in any order.
class FirstGroups {
 public:
  // `steps`: of its longest wave, `all_steps` of all. `ended`: or how far it has come.
  void add(uint64_t group, uint64_t cycles, uint64_t steps, uint64_t all_steps, bool ended);

  struct OfXcd {
    std::atomic<uint64_t> cycles{0};  // at least, all of them one after the other
    std::atomic<uint64_t> most_cycles{0}, most_steps{0};  // of the longest, of its longest wave
    std::atomic<uint64_t> groups{0}, steps{0};            // of all their waves
    std::atomic<bool> all_ended{true};
  };
  const OfXcd& on(int xcd) const { return xcds_[xcd]; }
  // Of a wave of these on average, on the XCD where that is most.
  uint64_t mean_steps(const LaunchShape& shape) const;
  bool all_ended() const;

 private:
  OfXcd xcds_[calibration::kXcds];
};

// How many workgroups are executed before the choice; 0 where there is nothing to choose.
uint64_t groups_before_choice(const LaunchShape& shape, const SamplePlan& plan);

void choose_xcd(const LaunchShape& shape, const FirstGroups& first, SamplePlan& plan);

// The tapes that the plan asks for in the end: without those of an XCD that it left, and for the first
// workgroups of one that it came to later others of about that length.
std::vector<GroupTape> as_planned(std::vector<GroupTape> tapes, const LaunchShape& shape,
                                  const SamplePlan& plan, const WorkSummary& work);

// Those of one XCD, likewise, where every workgroup from some on was taped.
std::vector<GroupTape> only_of_xcd(std::vector<GroupTape> tapes, const LaunchShape& shape, int xcd,
                                   const WorkSummary& work);

// Those that turned out to be long, without those for which another one of their length stands.
std::vector<GroupTape> unplanned(std::vector<GroupTape> tapes,
                                 const std::vector<GroupTape>& planned);

}  // namespace model
}  // namespace vgpu
