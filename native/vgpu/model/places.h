// Where the lanes of an access have their memory.
#pragma once

#include "../exec/check_access.h"

namespace vgpu {
namespace model {

struct Places {
  uint64_t physical[kLanes];                // of the lanes in `global`
  uint64_t global = 0, lds = 0, priv = 0;   // lanes
  bool host = false;                        // some of the global ones lie in host memory
};

Places places_of(const LaneAccess& access);

}  // namespace model
}  // namespace vgpu
