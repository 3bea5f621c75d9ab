// Chooses the loops compiled for the best instruction set of this host.
#include "host/cpu_target.h"
#include "model/requests/lane_loops.h"

namespace vgpu {

#define VGPU_DECLARE(target)                \
  namespace target {                        \
  extern const model::LaneLoops kLaneLoops; \
  }
VGPU_CPU_TARGETS(VGPU_DECLARE)
#undef VGPU_DECLARE

namespace model {

const LaneLoops& lane_loops() {
#define VGPU_LOOPS(target) &target::kLaneLoops,
  static constexpr const LaneLoops* kLoops[] = {VGPU_CPU_TARGETS(VGPU_LOOPS)};
#undef VGPU_LOOPS
  static const LaneLoops& chosen = *kLoops[int(cpu_target())];
  return chosen;
}

}  // namespace model
}  // namespace vgpu
