// Times that no dispatch can undercut, whatever a sample of it suggests: what was executed, counted
// exactly, over what the hardware does at most.
#pragma once

#include <array>
#include <cstdint>

#include "memory/touched_pages.h"
#include "model/bounds/dispatch_work.h"
#include "model/ideal/ideal.h"
#include "model/launch/launch.h"

namespace vgpu {
namespace model {

enum class Bound : uint8_t {
  Wave,    // the longest wave's own chain
  Room,    // chains of all workgroups over the places for them
  Launch,  // of waves, one after the other
  Vector,  // ports of the SIMDs
  Scalar,
  ScalarMemory,
  Memory,
  Branch,
  Matrix,         // matrix cores
  Lds,            // paths to the LDS
  Address,        // bytes of lanes through the address units of the CUs
  L2Write,        // bytes stored
  InfinityCache,  // distinct bytes between the L2s and the memory's side
  Hbm,            // of them, those that the Infinity Cache did not have
  Atomics,        // on one line
  Order,          // waves that wait for what others store
  HostLink,       // bytes of the host's memory
  PeerLink,       // of another device's
};
constexpr int kBounds = 18;
const char* name_of(Bound bound);  // as records show it

class Bounds {
 public:
  Bounds() = default;
  // `cold_bytes`: of what it touched, those of pages of which the Infinity Cache had nothing.
  Bounds(const LaunchShape& shape, const DispatchWork& work, const TouchedMemory& touched,
         double cold_bytes);

  double cycles(Bound bound) const { return cycles_[size_t(bound)]; }
  Bound largest() const;

 private:
  void raise(Bound bound, double cycles);
  void lift(uint32_t lifted);
  void of_port(const DispatchWork& work, WorkPart part, Bound bound);
  void of_xcd(const LaunchShape& shape, const DispatchWork::OfXcd& xcd);

  std::array<double, kBounds> cycles_{};
};

}  // namespace model
}  // namespace vgpu
