// A wave's turn among the waves of its workgroup, where they touch the LDS in the order of their own
// time.
#pragma once

#include <cstdint>

namespace vgpu {

struct LdsTurn {
  static constexpr uint64_t kNever = ~uint64_t(0);

  uint64_t end = kNever;  // its own time up to which it may touch the LDS
  uint64_t wanted = 0;    // when it would have, behind that
  bool gave_way = false;  // in front of the instruction that does

  bool ends() const { return end != kNever; }
};

}  // namespace vgpu
