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

// An odd number for each lane, so that lanes that change places are told apart.
struct Factors {
  uint32_t of[kLanes];
  constexpr Factors() : of() {
    for (uint32_t l = 0; l < kLanes; ++l) of[l] = (l * 0x9e3779b1 >> 8) | 1;
  }
};
alignas(64) constexpr Factors kFactors;

uint32_t hash(const uint64_t* at, uint64_t exec) {
  const uint32_t first = uint32_t(at[__builtin_ctzll(exec)]);
  uint32_t sum = 0;
  if (exec == ~uint64_t(0)) {  // the usual case needs no mask
    for (int l = 0; l < kLanes; ++l) sum += (uint32_t(at[l]) - first) * kFactors.of[l];
    return sum;
  }
  for (int l = 0; l < kLanes; ++l)
    sum += ((uint32_t(at[l]) - first) & uint32_t(lane_mask(exec, l))) * kFactors.of[l];
  return sum;
}

bool distances(const uint64_t* at, uint64_t exec, uint32_t* distance) {
  const uint64_t first = at[__builtin_ctzll(exec)];
  const uint64_t middle = uint64_t(1) << 31;  // distances may be negative
  uint64_t beyond = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t far = (at[l] - first) & lane_mask(exec, l);
    beyond |= (far + middle) >> 32;
    distance[l] = uint32_t(far);
  }
  return beyond == 0;
}

bool lie_at(const uint64_t* at, uint64_t exec, const uint32_t* distance) {
  const uint64_t first = at[__builtin_ctzll(exec)];
  uint64_t different = 0;
  if (exec == ~uint64_t(0)) {
    for (int l = 0; l < kLanes; ++l)
      different |= (at[l] - first) ^ uint64_t(int64_t(int32_t(distance[l])));
    return different == 0;
  }
  for (int l = 0; l < kLanes; ++l)
    different |= ((at[l] - first) ^ uint64_t(int64_t(int32_t(distance[l])))) & lane_mask(exec, l);
  return different == 0;
}

}  // namespace

extern const model::LaneLoops kLaneLoops;
const model::LaneLoops kLaneLoops = {in_a_row, bounds, hash, distances, lie_at};

}  // namespace VGPU_TARGET
}  // namespace vgpu
