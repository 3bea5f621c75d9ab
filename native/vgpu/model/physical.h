// Physical addresses of the model: the same in every run, wherever the host put the allocations.
#pragma once

#include "../exec/address_space.h"

namespace vgpu {
namespace model {

// Remembers the allocations used last; one per host thread.
class Translator {
 public:
  struct Place {
    uint64_t physical;
    bool host;            // host memory, reached over the bus
  };
  Place translate(uint64_t address);
  // Where `low` is, when one allocation holds everything from there to `high`; false otherwise.
  bool translate_range(uint64_t low, uint64_t high, Place& place);

 private:
  static constexpr int kRemembered = 8;
  Allocation known_[kRemembered];
  uint64_t epoch_ = ~uint64_t(0);
  unsigned next_ = 0;
};

Translator& this_thread_translator();

// Private memory has no place in the device's allocations: each wave's is put behind all of them.
constexpr uint64_t kPrivatePhysical = uint64_t(1) << 44;

}  // namespace model
}  // namespace vgpu
