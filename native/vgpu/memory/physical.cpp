#include "memory/physical.h"

namespace vgpu {

const Translator::Known* Translator::look_up(uint64_t address) {
  const uint64_t now = space_.epoch();
  if (now != epoch_) {
    for (Known& known : known_) known = Known{};
    epoch_ = now;
  }
  Known& replaced = known_[next_++ % kRemembered];
  replaced = Known{};
  Allocation found;
  uint32_t owner = kHostAgent;
  if (!space_.part_holding(address, found, owner)) return nullptr;
  replaced = {found.base, found.bytes, found.physical, owner};
  return &replaced;
}

Translator& this_thread_translator() {
  static thread_local Translator translator;
  return translator;
}

}  // namespace vgpu
