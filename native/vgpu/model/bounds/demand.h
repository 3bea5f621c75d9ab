// What a dispatch uses of the parts of the device that it shares with dispatches of other queues.
#pragma once

#include <array>
#include <cstdint>

#include "model/bounds/dispatch_work.h"

namespace vgpu {
namespace model {

enum class Shared : uint8_t {
  Room,  // for workgroups, on the CUs
  Hbm,
  InfinityCache,  // and the fabric to it
  L2Write,
  Launch,  // of waves, by the shader engines
  Vector,  // ports of the SIMDs
  Matrix,
  Lds,
  VectorCache,
  HostLink,
  PeerLink,  // the busiest
};
constexpr int kShared = 11;

// Parts of what the whole device has, on average from the dispatch's start to its end: at most 1.
class Demand {
 public:
  double& of(Shared part) { return parts_[size_t(part)]; }
  double of(Shared part) const { return parts_[size_t(part)]; }

  // The same work in another time; the room stays taken as long.
  void stretch(double factor);
  void limit();

 private:
  std::array<double, kShared> parts_{};
};

// Of what the workgroups asked for: exact. In a dispatch of so many cycles.
Demand demand_of(const DispatchWork& work, double cycles);

}  // namespace model
}  // namespace vgpu
