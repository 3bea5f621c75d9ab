#include "places.h"

#include "lane_loops.h"
#include "physical.h"

namespace vgpu {
namespace model {
Places places_of(const LaneAccess& access) {
  Places places;
  Translator& translator = this_thread_translator();
  for (uint64_t left = access.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint64_t bit = uint64_t(1) << l;
    if (in_lds(access.at[l])) {
      places.lds |= bit;
    } else if (in_private(access.at[l])) {
      places.priv |= bit;
    } else {
      Translator::Place place = translator.translate(access.at[l]);
      places.physical[l] = place.physical;
      places.host |= place.host;
      places.global |= bit;
    }
  }
  return places;
}

bool coalesce_in_one(const LaneAccess& access, Coalesced& requests, bool& host) {
  const uint64_t exec = access.exec;
  if (!exec) return false;
  const uint32_t bytes = access.shape.bytes;
  const uint64_t first = access.at[__builtin_ctzll(exec)];
  const bool row = lane_loops().in_a_row(access.at, exec, bytes);
  const LaneBounds bounds = row ? LaneBounds{first, access.at[kLanes - 1 - __builtin_clzll(exec)]}
                                : lane_loops().bounds(access.at, exec);
  Translator::Place place;
  if (!this_thread_translator().translate_range(bounds.low, bounds.high + bytes - 1, place))
    return false;
  host = place.host;
  const uint64_t shift = place.physical - bounds.low;
  if (!row || !coalesce_row(first + shift, exec, bytes, requests))
    coalesce_scattered(access.at, exec, bytes, shift, requests);
  return true;
}

}  // namespace model
}  // namespace vgpu
