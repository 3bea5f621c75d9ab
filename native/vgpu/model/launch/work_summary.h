// How much each workgroup of a dispatch executed: exact, and cheap enough to keep for all of them.
// Workgroups that are not simulated are told apart by it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace vgpu {
namespace model {

class WorkSummary {
 public:
  explicit WorkSummary(uint64_t groups);

  // Workgroup `group` has ended: cycles that it takes at least, and what all of its waves
  // executed. Safe from several host threads, and the same in any order.
  void add(uint64_t group, uint64_t longest, uint64_t instructions);

  uint64_t median_longest() const;
  uint64_t longest() const;
  // Of a workgroup; when several share a place, of these.
  uint64_t longest_of(uint64_t group) const { return places_[group / groups_per_place_].longest; }

  // The workgroups whose longest wave is beyond a limit.
  struct Part {
    uint64_t groups = 0, instructions = 0;
    uint64_t groups_on_xcd = 0;  // on the XCD that has most of them
  };
  Part beyond(uint64_t limit) const;
  // Of those up to a limit, on an XCD; only when knows_each().
  uint64_t instructions_on(int xcd, uint64_t limit) const;

  // Every workgroup has a place of its own.
  bool knows_each() const { return groups_per_place_ == 1; }

 private:
  // Of very large dispatches several neighbours share a place: their longest and their sum.
  static constexpr uint64_t kMostPlaces = 1 << 20;
  struct Place {
    std::atomic<uint32_t> longest{0};
    std::atomic<uint32_t> instructions{0};
  };

  uint64_t groups_, groups_per_place_, places_count_;
  std::unique_ptr<Place[]> places_;
};

}  // namespace model
}  // namespace vgpu
