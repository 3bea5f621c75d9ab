// Chooses the loops compiled for the best instruction set of this host.
#include "host/cpu_target.h"
#include "model/requests/lane_loops.h"

namespace vgpu {

#define VGPU_DECLARE(target)                \
  namespace target {                        \
  extern const model::LaneLoops kLaneLoops; \
  }
VGPU_DECLARE(baseline)
VGPU_DECLARE(avx2)
VGPU_DECLARE(avx512)
#undef VGPU_DECLARE

namespace model {

const LaneLoops& lane_loops() {
  static const LaneLoops& chosen = cpu_target() == CpuTarget::Avx512 ? avx512::kLaneLoops
                                   : cpu_target() == CpuTarget::Avx2 ? avx2::kLaneLoops
                                                                     : baseline::kLaneLoops;
  return chosen;
}

}  // namespace model
}  // namespace vgpu
