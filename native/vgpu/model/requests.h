// How the lanes of a memory instruction become requests: the coalescing of the vector cache and the
// banks of the LDS.
#pragma once

#include <cstdint>

#include "../exec/check_access.h"
#include "structure.h"

namespace vgpu {
namespace model {

constexpr int kMostRequests = 2 * kLanes;   // every lane in its own line, and unaligned

// Requests of a global memory access, in the order of the first lane that needs each: line << 2 |
// mask of touched 64-byte halves (see tape.h). `line_bases` are physical. Returns how many.
struct Coalesced {
  uint64_t requests[kMostRequests];
  uint32_t count = 0;
  uint32_t quad_accesses = 0;   // per four lanes: distinct 64-byte blocks that they touch
};
void coalesce(const uint64_t* physical, uint64_t exec, uint32_t bytes, Coalesced& out);

// LDS cycles of one element of an access: 32 lanes a time for 4 bytes, 16 for 8, 8 for 16. Lanes
// that read the same dword share it; others in the same bank wait.
struct LdsCycles {
  uint32_t active = 0;     // SQ_LDS_IDX_ACTIVE
  uint32_t conflicts = 0;  // of which SQ_LDS_BANK_CONFLICT
};
LdsCycles lds_cycles(const LaneAccess& access);

}  // namespace model
}  // namespace vgpu
