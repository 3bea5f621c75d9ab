// Variation on request, so that statistics can be tried against a known truth. VROCM_NOISE=SEED
// or SEED:LEVEL makes durations vary from dispatch to dispatch as recordings of an MI300X do; level
// 1 is what was recorded. SEED:NAME makes them vary from process to process, too.
#pragma once

#include <cstdint>

namespace vgpu {
namespace model {

// `duration_ns` as measured in this run. The same seed, queue and packet give the same
// value, of a named noise in the same process of a counted series.
uint64_t with_noise(uint64_t duration_ns, uint64_t queue, uint64_t packet);

}  // namespace model
}  // namespace vgpu
