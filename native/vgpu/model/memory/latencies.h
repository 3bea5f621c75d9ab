// Cycles that a request takes from its issue, by what answers it, or for parts of its way.
#pragma once

#include "model/launch/structure.h"

namespace vgpu {
namespace model {

struct Latencies {
  double to_l2 = calibration::kToL2Cycles, to_fabric = calibration::kToFabricCycles;
  double vector_hit = calibration::kVectorHitLatency;
  double scalar_hit = calibration::kScalarHitLatency;
  double l2_hit = calibration::kL2HitLatency;
  double infinity_cache, memory;

  Latencies();
  static Latencies none();
};

}  // namespace model
}  // namespace vgpu
