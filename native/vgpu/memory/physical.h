// Physical addresses of the model: the same in every run, wherever the host put the allocations. And
// over which link they are reached.
#pragma once

#include <cstdint>

#include "memory/address_space.h"
#include "memory/link.h"

namespace vgpu {

// Remembers the allocations used last; one per host thread.
class Translator {
 public:
  struct Place {
    uint64_t physical;
    Link link;
  };
  // Links are those of this agent from now on.
  void serve(uint32_t agent) { agent_ = agent; }
  Place translate(uint64_t address) {
    const Known* known = find(address);
    return known ? place_in(*known, address) : Place{address % AddressSpace::kPage, kOwnMemory};
  }
  // Where `low` is, when one allocation holds everything from there to `high`; false otherwise.
  bool translate_range(uint64_t low, uint64_t high, Place& place) {
    const Known* known = find(low);
    if (!known || high - known->base >= known->bytes) return false;
    place = place_in(*known, low);
    return true;
  }

 private:
  // An allocation, without what nobody asks for here.
  struct Known {
    uint64_t base = 0, bytes = 0, physical = 0;
    uint32_t owner = kHostAgent;
  };
  Place place_in(const Known& known, uint64_t address) const {
    return {known.physical + (address - known.base), link_between(agent_, known.owner)};
  }
  // Null for bytes behind an allocation on its last page, which may be touched: they count as their
  // own place.
  const Known* find(uint64_t address) {
    if (space_.epoch() == epoch_)
      for (const Known& known : known_)
        if (address - known.base < known.bytes) return &known;
    return look_up(address);
  }
  const Known* look_up(uint64_t address);

  static constexpr int kRemembered = 8;
  const AddressSpace& space_ = AddressSpace::instance();
  Known known_[kRemembered];
  uint64_t epoch_ = ~uint64_t(0);
  unsigned next_ = 0;
  uint32_t agent_ = kFirstDevice;
};

Translator& this_thread_translator();

// Private memory has no place in the device's allocations: each wave's is put behind all of them.
constexpr uint64_t kPrivatePhysical = uint64_t(1) << 44;

}  // namespace vgpu
