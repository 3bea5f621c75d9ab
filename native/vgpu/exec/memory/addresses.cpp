#include "exec/memory/addresses.h"

#include "exec/memory/spaces.h"
#include "observe/lane_row.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

bool in_a_row(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  return lanes_in_a_row(at, exec, bytes);
}

// The usual case: a row of all lanes is told by its ends.
bool put_ends(uint64_t first, uint64_t bytes, uint64_t* at) {
  at[0] = first;
  at[kLanes - 1] = first + (kLanes - 1) * bytes;
  return true;
}

bool global_addresses(const Wave& wave, const Inst& inst, uint64_t bytes, uint64_t* at) {
  const uint32_t* offsets = wave.row(inst.src[0]);
  uint64_t base;
  if (wave.exec() == kAllLanes && offsets_in_a_row(offsets, uint32_t(bytes), kAllLanes) &&
      GlobalSpace::has_base(wave, inst, kAllLanes, base))
    return put_ends(base + offsets[0], bytes, at);
  GlobalSpace::addresses(wave, inst, at);
  return lanes_in_a_row(at, wave.exec(), bytes);
}

bool lds_addresses(const Wave& wave, const uint32_t* vaddr, uint32_t offset, uint64_t bytes,
                   uint64_t* at) {
  const uint32_t first = vaddr[0] + offset, last = first + (kLanes - 1) * uint32_t(bytes);
  if (wave.exec() == kAllLanes && first < last &&
      offsets_in_a_row(vaddr, uint32_t(bytes), kAllLanes))
    return put_ends(kSharedAperture + first, bytes, at);
  for (int l = 0; l < kLanes; ++l) at[l] = kSharedAperture + uint32_t(vaddr[l] + offset);
  return lanes_in_a_row(at, wave.exec(), bytes);
}

}  // namespace

extern const LaneAddresses kLaneAddresses;
const LaneAddresses kLaneAddresses = {global_addresses, lds_addresses, in_a_row};

}  // namespace VGPU_TARGET
}  // namespace vgpu
