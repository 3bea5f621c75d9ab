#include "model/requests/lane_loops.h"

#include "observe/lane_row.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

bool in_a_row(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  return lanes_in_a_row(at, exec, bytes);
}

model::LaneBounds bounds(const uint64_t* at, uint64_t exec) {
  uint64_t low = ~uint64_t(0), high = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t mask = lane_mask(exec, l);
    const uint64_t lowest = at[l] | ~mask, highest = at[l] & mask;
    low = lowest < low ? lowest : low;
    high = highest > high ? highest : high;
  }
  return {low, high};
}

bool distances(const uint64_t* at, uint64_t exec, uint32_t* distance, uint32_t& hash) {
  const uint64_t first = at[__builtin_ctzll(exec)];
  const uint64_t middle = uint64_t(1) << 31;  // distances may be negative
  uint64_t beyond = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t far = (at[l] - first) & lane_mask(exec, l);
    beyond |= (far + middle) >> 32;
    distance[l] = uint32_t(far);
  }
  uint32_t sum = 0;
  for (int l = 0; l < kLanes; ++l) sum += (distance[l] + uint32_t(l)) << (l % 13);
  hash = sum;
  return beyond == 0;
}

}  // namespace

extern const model::LaneLoops kLaneLoops;
const model::LaneLoops kLaneLoops = {in_a_row, bounds, distances};

}  // namespace VGPU_TARGET
}  // namespace vgpu
