// Loops over the 64 lanes of a memory instruction, compiled once per host instruction set.
#pragma once

#include <cstdint>

#include "observe/access.h"

namespace vgpu {
namespace model {

struct LaneBounds {
  uint64_t low, high;  // lowest and highest address of an active lane
};

struct LaneLoops {
  // Whether lanes lie one behind the other, `bytes` apart, as far as they are in `exec`.
  bool (*in_a_row)(const uint64_t* at, uint64_t exec, uint64_t bytes);
  LaneBounds (*bounds)(const uint64_t* at, uint64_t exec);
  // Of the distances from the first active lane; `exec` is not empty here and below.
  uint32_t (*hash)(const uint64_t* at, uint64_t exec);
  // These distances, 0 for lanes that are switched off; false when one does not fit.
  bool (*distances)(const uint64_t* at, uint64_t exec, uint32_t* distance);
  // Whether active lanes lie at these distances.
  bool (*lie_at)(const uint64_t* at, uint64_t exec, const uint32_t* distance);
};

const LaneLoops& lane_loops();

}  // namespace model
}  // namespace vgpu
