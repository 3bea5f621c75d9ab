// Pages of host memory that a program has moved to a device, by prefetching them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "memory/link.h"

namespace vgpu {

class Placement {
 public:
  struct Part {
    uint64_t begin, end;  // host addresses
    uint32_t owner;       // the agent that has them
  };

  // To the host means back.
  void move(uint64_t begin, uint64_t end, uint32_t agent);
  // [begin, end) in parts of one owner each.
  std::vector<Part> parts(uint64_t begin, uint64_t end) const;

 private:
  std::map<uint64_t, Part> moved_;  // disjoint, by begin
};

}  // namespace vgpu
