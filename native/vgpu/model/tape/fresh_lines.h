// Lines that were first touched on the tape of some wave of a workgroup, and at which of its steps.
// On the host another wave that comes by at the same step does so later; on the device they go side
// by side and wait for the line together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/tape/window_schedule.h"

namespace vgpu {
namespace model {

struct WaveTape;

// Every request of a long workgroup asks: lines lie where their number says, or behind.
class FreshLines {
 public:
  void add(uint64_t line, uint64_t step, const WaveTape& wave) {
    if (2 * ++used_ > lines_.size()) grow();
    *place_of(line) = {line, step, &wave};
  }
  bool waits_for(uint64_t line, uint64_t step, const WaveTape& wave) const {
    const First& first = *place_of(line);
    return first.wave && first.wave != &wave && first.step + kAbout >= step;
  }

 private:
  static constexpr uint64_t kAbout = kWindowSteps * kWindowsPerRun;
  static constexpr size_t kLeast = 256;
  struct First {
    uint64_t line, step;
    const WaveTape* wave;  // null: nobody's
  };

  const First* place_of(uint64_t line) const {
    const size_t mask = lines_.size() - 1;
    size_t place = (line * 0x9e3779b97f4a7c15 >> 32) & mask;
    while (lines_[place].wave && lines_[place].line != line) place = (place + 1) & mask;
    return &lines_[place];
  }
  First* place_of(uint64_t line) {
    return const_cast<First*>(static_cast<const FreshLines*>(this)->place_of(line));
  }
  void grow() {
    std::vector<First> before(2 * lines_.size(), First{});
    before.swap(lines_);
    for (const First& first : before)
      if (first.wave) *place_of(first.line) = first;
  }

  std::vector<First> lines_ = std::vector<First>(kLeast);
  size_t used_ = 0;  // at most
};

}  // namespace model
}  // namespace vgpu
