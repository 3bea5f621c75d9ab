#include "places.h"

#include <algorithm>

#include "physical.h"

namespace vgpu {
namespace model {
namespace {

// The usual case: one look at the allocations for all lanes.
bool one_allocation(const LaneAccess& access, Places& places) {
  uint64_t low = ~uint64_t(0), high = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t off = (access.exec >> l & 1) - 1;   // all bits set for lanes that are off
    low = std::min(low, access.at[l] | off);
    high = std::max(high, access.at[l] & ~off);
  }
  Translator::Place place;
  if (!access.exec || !this_thread_translator().translate_range(low, high, place)) return false;
  for (int l = 0; l < kLanes; ++l) places.physical[l] = access.at[l] - low + place.physical;
  places.global = access.exec;
  places.host = place.host;
  return true;
}

}  // namespace

Places places_of(const LaneAccess& access) {
  Places places;
  if (one_allocation(access, places)) return places;
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

}  // namespace model
}  // namespace vgpu
