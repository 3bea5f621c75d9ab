#include "lane_loops.h"

#include "../exec/memory_access.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// All bits set for lanes that are active.
VGPU_INLINE uint64_t lane_mask(uint64_t exec, int lane) { return -(exec >> lane & 1); }

VGPU_INLINE bool in_a_row_inline(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  if (exec == 0) return false;
  const int active = __builtin_ctzll(exec);
  const uint64_t first = at[active] - uint64_t(active) * bytes;
  uint64_t different = 0;
  if (exec == ~uint64_t(0)) {   // the usual case needs no mask
    for (int l = 0; l < kLanes; ++l) different |= at[l] ^ (first + uint64_t(l) * bytes);
    return different == 0;
  }
  for (int l = 0; l < kLanes; ++l)
    different |= (at[l] ^ (first + uint64_t(l) * bytes)) & lane_mask(exec, l);
  return different == 0;
}

bool in_a_row(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  return in_a_row_inline(at, exec, bytes);
}

bool global_addresses(const Wave& wave, const Inst& inst, uint64_t bytes, uint64_t* at) {
  GlobalSpace::addresses(wave, inst, at);
  return in_a_row_inline(at, wave.exec(), bytes);
}

bool lds_addresses(const Wave& wave, const uint32_t* vaddr, uint32_t offset, uint64_t bytes,
                   uint64_t* at) {
  for (int l = 0; l < kLanes; ++l) at[l] = kSharedAperture + uint32_t(vaddr[l] + offset);
  return in_a_row_inline(at, wave.exec(), bytes);
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
  const uint64_t middle = uint64_t(1) << 31;   // distances may be negative
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
const model::LaneLoops kLaneLoops = {global_addresses, lds_addresses, in_a_row, bounds, distances};

}  // namespace VGPU_TARGET
}  // namespace vgpu
