// Run-to-run variation on request: VROCM_NOISE=seed[:level] makes durations vary as recordings of
// an MI300X do, so that statistics can be tried against a known truth. Level 1 is what was
// recorded.
#pragma once

#include <cstdint>

namespace vgpu {
namespace model {

// `duration_ns` as measured in this run. The same seed, queue and packet give the same value.
uint64_t with_noise(uint64_t duration_ns, uint64_t queue, uint64_t packet);

}  // namespace model
}  // namespace vgpu
