// Tags of a CU's vector cache, for times and for counters.
#pragma once

#include "model/launch/structure.h"
#include "model/memory/cache_tags.h"

namespace vgpu {
namespace model {

// Bits 7 and 8 of the address choose one of the four sets, no others.
template <class State>
using VectorTags = DenseTags<State, calibration::kVectorCacheWays, SetChoice::LowBits>;

}  // namespace model
}  // namespace vgpu
