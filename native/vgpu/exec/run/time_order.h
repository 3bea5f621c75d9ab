// Which wave of a workgroup goes on: the one that is furthest behind, until it comes to touch the LDS
// later than another one may. On the device waves that come from one barrier read what the LDS holds
// before one of them overwrites it, be there a second barrier or not.
#pragma once

#include <array>
#include <cstdint>

#include "exec/group/workgroup.h"

namespace vgpu {

class TimeOrder {
 public:
  static constexpr uint32_t kMostWaves = 16;

  explicit TimeOrder(const Workgroup& group);

  // Null: none can run, or none but those that gave up their turn. Sets the end of its turn.
  Wave* next(Workgroup& group);
  // After its turn.
  void look_at(const Workgroup& group, const Wave& wave);
  // After a barrier.
  void look_at_all(const Workgroup& group);

 private:
  // When each wave may touch the LDS next, at the earliest, in its own time.
  std::array<uint64_t, kMostWaves> due_;
};

}  // namespace vgpu
