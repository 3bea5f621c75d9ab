// What the first workgroups of each XCD did, which are executed and taped before the others begin. By
// that it is known whether XCDs have workgroups of other kinds, and which of them have more to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/structure.h"
#include "model/tape/tape.h"
#include "observe/step_work.h"

namespace vgpu {
namespace model {

// Safe from several host threads, and the same in any order.
class FirstGroups {
 public:
  struct Group {
    GroupWork work;
    uint64_t cycles = 0;         // that it takes at least
    uint64_t longest_steps = 0;  // of its longest wave, or how far that has come
    uint64_t steps = 0;          // of all its waves
    uint64_t requests = 0;       // of its loads and stores, on its tape
    bool ended = true;
  };
  void add(uint64_t number, const Group& group);

  struct OfXcd {
    std::atomic<uint64_t> cycles{0};  // at least, all of them one after the other
    std::atomic<uint64_t> most_cycles{0}, most_steps{0};  // of the longest, of its longest wave
    std::atomic<uint64_t> groups{0}, steps{0};            // of all their waves
    std::atomic<bool> all_ended{true};
    // Cycles of the parts of a CU, of the address unit, and a cycle for each request.
    static constexpr int kAsked = kWorkParts + 2;
    std::atomic<uint64_t> asked[kAsked] = {};
  };
  const OfXcd& on(int xcd) const { return xcds_[xcd]; }
  // Of a wave of these on average, on the XCD where that is most.
  uint64_t mean_steps(const LaunchShape& shape) const;
  bool all_ended() const;
  // Those whose workgroups ask for the same mix as those of this XCD: they differ in length only.
  XcdMask of_the_kind_of(int xcd) const;
  bool are_of_one_kind() const { return of_the_kind_of(0) == kAllXcds; }

 private:
  OfXcd xcds_[calibration::kXcds];
};

// Lines that loads and stores ask for.
uint64_t requests_of(const GroupTape& tape);

}  // namespace model
}  // namespace vgpu
