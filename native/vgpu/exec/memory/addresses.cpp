#include "exec/memory/addresses.h"

#include "exec/memory/spaces.h"
#include "observe/lane_row.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

bool in_a_row(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  return lanes_in_a_row(at, exec, bytes);
}

bool global_addresses(const Wave& wave, const Inst& inst, uint64_t bytes, uint64_t* at) {
  GlobalSpace::addresses(wave, inst, at);
  return lanes_in_a_row(at, wave.exec(), bytes);
}

bool lds_addresses(const Wave& wave, const uint32_t* vaddr, uint32_t offset, uint64_t bytes,
                   uint64_t* at) {
  for (int l = 0; l < kLanes; ++l) at[l] = kSharedAperture + uint32_t(vaddr[l] + offset);
  return lanes_in_a_row(at, wave.exec(), bytes);
}

}  // namespace

extern const LaneAddresses kLaneAddresses;
const LaneAddresses kLaneAddresses = {global_addresses, lds_addresses, in_a_row};

}  // namespace VGPU_TARGET
}  // namespace vgpu
