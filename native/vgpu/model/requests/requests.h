// How the lanes of a memory instruction become requests: the coalescing of the vector cache and the
// banks of the LDS.
#pragma once

#include <cstdint>

#include "model/launch/structure.h"
#include "observe/access.h"

namespace vgpu {
namespace model {

constexpr int kMostRequests = 2 * kLanes;  // every lane in its own line, and unaligned
constexpr uint32_t kSectorBytes = 32;      // what the L2 knows to be written or not
constexpr uint8_t kAllSectors = 0xf;       // of a line

// The address unit coalesces lanes of up to 4 bytes sixteen at a time, wider ones four at a time
// (recorded on MI300X: 4 tag accesses for 64 lanes of 2 bytes in a row, 16 for 64 lanes of 8).
constexpr uint32_t kCoalescedBytes = 4;
constexpr int kCoalescedLanes = 16, kQuad = 4;

// Requests of a global memory access in the order of the first lane that needs each.
struct Coalesced {
  uint32_t count = 0;
  uint32_t tag_accesses = 0;   // distinct 64-byte blocks of lanes that are coalesced together
  uint32_t lane_requests = 0;  // blocks that the lanes ask for, four lanes at best in one
  uint32_t translations = 0;   // pages asked for: two tag accesses of a cycle share one
  uint32_t conflicts = 0;      // cycles beyond the first that tag accesses of a turn of lanes take
  uint8_t sectors[kMostRequests];    // mask of touched 32-byte sectors
  uint64_t requests[kMostRequests];  // line << 2 | mask of touched 64-byte halves (see tape.h)
};
// The same at another place: lines count from `line`.
struct PlacedRequests {
  const Coalesced* relative;
  uint64_t line;

  uint32_t count() const { return relative->count; }
  uint64_t request(uint32_t n) const { return relative->requests[n] + (line << 2); }
};
// `addresses` plus `shift` is where the lanes in `exec` lie physically; each touches `bytes`.
void coalesce(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint64_t shift,
              Coalesced& out);

// The same for lanes in a row (lane_loops.h), the first active one at `first`; false when lanes
// are cut by sectors or wider than 16 bytes.
bool coalesce_row(uint64_t first, uint64_t exec, uint32_t bytes, Coalesced& out);
// The same for lanes anywhere, at least one of them active.
void coalesce_scattered(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint64_t shift,
                        Coalesced& out);

// Requests of lanes that lie like these to each other, the first active one at `first` of the device:
// lines count from its own. Worked out once; null when lanes are too far apart. `instruction`: who
// asks, which mostly asks as it did before; null for nobody who will ask again.
struct RelativeRequests {
  uint64_t before, behind;  // bytes from the first active lane to the lowest and the highest
  Coalesced requests;

  PlacedRequests at(uint64_t first) const {
    return {&requests, first / calibration::kVectorLineBytes};
  }
};
const RelativeRequests* relative_requests(const uint64_t* addresses, uint64_t exec, uint32_t bytes,
                                          uint64_t first, const void* instruction);

// LDS cycles of one element of an access: 32 lanes a time for 4 bytes, 16 for 8, 8 for 16. Lanes
// that read the same dword share it; others in the same bank wait. Lanes that are switched off keep
// their turn: one lane alone takes as long as 64 without conflicts. A turn with a lane of 8 or 16 bytes
// that is not aligned takes its lanes one by one. Recorded for five LDS layouts of a public Triton
// attention kernel (ROCm/triton 7e6a3da to 38d8963): SQ_LDS_UNALIGNED_STALL is 0 without such turns of
// ds_read2_b64, halves when half of the turns are aligned, and with 15 cycles a turn leaves the rate
// that was measured. For 16 bytes LLVM takes ds_write2_b64 below an alignment of 16, too.
struct LdsCycles {
  uint32_t active = 0;        // SQ_LDS_IDX_ACTIVE
  uint32_t conflicts = 0;     // of which SQ_LDS_BANK_CONFLICT
  uint32_t same_address = 0;  // of which SQ_LDS_ADDR_CONFLICT: atomics on one dword
  uint32_t unaligned = 0;  // of which SQ_LDS_UNALIGNED_STALL: lanes one by one, dwords cut in two
};
LdsCycles lds_cycles(const LaneAccess& access);

}  // namespace model
}  // namespace vgpu
