// A resource that serves one thing after the other.
#pragma once

#include <algorithm>

namespace vgpu {
namespace model {

// Times are cycles, with fractions because rates are not whole numbers of bytes per cycle.
struct Pipe {
  double free = 0;  // when it can take the next one
  double busy = 0;  // cycles that it worked

  // Serves something that arrives at `at` and takes `cycles`; returns when that began.
  double take(double at, double cycles) {
    double start = std::max(at, free);
    free = start + cycles;
    busy += cycles;
    return start;
  }
};

}  // namespace model
}  // namespace vgpu
