#include "model/requests/places.h"

#include <algorithm>

#include "model/requests/lane_loops.h"

namespace vgpu {
namespace model {
Places places_of(const LaneAccess& access, Translator& translator) {
  Places places;
  for (uint64_t left = access.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint64_t bit = uint64_t(1) << l;
    const uint64_t address = access.of(l);
    if (in_lds(address)) {
      places.lds |= bit;
    } else if (in_private(address)) {
      places.priv |= bit;
    } else {
      Translator::Place place = translator.translate(address);
      places.physical[l] = place.physical;
      places.link = std::max(places.link, place.link);
      places.global |= bit;
    }
  }
  return places;
}

PlacedRequests coalesce_in_one(const LaneAccess& access, const void* instruction,
                               Translator& translator, Coalesced& room, Link& link) {
  const PlacedRequests nobody{nullptr, 0}, there{&room, 0};
  const uint64_t exec = access.exec;
  if (!exec) return nobody;
  const uint32_t bytes = access.shape.bytes;
  const uint64_t first = access.first();
  // On the device lanes lie in their pages as on the host.
  const RelativeRequests* known =
      access.row ? nullptr : relative_requests(access.at, exec, bytes, first, instruction);
  const LaneBounds bounds = known        ? LaneBounds{first - known->before, first + known->behind}
                            : access.row ? LaneBounds{first, access.last()}
                                         : lane_loops().bounds(access.at, exec);
  Translator::Place place;
  if (!translator.translate_range(bounds.low, bounds.high + bytes - 1, place)) return nobody;
  link = place.link;
  const uint64_t shift = place.physical - bounds.low;
  if (known) return known->at(first + shift);
  if (access.row && coalesce_row(first + shift, exec, bytes, room)) return there;
  LaneAccess all = access;
  all.spell_out();
  coalesce_scattered(all.at, exec, bytes, shift, room);
  return there;
}

}  // namespace model
}  // namespace vgpu
