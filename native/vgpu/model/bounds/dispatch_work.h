// What all workgroups of a dispatch asked of the hardware, XCD by XCD: exact, and the same whatever
// host threads executed them.
#pragma once

#include <cstdint>

#include "model/launch/structure.h"
#include "observe/step_work.h"

namespace vgpu {
namespace model {

// Cycles that a workgroup takes at least when it has a CU to itself.
uint64_t least_alone(const GroupWork& work);

class DispatchWork {
 public:
  struct OfXcd {
    uint64_t groups = 0;
    GroupWork sum;    // `longest`: the sum of those of all workgroups
    GroupWork least;  // of any workgroup
  };

  void add(uint64_t group, const GroupWork& work);
  void add(const DispatchWork& other);

  const OfXcd& xcd(int number) const { return xcds_[number]; }
  // The workgroup that asks for most, of each part: cycles of a SIMD, of a path to the LDS and of
  // the address unit, when its waves are spread as well as they can be.
  const GroupWork& heaviest() const { return heaviest_; }
  // Cycles that waves are kept waiting by others of the dispatch, on the longest way, if all of its
  // workgroups begin together.
  uint64_t kept_waiting() const { return heaviest_.ordered - heaviest_.longest; }

 private:
  OfXcd xcds_[calibration::kXcds];
  GroupWork heaviest_;
};

}  // namespace model
}  // namespace vgpu
