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
  if (!access.exec) return false;
  const LaneBounds bounds = lane_loops().bounds(access.at, access.exec);
  Translator::Place place;
  if (!this_thread_translator().translate_range(bounds.low, bounds.high + access.shape.bytes - 1,
                                                place))
    return false;
  host = place.host;
  coalesce(access.at, access.exec, access.shape.bytes, place.physical - bounds.low, requests);
  return true;
}

}  // namespace model
}  // namespace vgpu
