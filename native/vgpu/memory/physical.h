// Physical addresses of the model: the same in every run, wherever the host put the allocations.
#pragma once

#include "memory/address_space.h"

namespace vgpu {

// Remembers the allocations used last; one per host thread.
class Translator {
 public:
  struct Place {
    uint64_t physical;
    bool host;  // host memory, reached over the bus
  };
  Place translate(uint64_t address) {
    const Allocation* known = find(address);
    return known ? place_in(*known, address) : Place{address % AddressSpace::kPage, false};
  }
  // Where `low` is, when one allocation holds everything from there to `high`; false otherwise.
  bool translate_range(uint64_t low, uint64_t high, Place& place) {
    const Allocation* known = find(low);
    if (!known || high - known->base >= known->bytes) return false;
    place = place_in(*known, low);
    return true;
  }

 private:
  static Place place_in(const Allocation& known, uint64_t address) {
    return {known.physical + (address - known.base), known.kind == MemoryKind::Host};
  }
  // Null for bytes behind an allocation on its last page, which may be touched: they count as their
  // own place.
  const Allocation* find(uint64_t address) {
    if (AddressSpace::instance().epoch() == epoch_)
      for (const Allocation& known : known_)
        if (address - known.base < known.bytes) return &known;
    return look_up(address);
  }
  const Allocation* look_up(uint64_t address);

  static constexpr int kRemembered = 8;
  Allocation known_[kRemembered];
  uint64_t epoch_ = ~uint64_t(0);
  unsigned next_ = 0;
};

Translator& this_thread_translator();

// Private memory has no place in the device's allocations: each wave's is put behind all of them.
constexpr uint64_t kPrivatePhysical = uint64_t(1) << 44;

}  // namespace vgpu
