// Where the lanes of an access have their memory, and what they ask of it.
#pragma once

#include "memory/physical.h"
#include "model/requests/requests.h"
#include "observe/access.h"

namespace vgpu {
namespace model {

struct Places {
  uint64_t physical[kLanes];               // of the lanes in `global`
  uint64_t global = 0, lds = 0, priv = 0;  // lanes
  Link link = kOwnMemory;                  // of some of the global ones, if of any
};

Places places_of(const LaneAccess& access, Translator& translator);

// The requests of an access of `instruction` when one allocation holds all of it, the usual case; else
// they are of nobody. They may lie in `room`, and stay as they are until the next call.
PlacedRequests coalesce_in_one(const LaneAccess& access, const void* instruction,
                               Translator& translator, Coalesced& room, Link& link);

}  // namespace model
}  // namespace vgpu
