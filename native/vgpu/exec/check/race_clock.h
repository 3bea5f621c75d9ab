// What is known to have happened, for the race check: up to which moment of which wave. Moments are
// stamps, which count memory instructions of the dispatch in the order in which they ran.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace vgpu {

// Everything that one wave, or every wave of a workgroup, did up to a stamp.
struct Known {
  static constexpr uint32_t kEveryWave = ~uint32_t(0);
  uint32_t group = 0, wave = kEveryWave;
  uint64_t stamp = 0;
};

class Clock {
 public:
  // Who has heard of more others than this is taken to know all that happened until then: races may
  // be missed, nobody is accused wrongly, and memory stays bounded.
  static constexpr size_t kMostEntries = 4096;

  Clock() = default;
  explicit Clock(std::vector<Known> entries);  // sorted by group and wave

  bool covers(uint32_t group, uint32_t wave, uint64_t stamp) const;
  bool includes(const Clock& other) const;
  static Clock joined(const Clock& a, const Clock& b);

 private:
  void bound();

  std::vector<Known> entries_;  // sorted by group and wave
  uint64_t everything_ = 0;     // all that happened up to this stamp
};

using ClockRef = std::shared_ptr<const Clock>;  // null: nothing

void join(ClockRef& into, const ClockRef& from);

}  // namespace vgpu
