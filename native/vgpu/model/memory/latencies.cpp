#include "model/memory/latencies.h"

#include "model/launch/device_size.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Of memory behind the L2.
double latency_from(double behind_l2) {
  return kL2HitLatency + device_size().outside(behind_l2 - kL2HitLatency);
}

}  // namespace

Latencies::Latencies()
    : infinity_cache(latency_from(kMallLatency)), memory(latency_from(kMemoryLatency)) {}

Latencies Latencies::none() {
  Latencies none;
  none.to_l2 = none.to_fabric = none.vector_hit = none.scalar_hit = none.l2_hit = 0;
  none.infinity_cache = none.memory = 0;
  return none;
}

}  // namespace model
}  // namespace vgpu
